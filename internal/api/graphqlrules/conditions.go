package graphqlrules

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// conditionsRule makes the variables in the conditions of @skip and @include non-null. Validation
// accepts a nullable variable with a default there, but a request can set it to null.
func conditionsRule(observers *core.Events, _ core.AddErrFunc) {
	observers.OnDirective(func(walker *core.Walker, directive *ast.Directive) {
		condition := directive.Arguments.ForName("if")
		if walker.CurrentOperation != nil && condition != nil && condition.Value.VariableDefinition != nil {
			condition.Value.VariableDefinition.Type.NonNull = true
		}
	})
}
