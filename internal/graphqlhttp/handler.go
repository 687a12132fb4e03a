// Package graphqlhttp carries GraphQL over HTTP: requests in, responses out, and errors
// as their callers may see them (D15, D20, D24).
//
// What costs is done once for many callers. The rows of a saved query are kept by
// its runner, and a whole response is kept, as bytes, as long as all rows that it
// was made from; both are the runner's cache. A request whose response is kept is
// answered without a look at its document.
//
// What a caller can make the server do is bounded: a document is held against the
// limits before it is validated, and against the schema before anything is run.
package graphqlhttp

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"savedq/graph"
	"savedq/internal/graphqlrules"
	"savedq/resolvers"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Runner runs saved queries and caches responses; [*runner.Runner] is one, and says more.
type Runner interface {
	resolvers.Runner
	PutResponse(ctx context.Context, key string, value any, bytes int, entries []*cache.Entry)
	CachedResponse(ctx context.Context, key string, noCache bool) (value any, responses []*runner.Response)
}

var _ Runner = (*runner.Runner)(nil)

// Config is what the handler works with. Runner, Schema, Logger, BodyBytes and Limits
// are required.
type Config struct {
	Runner Runner
	// Schema is that of the saved queries that the runner runs.
	Schema *graph.Schema
	// Logger is told what callers are not.
	Logger *slog.Logger
	// BodyBytes is the most that the body of a POST may have, or the query string of a
	// GET. The largest request that makes sense takes a few thousand.
	BodyBytes int64
	Limits    graphqlrules.Limits
	// Viewer returns what the caller of a request may do; nil stands for callers without
	// limits.
	Viewer func(ctx context.Context) resolvers.Viewer
	// Trusted are the only documents that are run; nil means any.
	Trusted *TrustedDocuments
	// WithoutIntrospection refuses __schema and __type.
	WithoutIntrospection bool
	// WithoutGET refuses GET and HEAD.
	WithoutGET bool
}

// DefaultBodyBytes is generous to an application, as [graphqlrules.DefaultLimits] are.
const DefaultBodyBytes = 64 << 10

// NewHandler serves GraphQL over HTTP, by GET, HEAD and POST on whatever path it is
// put.
func NewHandler(config Config) http.Handler {
	exec := executor.New(resolvers.NewExecutableSchema(config.Schema, &resolvers.Resolver{Runner: config.Runner, Viewer: config.Viewer}))
	errors := &presenter{logger: config.Logger, schema: config.Schema.AST()}
	exec.SetErrorPresenter(errors.present)
	exec.SetRecoverFunc(recovered)
	exec.SetQueryCache(documentOfContext{})
	exec.Use(extension.Introspection{})
	exec.Use(graphqlrules.VariableTypes{})
	h := &handler{
		executor: exec, runner: config.Runner, bodyBytes: config.BodyBytes,
		bodies: newRequestBodies(config.BodyBytes), documents: graphqlrules.NewDocuments(config.Schema, config.Limits),
		named: newPersistedDocuments(), withoutGET: config.WithoutGET,
	}
	h.documents.WithoutIntrospection = config.WithoutIntrospection
	if config.Trusted != nil {
		h.named = config.Trusted
	}
	return h
}
