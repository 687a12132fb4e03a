package graphqlrules

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// nullCondition returns a variable that is null where @skip or @include need a value;
// empty where there is none. A document may put a nullable variable there if it has a
// default, which a null in its place is not.
func nullCondition(operation *graphql.OperationContext) (variable string) {
	seen := make(map[*ast.FragmentDefinition]bool)
	var within func(ast.SelectionSet) string
	within = func(selections ast.SelectionSet) string {
		for _, selection := range selections {
			var directives ast.DirectiveList
			var below ast.SelectionSet
			switch selection := selection.(type) {
			case *ast.Field:
				directives, below = selection.Directives, selection.SelectionSet
			case *ast.InlineFragment:
				directives, below = selection.Directives, selection.SelectionSet
			case *ast.FragmentSpread:
				directives = selection.Directives
				if !seen[selection.Definition] {
					seen[selection.Definition] = true
					below = selection.Definition.SelectionSet
				}
			}
			if found := nullAmong(directives, operation.Variables); found != "" {
				return found
			}
			if found := within(below); found != "" {
				return found
			}
		}
		return ""
	}
	return within(operation.Operation.SelectionSet)
}

// nullAmong returns the variable of a condition that is null; empty where there is
// none.
func nullAmong(directives ast.DirectiveList, variables map[string]any) (variable string) {
	for _, directive := range directives {
		condition := directive.Arguments.ForName("if")
		if condition != nil && condition.Value.Kind == ast.Variable && variables[condition.Value.Raw] == nil {
			return condition.Value.Raw
		}
	}
	return ""
}
