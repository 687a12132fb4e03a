package format

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
	"github.com/apache/arrow-go/v18/parquet/file"
	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/sqlq"
)

// everyColumn returns a column of each type, nested ones too.
func everyColumn() []sqlq.Column {
	fields := []sqlq.Column{{Name: "path", Type: sqlq.String}, {Name: "price", Type: sqlq.Numeric}, {Name: "sizes", Type: sqlq.ArrayOf(sqlq.Int64)}}
	return []sqlq.Column{
		{Name: "text", Type: sqlq.String},
		{Name: "whole", Type: sqlq.Int64},
		{Name: "real", Type: sqlq.Float64},
		{Name: "amount", Type: sqlq.Numeric},
		{Name: "flag", Type: sqlq.Bool},
		{Name: "at", Type: sqlq.Timestamp},
		{Name: "bucket", Type: sqlq.Datetime},
		{Name: "day", Type: sqlq.Date},
		{Name: "more", Type: sqlq.JSON},
		{Name: "tags", Type: sqlq.ArrayOf(sqlq.String)},
		{Name: "one", Type: sqlq.Struct, Fields: fields},
		{Name: "several", Type: sqlq.ArrayOf(sqlq.Struct), Fields: fields},
	}
}

// drawValue draws a value of a column.
func drawValue(t *rapid.T, column *sqlq.Column) any {
	if column.Type.IsArray() {
		elements := make([]any, rapid.IntRange(0, 3).Draw(t, "elements"))
		for i := range elements {
			elements[i] = drawValue(t, column.Element())
		}
		return elements
	}
	if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
		return nil
	}
	switch column.Type { //nolint:exhaustive // The others are texts.
	case sqlq.Int64:
		return rapid.Int64().Draw(t, "int64")
	case sqlq.Float64:
		return rapid.Float64().Draw(t, "float64")
	case sqlq.Numeric:
		text := rapid.StringMatching(`-?[0-9]{1,29}(\.[0-9]{1,9})?`).Draw(t, "numeric")
		number, err := sqlq.ParseNumeric(text)
		require.NoError(t, err)
		return number
	case sqlq.Bool:
		return rapid.Bool().Draw(t, "bool")
	case sqlq.Timestamp, sqlq.Datetime:
		return time.UnixMicro(rapid.Int64Range(-62135596800000000, 253402300799999999).Draw(t, "microseconds")).UTC()
	case sqlq.Date:
		return time.Unix(0, 0).UTC().AddDate(0, 0, rapid.IntRange(-719162, 2932896).Draw(t, "day"))
	case sqlq.JSON:
		return json.RawMessage(rapid.SampledFrom([]string{`{"a":[1,null,"é"]}`, `[]`, `"text"`, `""`, `1.5`, `true`}).Draw(t, "json"))
	case sqlq.Struct:
		values := make([]any, len(column.Fields))
		for i := range column.Fields {
			values[i] = drawValue(t, &column.Fields[i])
		}
		return values
	}
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab \"',\n\r\t=+-@\\é👩")), 0, 8, -1).Draw(t, "string")
}

// encodeAs returns rows in the format with a name.
func encodeAs(tb testing.TB, name string, result *sqlq.Result) []byte {
	tb.Helper()
	output, ok := Find(name)
	require.True(tb, ok)
	encoded, err := output.Encode("q", result)
	require.NoError(tb, err)
	return encoded
}

// The rows are equal in all formats. Arrow is read by its own library, and NDJSON, CSV and Parquet by DuckDB, whose
// rows are compared as those of savedq's JSON.
func TestRowsAreEqualInAllFormats(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	directory, columns := t.TempDir(), everyColumn()
	rapid.Check(t, func(rt *rapid.T) {
		result := &sqlq.Result{Columns: columns}
		for range rapid.IntRange(0, 4).Draw(rt, "rows") {
			row := make([]any, len(columns))
			for i := range columns {
				row[i] = drawValue(rt, &columns[i])
			}
			result.Rows = append(result.Rows, row)
		}
		var want []map[string]any
		document := struct {
			Result *[]map[string]any `json:"result"`
		}{&want}
		decode(t, encodeAs(t, "json", result), &document)
		var lines []map[string]any
		for line := range bytes.Lines(encodeAs(t, "ndjson", result)) {
			var row map[string]any
			decode(t, line, &row)
			lines = append(lines, row)
		}
		require.ElementsMatch(rt, want, lines)
		require.Len(rt, lines, len(want))
		require.Equal(rt, result.Rows, readArrow(t, encodeAs(t, "arrow", result), columns))
		path := filepath.Join(directory, "rows.parquet")
		require.NoError(rt, os.WriteFile(path, encodeAs(t, "parquet", result), 0o600))
		require.Equal(rt, want, readParquet(t, db, path, columns))
		path = filepath.Join(directory, "rows.csv")
		require.NoError(rt, os.WriteFile(path, encodeAs(t, "csv", result), 0o600))
		require.Equal(rt, textsOf(result), readCSV(t, db, path, len(columns)))
	})
}

