package auth

import (
	"context"
	"log/slog"
	"reflect"

	"savedq/internal/observe/requestlog"
	"savedq/internal/operations/runlog"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// Runner runs saved queries within the scope of the token in the context. Interfaces use
// it in place of [*runner.Runner]. It denies and logs requests beyond the scope before they
// reach the cache or the engine, and requests beyond the token's budget before the engine. It
// notes the responses for the request log.
type Runner struct {
	next      runner.QueryRunner
	encodings encodings
	catalog   *catalog.Catalog
	logger    *slog.Logger
	// ledger may be nil.
	ledger *usage.Ledger
	// runs may be nil, and via is the interface that they are noted with.
	runs *runlog.Log
	via  string
}

// encodings caches encoded responses; [*runner.Runner] is one.
type encodings interface {
	PutEncoded(ctx context.Context, encoded *cache.Encoded, responses []*runner.Response)
	Encoded(ctx context.Context, key string, noCache bool) (*cache.Encoded, []*runner.Response)
}

// NewRunner returns a runner of the saved queries of a catalog that logs what it denies.
func NewRunner(next runner.QueryRunner, encodings encodings, catalog *catalog.Catalog, logger *slog.Logger) *Runner {
	return &Runner{next: next, encodings: encodings, catalog: catalog, logger: logger}
}

// WithUsage returns the runner, which counts the usage of tokens in a ledger and holds them to
// their budgets. It must be called before the runner is used.
func (r *Runner) WithUsage(ledger *usage.Ledger) *Runner {
	r.ledger = ledger
	return r
}

// WithRuns returns the runner, which notes runs in a log. It must be called before the runner is used.
func (r *Runner) WithRuns(runs *runlog.Log) *Runner {
	r.runs = runs
	return r
}

// Via returns the runner of an interface, whose name its runs are noted with.
func (r *Runner) Via(name string) *Runner {
	of := *r
	of.via = name
	return &of
}

// callerIn returns the caller of a request as runs are noted with it.
func (r *Runner) callerIn(g *grant) runlog.Caller {
	id := usageOf(&g.token)
	return runlog.Caller{Interface: r.via, Token: id.Token, Subject: id.Subject}
}

// Run runs a saved query. The error is an [*sqlq.Error]: UNAUTHENTICATED if the context
// holds no token, PERMISSION_DENIED if the request is beyond the token's scope,
// RESOURCE_EXHAUSTED if it needs the engine and the token's budget is used up.
func (r *Runner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	return r.run(ctx, request, (*grant).permit)
}

// Explore runs SQL of a caller over the tables, as Run does with a sandbox. The saved query of
// the request must have a parameter for each one that the token binds, which excludes rows of other values.
func (r *Runner) Explore(ctx context.Context, request runner.Request) (*runner.Response, error) {
	return r.run(ctx, request, (*grant).permitExplore)
}

// run runs a request that a grant permits.
func (r *Runner) run(ctx context.Context, request runner.Request, permit func(*grant, *runner.Request) error) (*runner.Response, error) {
	narrowed, err := r.narrow(ctx, request, permit)
	if err != nil {
		if code := sqlq.AsError(err).Code; code == sqlq.Unauthenticated || code == sqlq.PermissionDenied {
			logDenied(ctx, r.logger, err, slog.String("endpoint", request.Query.Name))
		}
		return nil, err
	}
	response, err := r.runs.Run(ctx, r.callerIn(grantOf(ctx)), r.next, narrowed)
	if err != nil && overBudget(err) {
		requestlog.NoteDenied(ctx) // as if it were above the token's rate
		logDenied(ctx, r.logger, err, slog.String("endpoint", request.Query.Name))
	}
	if err == nil {
		requestlog.Note(ctx, r.logger, response)
	}
	if caller, ok := narrowed.Account.(*usage.Caller); ok {
		caller.Responded(request.Query, response, err)
	}
	return response, err
}

// overBudget reports whether a run was rejected for the token's budget. The engine gives
// RESOURCE_EXHAUSTED too, but only for runs that it has tried.
func overBudget(err error) bool {
	failure := sqlq.AsError(err)
	return failure.Code == sqlq.ResourceExhausted && failure.Rejected()
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
func (r *Runner) narrow(ctx context.Context, request runner.Request, permit func(*grant, *runner.Request) error) (runner.Request, error) {
	g := grantOf(ctx)
	if g == nil {
		return runner.Request{}, missing()
	}
	request.NoCache = request.NoCache && g.token.Refresh
	if r.ledger != nil {
		request.Account = g.callerOf(r.ledger)
	}
	if err := permit(g, &request); err != nil {
		return runner.Request{}, err
	}
	return g.narrow(request)
}

// permit returns an error unless the grant allows the saved query of a request, and its SQL.
func (g *grant) permit(request *runner.Request) error {
	switch {
	case !g.allowsEndpoint(request.Query):
		return errEndpoint()
	case request.SQL != "" && !g.token.Sandbox:
		return sqlq.Errorf(sqlq.PermissionDenied, "the token may not send SQL; use one with sandbox, or leave %s out", sqlq.SQLParam)
	}
	return nil
}

func errEndpoint() error {
	return sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this endpoint")
}

// Find returns the saved query that has a name, an id or an alias. If there is none, a token with
// a list of endpoints gets the same error as for one that it does not allow, so that names cannot
// be probed.
func (r *Runner) Find(ctx context.Context, endpoint string) (*sqlq.SavedQuery, error) {
	g := grantOf(ctx)
	query, found := r.catalog.Find(endpoint)
	var err error
	switch {
	case g == nil:
		err = missing()
	case found && g.allowsEndpoint(query):
		return query, nil
	case g.endpoints == nil:
		return nil, runner.NotFound(endpoint, r.Queries(ctx))
	default:
		err = errEndpoint()
	}
	logDenied(ctx, r.logger, err, slog.String("endpoint", endpoint))
	return nil, err
}

// Queries returns the saved queries that the token in the context may run, by name.
func (r *Runner) Queries(ctx context.Context) []*sqlq.SavedQuery {
	g := grantOf(ctx)
	if g == nil {
		return nil
	}
	var visible []*sqlq.SavedQuery
	for _, query := range r.catalog.Queries() {
		if g.mayRun(query) {
			visible = append(visible, query)
		}
	}
	return visible
}

// MayRunAlert reports whether the token in the context may run an alert's saved query with its
// parameters, so that it gets the rows that the alert is about: none that the token excludes, and no
// others because the token binds a parameter.
func (r *Runner) MayRunAlert(ctx context.Context, query *sqlq.SavedQuery, params map[string][]string) bool {
	g := grantOf(ctx)
	if g == nil {
		return false
	}
	request := runner.Request{Query: query, Params: params, Background: true}
	if g.permit(&request) != nil {
		return false
	}
	narrowed, err := g.narrow(request)
	if err != nil {
		return false
	}
	own, err := request.Bind()
	if err != nil {
		return false
	}
	args, err := narrowed.Bind()
	return err == nil && reflect.DeepEqual(own, args)
}

// PutEncoded caches what was encoded from responses, under its key and the scope of the token
// in the context, so the key need not include the scope. It does nothing if the context holds
// no token.
func (r *Runner) PutEncoded(ctx context.Context, encoded *cache.Encoded, responses []*runner.Response) {
	if g := grantOf(ctx); g != nil {
		encoded.Key = g.scopedKey(encoded.Key)
		r.encodings.PutEncoded(ctx, encoded, responses)
	}
}

// Encoded returns what [Runner.PutEncoded] cached under a key for the scope of the token in
// the context, with a response for each entry that it was encoded from. It returns nil if
// nothing is cached.
func (r *Runner) Encoded(ctx context.Context, key string, noCache bool) (*cache.Encoded, []*runner.Response) {
	g := grantOf(ctx)
	if g == nil {
		return nil, nil
	}
	began := r.runs.Begin()
	encoded, responses := r.encodings.Encoded(ctx, g.scopedKey(key), noCache && g.token.Refresh)
	for _, response := range responses {
		requestlog.Note(ctx, r.logger, response)
		r.runs.Hit(r.callerIn(g), began, response)
		if r.ledger != nil {
			g.callerOf(r.ledger).Responded(response.Query, response, nil)
		}
	}
	return encoded, responses
}

// scopedKey prefixes a key with the scope, and with whether SQL of its own may be in the request. The
// scope is one line, so keys of different scopes never collide.
func (g *grant) scopedKey(key string) string {
	if g.token.Sandbox {
		return g.scope + " sandbox\n" + key
	}
	return g.scope + "\n" + key
}

// VisibleMetrics returns the names of the saved queries whose metrics the token in the
// context may read. all reports whether it may read all metrics, those of the process
// included: because its scope has no limits, or because it has the metrics right.
func (r *Runner) VisibleMetrics(ctx context.Context) (endpoints []string, all bool) {
	g := grantOf(ctx)
	if g == nil {
		return nil, false
	}
	for _, query := range r.Queries(ctx) {
		endpoints = append(endpoints, query.Name)
	}
	return endpoints, g.token.Metrics || g.scope == ""
}
