package emulatortest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqlqtest"
)

// The unmodified emulator returns the right rows for the unmodified SQL where it needs
// no help: for whole execution times that arrive in ascending order. For others it
// is wrong, and with [withHelp] right. When an emulator gets one of them right by
// itself, that part of the help can go.
func TestBareEmulator(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		executionTimes []string
		right          bool
	}{
		"ascending":      {executionTimes: []string{"1", "2", "3", "40"}, right: true},
		"descending":     {executionTimes: []string{"40", "3", "2", "1"}},
		"NULL":           {executionTimes: []string{"1", "2", "3", "null"}},
		"fractions last": {executionTimes: []string{"1", "2", "3", "3.5"}},
	}
	now := time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)
	logs := sqlqtest.Logs{}
	for name, test := range tests {
		for i, executionTime := range test.executionTimes {
			logs["function_edge_logs"] = append(logs["function_edge_logs"], sqlqtest.Event{
				ID: fmt.Sprintf("%s %d", name, i), Timestamp: now.Add(time.Duration(i-200) * time.Millisecond),
				Metadata: json.RawMessage(fmt.Sprintf(`[{"project_ref":%q,"execution_time_ms":%s,"response":[{"status_code":200}]}]`, name, executionTime)),
			})
		}
	}
	catalog := sqlqtest.Shipped(t, googlesql.Dialect{})
	query, found := catalog.Find(invocationStats)
	require.True(t, found)
	running := startEmulator(t, logs)
	bareEngine, err := newEngine(t.Context(), running.url+bare)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, bareEngine.Close()) })
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			args, err := query.Bind(map[string][]string{"project": {name}, "interval": {"1hr"}})
			require.NoError(t, err)
			want, err := sqlqtest.Reference(query, logs, map[string]any{"project": name, "interval": "1hr"}, now)
			require.NoError(t, err)
			statement := sqlq.NewStatement(query, args, now)
			got, err := running.engine.Run(t.Context(), statement)
			require.NoError(t, err)
			assert.Empty(t, sqlqtest.Diff(want, got), "with help")
			got, err = bareEngine.Run(t.Context(), statement)
			require.NoError(t, err)
			assert.Equal(t, test.right, sqlqtest.Diff(want, got) == "", "bare: %s", sqlqtest.Diff(want, got))
		})
	}
}
