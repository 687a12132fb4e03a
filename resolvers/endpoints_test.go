package resolvers_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/graph/graphtest"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

func TestEndpointsByName(t *testing.T) {
	t.Parallel()
	assert.JSONEq(t, `{"endpoints":[
		{"id":"2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10","name":"functions.invocation-stats","language":"duckdb","maxRows":1000,"cacheSeconds":900,"warmSeconds":300,"sandboxed":false},
		{"id":"9b0c8a5e-2f4d-4c7b-8e61-3d5a7f9b1c43","name":"functions.list","language":"duckdb","maxRows":1000,"cacheSeconds":900,"warmSeconds":300,"sandboxed":false},
		{"id":"c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32","name":"logs.all","language":"googlesql","maxRows":1000,"cacheSeconds":null,"warmSeconds":null,"sandboxed":false},
		{"id":"f6a90e3b-1d74-4c28-8b5f-2e97d604c1b8","name":"logs.facets","language":"duckdb","maxRows":1000,"cacheSeconds":null,"warmSeconds":null,"sandboxed":false},
		{"id":"81c5f2d7-6a3e-4b90-9f48-c07d1e5b2a96","name":"logs.histogram","language":"duckdb","maxRows":1000,"cacheSeconds":null,"warmSeconds":null,"sandboxed":false},
		{"id":"3d9e7b14-8c52-4f06-a7d1-5e2b9c40f865","name":"logs.search","language":"duckdb","maxRows":1000,"cacheSeconds":null,"warmSeconds":null,"sandboxed":false},
		{"id":"e6d1f3a2-5b7c-4d8e-9f10-1a2b3c4d5e54","name":"projects.list","language":"duckdb","maxRows":1000,"cacheSeconds":900,"warmSeconds":300,"sandboxed":false},
		{"id":"7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21","name":"usage.api-counts","language":"duckdb","maxRows":1000,"cacheSeconds":900,"warmSeconds":300,"sandboxed":false}
	]}`, dataOf(t, runnerReturning(t), `{ endpoints { id name language maxRows cacheSeconds warmSeconds sandboxed } }`))
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`endpoint(id: "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32")`:   `{"name":"logs.all"}`,
		`endpoint(id: "C4D5E6F7-1A2B-4C3D-8E9F-0A1B2C3D4E32")`:   `{"name":"logs.all"}`, // D16
		`endpoint(name: "logs.all")`:                             `{"name":"logs.all"}`,
		`endpoint(name: "logs.all", id: null)`:                   `{"name":"logs.all"}`,
		`endpoint(id: "logs.all")`:                               `null`,
		`endpoint(id: 5)`:                                        `null`,
		`endpoint(id: "")`:                                       `null`,
		`endpoint(name: "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32")`: `null`,
		`endpoint(name: "LOGS.ALL")`:                             `null`,
		`endpoint(name: "")`:                                     `null`,
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, `{"endpoint":`+want+`}`, dataOf(t, runnerReturning(t), `{ `+document+` { name } }`))
		})
	}
}

// An endpoint is found by its aliases, and lists them.
func TestEndpointByAlias(t *testing.T) {
	t.Parallel()
	const declaration = `
id: 11111111-2222-4333-8444-555555555555
name: my.query
aliases: [Old.Query, 8F14E45F-ceea-467f-9b2d-1a2b3c4d5e6f]
description: What it gives.
columns:
  - {name: n, type: INT64, description: A number.}
`
	folder := fstest.MapFS{
		"my.query/query.yaml": &fstest.MapFile{Data: []byte(declaration)},
		"my.query/duckdb.sql": &fstest.MapFile{Data: []byte("SELECT 1 AS n")},
	}
	catalog, err := graph.ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: folder, Path: "mine"})
	require.NoError(t, err)
	queryRunner := runner.New(sqlqtest.Config(catalog, &sqlqtest.FakeEngine{}, time.Now))
	for argument, want := range map[string]string{
		`name: "Old.Query"`:                          `{"name":"my.query","aliases":["Old.Query","8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f"]}`,
		`id: "8f14e45f-CEEA-467f-9b2d-1a2b3c4d5e6f"`: `{"name":"my.query","aliases":["Old.Query","8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f"]}`,
		`name: "old.query"`:                          `null`,
		`id: "Old.Query"`:                            `null`,
		`name: "logs.all"`:                           `{"name":"logs.all","aliases":[]}`,
	} {
		assert.Equal(t, `{"endpoint":`+want+`}`, dataOf(t, queryRunner, `{ endpoint(`+argument+`) { name aliases } }`), argument)
	}
}

func TestEndpointTakesExactlyOneArgument(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		`{ endpoint { name } }`,
		`{ endpoint(id: null, name: null) { name } }`,
		`{ endpoint(id: "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32", name: "logs.all") { name } }`,
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			response := execute(t, newExecutor(t, runnerReturning(t)), document, nil)
			require.Len(t, response.Errors, 1)
			failure := sqlq.AsError(response.Errors[0])
			assert.Equal(t, "give exactly one of the arguments id and name", failure.Message)
			assert.Equal(t, sqlq.InvalidArgument, failure.Code)
			assert.Empty(t, failure.Param)
			assert.JSONEq(t, `{"endpoint":null}`, string(response.Data))
		})
	}
}

