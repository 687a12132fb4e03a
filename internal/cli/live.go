package cli

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"

	"savedq/graph"
	"savedq/internal/auth"
	"savedq/internal/graphqlhttp"
	"savedq/internal/http/causes"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/tracing"
	"savedq/internal/openapi"
	"savedq/internal/rest"
	"savedq/internal/usage"
	"savedq/resolvers"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// interfaces are all that depends on the saved queries of one catalog: a request that is
// served by them sees no half of a change. They are immutable.
type interfaces struct {
	catalog *catalog.Catalog
	// scoped runs the saved queries within the scope of the caller's token.
	scoped  *auth.Runner
	rest    http.Handler
	graphQL http.Handler
	openAPI http.Handler
	// boundSDL is the schema for callers with bound parameters.
	sdl, boundSDL string
	// visibleMetrics is [auth.Runner.VisibleMetrics].
	visibleMetrics func(context.Context) (endpoints []string, all bool)
}

// live serves the current interfaces. It is safe for concurrent use.
type live struct {
	current atomic.Pointer[interfaces]
	// causes reports whether callers without limits see the causes of errors.
	causes bool
	// tails reports whether the server has logs that can be followed.
	tails bool
}

// handler serves one of the interfaces. Each request reads the current ones once.
func (l *live) handler(choose func(*interfaces) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.causes && auth.Unlimited(r.Context()) {
			r = r.WithContext(causes.Show(r.Context()))
		}
		choose(l.current.Load()).ServeHTTP(w, r)
	})
}

// graphQL returns the current GraphQL handler.
func (l *live) graphQL() http.Handler { return l.current.Load().graphQL }

// sdl returns the published GraphQL schema for the caller of a request.
func (l *live) sdl(ctx context.Context) string {
	if auth.Bound(ctx) {
		return l.current.Load().boundSDL
	}
	return l.current.Load().sdl
}

// visibleMetrics returns the saved queries whose metrics a request may read; see
// [auth.Runner.VisibleMetrics].
func (l *live) visibleMetrics(ctx context.Context) (endpoints []string, all bool) {
	return l.current.Load().visibleMetrics(ctx)
}

// known returns the names that a tokens file may use.
func (l *live) known() auth.Known {
	known := auth.KnownOf(l.current.Load().catalog.Queries())
	known.Sources = knownSources()
	return known
}

// knownSources returns the log sources that tokens can be limited to.
func knownSources() []auth.Source {
	var sources []auth.Source
	for _, source := range logstore.Sources() {
		sources = append(sources, auth.Source{Table: source.Table, SenderName: source.SenderName})
	}
	return sources
}

// interfaceBuilder builds the interfaces of each version of the saved queries.
type interfaceBuilder struct {
	runner    *runner.Runner
	graphql   *graphqlFlags
	traced    *tracing.Tracing
	persisted *graphqlhttp.PersistedDocuments
	// state returns the state of the saved queries, as the caller of a request may see it.
	state func(context.Context) resolvers.CatalogState
	// tail follows the logs; nil if there is no embedded store.
	tail    func(context.Context, resolvers.TailFilter) (resolvers.TailReader, error)
	streams graphqlhttp.Streams
	// described returns what the OpenAPI document of the caller of a request has.
	described func(context.Context) openapi.Caller
	// signed reports whether signed tokens are accepted, which bind parameters.
	signed bool
	// ledger counts usage.
	ledger *usage.Ledger
	errors *httperror.Writer
	logger *slog.Logger
	// built counts the interfaces, to keep their cached GraphQL responses apart.
	built int
}

// build returns the interfaces of a catalog. Saved queries run within the scope of the
// caller's token and are recorded for the request log.
func (b *interfaceBuilder) build(current *catalog.Catalog) (*interfaces, error) {
	scoped := auth.NewRunner(b.traced.Runner(b.runner), b.runner, current, b.logger).WithUsage(b.ledger)
	schema, err := graph.NewSchema(current)
	if err != nil {
		return nil, err
	}
	boundSchema, err := graph.NewBoundSchema(current)
	if err != nil {
		return nil, err
	}
	trustedSchema := schema
	if b.signed { // documents of their callers omit what is bound
		trustedSchema = boundSchema
	}
	config, err := b.graphql.config(scoped, schema, trustedSchema, b.logger)
	if err != nil {
		return nil, err
	}
	config.BoundSchema, config.Bound = boundSchema, auth.Bound
	b.built++
	config.Version = strconv.Itoa(b.built)
	config.Viewer = func(ctx context.Context) resolvers.Viewer {
		viewer := viewerOf(ctx)
		viewer.Budget = budgetOf(scoped.Spending(ctx))
		return viewer
	}
	config.Catalog, config.Persisted = b.state, b.persisted
	config.Tail, config.Streams = b.tail, b.streams
	return &interfaces{
		catalog:        current,
		scoped:         scoped,
		rest:           rest.NewHandler(scoped, func(ctx context.Context) rest.Bound { return b.described(ctx).Bound }, b.logger),
		graphQL:        graphqlhttp.NewHandler(config),
		openAPI:        openapi.NewHandler(scoped.Queries, b.described, version(), b.errors),
		sdl:            schema.SDL(),
		boundSDL:       boundSchema.SDL(),
		visibleMetrics: scoped.VisibleMetrics,
	}, nil
}
