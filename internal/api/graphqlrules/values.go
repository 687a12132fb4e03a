package graphqlrules

import (
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"savedq/graph"
)

// valuesRule checks that literals are of the expected types (GraphQL, section 5.6.1). It
// replaces gqlparser's rule of the same name, which accepts objects for scalars and any
// value for custom scalars, so that the field fails instead of the document. The messages
// of that rule repeat the literal, and do not list the values of an enum.
func valuesRule() core.Rule {
	return core.Rule{
		Name: rules.ValuesOfCorrectTypeRule.Name,
		RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
			observers.OnValue(func(_ *core.Walker, literal *ast.Value) {
				switch {
				case literal.Definition == nil:
				case !isOfType(literal, literal.ExpectedType, literal.Definition):
					addError(core.Message("%s", Need(literal.ExpectedType, literal.Definition)), core.At(literal.Position))
				case literal.Definition.Name == decimal && (literal.Kind == ast.IntValue || literal.Kind == ast.FloatValue):
					literal.Kind = ast.StringValue // gqlgen would round a number
				case literal.Definition.Name == "Float" && literal.Kind == ast.IntValue:
					literal.Kind = ast.FloatValue // gqlgen would reject more than 64 bits
				}
			})
		},
	}
}

// decimal is the scalar of exact numbers (D42).
const decimal = "Decimal"

// isOfType reports whether a literal is of a type, which must be a scalar or an enum: the
// schema has no input objects. It accepts variables, which another rule checks, and lists,
// whose elements are checked individually.
func isOfType(literal *ast.Value, needed *ast.Type, definition *ast.Definition) bool {
	switch literal.Kind {
	case ast.Variable:
		return true
	case ast.NullValue:
		return !needed.NonNull
	case ast.EnumValue:
		return definition.EnumValues.ForName(literal.Raw) != nil
	case ast.StringValue, ast.BlockValue:
		_, err := strconv.ParseInt(literal.Raw, 10, 64)
		return definition.OneOf("String", "ID", "Time", "Date", decimal) || definition.Name == "Int64" && err == nil
	case ast.IntValue:
		number, err := strconv.ParseInt(literal.Raw, 10, 64) // gqlgen rejects larger ones
		return isNumber(literal, definition) || err == nil && (definition.OneOf("ID", "Int64") || definition.Name == "Int" && graph.IsInt(number))
	case ast.FloatValue:
		return isNumber(literal, definition)
	case ast.BooleanValue:
		return definition.Name == "Boolean"
	case ast.ListValue:
		return needed.Elem != nil
	default: // an object
		return false
	}
}

// isNumber reports whether a number is of a type that has fractions. gqlgen panics if a Float is out of range.
func isNumber(literal *ast.Value, definition *ast.Definition) bool {
	_, err := strconv.ParseFloat(literal.Raw, 64)
	return definition.Name == decimal || definition.Name == "Float" && err == nil
}

// Need returns a message with the type that a value must have.
func Need(needed *ast.Type, definition *ast.Definition) string {
	message := "needs a value of type " + needed.String()
	switch {
	case definition.Kind == ast.Enum:
		values := make([]string, len(definition.EnumValues))
		for i, value := range definition.EnumValues {
			values[i] = value.Name
		}
		return message + ", one of " + strings.Join(values, ", ")
	case definition.Name == decimal:
		return message + `, such as "12.50"`
	case definition.Name == "Time":
		return message + `, such as "2026-11-20T10:00:00Z"`
	default:
		return message
	}
}
