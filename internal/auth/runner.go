package auth

import (
	"context"
	"log/slog"

	"savedq/internal/observe/requestlog"
	"savedq/internal/usage"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Runner runs saved queries within the scope of the token in the context. Interfaces use
// it in place of [*runner.Runner]. It denies and logs requests beyond the scope before they
// reach the cache or the engine, and requests beyond the token's budget before the engine.
type Runner struct {
	next   runner.QueryRunner
	logger *slog.Logger
	// ledger may be nil.
	ledger *usage.Ledger
}

// NewRunner returns a runner that logs what it denies.
func NewRunner(next runner.QueryRunner, logger *slog.Logger) *Runner {
	return &Runner{next: next, logger: logger}
}

// WithUsage returns the runner, which counts the usage of tokens in a ledger and holds them to
// their budgets. It must be called before the runner is used.
func (r *Runner) WithUsage(ledger *usage.Ledger) *Runner {
	r.ledger = ledger
	return r
}

// Run runs a saved query. The error is an [*sqlq.Error]: UNAUTHENTICATED if the context
// holds no token, PERMISSION_DENIED if the request is beyond the token's scope,
// RESOURCE_EXHAUSTED if it needs the engine and the token's budget is used up.
func (r *Runner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	narrowed, err := r.narrow(ctx, request)
	if err != nil {
		if code := sqlq.AsError(err).Code; code == sqlq.Unauthenticated || code == sqlq.PermissionDenied {
			logDenied(ctx, r.logger, err, slog.String("endpoint", request.Endpoint))
		}
		return nil, err
	}
	response, err := r.next.Run(ctx, narrowed)
	if err != nil && overBudget(err) {
		requestlog.NoteDenied(ctx) // as if it were above the token's rate
		logDenied(ctx, r.logger, err, slog.String("endpoint", request.Endpoint))
	}
	r.count(narrowed, response, err)
	return response, err
}

// overBudget reports whether a run was rejected for the token's budget. The engine gives
// RESOURCE_EXHAUSTED too, but only for runs that it has tried.
func overBudget(err error) bool {
	failure := sqlq.AsError(err)
	return failure.Code == sqlq.ResourceExhausted && failure.Rejected()
}

// count counts a request for a saved query that exists.
func (r *Runner) count(request runner.Request, response *runner.Response, err error) {
	caller, ok := request.Account.(*usage.Caller)
	if !ok {
		return
	}
	if err == nil {
		caller.Responded(response.Query, response, nil)
	} else if query, found := r.next.Catalog().Find(request.Endpoint); found {
		caller.Responded(query, nil, err)
	}
}

// Spending returns what the token in the context has spent of its budget; nil if it has none.
func (r *Runner) Spending(ctx context.Context) []usage.Spending {
	g := grantOf(ctx)
	if g == nil || r.ledger == nil {
		return nil
	}
	return g.callerOf(r.ledger).Spending()
}

// narrow returns the request, limited to what the token in the context allows.
func (r *Runner) narrow(ctx context.Context, request runner.Request) (runner.Request, error) {
	g := grantOf(ctx)
	if g == nil {
		return runner.Request{}, missing()
	}
	request.NoCache = request.NoCache && g.token.Refresh
	if r.ledger != nil {
		request.Account = g.callerOf(r.ledger)
	}
	query, found := r.next.Catalog().Find(request.Endpoint)
	switch {
	case g.endpoints != nil && (!found || !g.allowsEndpoint(query)):
		// Unknown endpoints get the same error, so that names cannot be probed.
		return runner.Request{}, sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this endpoint")
	case !found:
		return runner.Request{}, runner.NotFound(request.Endpoint, r.Queries(ctx))
	}
	return g.narrow(query, request)
}

// Queries returns the saved queries that the token in the context may run, by name.
func (r *Runner) Queries(ctx context.Context) []*sqlq.SavedQuery {
	g := grantOf(ctx)
	if g == nil {
		return nil
	}
	var visible []*sqlq.SavedQuery
	for _, query := range r.next.Catalog().Queries() {
		if g.mayRun(query) {
			visible = append(visible, query)
		}
	}
	return visible
}

// PutResponse caches a value that was derived from cache entries, under the key and the
// scope of the token in the context, so the key need not include the scope. It does nothing
// if the context holds no token.
func (r *Runner) PutResponse(ctx context.Context, key string, value any, bytes int, from []*cache.Entry) {
	if g := grantOf(ctx); g != nil {
		r.next.PutResponse(ctx, g.scopedKey(key), value, bytes, from)
	}
}

// CachedResponse returns the value that [Runner.PutResponse] cached under a key for the
// scope of the token in the context, with a response for each cache entry that it was
// derived from. It returns nil if nothing is cached.
func (r *Runner) CachedResponse(ctx context.Context, key string, noCache bool) (value any, responses []*runner.Response) {
	g := grantOf(ctx)
	if g == nil {
		return nil, nil
	}
	value, responses = r.next.CachedResponse(ctx, g.scopedKey(key), noCache && g.token.Refresh)
	if r.ledger != nil {
		for _, response := range responses {
			g.callerOf(r.ledger).Responded(response.Query, response, nil)
		}
	}
	return value, responses
}

// scopedKey prefixes a key with the scope. The scope is one line, so keys of different
// scopes never collide.
func (g *grant) scopedKey(key string) string { return g.scope + "\n" + key }
