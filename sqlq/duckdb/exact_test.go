package duckdb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// A value of CSV or JSON that its column does not hold exactly is an error, and never rounded. One that it holds is read,
// however it is written.
func TestFilesAreNeverRounded(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	engine := f.open(t, f.table("all", "csv", "*/*/*"))
	for name, test := range map[string]struct {
		typ         sqlq.Type
		good, wrong []string
	}{
		"int":     {sqlq.Int64, []string{"1", "-1", "1.0", "1.000", "9223372036854775807"}, []string{"1.5", "-0.5", "1.0000001", "15e-1", "1.55e1"}},
		"numeric": {sqlq.Numeric, []string{"1.123456789", "99999999999999999999999999999", "1.1234567890", "1e-9", "1e3"}, []string{"1.1234567891", "0.0000000001", "1e-10"}},
		"real":    {sqlq.Float64, []string{"0.1", "1.1234567891"}, nil},
	} {
		for _, value := range append(test.good, test.wrong...) {
			directory := name + "/" + value
			f.put(t, directory+"/a.csv", "c\n1\n")
			f.put(t, directory+"/b.csv", "c\n"+value+"\n")
			f.put(t, directory+"/a.ndjson", `{"c":`+value+"}\n")
			f.put(t, directory+"/lists.ndjson", `{"c":[0,`+value+"]}\n")
			for pattern, typ := range map[string]sqlq.Type{"*.csv": test.typ, "a.ndjson": test.typ, "lists.ndjson": sqlq.ArrayOf(test.typ)} {
				table := f.table("items", pattern[len(pattern)-3:], directory+"/"+pattern, column("c", typ))
				if pattern != "*.csv" {
					table.Files.Format = "ndjson"
				}
				got := run(t.Context(), engine, reading("SELECT count(c) AS n FROM items", table))
				if slices.Contains(test.good, value) {
					assert.Contains(t, got, `{"n":`, "%s %s %s", name, value, pattern)
				} else {
					assert.Contains(t, got, "its column c has the value", "%s %s %s", name, value, pattern)
				}
			}
		}
	}
	f.put(t, "days.ndjson", "{\"c\":\"2026-01-02\"}\n{\"c\":\"2026-01-03 00:00:00\"}\n")
	f.put(t, "times.ndjson", "{\"c\":\"2026-01-02\"}\n{\"c\":\"2026-01-03 04:05:06\"}\n")
	day := column("c", sqlq.Date)
	days, times := f.table("days", "ndjson", "days.ndjson", day), f.table("times", "ndjson", "times.ndjson", day)
	assert.Equal(t, `{"n":2}`, run(t.Context(), engine, reading("SELECT count(c) AS n FROM days", days)))
	assert.Equal(t, `INTERNAL the files of the table times cannot be read: "times.ndjson", line 2: its column c has the value "2026-01-03 04:05:06", which DATE cannot hold exactly`,
		run(t.Context(), engine, reading("SELECT count(c) AS n FROM times", times)))
	_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{times})
	assert.ErrorContains(t, err, `"2026-01-03 04:05:06"`, "check finds it")
}

