package resolvers

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"savedq/sqlq"
)

const (
	// cachedDocuments is how many parsed documents are kept: an application has a
	// few dozen, and sends them again and again.
	cachedDocuments = 100
	// maxDocumentErrors is how many errors of one document are told, so that no
	// answer is much longer than its request.
	maxDocumentErrors = 10
)

// documents reads documents, and keeps those that are valid and within the limits.
type documents struct {
	schema  *ast.Schema
	rules   *rules.Rules
	limits  Limits
	maxRows map[string]int
	// withoutIntrospection refuses documents that ask for the schema.
	withoutIntrospection bool
	kept                 *lru.LRU[*ast.QueryDocument]
}

func newDocuments(schema *ast.Schema, limits Limits, catalog *sqlq.Catalog) *documents {
	rules := rules.NewDefaultRules()
	for _, own := range []core.Rule{overlapRule(), valuesRule()} {
		rules.ReplaceRule(own.Name, own.RuleFunc)
	}
	return &documents{
		schema: schema, rules: rules, limits: limits, maxRows: maxRowsOf(catalog),
		kept: lru.New[*ast.QueryDocument](cachedDocuments),
	}
}

// maxRowsOf gives the most rows of each field that runs a saved query.
func maxRowsOf(catalog *sqlq.Catalog) map[string]int {
	maxRows := make(map[string]int)
	for field, name := range map[string]string{
		"invocationStats": invocationStatsQuery, "apiCounts": apiCountsQuery, "logs": logsQuery,
	} {
		if query, found := catalog.Find(name); found {
			maxRows[field] = query.MaxRows
		}
	}
	return maxRows
}

// get returns the document of a text. What is refused was not validated where a limit
// was exceeded, because validation can take long for a document beyond the limits.
// The document is returned with a refusal too, as far as it was read.
func (d *documents) get(ctx context.Context, text, mediaType string) (*ast.QueryDocument, *refusal) {
	if document, ok := d.kept.Get(ctx, text); ok {
		return document, nil
	}
	document, errs := d.read(text)
	if len(errs) > 0 {
		return document, &refusal{documentErrorStatus(mediaType, errs), errs}
	}
	d.kept.Add(ctx, text, document)
	return document, nil
}

// read parses a document, holds it against the limits and validates it.
func (d *documents) read(text string) (*ast.QueryDocument, gqlerror.List) {
	if hasSurrogateEscape(text) {
		return nil, gqlerror.List{gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument,
			`the query must not spell characters as halves of a surrogate pair, such as \ud83d; write the character itself`))}
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, d.limits.Tokens)
	if err != nil {
		return nil, gqlerror.List{d.syntaxError(err)}
	}
	if len(document.Operations) == 0 {
		return document, gqlerror.List{gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "the query holds no operation"))}
	}
	if err := d.checkSize(sizeOf(document, d.maxRows)); err != nil {
		return document, gqlerror.List{gqlerror.Wrap(err)}
	}
	errs := validator.ValidateWithRules(d.schema, document, d.rules)
	for _, err := range errs {
		errcode.Set(err, errcode.ValidationFailed)
	}
	return document, errs[:min(len(errs), maxDocumentErrors)]
}

func (d *documents) checkSize(sized *documentSize) error {
	if err := d.limits.checkDocument(sized); err != nil {
		return err
	}
	for _, operation := range sized.operations {
		if err := d.limits.checkOperation(operation); err != nil {
			return err
		}
		if operation.schemas+operation.types > 0 && d.withoutIntrospection {
			return sqlq.Errorf(sqlq.PermissionDenied, "this server does not answer introspection; __schema and __type are switched off")
		}
	}
	return nil
}

// syntaxError is the error of a document that cannot be parsed.
func (d *documents) syntaxError(err error) *gqlerror.Error {
	found := gqlerror.WrapIfUnwrapped(err)
	if len(found.Locations) == 0 { // the parser gives a location for all that it finds in the text
		return gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "the query has more than %d tokens", d.limits.Tokens))
	}
	errcode.Set(found, errcode.ParseFailed)
	return found
}

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

// checkOperationName refuses the name of an operation that the document does not
// have. The name is not repeated: it can be any text.
func checkOperationName(document *ast.QueryDocument, name, mediaType string) *refusal {
	if document.Operations.ForName(name) != nil {
		return nil
	}
	message := "operationName: is none of the document's operations"
	if name == "" {
		message = "operationName: is required, because the document has several operations"
	}
	errs := gqlerror.List{gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "%s", message))}
	return &refusal{documentErrorStatus(mediaType, errs), errs}
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
