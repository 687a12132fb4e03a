package graphqlhttp

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/sqlq"
)

// documentErrorStatus returns the status of a request whose document or variables are
// rejected. GraphQL's media type requires its status. For JSON, the GraphQL over HTTP
// specification recommends 200, and many clients show no message of another status.
func documentErrorStatus(mediaType string, errs gqlerror.List) int {
	switch {
	case sqlq.AsError(errs[0]).Code == sqlq.PermissionDenied:
		return http.StatusForbidden
	case mediaType == graphqlMediaType:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}

type documentKey struct{}

// withDocument returns a context with the document that gqlgen runs.
func withDocument(ctx context.Context, document *ast.QueryDocument) context.Context {
	return context.WithValue(ctx, documentKey{}, document)
}

// documentOfContext is the query cache of gqlgen. It always returns the document of the
// context, so gqlgen never parses one itself.
type documentOfContext struct{}

var _ graphql.Cache[*ast.QueryDocument] = documentOfContext{}

// Get returns the document of the context.
func (documentOfContext) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	document, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return document, ok
}

// Add is never called, because Get always hits.
func (documentOfContext) Add(context.Context, string, *ast.QueryDocument) {}
