package graphqlhttp

import (
	"regexp"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// faultyArgument returns the name of the argument that a validation error is about; empty
// if it is not about exactly one.
func faultyArgument(document *ast.QueryDocument, err *gqlerror.Error) string {
	switch err.Rule {
	case rules.KnownArgumentNamesRule.Name, rules.ProvidedRequiredArgumentsRule.Name, rules.UniqueArgumentNamesRule.Name:
		// These errors point at the field. Only the message names the argument.
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

// argumentAt returns the name of the argument whose value is at the location; empty if
// there is none.
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

// faultyVariable returns the variable whose value was rejected. The path of gqlgen's error
// is "variable", the name, and the path into the value.
func faultyVariable(operation *graphql.OperationContext, err *gqlerror.Error) *ast.VariableDefinition {
	if len(err.Path) < 2 || err.Path[0] != ast.PathName("variable") || operation.Operation == nil {
		return nil
	}
	name, _ := err.Path[1].(ast.PathName)
	return operation.Operation.VariableDefinitions.ForName(string(name))
}

// argumentOf returns the name of the argument that uses a variable; empty if arguments of
// different names use it.
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
