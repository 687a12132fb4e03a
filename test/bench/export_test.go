package bench

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/connect"
)

const (
	exportRows  = 1_000_000
	exportQuery = `id: 0c0e7b0a-8d5a-4f0e-9a43-5b1d1f6f0a11
name: export
description: All rows of a table.
max_rows: 1000000
stream: true
columns:
  - {name: at, type: TIMESTAMP, description: When.}
  - {name: host, type: STRING, description: One of a hundred.}
  - {name: url, type: STRING, description: Another one in each row.}
  - {name: n, type: INT64, description: The number of the row.}
  - {name: bytes, type: INT64, description: A number.}
  - {name: took, type: FLOAT64, description: A number.}
  - {name: price, type: NUMERIC, description: A number of cents.}
  - {name: ok, type: BOOL, description: True for a third.}
`
	exportTable = `CREATE TABLE rows AS SELECT TIMESTAMP '2026-01-01' + to_microseconds(range * 1234567) AS at, 'host-' || (range % 100) AS host,
'https://example.com/path/' || range || '?q=' || hash(range) AS url, range AS n, (hash(range) % 100000)::BIGINT AS bytes,
(hash(range) % 1000003) / 1000.0 AS took, ((hash(range) % 100000000) / 100)::DECIMAL(18, 2) AS price, range % 3 = 0 AS ok FROM range(1000000)`
)

// exports serves a table, which is also in a database.
type exports struct {
	db      *sql.DB
	address string
	// directory is for files of DuckDB.
	directory string
}

func newExports(b *testing.B) *exports {
	b.Helper()
	directory := b.TempDir()
	connector, err := connect.New(filepath.Join(directory, "rows.duckdb"), nil)
	require.NoError(b, err)
	db := sql.OpenDB(connector)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	for _, statement := range []string{exportTable, "CHECKPOINT"} {
		_, err := db.ExecContext(b.Context(), statement)
		require.NoError(b, err)
	}
	queries := catalog.Directory{Path: "export", FS: fstest.MapFS{
		"export/query.yaml": {Data: []byte(exportQuery)},
		"export/duckdb.sql": {Data: []byte("SELECT * FROM rows")},
	}}
	return &exports{db: db, directory: directory, address: serve(b, assemble(b, duckdb.New(db), 0, time.Now, queries))}
}

// get reads the rows in a format.
func (e *exports) get(b *testing.B, format string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+e.address+"/api/endpoints/export?format="+format, nil)
	require.NoError(b, err)
	request.Header.Set("X-Api-Key", secret)
	response, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	defer func() { require.NoError(b, response.Body.Close()) }()
	require.Equal(b, http.StatusOK, response.StatusCode)
	bytes, err := io.Copy(io.Discard, response.Body)
	require.NoError(b, err)
	require.Greater(b, bytes, int64(exportRows))
}

// copyTo writes the rows to a file in a format of DuckDB.
func (e *exports) copyTo(b *testing.B, format string) {
	b.Helper()
	_, err := e.db.ExecContext(b.Context(), fmt.Sprintf("COPY (SELECT * FROM rows) TO '%s' (FORMAT %s)", filepath.Join(e.directory, "rows."+format), format))
	require.NoError(b, err)
}

// processorTime returns how long the processors have worked for this process, on DuckDB's threads too. Other than the
// time that passes, it is nearly the same on a machine with other work.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A million rows of eight columns over HTTP, beside DuckDB: its COPY to a file, and its Arrow reader, whose records
// a plain handler serves.
func BenchmarkExport(b *testing.B) {
	e := newExports(b)
	plain := servePlainly(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveArrow(r.Context(), b, e.db, w) }))
	for _, compared := range []struct {
		format string
		beside func(b *testing.B)
	}{
		{"parquet", func(b *testing.B) { b.Helper(); e.copyTo(b, "parquet") }},
		{"ndjson", func(b *testing.B) { b.Helper(); e.copyTo(b, "json") }},
		{"csv", func(b *testing.B) { b.Helper(); e.copyTo(b, "csv") }},
		{"arrow", func(b *testing.B) {
			b.Helper()
			(&exports{address: plain}).get(b, "arrow")
		}},
	} {
		b.Run(compared.format, func(b *testing.B) {
			if compared.format == "arrow" && !hasArrowReader {
				b.Skip("DuckDB's Arrow reader needs -tags duckdb_arrow")
			}
			var beside, ours, besideCPU, oursCPU time.Duration
			for b.Loop() {
				started := processorTime(b)
				beside += took(func() { compared.beside(b) })
				between := processorTime(b)
				ours += took(func() { e.get(b, compared.format) })
				besideCPU, oursCPU = besideCPU+between-started, oursCPU+processorTime(b)-between
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(b.N*exportRows)/beside.Seconds(), "DuckDB/s")
			b.ReportMetric(float64(b.N*exportRows)/ours.Seconds(), "savedq/s")
			b.ReportMetric(beside.Seconds()/ours.Seconds(), "ratio")
			b.ReportMetric(besideCPU.Seconds()/float64(b.N), "DuckDB-CPU-s")
			b.ReportMetric(oursCPU.Seconds()/float64(b.N), "savedq-CPU-s")
		})
	}
}