func decode(tb testing.TB, text []byte, into any) {
	tb.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(tb, decoder.Decode(into))
}

// readParquet returns the rows of a file as they are in JSON.
func readParquet(tb testing.TB, db *sql.DB, path string, columns []sqlq.Column) []map[string]any {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), fmt.Sprintf("SELECT * FROM read_parquet('%s')", path))
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
	var all []map[string]any
	decode(tb, read.AppendJSON(nil), &all)
	if len(all) == 0 {
		return []map[string]any{}
	}
	return all
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
		if column.Type == sqlq.JSON {
			return json.RawMessage(value)
		}
	}
	return value
}

// readCSV returns the cells of a file; nil is NULL.
func readCSV(tb testing.TB, db *sql.DB, path string, columns int) [][]any {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), fmt.Sprintf("SELECT * FROM read_csv('%s', header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"', allow_quoted_nulls = false, parallel = false, auto_detect = false, columns = {%s})", path, csvColumns(columns)))
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

// textsOf returns the cells that rows have in CSV.
func textsOf(result *sqlq.Result) [][]any {
	texts := [][]any{}
	for _, row := range result.Rows {
		cells := make([]any, len(row))
		for i, value := range row {
			if value != nil {
				cells[i] = string(appendText(nil, &result.Columns[i], value))
			}
		}
		texts = append(texts, cells)
	}
	return texts
}

// readArrow returns the rows of a stream.
func readArrow(tb testing.TB, encoded []byte, columns []sqlq.Column) (rows [][]any) {
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
		if column.Type == sqlq.JSON {
			return json.RawMessage(values.Value(n))
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

// DuckDB sees the exact types.
func TestTypesOfParquet(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	path := filepath.Join(t.TempDir(), "rows.parquet")
	require.NoError(t, os.WriteFile(path, encodeAs(t, "parquet", &sqlq.Result{Columns: everyColumn()}), 0o600))
	rows, err := db.QueryContext(t.Context(), fmt.Sprintf("SELECT column_name || ' ' || column_type FROM (DESCRIBE SELECT * FROM read_parquet('%s'))", path))
	require.NoError(t, err)
	defer func() { assert.NoError(t, rows.Close()) }()
	var types []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		types = append(types, text)
	}
	require.NoError(t, rows.Err())
	assert.Equal(t, []string{
		"text VARCHAR", "whole BIGINT", "real DOUBLE", "amount DECIMAL(38,9)", "flag BOOLEAN", "at TIMESTAMP WITH TIME ZONE", "bucket TIMESTAMP",
		"day DATE", "more VARCHAR", "tags VARCHAR[]", "one STRUCT(path VARCHAR, price DECIMAL(38,9), sizes BIGINT[])",
		"several STRUCT(path VARCHAR, price DECIMAL(38,9), sizes BIGINT[])[]",
	}, types)
}

// A number that NUMERIC does not hold is an error that names the column, and is never rounded.
func TestTooManyDigits(t *testing.T) {
	t.Parallel()
	for _, number := range []sqlq.Decimal{"0.0000000001", "123456789012345678901234567890"} {
		for _, name := range []string{"parquet", "arrow"} {
			output, ok := Find(name)
			require.True(t, ok)
			_, err := output.Encode("q", &sqlq.Result{Columns: []sqlq.Column{{Name: "amount", Type: sqlq.Numeric}}, Rows: [][]any{{number}}})
			require.ErrorContains(t, err, "column amount has the number "+string(number))
			assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
		}
	}
}

// D24: the mark is in the file, too.
func TestTruncatedParquet(t *testing.T) {
	t.Parallel()
	for _, truncated := range []bool{false, true} {
		encoded := encodeAs(t, "parquet", &sqlq.Result{Columns: everyColumn()[:1], Rows: [][]any{{"a"}}, Truncated: truncated})
		reader, err := file.NewParquetReader(bytes.NewReader(encoded))
		require.NoError(t, err)
		value := reader.MetaData().KeyValueMetadata().FindValue("savedq.truncated")
		assert.Equal(t, truncated, value != nil && *value == "true")
		require.NoError(t, reader.Close())
	}
}

// What was written before the end is not a whole file or stream.
func TestUnfinishedBinaryFormats(t *testing.T) {
	t.Parallel()
	columns, rows := everyColumn()[:1], [][]any{{"a"}, {"b"}}
	for _, name := range []string{"parquet", "arrow"} {
		output, ok := Find(name)
		require.True(t, ok)
		var partial bytes.Buffer
		w, err := output.Begin(&partial, columns)
		require.NoError(t, err)
		require.NoError(t, w.Write(sqlq.BatchOf(columns, rows)))
		whole := encodeAs(t, name, &sqlq.Result{Columns: columns, Rows: rows})
		assert.Less(t, partial.Len(), len(whole), name)
	}
}
