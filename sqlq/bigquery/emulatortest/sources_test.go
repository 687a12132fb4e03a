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
// returns the entries of one. The result cannot show that, so all declared
// sources are queried.
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
	selects := make([]string, 0, len(logs))
	for _, table := range sqlqtest.Tables() {
		selects = append(selects, "SELECT '"+table+"' AS source, STRING_AGG(id, ', ' ORDER BY timestamp, id) AS ids FROM "+
			strings.TrimSuffix(table, "_logs")+"_log_entries")
	}
	all := *query
	all.SQL = declarations + "\n" + strings.Join(selects, " UNION ALL ")
	all.Columns = []sqlq.Column{{Name: "source", Type: sqlq.String}, {Name: "ids", Type: sqlq.String, Nullable: true}}
	day := "after the retention cut-off, at start, after start, at end, after end"
	week := "within seven days, at the retention cut-off, " + day
	for _, test := range []struct{ tier, start, end, want string }{
		{"FREE", start.Format(time.RFC3339), end.Format(time.RFC3339), "after start, at end"},
		{"FREE", "", "", day},
		{"PRO", "", "", week},
		{"PAYG", "", "", "within ninety days, " + week},
		{"ENTERPRISE", "", "", "within ninety days, " + week},
	} {
		args, err := query.Bind(map[string][]string{
			"project": {"acme"}, "project_tier": {test.tier}, "iso_timestamp_start": {test.start}, "iso_timestamp_end": {test.end},
		})
		require.NoError(t, err)
		result, err := engine.Run(t.Context(), sqlq.NewStatement(&all, args, now))
		require.NoError(t, err)
		var want [][]any
		for _, table := range sqlqtest.Tables() {
			want = append(want, []any{table, test.want})
		}
		assert.ElementsMatch(t, want, result.Rows, test.tier)
	}
}