// The same texts are values of a type in CSV, as strings of JSON and as names of directories. Whatever else DuckDB's casts take is an
// error, and so is a value that loses digits.
func TestFilesTakeOneGrammar(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	engine := f.open(t, f.table("all", "csv", "*/*/*"))
	for typ, texts := range map[sqlq.Type]struct {
		good  map[string]string
		wrong []string
	}{
		sqlq.Int64: {map[string]string{"1": "1", "+7": "7", "-0": "0", "007": "7", "5.": "5", "-9223372036854775808": "-9223372036854775808"}, []string{
			"0x10", "0b1", "1_000", " 1", "1 ", "1e3", "1.5", "9223372036854775808", "9223372036854775807.5", "true", "NULL", "x", "--1", "１",
		}},
		sqlq.Float64: {map[string]string{"1": "1.0", "-.5": "-0.5", "1e3": "1000.0", "9007199254740993": "9007199254740992.0", "1e-400": "0.0"}, []string{
			"0x10", "1_000", " 1", "1e400", "1,5", "infinite", "1f", "e5",
		}},
		sqlq.Numeric: {map[string]string{"1": "1.000000000", "1e3": "1000.000000000", ".5": "0.500000000", "12345678901234567890123456789.123456789": "12345678901234567890123456789.123456789"}, []string{
			"0x10", "1_000", " 1", "1.1234567891", "1e30", "100000000000000000000000000000", "nan", "12345678901234567890.1234567891e0", "1,5",
		}},
		sqlq.Bool: {map[string]string{"true": "true", "FALSE": "false", "True": "true"}, []string{"t", "f", "yes", "no", "1", "0", "on", " true", "wahr"}},
		sqlq.Date: {map[string]string{"2026-01-02": `"2026-01-02"`, "2026-01-02 00:00:00": `"2026-01-02"`, "0001-01-01": `"0001-01-01"`}, []string{
			"epoch", "infinity", "-infinity", "20-01-02", "2026-1-2", "2026-02-30", "2026/01/02", "20260102", "02.01.2026", "10000-01-01", "0000-01-01", "2026-01-02 10:00:00", "2026-01-02 (BC)", "today",
		}},
		sqlq.Timestamp: {map[string]string{
			"2026-01-02": `"2026-01-02 00:00:00"`, "2026-01-02T03:04:05Z": `"2026-01-02 03:04:05"`, "2026-01-02 03:04:05 UTC": `"2026-01-02 03:04:05"`, "2026-01-02 03:04:05.123456": `"2026-01-02 03:04:05.123456"`,
			"2026-01-02T03:04:05.123456000+05:30": `"2026-01-01 21:34:05.123456"`, "2026-01-02 03:04": `"2026-01-02 03:04:00"`,
		}, []string{
			"epoch", "infinity", "2026-01-02T03:04:05.123456789Z", "2026-01-02 24:00:00", "2026-01-02 03:04:60", "2026-01-02 03:04:05 Europe/Berlin", "2026-01-02 03:04:05+15", "1767323045", "1767323045678000", "20-01-02 03:04:05",
			"0001-01-01 00:00:00+01:00", "2026-01-02 03:04:05,5",
		}},
		sqlq.Datetime: {map[string]string{"2026-01-02T03:04:05": `"2026-01-02 03:04:05"`}, []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05+02:00", "epoch", "2026-01-02T03:04:05.1234567"}},
		sqlq.JSON:     {map[string]string{`{"a":1}`: `{"a":1}`, `1`: `1`, `"nan, ]"`: `"nan, ]"`, `1.5`: `1.5`}, []string{"NaN", "[1,]", "{'a':1}", "plain", "{}x", `[-Infinity]`}},
		sqlq.String:   {map[string]string{"a  b": `"a  b"`, "null": `"null"`, "1e3": `"1e3"`}, nil},
	} {
		for i, text := range append(slices.Sorted(maps.Keys(texts.good)), texts.wrong...) {
			quoted, err := json.Marshal(text)
			require.NoError(t, err)
			directory := fmt.Sprintf("%s/%x", typ, text)
			f.put(t, directory+"/a.csv", "c,d\n\""+strings.ReplaceAll(text, `"`, `""`)+"\",\n")
			f.put(t, directory+"/list.csv", "c,d\n\"["+strings.ReplaceAll(string(quoted), `"`, `""`)+"]\",\n")
			f.put(t, directory+"/a.ndjson", fmt.Sprintf(`{"c":%s}`, quoted)+"\n")
			f.put(t, directory+"/p/c="+url.PathEscape(text)+"/a.csv", "x\n1\n")
			for pattern, column := range map[string]sqlq.Column{
				"a.csv": column("c", typ), "list.csv": column("c", sqlq.ArrayOf(typ)), "a.ndjson": column("c", typ), "p/c=*/a.csv": column("c", typ),
			} {
				isPartition := strings.HasPrefix(pattern, "p/")
				if i > len(texts.good) && column.Type.IsArray() {
					continue // JSON has elements of its own
				}
				if typ == sqlq.JSON && (pattern == "a.ndjson" || pattern == "list.csv") || isPartition && strings.EqualFold(text, "null") {
					continue // each string is JSON there; NULL has a test of its own
				}
				name := fmt.Sprintf("%s %q in %s", typ, text, pattern)
				table := f.table("items", pattern[strings.LastIndex(pattern, ".")+1:], directory+"/"+pattern, column)
				got := run(t.Context(), engine, reading("SELECT c FROM items", table))
				want, isGood := texts.good[text]
				switch {
				case !isGood:
					assert.Contains(t, got, "column c has the value", name)
				case column.Type.IsArray():
					assert.Equal(t, `{"c":[`+want+`]}`, got, name)
				default:
					assert.Equal(t, `{"c":`+want+`}`, got, name)
				}
			}
		}
	}
}

// Numbers of JSON keep their digits, or are an error: DuckDB reads one with a point as a FLOAT64.
func TestNumbersOfJSONFiles(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	engine := f.open(t, f.table("all", "csv", "*"))
	const wrong = "which"
	for number, want := range map[string]map[sqlq.Type]string{
		"1":                                    {sqlq.Int64: "1", sqlq.Float64: "1.0", sqlq.Numeric: "1.000000000", sqlq.String: `"1"`, sqlq.JSON: "1", sqlq.Bool: wrong, sqlq.Date: wrong, sqlq.Timestamp: wrong, sqlq.Datetime: wrong},
		"1.0":                                  {sqlq.Int64: "1", sqlq.String: `"1.0"`},
		"1e3":                                  {sqlq.Int64: "1000", sqlq.Numeric: "1000.000000000"},
		"1.5":                                  {sqlq.Int64: wrong, sqlq.Numeric: "1.500000000", sqlq.String: `"1.5"`},
		"9007199254740993":                     {sqlq.Int64: "9007199254740993", sqlq.Numeric: "9007199254740993.000000000", sqlq.String: `"9007199254740993"`, sqlq.Float64: "9007199254740992.0"},
		"9007199254740993.0":                   {sqlq.Int64: wrong, sqlq.Numeric: wrong, sqlq.String: wrong},
		"12345678901234.5":                     {sqlq.Numeric: "12345678901234.500000000"},
		"12345678901234567.123":                {sqlq.Numeric: wrong, sqlq.String: wrong, sqlq.Float64: "12345678901234568.0"},
		"123456789012345678901234":             {sqlq.Int64: wrong, sqlq.Numeric: "123456789012345678901234.000000000", sqlq.String: `"123456789012345678901234"`},
		"1e400":                                {sqlq.Float64: wrong, sqlq.Numeric: wrong},
		"1.00000000000000000001":               {sqlq.Int64: wrong, sqlq.Numeric: wrong, sqlq.String: wrong, sqlq.JSON: wrong, sqlq.Float64: "1.0"},
		"0.1000000000000000055511151231257827": {sqlq.Numeric: wrong, sqlq.String: wrong, sqlq.JSON: wrong, sqlq.Float64: "0.1"},
		"1.00000000000000000000e0":             {sqlq.Int64: "1", sqlq.Numeric: "1.000000000", sqlq.JSON: "1.0"},
		"0.30000000000000004":                  {sqlq.String: `"0.30000000000000004"`, sqlq.JSON: "0.30000000000000004", sqlq.Float64: "0.30000000000000004"},
		"1234567.123456789":                    {sqlq.Numeric: "1234567.123456789"},
		"0.00000000000000001":                  {sqlq.Numeric: wrong, sqlq.JSON: "1e-17"},
		"1e-400":                               {sqlq.Int64: wrong, sqlq.Float64: "0.0"},
		"12345678901234567890123456789012345678901234567890": {sqlq.Int64: wrong, sqlq.Numeric: wrong, sqlq.JSON: "12345678901234567890123456789012345678901234567890", sqlq.String: `"12345678901234567890123456789012345678901234567890"`, sqlq.Float64: "1.2345678901234567e49"},
		`{"a":[1.00000000000000000001]}`:                     {sqlq.JSON: wrong},
		`{"a":[0.30000000000000004]}`:                        {sqlq.JSON: `{"a":[0.30000000000000004]}`},
		`"1.00000000000000000001"`:                           {sqlq.String: `"1.00000000000000000001"`, sqlq.JSON: `"1.00000000000000000001"`},
		"1767323045678901":                                   {sqlq.Timestamp: `"2026-01-02 03:04:05.678901"`, sqlq.Date: wrong, sqlq.Datetime: wrong},
		"1767323045":                                         {sqlq.Timestamp: wrong},
		"1767323045678":                                      {sqlq.Timestamp: wrong},
		"1767323045678901234":                                {sqlq.Timestamp: wrong},
		"true":                                               {sqlq.Bool: "true", sqlq.String: `"true"`, sqlq.Int64: wrong, sqlq.Float64: wrong},
		`{"a":1}`:                                            {sqlq.JSON: `{"a":1}`, sqlq.String: wrong, sqlq.Int64: wrong},
		`[1]`:                                                {sqlq.JSON: `[1]`, sqlq.String: wrong, sqlq.Bool: wrong},
		`"1"`:                                                {sqlq.JSON: `"1"`, sqlq.String: `"1"`},
		"null":                                               {sqlq.Int64: "null", sqlq.Float64: "null", sqlq.Numeric: "null", sqlq.String: "null", sqlq.Bool: "null", sqlq.Timestamp: "null", sqlq.Date: "null", sqlq.Datetime: "null", sqlq.JSON: "null"},
		`""`:                                                 {sqlq.Int64: wrong, sqlq.Date: wrong, sqlq.String: `""`},
	} {
		f.put(t, "n.ndjson", `{"c":`+number+"}\n")
		f.put(t, "n.json", `[{"c":`+number+"}]\n")
		f.put(t, "l.ndjson", `{"other":1.00000000000000000001,"c":[`+number+"]}\n")
		f.put(t, "l.csv", "c,d\n\"["+strings.ReplaceAll(number, `"`, `""`)+"]\",1.00000000000000000001\n")
		for typ, value := range want {
			for _, name := range []string{"n.ndjson", "n.json", "l.ndjson", "l.csv"} {
				column, result := column("c", typ), value
				if name[0] == 'l' {
					column.Type, result = sqlq.ArrayOf(typ), "["+value+"]"
				}
				table := f.table("items", name[2:], name, column)
				got := run(t.Context(), engine, reading("SELECT c FROM items", table))
				if value == wrong {
					assert.Contains(t, got, "its column c has the value", "%s %s %s", number, typ, name)
				} else {
					assert.Equal(t, `{"c":`+result+`}`, got, "%s %s %s", number, typ, name)
				}
			}
		}
	}
}

// An empty field of CSV is NULL, and an empty quoted one is an empty text, or no value of the other types. A directory named NULL is an
// error: it can be a text, or none.
func TestFilesWithoutValues(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.put(t, "a.csv", "s,n,l,j,d\n,,,,\n\"\",\"\",\"\",\"\",\"\"\nNULL,1,[],null,2026-01-02\n")
	table := f.table("items", "csv", "a.csv", column("s", sqlq.String), column("n", sqlq.Int64), column("l", sqlq.ArrayOf(sqlq.Int64)), column("j", sqlq.JSON), column("d", sqlq.Date))
	engine := f.open(t, table)
	assert.Equal(t, `{"s":null,"n":null,"l":null,"j":null,"d":null} {"s":"","n":null,"l":null,"j":null,"d":null} {"s":"NULL","n":1,"l":[],"j":null,"d":"2026-01-02"}`,
		run(t.Context(), engine, reading("FROM items", table)))
	for value, want := range map[string]string{"__HIVE_DEFAULT_PARTITION__": "null", "": `""`, "a%20b": `"a b"`, "NULL": "", "null": "", "Null": ""} {
		f.put(t, "p"+value+"/v="+value+"/a.csv", "x\n1\n")
		partitioned := f.table("items", "csv", "p"+value+"/*/*.csv", column("v", sqlq.String))
		got := run(t.Context(), engine, reading("SELECT v FROM items", partitioned))
		if want == "" {
			assert.Contains(t, got, `"v=`+value+`/a.csv": its column v has the value "`+value+`", which can be a text or no value`)
			continue
		}
		assert.Equal(t, `{"v":`+want+`}`, got, value)
	}
}

// A number of Parquet that its column cannot hold is an error with its place, and none if a list has it.
func TestParquetBeyondItsColumn(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	const digits = "12345678901234567890123456789012345678"
	for name, test := range map[string]struct {
		typ                sqlq.Type
		actual, good, more string
	}{
		"unsigned": {sqlq.Int64, "UBIGINT", "9223372036854775807", "9223372036854775808"},
		"decimal":  {sqlq.Numeric, "DECIMAL(38,0)", "99999999999999999999999999999", digits},
		"double":   {sqlq.Float64, "BIGINT", "9007199254740992", "9007199254740993"},
		"prices":   {sqlq.Float64, "DECIMAL(38,18)", "12.300000000000000000", "12.345678901234567890"},
		"digits":   {sqlq.Float64, "DECIMAL(38,0)", "100000000000000000000", digits},
		"nanos":    {sqlq.Timestamp, "TIMESTAMP_NS", "'2026-01-02 03:04:05.123456'", "'2026-01-02 03:04:05.123456789'"},
		"json":     {sqlq.JSON, "VARCHAR", `'{"a":1}'`, "'{'"},
		"lists":    {sqlq.ArrayOf(sqlq.Int64), "UBIGINT[]", "[1, 2]", "[1, 18446744073709551615]"},
		"endless":  {sqlq.Date, "DATE", "'9999-12-31'", "'infinity'"},
		"early":    {sqlq.Date, "DATE", "'0001-01-01'", "'0044-03-15 (BC)'"},
		"late":     {sqlq.Date, "DATE", "'9999-12-31'", "'10000-01-01'"},
		"begin":    {sqlq.Datetime, "TIMESTAMP", "'0001-01-01 00:00:00'", "'-infinity'"},
		"end":      {sqlq.Timestamp, "TIMESTAMP WITH TIME ZONE", "'9999-12-31 23:59:59.999999+00'", "'infinity'"},
		"after":    {sqlq.Timestamp, "TIMESTAMP", "'9999-12-31 23:59:59.999999'", "'10000-01-01 00:00:00'"},
		"days":     {sqlq.ArrayOf(sqlq.Date), "DATE[]", "'[2026-11-01]'", "'[2026-11-01, 10000-01-01]'"},
	} {
		table := f.table("items", "parquet", name+"/*.parquet", column("c", test.typ))
		f.write(t, name+"/a.parquet", "SELECT "+test.good+"::"+test.actual+" AS c UNION ALL SELECT NULL")
		engine, query := f.open(t, table), reading("SELECT count(c) AS n FROM items", table)
		assert.Equal(t, `{"n":1}`, run(t.Context(), engine, query), name)
		f.write(t, name+"/b.parquet", "SELECT "+test.more+"::"+test.actual+" AS c")
		assert.Equal(t, `INTERNAL the files of the table items cannot be read: "b.parquet": its column c has the value "`+strings.Trim(test.more, "'")+`", which `+string(test.typ)+" cannot hold exactly",
			run(t.Context(), engine, query), name)
	}
	// Columns that are not declared get the type that holds most numbers.
	f.write(t, "undeclared.parquet", "SELECT "+digits+"::DECIMAL(38,0) AS c")
	described, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{f.table("items", "parquet", "undeclared.parquet")})
	require.NoError(t, err)
	assert.Contains(t, run(t.Context(), f.open(t, described...), reading("SELECT c FROM items", described...)), `"undeclared.parquet": its column c has the value "`+digits+`"`)
}

