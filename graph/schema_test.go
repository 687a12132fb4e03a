package graph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"savedq/graph/graphtest"
)

// D26: the fields derived from the shipped saved queries equal the handwritten schema,
// including descriptions.
func TestShippedFieldsMatchTheHandwrittenSchema(t *testing.T) {
	t.Parallel()
	want := handwrittenSchema(t)
	got := graphtest.ShippedSchema(t).AST()
	for name, definition := range want.Types {
		if definition.BuiltIn || name == "Query" {
			continue
		}
		require.Contains(t, got.Types, name)
		assert.Equal(t, sdlOf(definition), sdlOf(got.Types[name]))
	}
	for _, field := range want.Query.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		require.NotNil(t, got.Query.Fields.ForName(field.Name), field.Name)
		assert.Equal(t, sdlOf(&ast.Definition{Kind: ast.Object, Name: "Query", Fields: ast.FieldList{field}}),
			sdlOf(&ast.Definition{Kind: ast.Object, Name: "Query", Fields: ast.FieldList{got.Query.Fields.ForName(field.Name)}}))
	}
}

// handwrittenSchema returns the schema in graphtest/schema.
func handwrittenSchema(t *testing.T) *ast.Schema {
	t.Helper()
	files, err := filepath.Glob("graphtest/schema/*.graphqls")
	require.NoError(t, err)
	sources := make([]*ast.Source, len(files))
	for i, file := range files {
		sdl, err := os.ReadFile(file)
		require.NoError(t, err)
		sources[i] = &ast.Source{Name: file, Input: string(sdl)}
	}
	schema, err := gqlparser.LoadSchema(sources...)
	require.NoError(t, err)
	return schema
}

// sdlOf returns the SDL of a definition in a canonical format.
func sdlOf(definition *ast.Definition) string {
	var text strings.Builder
	formatter.NewFormatter(&text).FormatSchemaDocument(&ast.SchemaDocument{Definitions: ast.DefinitionList{definition}})
	return text.String()
}

// Client generators copy the descriptions of the schema, so everything in it has one.
func TestEverythingInTheSchemaIsDescribed(t *testing.T) {
	t.Parallel()
	described := 0
	check := func(name, description string) {
		described++
		assert.NotEmpty(t, strings.TrimSpace(description), "%s has no description", name)
	}
	for name, definition := range graphtest.ShippedSchema(t).AST().Types {
		if definition.BuiltIn {
			continue
		}
		check(name, definition.Description)
		for _, value := range definition.EnumValues {
			check(name+"."+value.Name, value.Description)
		}
		for _, field := range definition.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			check(name+"."+field.Name, field.Description)
			for _, argument := range field.Arguments {
				check(name+"."+field.Name+"("+argument.Name+":)", argument.Description)
			}
		}
	}
	assert.Greater(t, described, 70, "the walk has left parts of the schema out")
}

func TestSDLIsTheServedSchema(t *testing.T) {
	t.Parallel()
	published, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: graphtest.ShippedSchema(t).SDL()})
	require.NoError(t, err)
	served := graphtest.ShippedSchema(t).AST()
	for name, definition := range served.Types {
		require.Contains(t, published.Types, name)
		assert.Equal(t, definition.Description, published.Types[name].Description, name)
		assert.Len(t, published.Types[name].Fields, len(definition.Fields), name)
	}
	assert.Len(t, published.Types, len(served.Types))
	assert.Nil(t, served.Mutation)
	assert.NotNil(t, served.Subscription)
}

// Client generators fail on unknown directives.
func TestSDLHasNoDirectives(t *testing.T) {
	t.Parallel()
	for name, definition := range graphtest.ShippedSchema(t).AST().Types {
		if definition.BuiltIn {
			continue
		}
		assert.Empty(t, definition.Directives, name)
		for _, field := range definition.Fields {
			assert.Empty(t, field.Directives, name+"."+field.Name)
		}
	}
	assert.NotContains(t, graphtest.ShippedSchema(t).AST().Directives, "defer")
}

// D32: callers with bound parameters may leave out every argument, and the schema is otherwise
// the same.
func TestBoundSchema(t *testing.T) {
	t.Parallel()
	strict, bound := graphtest.SchemaOf(t, graphtest.Shipped(t)), graphtest.BoundShippedSchema(t) // the test changes the former
	optional := 0
	for _, field := range strict.AST().Query.Fields {
		for _, argument := range field.Arguments {
			if argument.Type.NonNull && strict.Field(field.Name) != nil {
				argument.Type.NonNull = false
				optional++
			}
		}
	}
	assert.Positive(t, optional)
	for _, field := range strict.AST().Query.Fields {
		other := bound.AST().Query.Fields.ForName(field.Name)
		require.Len(t, other.Arguments, len(field.Arguments))
		for i, argument := range field.Arguments {
			assert.Equal(t, argument.Type.String(), other.Arguments[i].Type.String(), "%s of %s", argument.Name, field.Name)
		}
		assert.Equal(t, field.Type.String(), other.Type.String())
	}
}
