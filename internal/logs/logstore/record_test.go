package logstore_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

// D4: a record is a pair of nested elements, as in a cross join. A field of an unexpected
// type is NULL, and its event is stored.
func TestRecords(t *testing.T) {
	t.Parallel()
	const invocations = "SELECT concat_ws('|', coalesce(project_ref, '-'), coalesce(function_id, '-'), coalesce(execution_time_ms::VARCHAR, '-'), coalesce(status_code::VARCHAR, '-')) FROM function_invocations WHERE timestamp = '%s' ORDER BY ALL"
	const requests = "SELECT concat_ws('|', coalesce(url, '-'), coalesce(path, '-')) FROM edge_requests WHERE timestamp = '%s' ORDER BY ALL"
	tests := map[string]struct {
		source, metadata, sql string
		want                  []string
	}{
		"one pair":             {"function_edge_logs", `[{"project_ref":"p","function_id":"f","execution_time_ms":9,"response":[{"status_code":200}]}]`, invocations, []string{"p|f|9.0|200"}},
		"four pairs":           {"function_edge_logs", `[{"project_ref":"p","response":[{"status_code":1},{"status_code":2}]},{"project_ref":"q","response":[{"status_code":3},{}]}]`, invocations, []string{"p|-|-|1", "p|-|-|2", "q|-|-|-", "q|-|-|3"}},
		"no response":          {"function_edge_logs", `[{"project_ref":"p"},{"project_ref":"q","response":[]},{"response":null}]`, invocations, nil},
		"no metadata":          {"function_edge_logs", ``, invocations, nil},
		"empty metadata":       {"function_edge_logs", `[]`, invocations, nil},
		"unexpected types":     {"function_edge_logs", `[{"project_ref":1,"function_id":["f"],"execution_time_ms":"9","response":[{"status_code":"200"},7,null,{"status_code":[200]}]}]`, invocations, []string{"-|-|-|-", "-|-|-|-"}},
		"nulls":                {"function_edge_logs", `[{"project_ref":null,"function_id":null,"execution_time_ms":null,"response":[{"status_code":null}]}]`, invocations, []string{"-|-|-|-"}},
		"numbers of all kinds": {"function_edge_logs", `[{"project_ref":"p","execution_time_ms":1.5e2,"response":[{"status_code":4.0e2}]}]`, invocations, []string{"p|-|150.0|400"}},
		"fractional codes":     {"function_edge_logs", `[{"response":[{"status_code":399.9},{"status_code":399.9999999999999},{"status_code":400.0},{"status_code":400.5},{"status_code":-0.5},{"status_code":-0}]}]`, invocations, []string{"-|-|-|-1", "-|-|-|0", "-|-|-|399", "-|-|-|399", "-|-|-|400", "-|-|-|400"}},
		"huge times":           {"function_edge_logs", `[{"execution_time_ms":1e300,"response":[{}]},{"execution_time_ms":1e999,"response":[{}]}]`, invocations, []string{"-|-|-|-", "-|-|1e+300|-"}},
		"huge codes":           {"function_edge_logs", `[{"response":[{"status_code":1e300},{"status_code":-1e300},{"status_code":9007199254740992.5},{"status_code":1e999}]}]`, invocations, []string{"-|-|-|-9007199254740992", "-|-|-|9007199254740992", "-|-|-|9007199254740992", "-|-|-|9007199254740992"}},
		"requests":             {"edge_logs", `[{"request":[{"url":"u","path":"/rest"},{"url":"v"}]},{"request":[{"path":"/auth"}]}]`, requests, []string{"-|/auth", "u|/rest", "v|-"}},
		"no request":           {"edge_logs", `[{"response":[{"status_code":200}]}]`, requests, nil},
		"another source":       {"auth_logs", `[{"request":[{"url":"u","path":"/rest"}]}]`, requests, nil},
	}
	store, day := openMemory(t), noon
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			day = day.AddDate(0, 0, 1)
			transaction, err := store.Begin(t.Context(), logstore.Sent)
			require.NoError(t, err)
			event := logevent.Event{ID: name, Timestamp: day}
			if test.metadata != "" {
				event.Metadata = json.RawMessage(test.metadata)
			}
			require.NoError(t, transaction.Add(t.Context(), source(t, test.source), event))
			require.NoError(t, transaction.Commit(t.Context()))
			assert.Equal(t, test.want, texts(t, store, fmt.Sprintf(test.sql, day.Format(time.DateTime))))
		})
	}
}

// Fields that statistics ignore because of their type are reported once. A missing field
// and null are not mistakes.
func TestMistypedFields(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	for name, test := range map[string]struct {
		source, metadata string
		want             []eventrow.MistypedField
	}{
		"right":             {"function_edge_logs", `[{"project_ref":"p","function_id":"f","execution_time_ms":9,"response":[{"status_code":200.5}]}]`, nil},
		"numbers as text":   {"function_edge_logs", `[{"execution_time_ms":"9","response":[{"status_code":"200"},{"status_code":"500"}]}]`, []eventrow.MistypedField{{Name: "execution_time_ms", Want: "a number"}, {Name: "response.status_code", Want: "a number"}}},
		"requests":          {"edge_logs", `[{"request":[{"url":["u"],"path":7,"status_code":"200"}]}]`, []eventrow.MistypedField{{Name: "request.url", Want: "a string"}, {Name: "request.path", Want: "a string"}}},
		"without statistic": {"auth_logs", `[{"request":[{"url":1}],"execution_time_ms":"9"}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			event := logevent.Event{Timestamp: noon, Metadata: json.RawMessage(test.metadata)}
			transaction, err := store.Begin(t.Context(), logstore.Sent)
			require.NoError(t, err)
			want := make(map[eventrow.MistypedField]int)
			for _, field := range test.want {
				want[field] = 2
			}
			for _, event.ID = range []string{name, name + " again", name} { // the duplicate does not count
				require.NoError(t, transaction.Add(t.Context(), source(t, test.source), event))
			}
			require.NoError(t, transaction.Commit(t.Context()))
			assert.Equal(t, want, transaction.Mistyped())
		})
	}
}
