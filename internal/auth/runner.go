package auth

import (
	"context"
	"log/slog"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Runner runs saved queries within the scope of the token in the context. It is
// what interfaces use in the place of [*runner.Runner]. What the scope does not allow
// is denied, and logged, before the cache or the engine is asked.
type Runner struct {
	next   runner.QueryRunner
	logger *slog.Logger
}

// NewRunner returns a runner that logs what it denies.
func NewRunner(next runner.QueryRunner, logger *slog.Logger) *Runner {
	return &Runner{next: next, logger: logger}
}

// Run answers a request for the rows of a saved query. The error is an
// [*sqlq.Error]: UNAUTHENTICATED without a token in the context, PERMISSION_DENIED
// for what the token's scope does not allow.
func (r *Runner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	narrowed, err := r.narrow(ctx, request)
	if err != nil {
		if code := sqlq.AsError(err).Code; code == sqlq.Unauthenticated || code == sqlq.PermissionDenied {
			logDenied(ctx, r.logger, err, slog.String("endpoint", request.Endpoint))
		}
		return nil, err
	}
	return r.next.Run(ctx, narrowed)
}

// narrow returns the request as the token in the context may ask it.
func (r *Runner) narrow(ctx context.Context, request runner.Request) (runner.Request, error) {
	g := grantOf(ctx)
	if g == nil {
		return runner.Request{}, missing()
	}
	request.NoCache = request.NoCache && g.token.Refresh
	query, found := r.next.Catalog().Find(request.Endpoint)
	switch {
	case g.endpoints != nil && (!found || !g.endpoints[query.Name]):
		// The same for what exists and what does not, so that names cannot be probed.
		return runner.Request{}, sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this endpoint")
	case !found:
		return request, nil // the runner says so
	}
	return g.narrow(query, request)
}

// Queries returns the saved queries that the token in the context may ask, by name.
func (r *Runner) Queries(ctx context.Context) []*sqlq.SavedQuery {
	g := grantOf(ctx)
	if g == nil {
		return nil
	}
	var visible []*sqlq.SavedQuery
	for _, query := range r.next.Catalog().Queries() {
		if g.mayAsk(query) {
			visible = append(visible, query)
		}
	}
	return visible
}

// Keep keeps something that was made from answers, for [Runner.Kept] under the same
// scope alone: the key need not hold what the scope makes of a request. Nothing is
// kept without a token in the context.
func (r *Runner) PutResponse(ctx context.Context, key string, value any, bytes int, from []*cache.Entry) {
	if g := grantOf(ctx); g != nil {
		r.next.PutResponse(ctx, g.scopedKey(key), value, bytes, from)
	}
}

// Kept returns what [Runner.Keep] keeps under a key for the scope of the token in
// the context, with a response for each of the answers that it was made from; nil
// where nothing is kept.
func (r *Runner) CachedResponse(ctx context.Context, key string, noCache bool) (value any, responses []*runner.Response) {
	g := grantOf(ctx)
	if g == nil {
		return nil, nil
	}
	return r.next.CachedResponse(ctx, g.scopedKey(key), noCache && g.token.Refresh)
}

// scopedKey puts the scope, which is one line, in front of a key: keys of two scopes
// are never the same.
func (g *grant) scopedKey(key string) string { return g.scope + "\n" + key }
