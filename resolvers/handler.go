package resolvers

import (
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/graph"
)

const (
	// maxBodyBytes bounds a request.
	maxBodyBytes = 1 << 20
	// maxTokens bounds the work that parsing a document takes. The introspection
	// query of the usual tools has a few hundred.
	maxTokens = 10_000
	// cachedDocuments is how many parsed documents are kept: an application has a
	// few dozen, and sends them again and again.
	cachedDocuments = 100
)

// NewHandler serves GraphQL over HTTP, by GET, HEAD and POST on whatever path it is
// put.
// What callers are not told is logged.
func NewHandler(runner Runner, logger *slog.Logger) http.Handler {
	exec := executor.New(graph.NewExecutableSchema(graph.Config{
		Schema:    graph.Schema(),
		Resolvers: &Resolver{runner: runner},
	}))
	errors := &presenter{logger: logger}
	exec.SetErrorPresenter(errors.present)
	exec.SetRecoverFunc(recovered)
	exec.SetQueryCache(lru.New[*ast.QueryDocument](cachedDocuments))
	exec.SetParserTokenLimit(maxTokens)
	exec.Use(extension.Introspection{})
	exec.AroundRootFields(writeRows)
	return &handler{executor: exec, runner: runner, bodies: newBodies(), documents: newPersistedDocuments()}
}
