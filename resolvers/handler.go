package resolvers

import (
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"

	"savedq/graph"
	"savedq/internal/graphqlrules"
	"savedq/sqlq"
)

// Config is what the handler works with. Runner, Catalog, Logger, BodyBytes and Limits
// are required.
type Config struct {
	Runner Runner
	// Catalog holds the saved queries that the runner runs. Their most rows are what
	// fields cost (see [graphqlrules.Limits]).
	Catalog *sqlq.Catalog
	// Logger is told what callers are not.
	Logger *slog.Logger
	// BodyBytes is the most that the body of a POST may have, or the query string of a
	// GET. The largest request that makes sense takes a few thousand.
	BodyBytes int64
	Limits    graphqlrules.Limits
	// Trusted are the only documents that are run; nil means any.
	Trusted *TrustedDocuments
	// WithoutIntrospection refuses __schema and __type.
	WithoutIntrospection bool
	// WithoutGET refuses GET and HEAD.
	WithoutGET bool
}

// DefaultBodyBytes is far more than an application sends.
const DefaultBodyBytes = 64 << 10

// NewHandler serves GraphQL over HTTP, by GET, HEAD and POST on whatever path it is
// put.
func NewHandler(config Config) http.Handler {
	schema := graph.Schema()
	exec := executor.New(graph.NewExecutableSchema(graph.Config{
		Schema:    schema,
		Resolvers: &Resolver{runner: config.Runner},
	}))
	errors := &presenter{logger: config.Logger, schema: schema}
	exec.SetErrorPresenter(errors.present)
	exec.SetRecoverFunc(recovered)
	exec.SetQueryCache(documentOfContext{})
	exec.Use(extension.Introspection{})
	exec.Use(graphqlrules.VariableTypes{})
	exec.AroundRootFields(writeRows)
	h := &handler{
		executor: exec, runner: config.Runner, bodyBytes: config.BodyBytes,
		bodies: newBodies(config.BodyBytes), documents: graphqlrules.NewDocuments(schema, config.Limits, maxRows(config.Catalog)),
		named: newPersistedDocuments(), withoutGET: config.WithoutGET,
	}
	h.documents.WithoutIntrospection = config.WithoutIntrospection
	if config.Trusted != nil {
		h.named = config.Trusted
	}
	return h
}
