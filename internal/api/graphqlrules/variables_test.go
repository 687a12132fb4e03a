package graphqlrules_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"

	"savedq/internal/api/graphqlrules"
)

// Values of variables must be of their types, and so must each value in a list (GraphQL,
// section 6.1.2). What gqlgen decodes differently from JSON is accepted.
func TestVariablesOfEveryType(t *testing.T) {
	t.Parallel()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: `
scalar Time scalar Date scalar Int64 scalar Decimal
enum Unit { MS S }
type Query { f(v: Float, i: Int64, t: Time, d: Date, n: Decimal, b: Boolean, u: Unit, floats: [Float!], ns: [Decimal!], is: [Int64!], ts: [Time!], us: [Unit!], bs: [Boolean!]): Int }`})
	require.NoError(t, err)
	for variable, values := range map[string]struct{ right, wrong string }{
		"$v: Float":         {`0 -0.5 1e21 7 12345678901234567890 null`, `"0" true [] {} 1e400`},
		"$i: Int64":         {`0 9223372036854775807 "12"`, `0.5 "x" true [1]`},
		"$t: Time":          {`"2026-11-20"`, `5 {} ["2026-11-20"]`},
		"$d: Date":          {`"2026-11-20"`, `5 {}`},
		"$n: Decimal":       {`"1.5" 1.50 -7 99999999999999999999999999999.999999999 12345678901234567890 null`, `true {} [1]`},
		"$ns: [Decimal!]":   {`[] ["1.5",0.5] 1 "2"`, `[true] [null]`},
		"$b: Boolean":       {`true false`, `"true" 1 [true]`},
		"$u: Unit":          {`"MS"`, `"ms" 1 ["MS"]`},
		"$floats: [Float!]": {`[] [0,-0.5,1e21] 0.5 null`, `["0"] [null] [[1]] "0" {} [1e400] 1e400`},
		"$is: [Int64!]":     {`[] [1,"2"] 3 "4"`, `[0.5] [null] ["x"] 0.5`},
		"$ts: [Time!]":      {`[] ["2026-11-20"] "2026-11-20"`, `[5] [{}] 5`},
		"$us: [Unit!]":      {`[] ["MS","S"] "MS"`, `["ms"] [1] "ms"`},
		"$bs: [Boolean!]":   {`[] [true] false`, `["true"] [null] 1`},
	} {
		name := strings.TrimPrefix(strings.Split(variable, ":")[0], "$")
		document, err := gqlparser.LoadQueryWithRules(schema, "query("+variable+") { f("+name+": $"+name+") }", nil)
		require.Empty(t, err)
		accepts := func(text string) bool {
			decoder := json.NewDecoder(strings.NewReader(`{"` + name + `":` + text + `}`))
			decoder.UseNumber()
			var raw map[string]any
			require.NoError(t, decoder.Decode(&raw))
			coerced, err := validator.VariableValues(schema, document.Operations[0], raw)
			if err != nil {
				return false
			}
			operation := &graphql.OperationContext{Doc: document, Operation: document.Operations[0], Variables: coerced}
			return graphqlrules.VariableTypes{}.MutateOperationContext(t.Context(), operation) == nil
		}
		for value := range strings.FieldsSeq(values.right) {
			assert.True(t, accepts(value), "%s = %s", variable, value)
		}
		for value := range strings.FieldsSeq(values.wrong) {
			assert.False(t, accepts(value), "%s = %s", variable, value)
		}
	}
}
