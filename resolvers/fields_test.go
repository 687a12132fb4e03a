package resolvers_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

func TestFieldsGiveRows(t *testing.T) {
	t.Parallel()
	const (
		oneDay = `"extensions":{"freshness":{"%s":{"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T10:00:00Z","truncated":false,"bytesProcessed":0}}}}`
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
		"logs in the order of their rows": {
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
			want := `{"data":{"` + test.field + `":` + test.data + `},` + strings.Replace(oneDay, "%s", test.field, 1)
			assert.Equal(t, want, answerTo(t, answering(t, test.rows...), test.document))
		})
	}
}

// Columns are read by name: an engine may give them in any order.
func TestFieldsReadColumnsByName(t *testing.T) {
	t.Parallel()
	runner := realRunner(t, engine{result: &sqlq.Result{
		Columns: []sqlq.Column{
			{Name: "metadata", Type: sqlq.JSON},
			{Name: "event_message", Type: sqlq.String},
			{Name: "timestamp", Type: sqlq.Timestamp},
			{Name: "id", Type: sqlq.String},
		},
		Rows: [][]any{{nil, "text", now, "a"}},
	}})
	assert.Contains(t, answerTo(t, runner, `{ logs(project: "p") { id eventMessage } }`),
		`{"data":{"logs":[{"id":"a","eventMessage":"text"}]}`)
}

// Freshness stands under the response key, which is the alias where there is one,
// and says whether rows were cut off (D24).
func TestFreshnessByResponseKey(t *testing.T) {
	t.Parallel()
	runner := answering(t)
	inner := runner.run
	runner.run = func(ctx context.Context, request sqlq.Request) (*sqlq.Reply, error) {
		reply, err := inner(ctx, request)
		if request.Params["project"][0] == "many" {
			reply.Result.Truncated, reply.Result.BytesProcessed = true, 10<<20
			reply.Cache, reply.Age = sqlq.Joined, 12*time.Second+999*time.Millisecond
		}
		reply.AsOf = now.Add(250 * time.Millisecond)
		return reply, err
	}
	got := answerTo(t, runner, `{
		many: logs(project: "many") { id }
		few: logs(project: "few") { id }
		apiCounts(project: "few", interval: HOURLY) { timestamp }
		apiCounts(project: "few", interval: HOURLY) { totalRestRequests }
		endpoint(name: "logs.all") { name }
		__typename
	}`)
	const few = `{"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T10:00:00.25Z","truncated":false,"bytesProcessed":0}`
	assert.Equal(t, `{"data":{"many":[],"few":[],"apiCounts":[],"endpoint":{"name":"logs.all"},"__typename":"Query"},`+
		`"extensions":{"freshness":{"apiCounts":`+few+`,"few":`+few+`,`+
		`"many":{"cache":"JOINED","ageSeconds":12,"asOf":"2026-11-20T10:00:00.25Z","truncated":true,"bytesProcessed":10485760}}}}`, got)
}

func TestFreshnessOnlyWhereASavedQueryRan(t *testing.T) {
	t.Parallel()
	assert.JSONEq(t, `{"data": {"endpoint": {"name": "logs.all"}}}`,
		answerTo(t, answering(t), `{ endpoint(name: "logs.all") { name } }`))
}

// One failed field takes all data with it, since the fields are not null; then
// there is nothing left that could be fresh.
func TestNoFreshnessWithoutData(t *testing.T) {
	t.Parallel()
	runner := answering(t)
	inner := runner.run
	runner.run = func(ctx context.Context, request sqlq.Request) (*sqlq.Reply, error) {
		if request.Endpoint == "logs.all" {
			return nil, sqlq.Errorf(sqlq.Unavailable, "later")
		}
		return inner(ctx, request)
	}
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(answerTo(t, runner,
		`{ logs(project: "p") { id } apiCounts(project: "p", interval: DAILY) { timestamp } }`)), &body))
	assert.Equal(t, "null", string(body["data"]))
	assert.NotContains(t, body, "extensions")
}

// An engine that breaks the contract of the saved query is the server's fault, and
// the caller is not told more than that.
func TestRowsThatBreakTheContract(t *testing.T) {
	t.Parallel()
	columns := []sqlq.Column{{Name: "id"}, {Name: "timestamp"}, {Name: "event_message"}, {Name: "metadata"}}
	for name, test := range map[string]struct {
		result sqlq.Result
		cause  string
		path   []any
	}{
		"a null that must not be": {
			sqlq.Result{Columns: columns, Rows: [][]any{{nil, now, nil, nil}}}, "column id is null", []any{"logs", 0.0, "id"},
		},
		"a value of another type": {
			sqlq.Result{Columns: columns, Rows: [][]any{{"b", now, nil, nil}, {"a", "soon", nil, nil}}},
			"column timestamp holds a value of type string",
			[]any{"logs", 1.0, "at"},
		},
		"a column that is missing": {
			sqlq.Result{Columns: columns[:3], Rows: [][]any{{"a", now, nil}}}, "column metadata is missing", []any{"logs"},
		},
		"metadata that is no JSON": {
			sqlq.Result{Columns: columns, Rows: [][]any{{"a", now, nil, json.RawMessage(`{"a":`)}}},
			"column metadata holds a value of type json.RawMessage that its field cannot have",
			[]any{"logs", 0.0, "metadata"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			runner := answering(t)
			inner := runner.run
			runner.run = func(ctx context.Context, request sqlq.Request) (*sqlq.Reply, error) {
				reply, err := inner(ctx, request)
				reply.Result = &test.result
				return reply, err
			}
			response := post(t, newHandler(t, runner, logger), `{ logs(project: "p") { id at: timestamp metadata } }`, "{}")
			found := errorsIn(t, response)
			require.Len(t, found, 1)
			assert.Equal(t, "INTERNAL", found[0].Extensions.Code)
			assert.Equal(t, test.path, found[0].Path)
			assert.NotContains(t, response.Body.String(), test.cause)
			assert.Contains(t, lines.String(), test.cause)
		})
	}
}

// GraphQL's Int has 32 bits, so a larger count is an error and not another number
// (GraphQL, section 3.5.1).
func TestIntsBeyond32Bits(t *testing.T) {
	t.Parallel()
	const document = `{ stats: invocationStats(project: "p") { n: count } }`
	for name, test := range map[string]struct {
		count int64
		want  string
	}{
		"the largest":       {math.MaxInt32, `{"data":{"stats":[{"n":0},{"n":2147483647}]}`},
		"the smallest":      {math.MinInt32, `{"data":{"stats":[{"n":0},{"n":-2147483648}]}`},
		"one more":          {math.MaxInt32 + 1, `{"errors":[{"message":"count is 2147483648, which is more than the 32 bits of GraphQL's Int; REST has it","path":["stats",1,"n"],"locations":[{"line":1,"column":42}],"extensions":{"code":"INTERNAL"}}],"data":null}`},
		"one less":          {math.MinInt32 - 1, `{"errors":[{"message":"count is -2147483649, which is more than the 32 bits of GraphQL's Int; REST has it","path":["stats",1,"n"],"locations":[{"line":1,"column":42}],"extensions":{"code":"INTERNAL"}}],"data":null}`},
		"the largest of 64": {math.MaxInt64, `{"errors":[{"message":"count is 9223372036854775807, which`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := func(count int64) []any { return []any{now, nil, nil, nil, nil, nil, count, int64(0)} }
			body := answerTo(t, answering(t, row(0), row(test.count)), document)
			assert.True(t, strings.HasPrefix(body, test.want), body)
		})
	}
}
