package bench

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

// rowsOf returns the number of rows of a large store: BENCH_ROWS, or 10 million.
func rowsOf(b *testing.B) int {
	b.Helper()
	text := os.Getenv("BENCH_ROWS")
	if text == "" {
		return invocations
	}
	rows, err := strconv.Atoi(text)
	require.NoError(b, err, "BENCH_ROWS is a number of rows")
	return rows
}

// invoked opens a store with function invocations of the week before a time, in the order of their
// times. A project's name has 20 characters, and all names share the first 8. The condition is SQL
// about its number, p.
func invoked(b *testing.B, projects int, condition string, end time.Time) *logstore.Store {
	b.Helper()
	store, err := logstore.Open(b.Context(), b.TempDir(), "4GB")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	const chunk = 5_000_000
	rows := rowsOf(b)
	for first := 0; first < rows; first += chunk {
		_, err = store.DB().ExecContext(b.Context(), fmt.Sprintf(`
			INSERT INTO function_invocations (timestamp, project_ref, function_id, execution_time_ms, status_code)
			SELECT
				$1::TIMESTAMP - to_microseconds((%[1]d - i) * (604800000000 // %[1]d)),
				'project-' || substr(md5(p::VARCHAR), 1, 12),
				'function' || (hash(i + 1) %% 50),
				1 + (hash(i + 2) %% 100000) / 100.0,
				CASE WHEN hash(i + 3) %% 25 = 0 THEN 500 ELSE 200 END
			FROM (SELECT i, hash(i) %% %[2]d AS p FROM range(%[3]d, %[4]d) AS numbers(i)) WHERE %[5]s`,
			rows, projects, first, min(first+chunk, rows), condition), duckdb.Typed(end, duckdb.TYPE_TIMESTAMP))
		require.NoError(b, err)
	}
	return store
}

// clustered is a store whose closed days are clustered.
func clustered(b *testing.B, projects int, end time.Time) *logstore.Store {
	b.Helper()
	store := invoked(b, projects, "true", end)
	require.NoError(b, store.Cluster(b.Context(), logstore.Clustering{Before: now}))
	return store
}

// statistics returns a function that reads the statistics of a project over an interval.
func statistics(b *testing.B, store *logstore.Store, interval string) func() {
	b.Helper()
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(b, err)
	query, found := catalog.Find("functions.invocation-stats")
	require.True(b, found)
	var project string
	require.NoError(b, store.DB().QueryRowContext(b.Context(), "SELECT 'project-' || substr(md5('7'), 1, 12)").Scan(&project))
	args, err := query.Bind(map[string][]string{"project": {project}, "interval": {interval}})
	require.NoError(b, err)
	return func() { runDirectly(b, store.DB(), boundedSQL(query), named(query, args)) }
}

// Closed days of one of 2,000 projects, beside a store that holds only that project.
func BenchmarkOneProject(b *testing.B) {
	end := now.Truncate(24 * time.Hour)
	beside(b, "alone", statistics(b, invoked(b, 2000, "p = 7", end), "7day"), statistics(b, clustered(b, 2000, end), "7day"))
}

// One of 20 projects, beside a store whose rows are in the order of their arrival. The rows of the
// open day are in that order in both.
func BenchmarkClustered(b *testing.B) {
	arrived, sorted := invoked(b, 20, "true", now), clustered(b, 20, now)
	for _, interval := range []string{"1day", "7day"} {
		b.Run(interval, func(b *testing.B) {
			beside(b, "arrived", statistics(b, arrived, interval), statistics(b, sorted, interval))
		})
	}
}
