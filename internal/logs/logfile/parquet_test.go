package logfile_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logfile"
)

// writeParquet writes the rows of a query into a Parquet file.
func writeParquet(t *testing.T, query string) string {
	t.Helper()
	connector, err := duckdb.NewConnector("", nil)
	require.NoError(t, err)
	database := sql.OpenDB(connector)
	defer func() { assert.NoError(t, database.Close()) }()
	path := filepath.Join(t.TempDir(), "events.parquet")
	_, err = database.ExecContext(t.Context(), "SET TimeZone = 'UTC'; COPY ("+query+") TO '"+path+"' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
	require.NoError(t, err)
	return path
}

func TestParquet(t *testing.T) {
	const twoRows = `SELECT * FROM (VALUES
		('one', TIMESTAMPTZ '2026-11-20 10:00:00.123456+01', {'request': {'method': 'GET', 'id': 9007199254740993}}),
		('two', NULL, NULL)) AS rows(id, timestamp, metadata)`
	twoEvents := []item{
		event(1, `{"id":"one","timestamp":"2026-11-20 09:00:00.123456+00","metadata":{"request":{"method":"GET","id":9007199254740993}}}`),
		event(2, `{"id":"two","timestamp":null,"metadata":null}`),
	}
	tests := []struct {
		name  string
		query string
		pack  func(*testing.T, []byte) []byte
		want  []item
	}{
		{"plain", twoRows, plain, twoEvents},
		{"gzip outside", twoRows, gzipped, twoEvents},
		{"zstd outside", twoRows, zstandard, twoEvents},
		{"no rows", `SELECT 'x' AS id WHERE false`, plain, nil},
		{"binary columns are text", `SELECT 'x'::BLOB AS id`, plain, []item{event(1, `{"id":"x"}`)}},
		{"integer timestamps", `SELECT 1700000000000000 AS timestamp`, plain, []item{event(1, `{"timestamp":1700000000000000}`)}},
		{"timestamps without time zone", `SELECT TIMESTAMP '2026-11-20 10:00:00' AS timestamp`, plain, []item{event(1, `{"timestamp":"2026-11-20 10:00:00"}`)}},
		{"JSON columns", `SELECT '{"b":1.0,"a":1e3}'::JSON AS metadata`, plain, []item{event(1, `{"metadata":"{\"b\":1.0,\"a\":1e3}"}`)}},
		{"maps", `SELECT MAP {'b': 1, 'a': 2} AS metadata`, plain, []item{event(1, `{"metadata":{"b":1,"a":2}}`)}},
		{
			"numbers that JSON has not", `SELECT 'NaN "Infinity' AS id, {'a': 'nan'::DOUBLE, 'b': 'inf'::DOUBLE, 'c': '-inf'::DOUBLE} AS metadata`, plain,
			[]item{event(1, `{"id":"NaN \"Infinity","metadata":{"a":null,"b":null,"c":null}}`)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(writeParquet(t, test.query))
			require.NoError(t, err)
			items, err := readAll(t, writeFile(t, "project=acme [1]*.log", test.pack(t, content)))
			require.NoError(t, err)
			assert.Equal(t, test.want, items)
		})
	}
}

func TestParquetKeepsTheOrderOfManyRows(t *testing.T) {
	t.Parallel()
	path := writeParquet(t, "SELECT i AS n FROM range(10000) AS numbers(i)")
	items, err := readAll(t, path)
	require.NoError(t, err)
	require.Len(t, items, 10_000)
	for i, item := range items {
		require.Equal(t, event(i+1, fmt.Sprintf(`{"n":%d}`, i)), item)
	}
}

func TestParquetRowThatIsTooLong(t *testing.T) {
	t.Parallel()
	path := writeParquet(t, "SELECT repeat('x', CASE WHEN i = 1 THEN 17 << 20 ELSE 1 END) AS event_message FROM range(3) AS numbers(i)")
	items, err := readAll(t, path)
	require.NoError(t, err)
	require.Len(t, items, 3)
	assert.Equal(t, event(1, `{"event_message":"x"}`), items[0])
	assert.Equal(t, 2, items[1].line)
	assert.Contains(t, items[1].reason, "is longer than 16 MiB")
	assert.Len(t, items[1].raw, 64<<10)
	assert.Equal(t, event(3, `{"event_message":"x"}`), items[2])
}

func TestSpooledFilesAreRemoved(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	content, err := os.ReadFile(writeParquet(t, "SELECT 'x' AS id"))
	require.NoError(t, err)
	_, err = readAll(t, writeFile(t, "whole", gzipped(t, content)))
	require.NoError(t, err)
	_, err = readAll(t, writeFile(t, "broken", gzipped(t, content[:len(content)-3])))
	require.ErrorContains(t, err, "truncated or corrupt")
	left, err := filepath.Glob(filepath.Join(folder, "savedq-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// A path is never a pattern, even if DuckDB would read it as one.
func TestParquetPathIsNotAPattern(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for name, id := range map[string]string{"m[1].parquet": "meant", "m1.parquet": "other", "n*.parquet": "meant", "nb.parquet": "other"} {
		content, err := os.ReadFile(writeParquet(t, "SELECT '"+id+"' AS id"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), content, 0o600))
	}
	for _, name := range []string{"m[1].parquet", "n*.parquet"} {
		items, err := readAll(t, filepath.Join(directory, name))
		require.NoError(t, err)
		assert.Equal(t, []item{event(1, `{"id":"meant"}`)}, items)
	}
}

// Columns that are nested so deep that DuckDB would end the process on them are an error.
func TestParquetOfManyGroups(t *testing.T) {
	content := []byte("PAR1\x15\x02\x19\xfc")
	const groups = 100_000
	content = binary.AppendUvarint(content, groups+1)
	content = append(content, bytes.Repeat([]byte("\x48\x01a\x15\x02\x00"), groups)...)
	content = append(content, "\x48\x01a\x00\x16\x00\x19\x0c\x00"...)
	content = append(binary.LittleEndian.AppendUint32(content, uint32(len(content)-4)), "PAR1"...)
	path := filepath.Join(t.TempDir(), "deep.parquet")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	_, err := logfile.Open(t.Context(), path, logfile.CSV{})
	require.ErrorContains(t, err, "the parquet file cannot be read: it has more than 20000 columns and groups")
}
