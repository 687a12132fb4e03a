package graphqlhttp

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/sqlq"
)

// documentErrorStatus is the status of a request whose document or variables are
// refused. The media type of GraphQL sets it; for JSON the specification of GraphQL
// over HTTP would rather have 200, but allows this, which proxies and logs see.
func documentErrorStatus(mediaType string, errs gqlerror.List) int {
	switch {
	case sqlq.AsError(errs[0]).Code == sqlq.PermissionDenied:
		return http.StatusForbidden
	case mediaType == graphqlMediaType:
		return http.StatusBadRequest
	default:
		return http.StatusUnprocessableEntity
	}
}

type documentKey struct{}

// withDocument returns a context in which gqlgen finds the document that it is to run.
func withDocument(ctx context.Context, document *ast.QueryDocument) context.Context {
	return context.WithValue(ctx, documentKey{}, document)
}

// documentOfContext is where gqlgen looks for a document before it would read one
// itself: it always finds the one of the context.
type documentOfContext struct{}

var _ graphql.Cache[*ast.QueryDocument] = documentOfContext{}

// Get returns the document of the context.
func (documentOfContext) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	document, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return document, ok
}

// Add is never called, because Get always finds one.
func (documentOfContext) Add(context.Context, string, *ast.QueryDocument) {}
