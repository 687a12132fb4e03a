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
	// cachedDocuments is how many parsed documents are kept: an application has a
	// few dozen, and sends them again and again.
	cachedDocuments = 100
	// maxDocumentErrors is how many errors of one document are told, so that no
	// response is much longer than its request.
	maxDocumentErrors = 10
)

// Documents reads documents, and keeps those that are valid and within the limits.
type Documents struct {
	// WithoutIntrospection refuses documents that ask for the schema.
	WithoutIntrospection bool

	schema  *ast.Schema
	rules   *rules.Rules
	limits  Limits
	maxRows map[string]int
	kept    *lru.LRU[*ast.QueryDocument]
}

// NewDocuments returns documents of a schema.
func NewDocuments(schema *graph.Schema, limits Limits) *Documents {
	rules := rules.NewDefaultRules()
	for _, own := range []core.Rule{overlapRule(), valuesRule()} {
		rules.ReplaceRule(own.Name, own.RuleFunc)
	}
	return &Documents{
		schema: schema.AST(), rules: rules, limits: limits, maxRows: schema.MaxRows(),
		kept: lru.New[*ast.QueryDocument](cachedDocuments),
	}
}

// Get returns the document of a text, which is to have an operation of the name, or one
// alone where the name is empty. What is refused was not validated where a limit was
// exceeded, because validation can take long for a document beyond the limits. The
// document is returned with errors too, as far as it was read.
func (d *Documents) Get(ctx context.Context, text, operationName string) (*ast.QueryDocument, gqlerror.List) {
	document, known := d.kept.Get(ctx, text)
	if !known {
		var errs gqlerror.List
		if document, errs = d.Read(text); len(errs) > 0 {
			return document, errs
		}
		d.kept.Add(ctx, text, document)
	}
	return document, checkOperationName(document, operationName)
}

// Read parses a document, holds it against the limits and validates it.
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

func (d *Documents) checkSize(sized *documentSize) error {
	if err := d.limits.checkDocument(sized); err != nil {
		return err
	}
	for _, operation := range sized.operations {
		if err := d.limits.checkOperation(operation); err != nil {
			return err
		}
		if operation.schemas+operation.types > 0 && d.WithoutIntrospection {
			return sqlq.Errorf(sqlq.PermissionDenied, "this server does not answer introspection; __schema and __type are switched off")
		}
	}
	return nil
}

// syntaxError is the error of a document that cannot be parsed.
func (d *Documents) syntaxError(err error) *gqlerror.Error {
	found := gqlerror.WrapIfUnwrapped(err)
	if len(found.Locations) == 0 { // the parser gives a location for all that it finds in the text
		return gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "the query has more than %d tokens", d.limits.Tokens))
	}
	errcode.Set(found, errcode.ParseFailed)
	return found
}

// checkOperationName refuses the name of an operation that the document does not
// have. The name is not repeated: it can be any text.
func checkOperationName(document *ast.QueryDocument, name string) gqlerror.List {
	if document.Operations.ForName(name) != nil {
		return nil
	}
	message := "operationName: is none of the document's operations"
	if name == "" {
		message = "operationName: is required, because the document has several operations"
	}
	return gqlerror.List{gqlerror.Wrap(sqlq.Errorf(sqlq.InvalidArgument, "%s", message))}
}
