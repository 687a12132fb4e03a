package clickhousehttp

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// The values of testdata/values.sql, of which ClickHouse 26.5 has made the files beside it.
func values(t *testing.T) *rows {
	t.Helper()
	day, second := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	columns := []struct {
		name, typ string
		of        sqlq.Type
		value     any
	}{
		{"s", "String", sqlq.String, "it's \"a\"\t\\\n/é"},
		{"u", "UInt64", sqlq.Int64, int64(-1)}, // the same bits
		{"i", "Int64", sqlq.Int64, int64(-5)},
		{"f", "Float64", sqlq.Float64, 0.1},
		{"big", "Float64", sqlq.Float64, 1e20},
		{"bigger", "Float64", sqlq.Float64, 1e21},
		{"small", "Float64", sqlq.Float64, 1e-7},
		{"n", "Float64", sqlq.Float64, math.NaN()},
		{"inf", "Float64", sqlq.Float64, math.Inf(-1)},
		{"b", "Bool", sqlq.Bool, true},
		{"d", "Date", sqlq.Date, day},
		{"t", "DateTime", sqlq.Datetime, second},
		{"t6", "DateTime64(6, 'UTC')", sqlq.Datetime, second.Add(678901 * time.Microsecond)},
		{"a", "Array(UInt8)", sqlq.ArrayOf(sqlq.Int64), []any{int64(1), int64(2)}},
		{"sa", "Array(String)", sqlq.ArrayOf(sqlq.String), []any{"x'y", `z"`}},
		{"m", "Map(String, String)", sqlq.JSON, json.RawMessage(`{"k":"v'w"}`)},
		{"tu", "Tuple(UInt8, String, Date, Nullable(Nothing))", sqlq.JSON, json.RawMessage(`[1,"x'y","2026-01-02",null]`)},
		{"nu", "Nullable(Nothing)", sqlq.String, nil},
		{"ni", "Nullable(Int8)", sqlq.Int64, nil},
		{"at", "Array(DateTime('UTC'))", sqlq.ArrayOf(sqlq.Timestamp), []any{second}},
		{"aa", "Array(Array(Float64))", sqlq.JSON, json.RawMessage(`[[0.5,null]]`)},
		{"an", "Array(Nullable(String))", sqlq.JSON, json.RawMessage(`[null,"x"]`)},
		{"e", "String", sqlq.String, ""},
		{"h", "Float64", sqlq.Float64, 100.0},
		{"p", "Float64", sqlq.Float64, 123456789.125},
		{"ab", "Array(Bool)", sqlq.ArrayOf(sqlq.Bool), []any{true}},
	}
	result := &sqlq.Result{Rows: [][]any{nil}}
	var types []string
	for _, column := range columns {
		result.Columns = append(result.Columns, sqlq.Column{Name: column.name, Type: column.of})
		result.Rows[0] = append(result.Rows[0], column.value)
		types = append(types, column.typ)
	}
	all, err := rowsOf(result, types)
	require.NoError(t, err)
	return all
}

// Each format has the bytes that ClickHouse writes; JSON has its values.
func TestFormats(t *testing.T) {
	t.Parallel()
	all := values(t)
	for _, name := range []string{
		"TabSeparatedWithNamesAndTypes", "CSVWithNames", "JSON", "JSONCompact", "JSONEachRow", "JSONCompactEachRowWithNamesAndTypes", "Native", "RowBinaryWithNamesAndTypes",
	} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		format, err := formatNamed(name)
		require.NoError(t, err)
		got := format.encode(all, options{})
		if name == "JSON" || name == "JSONCompact" {
			assert.Equal(t, decoded(t, want), decoded(t, got), name)
		} else {
			assert.Equal(t, string(want), string(got), name)
		}
	}
	each := func(name string, options options) string {
		format, err := formatNamed(name)
		require.NoError(t, err)
		return string(format.encode(all, options))
	}
	assert.Contains(t, each("NDJSON", options{quoteInts: true}), `"u":"18446744073709551615","i":"-5",`)
	assert.Contains(t, each("JSONEachRow", options{quoteInts: true}), `"a":[1,2]`, "only whole numbers of 64 bits")
	lines := strings.Split(each("TSVWithNamesAndTypes", options{}), "\n")
	assert.Equal(t, lines[2]+"\n", each("TSV", options{}))
	assert.Equal(t, lines[0]+"\n"+lines[2]+"\n", each("TSVWithNames", options{}))
	withNames := each("CSVWithNames", options{})
	assert.Equal(t, withNames[strings.Index(withNames, "\n")+1:], each("CSV", options{}))
	assert.True(t, strings.HasSuffix(each("JSONCompactEachRowWithNamesAndTypes", options{}), each("JSONCompactEachRow", options{})))
}

// decoded returns JSON as a value, without what is measured.
func decoded(t *testing.T, text []byte) (value map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	assert.Contains(t, value, "statistics")
	delete(value, "statistics")
	return value
}

// A value that its type cannot have is an error, and never another value.
func TestValuesOfOtherTypes(t *testing.T) {
	t.Parallel()
	for typ, values := range map[string][]any{
		"String": {nil, struct{}{}}, "UInt8": {nil, json.Number("x")}, "Tuple(UInt8, UInt8)": {json.RawMessage("[1]"), json.RawMessage("1")},
		"Map(String, UInt8)": {json.RawMessage(`{"a":"x"}`), json.RawMessage(`{"a":`)}, "Array(Date)": {[]any{"x"}}, "DateTime": {"x"},
	} {
		parsed, err := typeOf(typ)
		require.NoError(t, err)
		for _, value := range values {
			_, err := parsed.valueOf(value)
			require.Error(t, err, "%s %v", typ, value)
		}
	}
	_, err := typeOf("DateTime64(x)")
	assert.Error(t, err)
}
