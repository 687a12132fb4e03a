package graphqlhttp

import (
	"regexp"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
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
	case rules.ValuesOfCorrectTypeRule.Name, rules.VariablesInAllowedPositionRule.Name:
		return argumentAt(document, err.Locations)
	}
	return ""
}

// argumentAt returns the name of the argument whose value stands at the place; empty
// where none of a field's does.
func argumentAt(document *ast.QueryDocument, places []gqlerror.Location) string {
	found := ""
	eachArgument(document, func(argument *ast.Argument) {
		if isAt(argument.Value.Position, places) {
			found = argument.Name
		}
	})
	return found
}

func isAt(position *ast.Position, places []gqlerror.Location) bool {
	return position != nil && len(places) == 1 && position.Line == places[0].Line && position.Column == places[0].Column
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
