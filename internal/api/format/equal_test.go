package format

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/api/format/formattest"
	"savedq/sqlq"
)

// everyColumn returns a column of each type, nested ones too.
func everyColumn() []sqlq.Column {
	fields := []sqlq.Column{{Name: "path", Type: sqlq.String}, {Name: "price", Type: sqlq.Numeric}, {Name: "bigs", Type: sqlq.ArrayOf(sqlq.Numeric), Big: true}, {Name: "sizes", Type: sqlq.ArrayOf(sqlq.Int64)}}
	return []sqlq.Column{
		{Name: "text", Type: sqlq.String},
		{Name: "whole", Type: sqlq.Int64},
		{Name: "real", Type: sqlq.Float64},
		{Name: "amount", Type: sqlq.Numeric},
		{Name: "big", Type: sqlq.Numeric, Big: true},
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
		if column.Big {
			number, err := sqlq.ParseDecimal(rapid.StringMatching(`-?[0-9]{1,50}(\.[0-9]{1,50})?`).Draw(t, "bignumeric"))
			require.NoError(t, err)
			return number
		}
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
// rows are compared like the rows of savedq's JSON.
func TestRowsAreEqualInAllFormats(t *testing.T) {
	t.Parallel()
	db, columns := formattest.DuckDB(t), everyColumn()
	rapid.Check(t, func(rt *rapid.T) {
		result := &sqlq.Result{Columns: columns}
		for range rapid.IntRange(0, 4).Draw(rt, "rows") {
			row := make([]any, len(columns))
			for i := range columns {
				row[i] = drawValue(rt, &columns[i])
			}
			result.Rows = append(result.Rows, row)
		}
		requireEqualInAllFormats(t, rt, db, result)
	})
}

// So are the least and the greatest values of each type: a stream in no format fails at one.
func TestExtremesAreEqualInAllFormats(t *testing.T) {
	t.Parallel()
	const mostDigits = 400
	extremes := map[sqlq.Type][]any{
		sqlq.String:    {"", strings.Repeat("é", 1<<18), "\U0010ffff"},
		sqlq.Int64:     {int64(math.MinInt64), int64(math.MaxInt64)},
		sqlq.Float64:   {-math.MaxFloat64, math.MaxFloat64, math.SmallestNonzeroFloat64},
		sqlq.Numeric:   {sqlq.Decimal("-99999999999999999999999999999.999999999"), sqlq.Decimal("99999999999999999999999999999.999999999"), sqlq.Decimal("0.000000001")},
		sqlq.Bool:      {false, true},
		sqlq.Timestamp: {time.UnixMicro(-9223372022400000000).UTC(), time.UnixMicro(math.MaxInt64 - 1).UTC()},
		sqlq.Datetime:  {time.UnixMicro(-9223372022400000000).UTC(), time.UnixMicro(math.MaxInt64 - 1).UTC()},
		sqlq.Date:      {time.Unix(0, 0).UTC().AddDate(0, 0, -106751991), time.Unix(0, 0).UTC().AddDate(0, 0, 106751991)},
		sqlq.JSON:      {json.RawMessage(strings.Repeat("[", 1000) + strings.Repeat("]", 1000)), json.RawMessage("1e400")},
	}
	bigs := []any{sqlq.Decimal(strings.Repeat("9", mostDigits) + "." + strings.Repeat("9", mostDigits)), sqlq.Decimal("-170141183460469231731687303715884105728")}
	db := formattest.DuckDB(t)
	for typ, values := range extremes {
		requireExtremes(t, db, sqlq.Column{Name: "c", Type: typ}, values)
	}
	requireExtremes(t, db, sqlq.Column{Name: "c", Type: sqlq.Numeric, Big: true}, bigs)
}

// NaN and the infinities are themselves in Parquet and Arrow, at all depths, and null in text. A batch of columns has them as
// one of rows.
func TestNotFiniteInAllFormats(t *testing.T) {
	t.Parallel()
	db := formattest.DuckDB(t)
	number := sqlq.Column{Name: "r", Type: sqlq.Float64}
	columns := []sqlq.Column{number, {Name: "l", Type: sqlq.ArrayOf(sqlq.Float64)}, {Name: "s", Type: sqlq.Struct, Fields: []sqlq.Column{number}}}
	result := &sqlq.Result{Columns: columns}
	for _, value := range []any{math.NaN(), math.Inf(1), math.Inf(-1), 1.5, nil} {
		result.Rows = append(result.Rows, []any{value, []any{value, 0.5}, []any{value}})
	}
	require.NoError(t, result.Check())
	vectors, err := sqlq.BatchOf(columns, result.Rows).Vectors()
	require.NoError(t, err)
	assert.Equal(t, "-Inf", fmt.Sprint(vectors[0].Value(2)))
	want := fmt.Sprint(result.Rows)
	assert.Equal(t, "[[NaN [NaN 0.5] [NaN]] [+Inf [+Inf 0.5] [+Inf]] [-Inf [-Inf 0.5] [-Inf]] [1.5 [1.5 0.5] [1.5]] [<nil> [<nil> 0.5] [<nil>]]]", want)
	assert.Equal(t, want, fmt.Sprint(formattest.Arrow(t, encodeAs(t, "arrow", result), columns)))
	parquet := encodeAs(t, "parquet", result)
	assert.Equal(t, want, fmt.Sprint(formattest.Parquet(t, db, parquet, columns)))
	path := filepath.Join(t.TempDir(), "rows.parquet")
	require.NoError(t, os.WriteFile(path, parquet, 0o600))
	var found string // a reader that skips rows by the statistics of the file finds them, too
	require.NoError(t, db.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT concat_ws(' ', count(*) FILTER (isnan(r)), (SELECT count(*) FROM '%[1]s' WHERE r > 1e300), (SELECT count(*) FROM '%[1]s' WHERE r < 0), (SELECT count(*) FROM '%[1]s' WHERE r = 'inf')) FROM '%[1]s'`, path)).Scan(&found))
	assert.Equal(t, "1 2 1 1", found) // DuckDB takes NaN for more than any other number
	var lines strings.Builder
	for _, value := range []string{"null", "null", "null", "1.5", "null"} {
		_, _ = fmt.Fprintf(&lines, `{"r":%[1]s,"l":[%[1]s,0.5],"s":{"r":%[1]s}}`+"\n", value)
	}
	assert.Equal(t, lines.String(), string(encodeAs(t, "ndjson", result)))
	assert.Equal(t, `{"result":[`+strings.ReplaceAll(strings.TrimSpace(lines.String()), "\n", ",")+"]}", string(encodeAs(t, "json", result)))
	assert.Equal(t, "r,l,s\n"+`,"[null,0.5]","{""r"":null}"`+"\n", strings.Join(strings.SplitAfter(string(encodeAs(t, "csv", result)), "\n")[:2], ""))
}

// requireExtremes requires values, and arrays and structs of them, to be equal in all formats.
func requireExtremes(t *testing.T, db *sql.DB, column sqlq.Column, values []any) {
	t.Helper()
	list, row := column, sqlq.Column{Name: "row", Type: sqlq.Struct, Fields: []sqlq.Column{column}}
	list.Name, list.Type = "list", sqlq.ArrayOf(column.Type)
	result := &sqlq.Result{Columns: []sqlq.Column{column, list, row}}
	for _, value := range values {
		result.Rows = append(result.Rows, []any{value, values, []any{value}})
	}
	requireEqualInAllFormats(t, t, db, result)
}

// requireEqualInAllFormats writes rows in each format, reads them back, and requires them to be equal. t owns the files, and
// rt fails.
func requireEqualInAllFormats(t *testing.T, rt require.TestingT, db *sql.DB, result *sqlq.Result) {
	t.Helper()
	columns := result.Columns
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
	require.Equal(rt, result.Rows, formattest.Arrow(t, encodeAs(t, "arrow", result), columns))
	read := &sqlq.Result{Columns: columns, Rows: formattest.Parquet(t, db, encodeAs(t, "parquet", result), columns)}
	var inParquet []map[string]any
	decode(t, read.AppendJSON(nil), &inParquet)
	require.Equal(rt, want, inParquet)
	require.Equal(rt, textsOf(result), formattest.CSV(t, db, encodeAs(t, "csv", result), len(columns)))
}

func decode(tb testing.TB, text []byte, into any) {
	tb.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(tb, decoder.Decode(into))
}

// textsOf returns the cells that rows have in CSV.
func textsOf(result *sqlq.Result) [][]any {
	texts := [][]any{}
	for _, row := range result.Rows {
		cells := make([]any, len(row))
		for i, value := range row {
			if value != nil {
				cells[i] = string(appendText(nil, &result.Columns[i], value))
				if document, isJSON := value.(json.RawMessage); isJSON {
					cells[i] = string(document)
				}
			}
		}
		texts = append(texts, cells)
	}
	return texts
}

// DuckDB sees the exact types.
func TestTypesOfParquet(t *testing.T) {
	t.Parallel()
	db := formattest.DuckDB(t)
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
		"text VARCHAR", "whole BIGINT", "real DOUBLE", "amount DECIMAL(38,9)", "big VARCHAR", "flag BOOLEAN", "at TIMESTAMP WITH TIME ZONE", "bucket TIMESTAMP",
		"day DATE", "more VARCHAR", "tags VARCHAR[]", "one STRUCT(path VARCHAR, price DECIMAL(38,9), bigs VARCHAR[], sizes BIGINT[])",
		"several STRUCT(path VARCHAR, price DECIMAL(38,9), bigs VARCHAR[], sizes BIGINT[])[]",
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

// A file or stream that ends early is not valid.
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
