package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/graph/graphtest"
)

// columns declares a column for saved queries whose columns do not matter.
const columns = "columns: [{name: n, type: BOOL, description: A flag.}]\n"

// D26, D27: a saved query that declares nothing for GraphQL.
func TestDerivedField(t *testing.T) {
	t.Parallel()
	catalog, err := graphtest.Catalog(map[string]string{"functions.top-slow_ones": `
params:
  - {param: project_ref, type: STRING, required: true, description: The project.}
  - {param: most, type: INT64, default: 010, description: How many.}
  - {param: share, type: FLOAT64, default: 1E3, description: How much.}
  - {param: price, type: NUMERIC, default: 1.50, description: The price.}
  - {param: all, type: BOOL, default: true, description: Whether all.}
  - {param: since, type: TIMESTAMP, default: 2026-11-20, description: Since when.}
  - {param: sort_by, type: STRING, allowed: [p-95, mean.time, by name], default: by name, description: The order.}
  - {param: unit, type: STRING, allowed: [ms, "%"], default: "%", description: The unit.}
  - {param: size, type: INT64, allowed: [1, 2], description: The size.}
columns:
  - {name: function_id, type: STRING, nullable: false, description: The function.}
  - {name: p95, type: FLOAT64, description: The percentile.}
  - {name: count, type: INT64, description: The number.}
  - {name: cost, type: BIGNUMERIC, description: The cost.}
  - {name: slow, type: BOOL, description: Whether slow.}
  - {name: first_seen, type: TIMESTAMP, description: The first.}
  - {name: hour, type: DATETIME, description: The hour.}
  - {name: day, type: DATE, description: The day.}
  - {name: details, type: JSON, description: The rest.}
`})
	require.NoError(t, err)
	sdl := graphtest.SchemaOf(t, catalog).SDL()
	assert.Contains(t, sdl, `
  "Rows of functions.top-slow_ones."
  functionsTopSlowOnes(
    "The project."
    projectRef: String!
    "How many."
    most: Int64 = 10
    "How much."
    share: Float = 1000
    "The price."
    price: Decimal = "1.5"
    "Whether all."
    all: Boolean = true
    "Since when."
    since: Time = "2026-11-20"
    "The order."
    sortBy: FunctionsTopSlowOnesSortBy = BY_NAME
    "The unit."
    unit: String = "%"
    "The size."
    size: Int64
  ): [FunctionsTopSlowOnesRow!]!
`)
	assert.Contains(t, sdl, `
"Values of sort_by in functions.top-slow_ones."
enum FunctionsTopSlowOnesSortBy {
  "The value p-95."
  P_95
  "The value mean.time."
  MEAN_TIME
  "The value by name."
  BY_NAME
}

"A row of functions.top-slow_ones."
type FunctionsTopSlowOnesRow {
  "The function."
  functionId: String!
  "The percentile."
  p95: Float
  "The number."
  count: Int64
  "The cost."
  cost: Decimal
  "Whether slow."
  slow: Boolean
  "The first."
  firstSeen: Time
  "The hour."
  hour: Time
  "The day."
  day: Date
  "The rest."
  details: JSON
}
`)
}

// D28: STRUCT is an object type named after its place, and ARRAY a list that is never null.
// What the types do not tell is in the descriptions.
func TestNestedFields(t *testing.T) {
	t.Parallel()
	catalog, err := graphtest.Catalog(map[string]string{"my.requests": `
deprecated: Use "others".
params:
  - {param: paths, type: ARRAY<STRING>, default: [/a, /b], description: The paths.}
  - {param: kinds, type: ARRAY<STRING>, allowed: [get, put], default: [put], description: The kinds.}
  - {param: sizes, type: ARRAY<INT64>, required: true, description: The sizes.}
  - {param: day, type: DATE, min: 2026-01-01, description: The day.}
  - {param: share, type: FLOAT64, min: 0, max: 1, description: The share., deprecated: Unused.}
  - {param: since, type: TIMESTAMP, default: now-7d, description: The start.}
columns:
  - name: slowest
    type: ARRAY<STRUCT>
    description: The slowest.
    fields:
      - {name: full_path, type: STRING, nullable: false, description: The path.}
      - {name: tags, type: ARRAY<ARRAY<INT64>>, description: The tags., deprecated: Unused.}
      - name: parent
        type: STRUCT
        description: The parent.
        graphql: {field: origin, type: Origin, type_description: Where it comes from.}
        fields: [{name: id, type: STRING, nullable: false, description: The id., graphql: {type: ID}}]
`})
	require.NoError(t, err)
	sdl := graphtest.SchemaOf(t, catalog).SDL()
	assert.Contains(t, sdl, `
  "Rows of my.requests."
  myRequests(
    "The paths."
    paths: [String!] = ["/a", "/b"]
    "The kinds."
    kinds: [MyRequestsKinds!] = [PUT]
    "The sizes."
    sizes: [Int64!]!
    "The day. At least 2026-01-01."
    day: Date
    "The share. At least 0. At most 1."
    share: Float @deprecated(reason: "Unused.")
    "The start. Default: now-7d."
    since: Time
  ): [MyRequestsRow!]! @deprecated(reason: "Use \"others\".")
`)
	assert.Contains(t, sdl, `
"A row of my.requests."
type MyRequestsRow {
  "The slowest."
  slowest: [MyRequestsRowSlowest]!
}

"A value of slowest in MyRequestsRow."
type MyRequestsRowSlowest {
  "The path."
  fullPath: String!
  "The tags."
  tags: [[Int64]!]! @deprecated(reason: "Unused.")
  "The parent."
  origin: Origin
}

"Where it comes from."
type Origin {
  "The id."
  id: ID!
}
`)
}

