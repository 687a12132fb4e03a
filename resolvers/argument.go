package resolvers

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"savedq/sqlq"
)

// faultyArgument returns the name of the argument that an error of validation is
// about; empty where it is about none, or none alone.
func faultyArgument(document string, err *gqlerror.Error) string {
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

// argumentAt returns the name of the argument whose value stands at the place. The
// document is parsed again because gqlgen does not keep one that is not valid.
func argumentAt(document string, places []gqlerror.Location) string {
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, maxTokens)
	if err != nil || len(places) != 1 {
		return ""
	}
	found := ""
	eachArgument(parsed, func(argument *ast.Argument) {
		if position := argument.Value.Position; position.Line == places[0].Line && position.Column == places[0].Column {
			found = argument.Name
		}
	})
	return found
}

// faultyVariable returns the variable whose value was refused: gqlgen gives such
// an error the path "variable", name, and further into the value.
func faultyVariable(ctx context.Context, err *gqlerror.Error) *ast.VariableDefinition {
	if len(err.Path) < 2 || err.Path[0] != ast.PathName("variable") || !graphql.HasOperationContext(ctx) {
		return nil
	}
	name, _ := err.Path[1].(ast.PathName)
	operation := graphql.GetOperationContext(ctx).Operation
	if operation == nil {
		return nil
	}
	return operation.VariableDefinitions.ForName(string(name))
}

// presentVariableError says what a variable needs. gqlgen's own words for it are
// names of Go's types.
func presentVariableError(operation *graphql.OperationContext, variable *ast.VariableDefinition) *gqlerror.Error {
	message := fmt.Sprintf("variable $%s: needs a value of type %s", variable.Variable, variable.Type)
	if variable.Definition != nil && variable.Definition.Kind == ast.Enum {
		values := make([]string, len(variable.Definition.EnumValues))
		for i, value := range variable.Definition.EnumValues {
			values[i] = value.Name
		}
		message += ", one of " + strings.Join(values, ", ")
	}
	return &gqlerror.Error{
		Message:    message,
		Locations:  locations(variable.Position),
		Extensions: extensions(sqlq.InvalidArgument, argumentOf(operation.Doc, variable.Variable)),
	}
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
