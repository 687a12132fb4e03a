package resolvers_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/resolvers"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// userQuery is a user's saved query.
const userQuery = `
graphql: {field: slowest, type: Slow}
params:
  - {param: project, type: STRING, required: true, description: The project.}
  - {param: most, type: INT64, description: How many.}
  - {param: share, type: FLOAT64, description: How much.}
  - {param: price, type: NUMERIC, description: The least price.}
  - {param: all, type: BOOL, description: Whether all.}
  - {param: since, type: TIMESTAMP, description: Since when.}
  - {param: paths, type: ARRAY<STRING>, description: Which paths.}
  - {param: kinds, type: ARRAY<STRING>, allowed: [get, put], description: Which kinds.}
  - {param: day, type: DATE, description: Which day.}
  - {param: sort_by, type: STRING, allowed: [p-95, mean], description: The order., graphql: {argument: order, values: [{value: p-95, name: NINETY_FIVE}]}}
columns:
  - {name: function_id, type: STRING, nullable: false, description: The function., graphql: {field: function, type: ID}}
  - {name: count, type: INT64, description: The number.}
  - {name: day, type: DATE, description: The day.}
  - {name: hour, type: DATETIME, description: The hour.}
  - {name: cost, type: NUMERIC, description: The cost.}
  - {name: details, type: JSON, description: The rest.}
`

// nestedQuery declares a saved query with nested columns.
const nestedQuery = `
columns:
  - name: slowest
    type: ARRAY<STRUCT>
    description: The slowest.
    fields:
      - {name: full_path, type: STRING, nullable: false, description: The path.}
      - {name: tags, type: ARRAY<ARRAY<INT64>>, description: The tags.}
      - {name: parent, type: STRUCT, description: The parent., fields: [{name: id, type: STRING, nullable: false, description: The id.}]}
`

// userCatalogOnce reads the user's queries, which no test changes, once.
var userCatalogOnce = sync.OnceValues(func() (*catalog.Catalog, error) { //nolint:gochecknoglobals // It is never written.
	return graphtest.Catalog(map[string]string{"my.slow": userQuery, "my.requests": nestedQuery})
})

func userCatalog(t *testing.T) *catalog.Catalog {
	t.Helper()
	catalog, err := userCatalogOnce()
	require.NoError(t, err)
	return catalog
}

// userExecutor returns gqlgen's executor on a catalog with the user's query. Its runs return
// the rows or the error, and are recorded.
func userExecutor(t *testing.T, rows [][]any, failure error) (*executor.Executor, *[]call) {
	t.Helper()
	catalog := userCatalog(t)
	queryRunner, calls := returningEach(catalog, map[string][][]any{"my.slow": rows}), &[]call{}
	inner := queryRunner.run
	var mutex sync.Mutex // fields run concurrently
	queryRunner.run = func(request runner.Request) (*runner.Response, error) {
		mutex.Lock()
		*calls = append(*calls, call{request.Query.Name, request.Params})
		mutex.Unlock()
		if failure != nil {
			return nil, failure
		}
		return inner(request)
	}
	schemaExecutor := executor.New(resolvers.NewExecutableSchema(graphtest.SchemaOf(t, catalog), &resolvers.Resolver{Runner: queryRunner}))
	schemaExecutor.Use(extension.Introspection{})
	return schemaExecutor, calls
}

