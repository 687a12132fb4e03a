package graphqlrules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"pgregory.net/rapid"

	"savedq/graph/graphtest"
)

// The rule relies on all types with fields being objects.
func TestSchemaHasNoInterfacesAndUnions(t *testing.T) {
	t.Parallel()
	for name, definition := range graphtest.ShippedSchema(t).AST().Types {
		assert.NotContains(t, []ast.DefinitionKind{ast.Interface, ast.Union}, definition.Kind, name)
	}
}

// overlaps reports whether a rule finds fields that cannot be merged.
func overlaps(tb require.TestingT, schema *ast.Schema, rule validator.Rule, document string) bool {
	parsed, err := parser.ParseQuery(&ast.Source{Input: document})
	require.NoError(tb, err, document)
	return len(validator.ValidateWithRules(schema, parsed, rules.NewRules(rule))) > 0
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	schema := graphtest.ShippedSchema(t).AST()
	for document, want := range map[string]bool{
		`{ endpoints { name name } }`:                                                                                             false,
		`{ endpoints { name name: id } }`:                                                                                         true,
		`{ endpoints { a: name b: name } }`:                                                                                       false,
		`{ endpoints { ... { a: name } a: id } }`:                                                                                 true,
		`{ endpoints { ...f a: id } } fragment f on QueryEndpoint { a: name }`:                                                    true,
		`{ endpoints { ...f a: name } } fragment f on QueryEndpoint { a: name }`:                                                  false,
		`{ endpoints { columns { a: name } } endpoints { columns { a: type } } }`:                                                 true,
		`{ endpoints { columns { a: name } } endpoints { columns { b: type } } }`:                                                 false,
		`{ endpoints { ...f } endpoints { ...g } } fragment f on QueryEndpoint { a: id } fragment g on QueryEndpoint { a: name }`: true,
		`{ endpoint(name: "a") { id } endpoint(name: "a") { name } }`:                                                             false,
		`{ endpoint(name: "a") { id } endpoint(name: "b") { name } }`:                                                             true,
		`{ endpoint(name: "a") { id } endpoint { name } }`:                                                                        true,
		`{ endpoint(name: "a") { id } endpoint(id: "a") { name } }`:                                                               true,
		`{ endpoint(name: "a", id: "b") { id } endpoint(id: "b", name: "a") { name } }`:                                           false,
		`query($a: String) { endpoint(name: $a) { id } endpoint(name: "$a") { name } }`:                                           true,
		`query A { endpoints { a: name } } query B { endpoints { a: id } }`:                                                       false,
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, overlaps(t, schema, overlapRule(), document))
			assert.Equal(t, want, overlaps(t, schema, rules.OverlappingFieldsCanBeMergedRule, document), "gqlparser's own rule")
		})
	}
}

// The rule finds the same conflicts as gqlparser's, in any document without unused
// fragments.
func TestOverlapIsThatOfGqlparser(t *testing.T) {
	t.Parallel()
	schema := graphtest.ShippedSchema(t).AST()
	rapid.Check(t, func(rt *rapid.T) {
		generator := documentGenerator{rt: rt}
		document := "{ endpoints" + generator.set(3) + "endpoints" + generator.set(2) + "}" + strings.Join(generator.fragments, "")
		want := overlaps(rt, schema, rules.OverlappingFieldsCanBeMergedRule, document)
		require.Equal(rt, want, overlaps(rt, schema, overlapRule(), document), document)
	})
}

// documentGenerator generates documents of few keys and fields, so that about half of them
// have a conflict.
type documentGenerator struct {
	rt        *rapid.T
	fragments []string
}

func (m *documentGenerator) set(depth int) string {
	parts := make([]string, rapid.IntRange(1, 3).Draw(m.rt, "parts"))
	for i := range parts {
		kind := rapid.IntRange(0, 5).Draw(m.rt, "kind")
		switch {
		case depth > 0 && kind == 0:
			parts[i] = "..." + m.set(depth-1)
		case depth > 0 && kind == 1:
			set, name := m.set(depth-1), fmt.Sprintf("f%d", len(m.fragments))
			m.fragments = append(m.fragments, "fragment "+name+" on QueryEndpoint"+set)
			parts[i] = "..." + name
		case depth > 0 && kind == 2 && len(m.fragments) > 0:
			parts[i] = fmt.Sprintf("...f%d", rapid.IntRange(0, len(m.fragments)-1).Draw(m.rt, "fragment"))
		case kind == 3:
			parts[i] = fmt.Sprintf("columns { c%d: %s }", rapid.IntRange(0, 2).Draw(m.rt, "key"), rapid.SampledFrom([]string{"name", "type"}).Draw(m.rt, "field"))
		default:
			parts[i] = fmt.Sprintf("k%d: %s", rapid.IntRange(0, 9).Draw(m.rt, "key"), rapid.SampledFrom([]string{"name", "id"}).Draw(m.rt, "field"))
		}
	}
	return " { " + strings.Join(parts, " ") + " } "
}
