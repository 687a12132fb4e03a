package graphqlrules

import (
	"context"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"savedq/graph"
	"savedq/sqlq"
)

const (
	// cachedDocuments bounds the cache of parsed documents: an application sends the same
	// few dozen documents repeatedly.
	cachedDocuments = 100
	// maxDocumentErrors bounds the reported errors of one document, so that no response
	// is much larger than its request.
	maxDocumentErrors = 10
)

// Documents parses and checks documents, and caches those that pass.
type Documents struct {
	// WithoutIntrospection rejects documents with __schema or __type.
	WithoutIntrospection bool

	schema  *ast.Schema
	rules   *rules.Rules
	limits  Limits
	maxRows map[string]int
	cached  *lru.LRU[*ast.QueryDocument]
}

// NewDocuments returns an empty cache of documents for a schema.
func NewDocuments(schema *graph.Schema, limits Limits) *Documents {
	rules := rules.NewDefaultRules()
	for _, own := range []core.Rule{overlapRule(), valuesRule()} {
		rules.ReplaceRule(own.Name, own.RuleFunc)
	}
	rules.AddRule("NonNullConditions", conditionsRule)
	return &Documents{
		schema: schema.AST(), rules: rules, limits: limits, maxRows: schema.MaxRows(),
		cached: lru.New[*ast.QueryDocument](cachedDocuments),
	}
}

// Get returns the parsed document. It must have an operation of that name, or exactly one
// operation if the name is empty. A document that exceeds a limit is not validated, because
// that could take long. With errors, Get returns the document as far as it was parsed.
func (d *Documents) Get(ctx context.Context, text, operationName string) (*ast.QueryDocument, gqlerror.List) {
	document, known := d.cached.Get(ctx, text)
	if !known {
		var errs gqlerror.List
		if document, errs = d.Read(text); len(errs) > 0 {
			return document, errs
		}
		d.cached.Add(ctx, text, document)
	}
	return document, checkOperationName(document, operationName)
}

// Read parses a document, checks it against the limits and validates it.
func (d *Documents) Read(text string) (*ast.QueryDocument, gqlerror.List) {
	plain, err := withPlainEscapes(text)
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: plain}, d.limits.Tokens)
	if err != nil {
		return nil, gqlerror.List{d.syntaxError(err)}
	}
	if len(document.Operations) == 0 {
		return document, gqlerror.List{gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "the query has no operation"))}
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

func (d *Documents) checkSize(sized *documentSize) error {
	if err := d.limits.checkDocument(sized); err != nil {
		return err
	}
	for _, operation := range sized.operations {
		if err := d.limits.checkOperation(operation); err != nil {
			return err
		}
		if operation.schemas+operation.types > 0 && d.WithoutIntrospection {
			return sqlq.Errorf(sqlq.PermissionDenied, "introspection is disabled; the fields __schema and __type are not available")
		}
	}
	return nil
}

// syntaxError returns the error for a document that cannot be parsed.
func (d *Documents) syntaxError(err error) *gqlerror.Error {
	found := gqlerror.WrapIfUnwrapped(err)
	if len(found.Locations) == 0 { // the parser sets a location on all errors but the token limit
		return gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "the query has more than %d tokens", d.limits.Tokens))
	}
	errcode.Set(found, errcode.ParseFailed)
	return found
}

// checkOperationName rejects the name of an operation that the document does not have. The
// message does not repeat the name, because it can be any string.
func checkOperationName(document *ast.QueryDocument, name string) gqlerror.List {
	if document.Operations.ForName(name) != nil {
		return nil
	}
	message := "operationName: is not an operation of the document"
	if name == "" {
		message = "operationName: is required, because the document has several operations"
	}
	return gqlerror.List{gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "%s", message))}
}
