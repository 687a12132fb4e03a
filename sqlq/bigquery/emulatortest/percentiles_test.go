package emulatortest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/sqlqtest"
)

// The percentiles of the SQL as it is shipped, without the help of
// [bigQuerysQuantiles], are right where the emulator needs none: on execution
// times that arrive in ascending order. On others they are wrong; when an emulator
// gets them right, the help can go.
func TestPercentilesOfUnchangedSQL(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		firstMS, addMS int
		right          bool
	}{
		"ascending":  {firstMS: 1, addMS: 1, right: true},
		"descending": {firstMS: 100, addMS: -1, right: false},
	}
	now := time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)
	catalog, err := sqlq.ShippedCatalog(sqlq.BigQuery)
	require.NoError(t, err)
	query, found := catalog.Find(invocationStats)
	require.True(t, found)
	params := map[string][]string{"project": {"acme"}, "interval": {"1hr"}}
	args, err := query.Bind(params)
	require.NoError(t, err)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var events []sqlqtest.Event
			for i := range 100 {
				events = append(events, sqlqtest.Event{
					ID: fmt.Sprintf("%03d", i), Timestamp: now.Add(time.Duration(i-200) * time.Millisecond),
					Metadata: json.RawMessage(fmt.Sprintf(`[{"project_ref":"acme","execution_time_ms":%d,"response":[{"status_code":200}]}]`, test.firstMS+i*test.addMS)),
				})
			}
			logs := sqlqtest.Logs{"function_edge_logs": events}
			want, err := sqlqtest.Reference(query, logs, map[string]any{"project": "acme", "interval": "1hr"}, now)
			require.NoError(t, err)
			got, err := startEmulator(t, logs).engine.Run(t.Context(), sqlq.Statement{Query: query, Args: args, Now: now})
			require.NoError(t, err)
			assert.Equal(t, test.right, sqlqtest.Diff(want, got) == "", sqlqtest.Diff(want, got))
		})
	}
}
