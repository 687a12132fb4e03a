package resolvers_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/sqlq"
)

func TestFieldsReturnRows(t *testing.T) {
	t.Parallel()
	const (
		stats  = `{ invocationStats(project: "p") { timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount } }`
		counts = `{ apiCounts(project: "p", interval: DAILY) { timestamp totalRestRequests totalStorageRequests totalAuthRequests totalRealtimeRequests } }`
		logs   = `{ logs(project: "p") { id timestamp eventMessage metadata } }`
	)
	for name, test := range map[string]struct {
		document, field, data string
		rows                  [][]any
	}{
		"invocationStats": {
			stats, "invocationStats",
			`[{"timestamp":"2026-11-20T10:00:00Z","minExecutionTime":1.5,"maxExecutionTime":1e+21,"avgExecutionTime":2,"p95ExecutionTime":3,"p99ExecutionTime":4,"count":2147483647,"errorCount":1}]`,
			[][]any{{now, 1.5, 1e21, 2.0, 3.0, 4.0, int64(math.MaxInt32), int64(1)}},
		},
		"invocationStats of an empty bucket (D3)": {
			stats, "invocationStats",
			`[{"timestamp":"2026-11-20T10:00:00Z","minExecutionTime":null,"maxExecutionTime":null,"avgExecutionTime":null,"p95ExecutionTime":null,"p99ExecutionTime":null,"count":0,"errorCount":0}]`,
			[][]any{{now, nil, nil, nil, nil, nil, int64(0), int64(0)}},
		},
		"apiCounts": {
			counts, "apiCounts",
			`[{"timestamp":"2026-11-20T00:00:00Z","totalRestRequests":1,"totalStorageRequests":2,"totalAuthRequests":3,"totalRealtimeRequests":4}]`,
			[][]any{{now.Truncate(24 * time.Hour), int64(1), int64(2), int64(3), int64(4)}},
		},
		"logs in row order": {
			logs, "logs",
			`[{"id":"b","timestamp":"2026-11-20T10:00:00.000001Z","eventMessage":"<GET> \"é\"","metadata":[{"z":9007199254740993,"a":"<&>","f":1.50,"e":[]}]},` +
				`{"id":"a","timestamp":"2026-11-20T10:00:00Z","eventMessage":null,"metadata":null}]`,
			[][]any{
				{"b", now.Add(time.Microsecond), `<GET> "é"`, json.RawMessage(`[{"z":9007199254740993,"a":"<&>","f":1.50,"e":[]}]`)},
				{"a", now, nil, nil},
			},
		},
		"no rows": {logs, "logs", `[]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, `{"`+test.field+`":`+test.data+`}`, dataOf(t, runnerReturning(t, test.rows...), test.document))
		})
	}
}

// Columns are found by name: an engine may return them in any order.
func TestFieldsReadColumnsByName(t *testing.T) {
	t.Parallel()
	runner := returningResult(&sqlq.Result{
		Columns: []sqlq.Column{
			{Name: "metadata", Type: sqlq.JSON},
			{Name: "event_message", Type: sqlq.String},
			{Name: "timestamp", Type: sqlq.Timestamp},
			{Name: "id", Type: sqlq.String},
		},
		Rows: [][]any{{nil, "text", now, "a"}},
	})
	assert.Equal(t, `{"logs":[{"id":"a","eventMessage":"text"}]}`, dataOf(t, runner, `{ logs(project: "p") { id eventMessage } }`))
}

// Rows that break the contract of the saved query are a server error.
func TestRowsThatBreakTheContract(t *testing.T) {
	t.Parallel()
	columns := []sqlq.Column{{Name: "id"}, {Name: "timestamp"}, {Name: "event_message"}, {Name: "metadata"}}
	for name, test := range map[string]struct {
		result sqlq.Result
		cause  string
		path   string
	}{
		"a null in a non-null column": {
			sqlq.Result{Columns: columns, Rows: [][]any{{nil, now, nil, nil}}}, "column id is null", "logs[0].id",
		},
		"a value of another type": {
			sqlq.Result{Columns: columns, Rows: [][]any{{"b", now, nil, nil}, {"a", "soon", nil, nil}}},
			"column timestamp holds a value of type string",
			"logs[1].at",
		},
		"a missing column": {
			sqlq.Result{Columns: columns[:3], Rows: [][]any{{"a", now, nil}}}, "column metadata is missing", "logs",
		},
		"metadata is invalid JSON": {
			sqlq.Result{Columns: columns, Rows: [][]any{{"a", now, nil, json.RawMessage(`{"a":`)}}},
			"column metadata holds a value of type json.RawMessage that its field cannot have",
			"logs[0].metadata",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := execute(t, newExecutor(t, returningResult(&test.result)), `{ logs(project: "p") { id at: timestamp metadata } }`, nil)
			require.Len(t, response.Errors, 1)
			assert.Equal(t, sqlq.Internal, sqlq.AsError(response.Errors[0]).Code)
			assert.Equal(t, test.path, response.Errors[0].Path.String())
			assert.Contains(t, response.Errors[0].Message, test.cause)
		})
	}
}

// GraphQL's Int has 32 bits, so a larger count is an error; it must not wrap around
// (GraphQL, section 3.5.1).
func TestIntsBeyond32Bits(t *testing.T) {
	t.Parallel()
	const document = `{ stats: invocationStats(project: "p") { n: count } }`
	for name, test := range map[string]struct {
		count       int64
		data, error string
	}{
		"the largest":                {math.MaxInt32, `{"stats":[{"n":0},{"n":2147483647}]}`, ""},
		"the smallest":               {math.MinInt32, `{"stats":[{"n":0},{"n":-2147483648}]}`, ""},
		"one above":                  {math.MaxInt32 + 1, "null", "count is 2147483648, which is more than the 32 bits of GraphQL's Int; REST has the exact value"},
		"one below":                  {math.MinInt32 - 1, "null", "count is -2147483649, which is more than the 32 bits of GraphQL's Int; REST has the exact value"},
		"the largest 64-bit integer": {math.MaxInt64, "null", "count is 9223372036854775807, which is more than the 32 bits of GraphQL's Int; REST has the exact value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := func(count int64) []any { return []any{now, nil, nil, nil, nil, nil, count, int64(0)} }
			runner := runnerReturning(t, row(0), row(test.count))
			response := execute(t, newExecutor(t, runner), document, nil)
			assert.Equal(t, test.data, string(response.Data))
			if test.error == "" {
				assert.Empty(t, response.Errors)
				return
			}
			require.Len(t, response.Errors, 1)
			failure := sqlq.AsError(response.Errors[0])
			assert.Equal(t, test.error, failure.Message)
			assert.Equal(t, sqlq.InvalidArgument, failure.Code)
			assert.Equal(t, "stats[1].n", response.Errors[0].Path.String())
			assert.Equal(t, []gqlerror.Location{{Line: 1, Column: 42}}, response.Errors[0].Locations)
		})
	}
}
