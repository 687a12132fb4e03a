package bench

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/tables"
)

// openWeek opens a store with edge log entries of a project, of a week.
func openWeek(b *testing.B) *logstore.Store {
	b.Helper()
	return filled(b, "week", "2GB", func(store *logstore.Store) {
		rows := rowsOf(b)
		statuses, methods, project := []int{200, 200, 200, 200, 201, 204, 301, 400, 404, 500}, []string{"GET", "POST", "PATCH"}, "acme"
		add(b, store, "edge_logs", rows, func(i int) (logevent.Event, bool) {
			status, method, path := statuses[hash(i, 3)%10], methods[hash(i, 1)%3], fmt.Sprintf("/rest/v1/table%d", hash(i, 0)%97)
			message := fmt.Sprintf("%s | %d | %s", method, status, path)
			return logevent.Event{
				ID: fmt.Sprintf("%016x%016x", hash(i, 4), hash(i, 5)), Timestamp: evenly(i, rows, week, now), EventMessage: &message, Project: &project,
				Metadata: fmt.Appendf(nil, `[{"request":[{"headers":[{"user_agent":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/%d"}],"method":%q,"path":%q}],"response":[{"origin_time":%d,"status_code":%d}]}]`,
					hash(i, 2)%500, method, path, hash(i, 2)%1000, status),
			}, true
		})
		_, err := store.Merge(b.Context(), now, nil)
		require.NoError(b, err)
	})
}

// Charts of a project's week in ClickHouse's SQL, beside the SQL over typed columns that an expert of DuckDB writes for the same rows.
func BenchmarkClickHouseSQL(b *testing.B) {
	db := openWeek(b).DB()
	env := clickhousesql.Environment{
		Sources: tables.Shipped().Sources(), Rows: clickhousesql.Rows{Project: "project"}, IsCallers: true,
		Params: []clickhousesql.Param{{Name: "now", Type: sqlq.Timestamp}, {Name: "project", Type: sqlq.String}},
	}
	const from = ` FROM logs WHERE source = 'edge_logs' AND timestamp >= toDateTime('2026-11-13 15:30:00') AND timestamp < toDateTime('2026-11-20 15:30:00')`
	const expertFrom = ` FROM all_logs WHERE project_key = md5_number_lower($project) AND project = $project AND source = 'edge_logs'
		AND timestamp >= TIMESTAMP '2026-11-13 15:30:00' AND timestamp < TIMESTAMP '2026-11-20 15:30:00'`
	for _, query := range []struct{ name, text, expert string }{
		{
			"classes",
			`SELECT toStartOfHour(timestamp) AS hour, intDiv(toInt32OrZero(log_attributes['response.status_code']), 100) AS class, count() AS n` + from + ` GROUP BY hour, class ORDER BY hour, class`,
			`SELECT date_trunc('hour', timestamp) AS hour, TRY_CAST(status AS INTEGER) // 100 AS class, count(*)` + expertFrom + ` GROUP BY ALL ORDER BY ALL`,
		},
		{
			"errors",
			`SELECT toStartOfHour(timestamp) AS hour, countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) AS errors, count() AS n` + from + ` GROUP BY hour ORDER BY hour`,
			`SELECT date_trunc('hour', timestamp) AS hour, count(*) FILTER (TRY_CAST(status AS INTEGER) >= 500), count(*)` + expertFrom + ` GROUP BY ALL ORDER BY ALL`,
		},
		{
			"methods",
			`SELECT toStartOfHour(timestamp) AS hour, log_attributes['request.method'] AS method, count() AS n` + from + ` GROUP BY hour, method ORDER BY hour, method`,
			`SELECT date_trunc('hour', timestamp) AS hour, method, count(*)` + expertFrom + ` GROUP BY ALL ORDER BY ALL`,
		},
	} {
		translated, err := clickhousesql.Translate(query.text, env)
		require.NoError(b, err)
		require.Contains(b, strings.ToLower(translated.SQL), "#typed")
		args := []any{sql.Named("project", "acme")}
		b.Run(query.name, func(b *testing.B) {
			beside(b, "expert", func() { runDirectly(b, db, query.expert, args) }, func() { runDirectly(b, db, translated.SQL, args) })
		})
	}
}
