package graphqlrules

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// nullCondition returns a null variable in the condition of @skip or @include; empty if
// there is none. Validation accepts a nullable variable with a default there, but a request
// can set it to null.
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

// nullAmong returns a null variable in the conditions of directives; empty if there is
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
