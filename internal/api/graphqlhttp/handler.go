// Package graphqlhttp carries GraphQL over HTTP: requests in, responses out, and errors
// as their callers may see them (D15, D20, D24).
//
// Expensive work is shared between callers. The runner caches the rows of saved queries,
// and whole responses, as bytes, for as long as all of their rows. A request with a cached
// response is served without parsing its document.
//
// The work that a caller can cause is bounded: a document is checked against the limits
// before it is validated, and validated before anything is run.
package graphqlhttp

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"savedq/graph"
	"savedq/internal/api/graphqlrules"
	"savedq/resolvers"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Runner runs saved queries and caches responses; see [*runner.Runner].
type Runner interface {
	resolvers.Runner
	PutEncoded(ctx context.Context, encoded *cache.Encoded, responses []*runner.Response)
	Encoded(ctx context.Context, key string, noCache bool) (*cache.Encoded, []*runner.Response)
}

var _ Runner = (*runner.Runner)(nil)

// Config holds the dependencies and settings of the handler. Runner, Schema, Logger, BodyBytes and Limits
// are required.
type Config struct {
	Runner Runner
	// Schema is the schema of the runner's saved queries.
	Schema *graph.Schema
	// BoundSchema is the schema for callers with bound parameters. Bound reports whether the
	// caller of a request has any. Both are nil if no caller has.
	BoundSchema *graph.Schema
	Bound       func(ctx context.Context) bool
	// Logger receives the details of errors that callers must not see.
	Logger *slog.Logger
	// BodyBytes is the maximum size of the body of a POST, and of the query string of a
	// GET. Large but sensible requests have a few thousand bytes.
	BodyBytes int64
	Limits    graphqlrules.Limits
	// Viewer returns what the caller of a request may do; nil means no limits.
	Viewer func(ctx context.Context) graph.Viewer
	// Catalog returns the state of the saved queries, as the caller of a request may see it;
	// nil means that they were never loaded again.
	Catalog func(ctx context.Context) resolvers.CatalogState
	// Tail follows the logs; see [resolvers.Resolver].
	Tail func(ctx context.Context, filter resolvers.TailFilter) (resolvers.TailReader, error)
	// Streams configures subscriptions.
	Streams Streams
	// Trusted are the only documents that may run; nil means any.
	Trusted *TrustedDocuments
	// Persisted are the documents that clients have sent; nil means none yet.
	Persisted *PersistedDocuments
	// Version differs between handlers that share a runner's cache but not all saved queries:
	// their responses are cached apart.
	Version string
	// WithoutIntrospection rejects __schema and __type.
	WithoutIntrospection bool
	// WithoutGET rejects GET and HEAD.
	WithoutGET bool
}

// DefaultBodyBytes is generous for applications, like [graphqlrules.DefaultLimits].
const DefaultBodyBytes = 64 << 10

// NewHandler returns a handler that serves GraphQL over GET, HEAD and POST on any path.
func NewHandler(config Config) http.Handler {
	if config.Persisted == nil {
		config.Persisted = NewPersistedDocuments()
	}
	h := newHandler(config)
	if config.BoundSchema != nil {
		config.Schema, config.Version = config.BoundSchema, config.Version+" bound"
		h.bound = newHandler(config)
		h.bound.bodies = h.bodies
	}
	return h
}

func newHandler(config Config) *handler {
	exec := executor.New(resolvers.NewExecutableSchema(config.Schema, &resolvers.Resolver{
		Runner: config.Runner, Viewer: config.Viewer, Catalog: config.Catalog, Tail: config.Tail,
	}))
	errors := &presenter{logger: config.Logger, schema: config.Schema.AST()}
	exec.SetErrorPresenter(errors.present)
	exec.SetRecoverFunc(recovered)
	exec.SetQueryCache(documentOfContext{})
	exec.Use(extension.Introspection{})
	exec.Use(graphqlrules.VariableTypes{})
	config.Streams = config.Streams.withDefaults()
	h := &handler{
		Config: config, executor: exec, bodies: newRequestBodies(config.BodyBytes),
		documents: graphqlrules.NewDocuments(config.Schema, config.Limits),
	}
	h.documents.WithoutIntrospection = config.WithoutIntrospection
	return h
}
