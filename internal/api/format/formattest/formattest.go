// Package formattest reads rows in output formats with readers of others, for tests. Only tests may import it.
package formattest

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	_ "github.com/duckdb/duckdb-go/v2" // reads Parquet and CSV
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// DuckDB opens a database in memory, which is closed at the end of the test.
func DuckDB(tb testing.TB) *sql.DB {
	tb.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, db.Close()) })
	return db
}

// fileOf writes a file, and returns its path.
func fileOf(tb testing.TB, content []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "rows")
	require.NoError(tb, os.WriteFile(path, content, 0o600))
	return path
}

// CSV returns the cells of a file, read by DuckDB. A cell is a string, or nil for NULL.
func CSV(tb testing.TB, db *sql.DB, encoded []byte, columns int) [][]any {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), fmt.Sprintf("SELECT * FROM read_csv('%s', header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"', allow_quoted_nulls = false, parallel = false, auto_detect = false, columns = {%s})", fileOf(tb, encoded), csvColumns(columns)))
	require.NoError(tb, err)
	defer func() { assert.NoError(tb, rows.Close()) }()
	cells := [][]any{}
	for rows.Next() {
		values, targets := make([]any, columns), make([]any, columns)
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(tb, rows.Scan(targets...))
		cells = append(cells, values)
	}
	require.NoError(tb, rows.Err())
	return cells
}

func csvColumns(count int) string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("c%d: 'VARCHAR'", i)
	}
	return strings.Join(names, ", ")
}

// Parquet returns the rows of a file, read by DuckDB.
func Parquet(tb testing.TB, db *sql.DB, encoded []byte, columns []sqlq.Column) [][]any {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), fmt.Sprintf("SELECT * FROM read_parquet('%s')", fileOf(tb, encoded)))
	require.NoError(tb, err)
	defer func() { assert.NoError(tb, rows.Close()) }()
	read := &sqlq.Result{Columns: columns}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(tb, rows.Scan(targets...))
		for i := range values {
			values[i] = fromDuckDB(tb, &columns[i], values[i])
		}
		read.Rows = append(read.Rows, values)
	}
	require.NoError(tb, rows.Err())
	require.NoError(tb, read.Check())
	return read.Rows
}

// fromDuckDB returns a value of DuckDB's driver as [sqlq.Result] documents it.
func fromDuckDB(tb testing.TB, column *sqlq.Column, value any) any {
	tb.Helper()
	switch value := value.(type) {
	case []any:
		elements := make([]any, len(value))
		for i := range value {
			elements[i] = fromDuckDB(tb, column.Element(), value[i])
		}
		return elements
	case map[string]any:
		values := make([]any, len(column.Fields))
		for i := range column.Fields {
			values[i] = fromDuckDB(tb, &column.Fields[i], value[column.Fields[i].Name])
		}
		return values
	case fmt.Stringer:
		if column.Type == sqlq.Numeric {
			number, err := sqlq.ParseDecimal(value.String())
			require.NoError(tb, err)
			return number
		}
	case string:
		switch column.Type { //nolint:exhaustive // The others are no strings.
		case sqlq.JSON:
			return json.RawMessage(value)
		case sqlq.Numeric:
			return sqlq.Decimal(value)
		}
	}
	return value
}

// Arrow returns the rows of a stream, read by Arrow's own library.
func Arrow(tb testing.TB, encoded []byte, columns []sqlq.Column) (rows [][]any) {
	tb.Helper()
	reader, err := ipc.NewReader(bytes.NewReader(encoded))
	require.NoError(tb, err)
	defer reader.Release()
	for reader.Next() {
		record := reader.RecordBatch()
		for n := range int(record.NumRows()) {
			row := make([]any, len(columns))
			for i := range columns {
				row[i] = fromArrow(tb, &columns[i], record.Column(i), n)
			}
			rows = append(rows, row)
		}
	}
	require.NoError(tb, reader.Err())
	return rows
}

// fromArrow returns a value of an array as [sqlq.Result] documents it.
func fromArrow(tb testing.TB, column *sqlq.Column, values arrow.Array, n int) any {
	tb.Helper()
	if values.IsNull(n) {
		return nil
	}
	switch values := values.(type) {
	case *array.Int64:
		return values.Value(n)
	case *array.Float64:
		return values.Value(n)
	case *array.Boolean:
		return values.Value(n)
	case *array.String:
		switch column.Type { //nolint:exhaustive // The others are no strings.
		case sqlq.JSON:
			return json.RawMessage(values.Value(n))
		case sqlq.Numeric:
			return sqlq.Decimal(strings.Clone(values.Value(n)))
		}
		return strings.Clone(values.Value(n))
	case *array.Decimal128:
		number, err := sqlq.ParseDecimal(values.Value(n).ToString(9))
		require.NoError(tb, err)
		return number
	case *array.Timestamp:
		return time.UnixMicro(int64(values.Value(n))).UTC()
	case *array.Date32:
		return values.Value(n).ToTime()
	case *array.List:
		elements := []any{}
		start, end := values.ValueOffsets(n)
		for i := start; i < end; i++ {
			elements = append(elements, fromArrow(tb, column.Element(), values.ListValues(), int(i)))
		}
		return elements
	case *array.Struct:
		fields := make([]any, len(column.Fields))
		for i := range column.Fields {
			fields[i] = fromArrow(tb, &column.Fields[i], values.Field(i), n)
		}
		return fields
	}
	tb.Fatalf("an array of type %T", values)
	return nil
}
