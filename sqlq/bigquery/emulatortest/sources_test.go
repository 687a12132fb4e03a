package emulatortest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqlqtest"
)

// projectFields are the metadata fields that hold the project, by table; empty
// where it is the column project (D23).
func projectFields() map[string]string {
	return map[string]string{
		"edge_logs": "", "postgres_logs": "", "auth_logs": "", "postgrest_logs": "", "pgbouncer_logs": "",
		"function_edge_logs": "project_ref", "function_logs": "project_ref",
		"realtime_logs": "project", "storage_logs": "project",
	}
}

// Specification 2.4 rules 1 to 3 and D23: logs.all declares all nine sources and
// filters them in the same way, each by its own project field, although it
// returns the entries of one. The result cannot show that, so each declared
// source is queried alone.
func TestLogsAllFiltersEverySource(t *testing.T) {
	t.Parallel()
	catalog := sqlqtest.Shipped(t, googlesql.Dialect{})
	query, found := catalog.Find("logs.all")
	require.True(t, found)
	declarations, _, found := strings.Cut(query.SQL, "\nSELECT id, timestamp, event_message, metadata\nFROM edge_log_entries")
	require.True(t, found)

	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	start, end := now.Add(-20*time.Hour), now.Add(-time.Hour)
	logs := sqlqtest.Logs{}
	for _, table := range sqlqtest.Tables() {
		field, known := projectFields()[table]
		require.True(t, known, table)
		add := func(id, project string, at time.Time) {
			event := sqlqtest.Event{ID: id, Timestamp: at}
			if field == "" {
				event.Project = &project
			} else {
				event.Metadata = json.RawMessage(`[{},{"` + field + `":"` + project + `"}]`)
			}
			logs[table] = append(logs[table], event)
		}
		add("at start", "acme", start)
		add("after start", "acme", start.Add(time.Microsecond))
		add("at end", "acme", end)
		add("after end", "acme", end.Add(time.Microsecond))
		add("of another project", "globex", end)
		add("at the retention cut-off", "acme", now.Add(-24*time.Hour))
		add("after the retention cut-off", "acme", now.Add(-24*time.Hour+time.Microsecond))
		add("within seven days", "acme", now.Add(-7*24*time.Hour+time.Microsecond))
		add("within ninety days", "acme", now.Add(-90*24*time.Hour+time.Microsecond))
		add("at ninety days", "acme", now.Add(-90*24*time.Hour))
	}
	engine := startEmulator(t, logs).engine
	for _, table := range sqlqtest.Tables() {
		t.Run(table, func(t *testing.T) {
			single := *query
			single.SQL = declarations + "\nSELECT STRING_AGG(id, ', ' ORDER BY timestamp, id) AS ids FROM " +
				strings.TrimSuffix(table, "_logs") + "_log_entries"
			single.Columns = []sqlq.Column{{Name: "ids", Type: sqlq.String, Nullable: true}}
			ids := func(tier, start, end string) any {
				args, err := query.Bind(map[string][]string{
					"project": {"acme"}, "project_tier": {tier}, "iso_timestamp_start": {start}, "iso_timestamp_end": {end},
				})
				require.NoError(t, err)
				result, err := engine.Run(t.Context(), sqlq.NewStatement(&single, args, now))
				require.NoError(t, err)
				require.Len(t, result.Rows, 1)
				return result.Rows[0][0]
			}
			assert.Equal(t, "after start, at end", ids("FREE", start.Format(time.RFC3339), end.Format(time.RFC3339)))
			day := "after the retention cut-off, at start, after start, at end, after end"
			assert.Equal(t, day, ids("FREE", "", ""))
			week := "within seven days, at the retention cut-off, " + day
			assert.Equal(t, week, ids("PRO", "", ""))
			assert.Equal(t, "within ninety days, "+week, ids("PAYG", "", ""))
			assert.Equal(t, "within ninety days, "+week, ids("ENTERPRISE", "", ""))
		})
	}
}