// A byte order mark changes nothing, whatever follows it. DuckDB by itself takes a list behind one for a row.
func TestFilesWithByteOrderMarks(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	engine := f.open(t, f.table("all", "csv", "*/*"))
	for i, test := range []struct{ format, content string }{
		{"csv", "x\na\nb\n"},
		{"csv", "\"x\"\r\na\r\nb"},
		{"ndjson", `{"x":"a"}` + "\n" + `{"x":"b"}`},
		{"json", `[{"x":"a"},{"x":"b"}]`},
		{"json", "\r\n [\n{\"x\":\"a\"},\n{\"x\":\"b\"}\n]\n"},
		{"json", `{"x":"a"} {"x":"b"}`},
		{"json", "\n{\n\"x\":\"a\"\n}\n{\n\"x\":\"b\"\n}"},
	} {
		for _, ending := range []string{"", ".gz"} {
			directory := fmt.Sprintf("%d%s", i, ending)
			table := f.table("items", test.format, directory+"/*."+test.format+ending, column("x", sqlq.String))
			pack := func(content string) string {
				if ending == "" {
					return content
				}
				var packed bytes.Buffer
				writer := gzip.NewWriter(&packed)
				_, err := writer.Write([]byte(content))
				require.NoError(t, errors.Join(err, writer.Close()))
				return packed.String()
			}
			query := reading("SELECT x FROM items ORDER BY x", table)
			f.put(t, directory+"/marked."+test.format+ending, pack("\ufeff"+test.content))
			assert.Equal(t, `{"x":"a"} {"x":"b"}`, run(t.Context(), engine, query), "%q%s", test.content, ending)
			f.put(t, directory+"/bare."+test.format+ending, pack(test.content))
			assert.Equal(t, `{"x":"a"} {"x":"a"} {"x":"b"} {"x":"b"}`, run(t.Context(), engine, query), "%q%s, also without", test.content, ending)
			sniffed, err := duckdb.SniffFile(t.Context(), f.table("sniffed", test.format, directory+"/marked."+test.format+ending))
			require.NoError(t, err)
			assert.Equal(t, []string{"x"}, namesOf(sniffed.Table.Files.Columns), "%q%s", test.content, ending)
		}
	}
	f.put(t, "wrong.json", "\ufeff[{\"x\":1},\n{\"x\":1.5}]")
	wrong := f.table("wrong", "json", "wrong.json", column("x", sqlq.Int64))
	assert.Equal(t, `INTERNAL the files of the table wrong cannot be read: "wrong.json", line 2: its column x has the value "1.5", which INT64 cannot hold exactly`,
		run(t.Context(), engine, reading("SELECT x FROM wrong", wrong)))
}