// D19: the endpoint of a saved query has everything that the query declares.
func TestEndpointHasAllOfASavedQuery(t *testing.T) {
	t.Parallel()
	const declaration = `
id: 11111111-2222-4333-8444-555555555555
name: my.query
description: What it gives.
max_rows: 10
cache: 2s
params:
  - {name: text, type: STRING, required: true, format: regex, max_length: 9, scope: project, description: A text.}
  - {name: kind, type: STRING, allowed: [a, b], default: a, fallback: b, description: A kind.}
  - {name: amount, type: INT64, pattern: "[0-9]+", description: A number.}
columns:
  - {name: one, type: INT64, nullable: false, description: A one.}
  - {name: two, type: JSON, description: A two.}
`
	const sql = "SELECT $text AS one, $kind || $amount AS two"
	catalog, err := graph.ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{Path: "mine", FS: fstest.MapFS{
		"my.query/query.yaml": {Data: []byte(declaration)},
		"my.query/duckdb.sql": {Data: []byte(sql)},
	}})
	require.NoError(t, err)
	runner := runner.New(sqlqtest.Config(catalog, &sqlqtest.FakeEngine{}, func() time.Time { return now }))
	assert.JSONEq(t, `{"endpoint":{
		"id":"11111111-2222-4333-8444-555555555555","name":"my.query","description":"What it gives.",
		"language":"duckdb","sql":"`+sql+`","maxRows":10,"cacheSeconds":2,"warmSeconds":null,"sandboxed":false,
		"parameters":[
			{"name":"text","type":"STRING","description":"A text.","required":true,"default":null,"allowed":[],"fallback":null,"pattern":null,"format":"regex","maxLength":9,"scope":"project"},
			{"name":"kind","type":"STRING","description":"A kind.","required":false,"default":"a","allowed":["a","b"],"fallback":"b","pattern":null,"format":null,"maxLength":256,"scope":null},
			{"name":"amount","type":"INT64","description":"A number.","required":false,"default":null,"allowed":[],"fallback":null,"pattern":"[0-9]+","format":null,"maxLength":null,"scope":null}
		],
		"columns":[
			{"name":"one","type":"INT64","nullable":false,"description":"A one."},
			{"name":"two","type":"JSON","nullable":true,"description":"A two."}
		]}}`,
		dataOf(t, runner, `{ endpoint(name: "my.query") {
			id name description language sql maxRows cacheSeconds warmSeconds sandboxed
			parameters { name type description required default allowed fallback pattern format maxLength scope }
			columns { name type nullable description } } }`))
}

// An endpoint has the names of the GraphQL schema, so that clients can write operations on
// it (D26).
func TestEndpointHasItsGraphQLNames(t *testing.T) {
	t.Parallel()
	catalog, err := graphtest.Catalog(map[string]string{"my.slow-ones": `
params:
  - {param: function_id, type: STRING, description: One., graphql: {argument: function}}
  - {param: kinds, type: ARRAY<STRING>, allowed: [a.b, c], description: Kinds.}
  - {param: top_n, type: INT64, allowed: ["1", "2"], description: A number is no enum value.}
columns:
  - {name: error_count, type: INT64, description: Errors.}
  - {name: per_day, type: ARRAY<STRUCT>, description: Days., fields: [{name: first_seen, type: DATE, description: One.}]}
`})
	require.NoError(t, err)
	assert.JSONEq(t, `{"endpoint":{
		"field":"mySlowOnes",
		"parameters":[
			{"argument":"function","values":[]},
			{"argument":"kinds","values":["A_B","C"]},
			{"argument":"topN","values":[]}
		],
		"columns":[{"field":"errorCount","fields":[]},{"field":"perDay","fields":[{"field":"firstSeen"}]}]}}`,
		dataOf(t, returningEach(catalog, nil), `{ endpoint(name: "my.slow-ones") {
			field parameters { argument values } columns { field fields { field } } } }`))
}

// A number that exceeds GraphQL's Int is an error; it must not wrap around.
func TestEndpointsBeyond32Bits(t *testing.T) {
	t.Parallel()
	runner := runnerReturning(t)
	var err error
	runner.catalog, err = graph.ReadCatalog(duckdbsql.Dialect{}) // one of its own, as it is changed
	require.NoError(t, err)
	query, found := runner.catalog.Find("logs.all")
	require.True(t, found)
	for name, test := range map[string]struct {
		change  func(*sqlq.SavedQuery)
		message string
	}{
		"maxRows":      {func(query *sqlq.SavedQuery) { query.MaxRows = 1 << 31 }, "maxRows of logs.all is 2147483648, which is more than the 32 bits of GraphQL's Int"},
		"cacheSeconds": {func(query *sqlq.SavedQuery) { query.Cache = 1 << 31 * time.Second }, "cacheSeconds of logs.all is 2147483648, which is more than the 32 bits of GraphQL's Int"},
		"warmSeconds":  {func(query *sqlq.SavedQuery) { query.Warm = 1 << 31 * time.Second }, "warmSeconds of logs.all is 2147483648, which is more than the 32 bits of GraphQL's Int"},
	} {
		t.Run(name, func(t *testing.T) {
			original := *query
			defer func() { *query = original }()
			test.change(query)
			for _, document := range []string{`{ endpoints { name } }`, `{ endpoint(name: "logs.all") { name } }`} {
				response := execute(t, newExecutor(t, runner), document, nil)
				require.Len(t, response.Errors, 1)
				failure := sqlq.AsError(response.Errors[0])
				assert.Equal(t, test.message, failure.Message)
				assert.Equal(t, sqlq.Internal, failure.Code)
			}
		})
	}
}