// D26: arguments of every type become parameters in the spelling of a query string, both
// as literals and as variables.
func TestArgumentsOfAUserField(t *testing.T) {
	t.Parallel()
	all := params{"project": {"p"}, "most": {"9007199254740993"}, "share": {"0.25"}, "all": {"false"}, "since": {"2026-11-20"}, "sort_by": {"p-95"}}
	for name, test := range map[string]struct {
		document  string
		variables map[string]any
		want      params
	}{
		"literals":              {`{ slowest(project: "p", most: 9007199254740993, share: 0.25, all: false, since: "2026-11-20", order: NINETY_FIVE) { count } }`, nil, all},
		"digits":                {`{ slowest(project: "p", most: "9007199254740993") { count } }`, nil, params{"project": {"p"}, "most": {"9007199254740993"}}},
		"omitted":               {`{ slowest(project: "p") { count } }`, nil, params{"project": {"p"}}},
		"null":                  {`{ slowest(project: "p", most: null, order: null, all: null) { count } }`, nil, params{"project": {"p"}}},
		"an integer as a float": {`{ slowest(project: "p", share: 2) { count } }`, nil, params{"project": {"p"}, "share": {"2"}}},
		"digits of a decimal":   {`{ slowest(project: "p", price: "99999999999999999999999999999.999999999") { count } }`, nil, params{"project": {"p"}, "price": {"99999999999999999999999999999.999999999"}}},
		"a variable decimal":    {`query($d: Decimal) { slowest(project: "p", price: $d) { count } }`, map[string]any{"d": json.Number("12345678901234567890.50")}, params{"project": {"p"}, "price": {"12345678901234567890.50"}}},
		"lists":                 {`{ slowest(project: "p", paths: ["/a", "/b"], kinds: [PUT, GET], day: "2026-11-20") { count } }`, nil, params{"project": {"p"}, "paths": {"/a", "/b"}, "kinds": {"put", "get"}, "day": {"2026-11-20"}}},
		"a variable in a list":  {`query($one: String!) { slowest(project: "p", paths: [$one, "y"]) { count } }`, map[string]any{"one": "x"}, params{"project": {"p"}, "paths": {"x", "y"}}},
		"one for a list":        {`{ slowest(project: "p", paths: "/a", kinds: PUT) { count } }`, nil, params{"project": {"p"}, "paths": {"/a"}, "kinds": {"put"}}},
		"empty list":            {`{ slowest(project: "p", paths: []) { count } }`, nil, params{"project": {"p"}, "paths": {}}},
		"list variables": {
			`query($a: [String!], $k: [MySlowKinds!]) { slowest(project: "p", paths: $a, kinds: $k) { count } }`,
			map[string]any{"a": []any{"/a"}, "k": []any{"PUT"}},
			params{"project": {"p"}, "paths": {"/a"}, "kinds": {"put"}},
		},
		"variables": {
			`query($p: String!, $m: Int64, $s: Float, $a: Boolean, $t: Time, $o: MySlowSortBy) { slowest(project: $p, most: $m, share: $s, all: $a, since: $t, order: $o) { count } }`,
			map[string]any{"p": "p", "m": json.Number("9007199254740993"), "s": json.Number("0.25"), "a": false, "t": "2026-11-20", "o": "NINETY_FIVE"},
			all,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executor, calls := userExecutor(t, nil, nil)
			response := execute(t, executor, test.document, test.variables)
			require.Empty(t, response.Errors)
			assert.Equal(t, []call{{"my.slow", test.want}}, *calls)
		})
	}
}

// D13, D27: rows of every type, with the names that the folder declares.
func TestRowsOfAUserField(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	executor, _ := userExecutor(t, [][]any{
		{"f", int64(1<<53 - 1), day.Truncate(24 * time.Hour), day, sqlq.Decimal("-12345678901234567890.5"), json.RawMessage(`{"a":[1]}`)},
		{"g", nil, nil, nil, nil, nil},
	}, nil)
	response := execute(t, executor, `{ a: slowest(project: "p") { __typename function count day hour cost details } }`, nil)
	require.Empty(t, response.Errors)
	assert.Equal(t, `{"a":[`+
		`{"__typename":"Slow","function":"f","count":9007199254740991,"day":"2026-11-20","hour":"2026-11-20T10:30:00Z","cost":"-12345678901234567890.5","details":{"a":[1]}},`+
		`{"__typename":"Slow","function":"g","count":null,"day":null,"hour":null,"cost":null,"details":null}]}`, string(response.Data))
}

// D27: a value that a scalar cannot hold is null at its place, and an error there that is not
// a fault of the server. All other values and root fields stay.
func TestValuesBeyondTheirScalars(t *testing.T) {
	t.Parallel()
	late := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	early := time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)
	executor, _ := userExecutor(t, [][]any{{"f", int64(-1 << 53), late, early, nil, nil}, {"g", int64(1), nil, nil, nil, nil}}, nil)
	response := execute(t, executor, `{ slowest(project: "p") { function n: count day hour } other: slowest(project: "p") { function } }`, nil)
	assert.Equal(t, `{"slowest":[{"function":"f","n":null,"day":null,"hour":null},{"function":"g","n":1,"day":null,"hour":null}],`+
		`"other":[{"function":"f"},{"function":"g"}]}`, string(response.Data))
	want := map[string]string{
		"slowest[0].n":    "count is -9007199254740992, which is more than every client reads exactly; REST has the exact value",
		"slowest[0].day":  "day is a time in the year 10000, which is not a year of four digits; REST has the exact value",
		"slowest[0].hour": "hour is a time in the year -1, which is not a year of four digits; REST has the exact value",
	}
	got := make(map[string]string)
	for _, failure := range response.Errors {
		got[failure.Path.String()] = sqlq.AsError(failure).Message
		assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(failure).Code)
	}
	assert.Equal(t, want, got)
}

// D20: an error names the argument as the field does.
func TestErrorOfAUserField(t *testing.T) {
	t.Parallel()
	executor, _ := userExecutor(t, nil, sqlq.ParamErrorf("sort_by", "is not allowed"))
	response := execute(t, executor, `{ slowest(project: "p") { count } }`, nil)
	require.Len(t, response.Errors, 1)
	assert.Equal(t, "order", sqlq.AsError(response.Errors[0]).Param)
	assert.Equal(t, "slowest", response.Errors[0].Path.String())
}