func namesOf(columns []sqlq.Column) (names []string) {
	for _, column := range columns {
		names = append(names, column.Name)
	}
	return names
}

// The names of directories are texts of any format's files.
func TestPartitionsAreNeverRounded(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	engine := f.open(t, f.table("all", "csv", "*"))
	for name, test := range map[string]struct {
		typ         sqlq.Type
		good, wrong string
	}{
		"n":   {sqlq.Int64, "1.0", "1.5"},
		"d":   {sqlq.Numeric, "1.5", "0.0000000001"},
		"day": {sqlq.Date, "2026-11-01", "2026-11-01 03%3A00%3A00"},
	} {
		for _, format := range []string{"parquet", "csv"} {
			table := f.table("items", format, name+"=*/*."+format, column("id", sqlq.Int64), column(name, test.typ))
			f.write(t, name+"="+test.good+"/a."+format, "SELECT 1 AS id")
			assert.Equal(t, `{"n":1}`, run(t.Context(), engine, reading("SELECT count("+name+") AS n FROM items", table)), name)
			f.write(t, name+"="+test.wrong+"/a."+format, "SELECT 1 AS id")
			assert.Equal(t, `INTERNAL the files of the table items cannot be read: "`+name+"="+test.wrong+"/a."+format+`": its column `+name+` has the value "`+
				strings.ReplaceAll(test.wrong, "%3A", ":")+`", which `+string(test.typ)+" cannot hold exactly", run(t.Context(), engine, reading("SELECT id FROM items", table)), name)
			require.NoError(t, os.Remove(filepath.Join(f.path, name+"="+test.wrong, "a."+format)))
		}
	}
}
