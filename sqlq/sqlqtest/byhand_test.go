package sqlqtest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// TestReferenceByHand holds the reference against rows that are spelled out here
// from the specification, and that no flag rewrites.
func TestReferenceByHand(t *testing.T) {
	t.Parallel()
	clock := func(text string) time.Time {
		instant, err := parseInstant(text)
		require.NoError(t, err)
		return instant
	}
	function := func(id, at, metadata string) Event {
		return Event{ID: id, Timestamp: clock(at), Metadata: json.RawMessage(metadata)}
	}
	edge := func(id, at, project, metadata string) Event {
		return Event{ID: id, Timestamp: clock(at), Project: &project, EventMessage: &id, Metadata: json.RawMessage(metadata)}
	}
	logs := Logs{
		functionEdgeLogs: {
			function("1", "2026-05-01T00:00:00Z", `[{"project_ref":"acme","function_id":"f","execution_time_ms":10,"response":[{"status_code":200}]}]`),
			function("2", "2026-04-30T23:59:59.999999Z", `[{"project_ref":"acme","function_id":"f","execution_time_ms":30,"response":[{"status_code":400}]}]`),
			function("3", "2026-04-30T12:00:00Z", `[{"project_ref":"acme","function_id":"g","execution_time_ms":50,"response":[{"status_code":399}]}]`),
			function("4", "2026-04-24T00:00:00Z", `[{"project_ref":"acme","function_id":"f","response":[{"status_code":500}]}]`),
			function("5", "2026-04-23T23:59:59.999999Z", `[{"project_ref":"acme","function_id":"f","execution_time_ms":1,"response":[{"status_code":500}]}]`),
			function("6", "2026-05-01T00:00:00Z", `[{"project_ref":"globex","function_id":"f","execution_time_ms":1,"response":[{"status_code":500}]}]`),
		},
		edgeLogs: {
			edge("b", "2026-04-30T09:00:00.000001Z", "acme", `[{"request":[{"url":"https://acme.example.com/","path":"/rest/v1/storage"}]}]`),
			edge("a", "2026-04-30T09:00:00.000001Z", "acme", `[{"request":[{"url":"https://acme.example.com/","path":"/auth"}]}]`),
			edge("c", "2026-04-30T09:00:00Z", "acme", `[{"request":[{"url":"https://acme.example.com/","path":"/realtime"}]}]`),
			edge("d", "2026-05-01T08:30:00Z", "acme", `[{"request":[{"url":"https://acme.example.com/","path":"/none"}]}]`),
			edge("e", "2026-05-01T08:30:00Z", "globex", `[{"request":[{"url":"https://globex.example.com/","path":"/rest"}]}]`),
		},
		"postgres_logs": {edge("p", "2026-05-01T08:30:00Z", "acme", `[]`)},
	}
	tests := []struct {
		name, query string
		args        map[string]any
		now         string
		want        [][]any
	}{
		{
			"invocations of seven days over the end of a month", invocationStats,
			map[string]any{"project": "acme", "function_id": nil, "interval": "7day"},
			"2026-05-01T09:00:00Z",
			[][]any{
				{clock("2026-04-24T00:00:00Z"), nil, nil, nil, nil, nil, int64(1), int64(1)},
				{clock("2026-04-25T00:00:00Z"), nil, nil, nil, nil, nil, int64(0), int64(0)},
				{clock("2026-04-26T00:00:00Z"), nil, nil, nil, nil, nil, int64(0), int64(0)},
				{clock("2026-04-27T00:00:00Z"), nil, nil, nil, nil, nil, int64(0), int64(0)},
				{clock("2026-04-28T00:00:00Z"), nil, nil, nil, nil, nil, int64(0), int64(0)},
				{clock("2026-04-29T00:00:00Z"), nil, nil, nil, nil, nil, int64(0), int64(0)},
				{clock("2026-04-30T00:00:00Z"), 30.0, 50.0, 40.0, 50.0, 50.0, int64(2), int64(1)},
				{clock("2026-05-01T00:00:00Z"), 10.0, 10.0, 10.0, 10.0, 10.0, int64(1), int64(0)},
			},
		},
		{
			"requests of seven days", apiCounts,
			map[string]any{"project": "acme", "interval": "daily"},
			"2026-05-01T09:00:00Z",
			[][]any{
				{clock("2026-04-30T00:00:00Z"), int64(1), int64(1), int64(1), int64(1)},
				{clock("2026-05-01T00:00:00Z"), int64(0), int64(0), int64(0), int64(0)},
			},
		},
		{
			"logs of a free project", logsAll,
			map[string]any{"project": "acme", "project_tier": "FREE", "iso_timestamp_start": nil, "iso_timestamp_end": nil},
			"2026-05-01T09:00:00Z",
			[][]any{
				{"d", clock("2026-05-01T08:30:00Z"), "d", json.RawMessage(`[{"request":[{"url":"https://acme.example.com/","path":"/none"}]}]`)},
				{"a", clock("2026-04-30T09:00:00.000001Z"), "a", json.RawMessage(`[{"request":[{"url":"https://acme.example.com/","path":"/auth"}]}]`)},
				{"b", clock("2026-04-30T09:00:00.000001Z"), "b", json.RawMessage(`[{"request":[{"url":"https://acme.example.com/","path":"/rest/v1/storage"}]}]`)},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expected, err := Reference(&sqlq.SavedQuery{Name: test.query, MaxRows: 1000}, logs, test.args, clock(test.now))
			require.NoError(t, err)
			assert.Equal(t, test.want, expected.Rows)
			assert.False(t, expected.Truncated)
		})
	}
}

// The reference returns an error for arguments and events that it cannot use.
func TestReferenceErrors(t *testing.T) {
	t.Parallel()
	broken := Logs{
		functionEdgeLogs: {{ID: "broken", Timestamp: time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC), Metadata: json.RawMessage(`{}`)}},
		edgeLogs:         {{ID: "broken", Timestamp: time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC), Metadata: json.RawMessage(`{}`)}},
	}
	tests := []struct {
		name, query string
		args        map[string]any
		want        string
	}{
		{"another saved query", "mine", nil, `no reference for the saved query "mine"`},
		{"a project that is not a string", logsAll, map[string]any{"project": 1}, "argument project is a int, not a string"},
		{"a bound that is not a time", logsAll, map[string]any{"iso_timestamp_start": "2026"}, "argument iso_timestamp_start is a string, not a time"},
		{"an interval without a window", apiCounts, map[string]any{"interval": "yearly"}, `interval "yearly" has no window`},
		{"a broken expression", apiCounts, map[string]any{"interval": "daily", "project": "("}, "project is not a regular expression"},
		{"broken requests", apiCounts, map[string]any{"interval": "daily", "project": "."}, "event broken: metadata is not a list of objects"},
		{"broken invocations", invocationStats, map[string]any{"project": "acme"}, "event broken: metadata is not a list of objects"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expected, err := Reference(&sqlq.SavedQuery{Name: test.query}, broken, test.args, time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC))
			require.ErrorContains(t, err, test.want)
			assert.Nil(t, expected)
		})
	}
}