// Every description is published unchanged.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	catalog, err := graphtest.Catalog(map[string]string{"mine": columns})
	require.NoError(t, err)
	query, _ := catalog.Find("mine")
	for name, text := range map[string]string{
		"quotes":             `a "b" and """c"""`,
		"a backslash":        `a \ and \u0041 and \"""`,
		"lines":              "first\n\n  second, indented\nthird",
		"long":               strings.Repeat("long ", 50) + "end",
		"control letters":    "a\tb\u0007c\u0000d",
		"other alphabets":    "é 😀 \u2028 end",
		"a quote at the end": `ends with "`,
	} {
		query.Description = text
		field := graphtest.SchemaOf(t, catalog).AST().Query.Fields.ForName("mine")
		assert.Equal(t, text, field.Description, name)
	}
}

// Names that cannot share a schema are errors of the folder, with the places of both.
func TestNamesThatCollide(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		declarations map[string]string
		want         string
	}{
		"two fields": {
			map[string]string{"a.b": columns, "a-b": columns},
			"mine/a.b/query.yaml:2:7: the GraphQL field aB is also used by mine/a-b/query.yaml:2:7; rename one of them under the key graphql\n" +
				"mine/a.b/query.yaml:2:7: the GraphQL type ABRow is also used by mine/a-b/query.yaml:2:7; rename one of them under the key graphql",
		},
		"a shipped field": {
			map[string]string{"logs": columns},
			"shipped queries/logs.all/query.yaml:11:8: the GraphQL field logs is also used by mine/logs/query.yaml:2:7; rename one of them under the key graphql",
		},
		"a static field": {
			map[string]string{"endpoints": columns},
			"mine/endpoints/query.yaml:2:7: the GraphQL field endpoints is reserved by savedq; give it another name under the key graphql",
		},
		"a static type": {
			map[string]string{"mine": "graphql: {type: Column}\n" + columns},
			"mine/mine/query.yaml:4:10: the GraphQL type Column is reserved by savedq; give it another name under the key graphql",
		},
		"a type of introspection": {
			map[string]string{"mine": "graphql: {type: String}\n" + columns},
			"mine/mine/query.yaml:4:10: the GraphQL type String is reserved by savedq; give it another name under the key graphql",
		},
		"an enum and a row": {
			map[string]string{"mine": "params: [{param: kind, type: STRING, allowed: [a], description: A kind., graphql: {type: MineRow}}]\n" + columns},
			"mine/mine/query.yaml:4:82: the GraphQL type MineRow is also used by mine/mine/query.yaml:2:7; rename one of them under the key graphql",
		},
		"two fields of a STRUCT": {
			map[string]string{"mine": "columns: [{name: s, type: STRUCT, description: S., fields: [{name: a_b, type: BOOL, description: One.}, {name: a__b, type: BOOL, description: Two.}]}]\n"},
			"mine/mine/query.yaml:4:112: the columns \"a_b\" and \"a__b\" are both the GraphQL field aB (mine/mine/query.yaml:4:68); name one of them with graphql: {field: …}, or rename it with AS in the SQL",
		},
		"a STRUCT and a row": {
			map[string]string{"mine": "columns: [{name: s, type: STRUCT, description: S., graphql: {type: MineRow}, fields: [{name: a, type: BOOL, description: One.}]}]\n"},
			"mine/mine/query.yaml:4:61: the GraphQL type MineRow is also used by mine/mine/query.yaml:2:7; rename one of them under the key graphql",
		},
		"two arguments": {
			map[string]string{"mine": "params:\n- {param: a_b, type: STRING, description: One.}\n- {param: a__b, type: STRING, description: Two.}\n" + columns},
			"mine/mine/query.yaml:6:10: the GraphQL argument aB is also used by mine/mine/query.yaml:5:10; rename one of them under the key graphql",
		},
		"two columns": {
			map[string]string{"mine": "columns:\n- {name: a_b, type: STRING, description: One.}\n- {name: a__b, type: STRING, description: Two.}\n"},
			"mine/mine/query.yaml:6:10: the columns \"a_b\" and \"a__b\" are both the GraphQL field aB (mine/mine/query.yaml:5:10); name one of them with graphql: {field: …}, or rename it with AS in the SQL",
		},
		"columns with a space and an underscore": {
			map[string]string{"mine": "columns:\n- {name: n GET, type: STRING, description: One.}\n- {name: n_GET, type: STRING, description: Two.}\n"},
			"mine/mine/query.yaml:6:10: the columns \"n GET\" and \"n_GET\" are both the GraphQL field nGET (mine/mine/query.yaml:5:10); name one of them with graphql: {field: …}, or rename it with AS in the SQL",
		},
		"two enum values": {
			map[string]string{"mine": "params: [{param: kind, type: STRING, allowed: [a-b, a b], description: A kind.}]\n" + columns},
			"mine/mine/query.yaml:4:17: the GraphQL enum value A_B is also used by mine/mine/query.yaml:4:17; rename one of them under the key graphql",
		},
		"a leading digit": {
			map[string]string{"404.list": columns},
			"mine/404.list/query.yaml:2:7: the GraphQL field 404List is not a name that GraphQL allows; give it another name under the key graphql\n" +
				"mine/404.list/query.yaml:2:7: the GraphQL type 404ListRow is not a name that GraphQL allows; give it another name under the key graphql",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			catalog, err := graphtest.Catalog(test.declarations)
			require.NoError(t, err)
			_, err = graph.NewSchema(catalog)
			require.EqualError(t, err, test.want)
		})
	}
}
