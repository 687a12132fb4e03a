package graphqlhttp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/graph/graphtest"
)

// Requests with the same body share their variables, and gqlparser modifies input objects.
func TestSchemaHasNoInputObjects(t *testing.T) {
	t.Parallel()
	for name, definition := range graphtest.ShippedSchema(t).AST().Types {
		assert.NotEqual(t, ast.InputObject, definition.Kind,
			"%s is an input object: concurrent requests would race for its variables; let requestBodies copy them, and isOfType know the type", name)
	}
}
