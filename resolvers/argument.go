package resolvers

import (
	"regexp"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// faultyArgument returns the name of the argument that an error of validation is
// about; empty where it is about none, or none alone.
func faultyArgument(document *ast.QueryDocument, err *gqlerror.Error) string {
	switch err.Rule {
	case rules.KnownArgumentNamesRule.Name, rules.ProvidedRequiredArgumentsRule.Name, rules.UniqueArgumentNamesRule.Name:
		// These point at the field. Which argument they mean stands in the
		// message alone.
		named := regexp.MustCompile(`argument (?:named )?"(\w+)"`).FindStringSubmatch(err.Message)
		if named == nil {
			return ""
		}
		return named[1]
	case rules.VariablesInAllowedPositionRule.Name:
		argument, _ := argumentAt(document, err.Locations)
		return argument
	}
	return ""
}

// argumentAt returns the name of the argument whose value stands at the place, and
// the value.
func argumentAt(document *ast.QueryDocument, places []gqlerror.Location) (name string, value *ast.Value) {
	eachArgument(document, func(argument *ast.Argument) {
		if isAt(argument.Value.Position, places) {
			name, value = argument.Name, argument.Value
		}
	})
	return name, value
}

func isAt(position *ast.Position, places []gqlerror.Location) bool {
	return position != nil && len(places) == 1 && position.Line == places[0].Line && position.Column == places[0].Column
}

// describeValueError describes a literal of the wrong type. What gqlparser says about
// it repeats the literal, which only for a name and for null is fit to be repeated.
func (p *presenter) describeValueError(document *ast.QueryDocument, err *gqlerror.Error) (argument, message string) {
	argument, value := argumentAt(document, err.Locations)
	if value == nil { // of a directive, a default, or within a list or an object
		value = p.valueAt(document, err.Locations)
	}
	switch {
	case value == nil || value.ExpectedType == nil:
		return argument, "a value is not of the type that its place needs"
	case value.Kind == ast.EnumValue || value.Kind == ast.NullValue:
		return argument, err.Message
	case argument == "":
		return "", "this place " + p.need(value.ExpectedType)
	default:
		return argument, argument + ": " + p.need(value.ExpectedType)
	}
}

// valueAt returns the value that stands at the place; nil where none does.
func (p *presenter) valueAt(document *ast.QueryDocument, places []gqlerror.Location) *ast.Value {
	var found *ast.Value
	observers := core.Events{}
	observers.OnValue(func(_ *core.Walker, value *ast.Value) {
		if isAt(value.Position, places) {
			found = value
		}
	})
	core.Walk(p.schema, document, &observers)
	return found
}

// faultyVariable returns the variable whose value was refused: gqlgen gives such
// an error the path "variable", name, and further into the value.
func faultyVariable(operation *graphql.OperationContext, err *gqlerror.Error) *ast.VariableDefinition {
	if len(err.Path) < 2 || err.Path[0] != ast.PathName("variable") || operation.Operation == nil {
		return nil
	}
	name, _ := err.Path[1].(ast.PathName)
	return operation.Operation.VariableDefinitions.ForName(string(name))
}

// argumentOf returns the name of the argument that takes a variable; empty where
// arguments of different names take it.
func argumentOf(document *ast.QueryDocument, variable string) string {
	names := make(map[string]bool)
	found := ""
	eachArgument(document, func(argument *ast.Argument) {
		if argument.Value.Kind == ast.Variable && argument.Value.Raw == variable {
			names[argument.Name] = true
			found = argument.Name
		}
	})
	if len(names) != 1 {
		return ""
	}
	return found
}

// eachArgument visits the arguments of all fields of a document.
func eachArgument(document *ast.QueryDocument, visit func(*ast.Argument)) {
	for _, operation := range document.Operations {
		eachArgumentOf(operation.SelectionSet, visit)
	}
	for _, fragment := range document.Fragments {
		eachArgumentOf(fragment.SelectionSet, visit)
	}
}

func eachArgumentOf(selections ast.SelectionSet, visit func(*ast.Argument)) {
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			for _, argument := range selection.Arguments {
				visit(argument)
			}
			eachArgumentOf(selection.SelectionSet, visit)
		case *ast.InlineFragment:
			eachArgumentOf(selection.SelectionSet, visit)
		case *ast.FragmentSpread: // its fragment is visited with the others
		}
	}
}
