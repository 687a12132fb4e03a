package duckdb_test

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// Specification 2.4 rules 1 to 3 and D23: logs.all declares all nine sources and
// filters them in the same way, each by its own project field, although it
// returns the entries of one. The result cannot show that, so each declared
// source is queried alone.
func TestLogsAllFiltersEverySource(t *testing.T) {
	t.Parallel()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	query, _ := catalog.Find("logs.all")
	written, _ := query.Written()
	declarations, _, found := strings.Cut(written, "\nSELECT id, timestamp, event_message, metadata\nFROM edge_log_entries")
	require.True(t, found)

	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	start, end := now.Add(-20*time.Hour), now.Add(-time.Hour)
	projectFields := map[string]string{
		"edge_logs": "", "postgres_logs": "", "auth_logs": "", "postgrest_logs": "", "pgbouncer_logs": "",
		"function_edge_logs": "project_ref", "function_logs": "project_ref",
		"realtime_logs": "project", "storage_logs": "project",
	}
	for _, source := range tables.Shipped() {
		t.Run(source.Name, func(t *testing.T) {
			t.Parallel()
			field, known := projectFields[source.Name]
			require.True(t, known)
			event := func(id string, project string, at time.Time) sqlqtest.Event {
				event := sqlqtest.Event{ID: id, Timestamp: at}
				if field == "" {
					event.Project = &project
				} else {
					event.Metadata = json.RawMessage(`[{"other":1},{"` + field + `":"` + project + `"}]`)
				}
				return event
			}
			events := []sqlqtest.Event{
				event("at start", "acme", start),
				event("after start", "acme", start.Add(time.Microsecond)),
				event("at end", "acme", end),
				event("after end", "acme", end.Add(time.Microsecond)),
				event("of another project", "globex", end),
				event("at the retention cut-off", "acme", now.Add(-24*time.Hour)),
				event("after the retention cut-off", "acme", now.Add(-24*time.Hour+time.Microsecond)),
				event("within seven days", "acme", now.Add(-7*24*time.Hour+time.Microsecond)),
				event("within ninety days", "acme", now.Add(-90*24*time.Hour+time.Microsecond)),
				event("at ninety days", "acme", now.Add(-90*24*time.Hour)),
			}
			db := openStore(t, sqlqtest.Logs{source.Name: events}).DB()
			ids := func(tier string, start, end any) string {
				cte := strings.TrimSuffix(source.Name, "_logs") + "_log_entries"
				translation, err := duckdbsql.Dialect{}.FromGoogleSQL(query, declarations+"\nSELECT STRING_AGG(id, ', ' ORDER BY timestamp, id) FROM "+cte)
				require.NoError(t, err)
				var ids sql.NullString
				require.NoError(t, db.QueryRowContext(t.Context(), translation.SQL,
					sql.Named("project", "acme"), sql.Named("project_tier", tier),
					sql.Named("iso_timestamp_start", start), sql.Named("iso_timestamp_end", end),
					sql.Named("now", duckdb.Typed(now, duckdb.TYPE_TIMESTAMP))).Scan(&ids))
				return ids.String
			}
			from, to := duckdb.Typed(start, duckdb.TYPE_TIMESTAMP), duckdb.Typed(end, duckdb.TYPE_TIMESTAMP)
			assert.Equal(t, "after start, at end", ids("FREE", from, to))
			day := "after the retention cut-off, at start, after start, at end, after end"
			assert.Equal(t, day, ids("FREE", nil, nil))
			week := "within seven days, at the retention cut-off, " + day
			assert.Equal(t, week, ids("PRO", nil, nil))
			assert.Equal(t, "within ninety days, "+week, ids("PAYG", nil, nil))
			assert.Equal(t, "within ninety days, "+week, ids("ENTERPRISE", nil, nil))
		})
	}
}
