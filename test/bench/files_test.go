package bench

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

const (
	// fileRows is how many rows the Parquet files of [BenchmarkFiles] have, in 16 partitions. BENCH_FILE_ROWS
	// sets another number; 200000000 rows are 10 GB.
	fileRows = 4_000_000
	// fileMemory is the memory of DuckDB.
	fileMemory = "512MiB"
)

// writeParquet writes orders, partitioned by month, and returns the directory.
func writeParquet(b *testing.B) string {
	b.Helper()
	rows := fileRows
	if text := os.Getenv("BENCH_FILE_ROWS"); text != "" {
		var err error
		rows, err = strconv.Atoi(text)
		require.NoError(b, err, "BENCH_FILE_ROWS is a number of rows")
	}
	directory, err := filepath.EvalSymlinks(b.TempDir())
	require.NoError(b, err)
	db, err := sql.Open("duckdb", "")
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	const months = 16
	for month := range months {
		require.NoError(b, os.Mkdir(filepath.Join(directory, fmt.Sprintf("month=%d", month)), 0o700))
		_, err := db.ExecContext(b.Context(), fmt.Sprintf(`
			COPY (
				SELECT i AS id, TIMESTAMP '2026-01-01' + to_seconds(i) AS at, 'country' || hash(i) %% 50 AS country, hash(i + 1) / 1e15 AS amount, md5(i::VARCHAR) AS note
				FROM range(%d, %d) AS numbers(i)
			) TO '%s/month=%d/orders.parquet'`, rows/months*month, rows/months*(month+1), directory, month))
		require.NoError(b, err)
	}
	return directory
}

// Saved queries on Parquet files beside DuckDB on its own, which reads the same files with the same memory.
func BenchmarkFiles(b *testing.B) {
	directory := writeParquet(b)
	table := &sqlq.Table{Name: "orders", Files: &sqlq.Files{
		Pattern: filepath.Join(directory, "*", "*.parquet"), Format: tables.Parquet,
		Columns: []sqlq.Column{
			{Name: "id", Type: sqlq.Int64},
			{Name: "at", Type: sqlq.Timestamp},
			{Name: "country", Type: sqlq.String},
			{Name: "amount", Type: sqlq.Float64},
			{Name: "note", Type: sqlq.String},
			{Name: "month", Type: sqlq.Int64},
		},
	}}
	directories := tablefiles.Directories(sqlq.Tables{table})
	store, err := logstore.Open(b.Context(), b.TempDir(), fileMemory, logstore.WithReadableDirectories(directories...))
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	engine := duckdb.NewWithFiles(store.DB(), tablefiles.New(time.Now, directories))
	alone, err := sql.Open("duckdb", "?memory_limit="+fileMemory)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, alone.Close()) })
	for name, query := range map[string]string{
		"aggregate": "SELECT country AS k, sum(amount) AS v FROM orders WHERE amount > 9000 GROUP BY ALL ORDER BY k",
		"texts":     "SELECT 'all' AS k, count(*)::DOUBLE AS v FROM orders WHERE note LIKE 'ab%'",
		"partition": "SELECT country AS k, sum(amount) AS v FROM orders WHERE month = 3 AND id % 7 = 1 GROUP BY ALL ORDER BY k",
	} {
		b.Run(name, func(b *testing.B) {
			saved := &sqlq.SavedQuery{Name: name, SQL: query, MaxRows: 1000, Tables: sqlq.Tables{table}, Columns: []sqlq.Column{{Name: "k", Type: sqlq.String}, {Name: "v", Type: sqlq.Float64}}}
			source := fmt.Sprintf("WITH orders AS NOT MATERIALIZED (FROM read_parquet('%s/*/*.parquet', hive_partitioning = true)) ", directory)
			var aloneTook, engineTook []time.Duration
			for b.Loop() {
				var want [][]any
				aloneTook = append(aloneTook, took(func() { want = readPairs(b, alone, source+query) }))
				engineTook = append(engineTook, took(func() {
					result, err := engine.Run(b.Context(), sqlq.NewStatement(saved, nil, now))
					require.NoError(b, err)
					require.Len(b, result.Rows, len(want))
					for i, row := range want {
						require.Equal(b, row[0], result.Rows[i][0])
						require.InEpsilon(b, row[1], result.Rows[i][1], 1e-9)
					}
				}))
			}
			b.ReportMetric(0, "ns/op")
			slices.Sort(aloneTook)
			slices.Sort(engineTook)
			median := len(aloneTook) / 2
			b.ReportMetric(aloneTook[median].Seconds()*1000, "duckdb-ms")
			b.ReportMetric(engineTook[median].Seconds()*1000, "savedq-ms")
			b.ReportMetric(engineTook[median].Seconds()/aloneTook[median].Seconds(), "ratio")
		})
	}
}

// readPairs returns rows of a text and a number.
func readPairs(b *testing.B, db *sql.DB, query string) (pairs [][]any) {
	b.Helper()
	rows, err := db.QueryContext(b.Context(), query)
	require.NoError(b, err)
	defer func() { require.NoError(b, rows.Close()) }()
	for rows.Next() {
		var key string
		var value float64
		require.NoError(b, rows.Scan(&key, &value))
		pairs = append(pairs, []any{key, value})
	}
	require.NoError(b, rows.Err())
	return pairs
}
