package graphqlrules

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// VariableTypes rejects requests whose variables are not of their types, before any field
// is run (GraphQL, section 6.1.2). gqlgen's own check runs before it, and accepts numbers as
// strings, fractions as ids, names of enum values in any letter case, and any value for
// custom scalars.
type VariableTypes struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = VariableTypes{}

// ExtensionName is the name of the extension.
func (VariableTypes) ExtensionName() string { return "VariableTypes" }

// Validate accepts any schema.
func (VariableTypes) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext checks the variables, and changes nothing. Its error has the path and
// code of gqlgen's errors of variables.
func (VariableTypes) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	for _, variable := range operation.Operation.VariableDefinitions {
		value, provided := operation.Variables[variable.Variable]
		if provided && !valueIsOfType(value, variable.Type, variable.Definition) {
			err := gqlerror.ErrorPathf(ast.Path{ast.PathName("variable"), ast.PathName(variable.Variable)}, "is not of its type")
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// valueIsOfType reports whether a value of a variable, or each value in a list, is of a type.
// The single value of a list is a list already.
func valueIsOfType(value any, needed *ast.Type, definition *ast.Definition) bool {
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		return isOfType(literalOf(value, definition), needed, definition)
	}
	if needed.Elem == nil {
		return false
	}
	for i := range list.Len() {
		if !valueIsOfType(list.Index(i).Interface(), needed.Elem, definition) {
			return false
		}
	}
	return true
}

// literalOf returns the literal of a document for a JSON value or for the default of a
// variable.
func literalOf(value any, definition *ast.Definition) *ast.Value {
	switch value := value.(type) {
	case nil:
		return &ast.Value{Kind: ast.NullValue}
	case bool:
		return &ast.Value{Kind: ast.BooleanValue}
	case string:
		if definition.Kind == ast.Enum {
			return &ast.Value{Kind: ast.EnumValue, Raw: value}
		}
		return &ast.Value{Kind: ast.StringValue, Raw: value}
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return &ast.Value{Kind: ast.FloatValue, Raw: value.String()}
		}
		return &ast.Value{Kind: ast.IntValue, Raw: value.String()}
	case float64: // as gqlgen decodes the value of a Float
		return &ast.Value{Kind: ast.FloatValue, Raw: strconv.FormatFloat(value, 'g', -1, 64)}
	case int64: // the default of an ID, as gqlgen decodes it
		return &ast.Value{Kind: ast.IntValue, Raw: strconv.FormatInt(value, 10)}
	default: // an object, which no argument of the schema accepts
		return &ast.Value{Kind: ast.ObjectValue}
	}
}