// Fields of saved queries and static fields share one response, in the order of the
// document, and introspection lists all of them.
func TestUserFieldWithStaticFields(t *testing.T) {
	t.Parallel()
	executor, _ := userExecutor(t, [][]any{{"f", nil, nil, nil, nil}}, nil)
	response := execute(t, executor, `{
		t: __typename
		one: endpoint(name: "my.slow") { name }
		slowest(project: "p") { function }
		__type(name: "Slow") { fields { name } }
		...rest
		t: __typename
	} fragment rest on Query { none: endpoint(name: "none") { name } two: endpoint(name: "logs.all") @skip(if: true) { name } one: endpoint(name: "my.slow") { maxRows } }`, nil)
	require.Empty(t, response.Errors)
	assert.Equal(t, `{"t":"Query","one":{"name":"my.slow","maxRows":1000},"slowest":[{"function":"f"}],`+
		`"__type":{"fields":[{"name":"function"},{"name":"count"},{"name":"day"},{"name":"hour"},{"name":"cost"},{"name":"details"}]},"none":null}`, string(response.Data))
}

// A failed field makes all data null, whatever else the document selects (GraphQL, section
// 6.4.4), and every error is reported.
func TestFailedFieldsLeaveNoData(t *testing.T) {
	t.Parallel()
	executor, calls := userExecutor(t, nil, sqlq.Errorf(sqlq.Unavailable, "not now"))
	response := execute(t, executor, `{ __typename a: slowest(project: "p") { count } b: slowest(project: "q") { count } endpoint { name } }`, nil)
	assert.Equal(t, "null", string(response.Data))
	assert.Len(t, *calls, 2)
	assert.Len(t, response.Errors, 3)
}

// D28: nested rows, with aliases, fragments and __typename at each level.
func TestNestedRowsOfAUserField(t *testing.T) {
	t.Parallel()
	executor := nestedExecutor(t, [][]any{
		{[]any{[]any{"/a", []any{[]any{int64(1), nil}, []any{}}, []any{"x"}}, nil}},
		{[]any{}},
	})
	response := execute(t, executor, `{ n: myRequests { __typename all: slowest { ...f } } } fragment f on MyRequestsRowSlowest { path: fullPath tags __typename parent { id again: id } }`, nil)
	require.Empty(t, response.Errors)
	assert.Equal(t, `{"n":[{"__typename":"MyRequestsRow","all":[{"path":"/a","tags":[[1,null],[]],"__typename":"MyRequestsRowSlowest","parent":{"id":"x","again":"x"}},null]},`+
		`{"__typename":"MyRequestsRow","all":[]}]}`, string(response.Data))
}

// The error of a nested value has the whole path, and the nearest value around it that may be
// null is null (GraphQL, section 6.4.4).
func TestErrorsOfNestedValues(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct {
		slowest any
		data    string
	}{
		"n[0].all[1].fullPath":   {[]any{[]any{"/", []any{}, nil}, []any{nil, []any{}, nil}}, `{"n":[{"all":[{"fullPath":"/","tags":[],"parent":null},null]}]}`},
		"n[0].all[0].tags[1][0]": {[]any{[]any{"/", []any{[]any{}, []any{int64(1 << 53)}}, nil}}, `{"n":[{"all":[{"fullPath":"/","tags":[[],[null]],"parent":null}]}]}`},
		"n[0].all[0].parent.id":  {[]any{[]any{"/", []any{}, []any{nil}}}, `{"n":[{"all":[{"fullPath":"/","tags":[],"parent":null}]}]}`},
		"n[0].all[0]":            {[]any{[]any{"too short"}}, `{"n":[{"all":[null]}]}`},
		"n[0].all":               {"no list", `null`},
	} {
		response := execute(t, nestedExecutor(t, [][]any{{test.slowest}}), `{ n: myRequests { all: slowest { fullPath tags parent { id } } } }`, nil)
		assert.Equal(t, test.data, string(response.Data))
		require.Len(t, response.Errors, 1)
		assert.Equal(t, want, response.Errors[0].Path.String())
	}
}

// nestedExecutor returns gqlgen's executor on a saved query with nested columns and rows.
func nestedExecutor(t *testing.T, rows [][]any) *executor.Executor {
	t.Helper()
	catalog := userCatalog(t)
	return executor.New(resolvers.NewExecutableSchema(graphtest.SchemaOf(t, catalog), &resolvers.Resolver{Runner: returningEach(catalog, map[string][][]any{"my.requests": rows})}))
}
