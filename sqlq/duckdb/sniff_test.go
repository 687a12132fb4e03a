package duckdb_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// sniffed returns the columns that are found in a file, and the remarks, a line for each.
func sniffed(t *testing.T, f folder, file string) string {
	t.Helper()
	format, separator, err := tables.FormatOf(file)
	require.NoError(t, err)
	table := f.table("new", format, file)
	table.Files.Separator = separator
	found, err := duckdb.SniffFile(t.Context(), table)
	if err != nil {
		return tablefiles.Detail(err)
	}
	assert.Empty(t, table.Files.Columns, "the table is not changed")
	described, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{found.Table})
	require.NoError(t, err, "savedq check accepts the table")
	require.Len(t, described, 1)
	var lines []string
	for _, column := range found.Table.Files.Columns {
		lines = append(lines, column.Name+" "+string(column.Type))
		assert.Equal(t, !column.Type.IsArray(), column.Nullable)
	}
	lines = []string{strings.Join(lines, ", ")}
	if other := found.Table.Files.Separator; other != separator {
		lines = append(lines, "separator "+other)
	}
	for _, remark := range found.Remarks {
		lines = append(lines, strings.TrimPrefix(remark.Column+": "+remark.Text, ": "))
	}
	return strings.Join(lines, "\n")
}

// rowsOf returns rows of CSV or NDJSON, in which # is the number of the row.
func rowsOf(count int, row string) string {
	var rows strings.Builder
	for i := range count {
		rows.WriteString(strings.ReplaceAll(row, "#", strconv.Itoa(i)) + "\n")
	}
	return rows.String()
}

// The types of columns of text files hold every value exactly, also those after the rows that are looked at first.
func TestSniffTexts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, content, want string }{
		"all types": {
			"a.csv", "b,i,f,n,d,t,j,s\n" + rowsOf(10, `true,#,#.5,12345678901234567890,2026-11-01,2026-11-01T10:00:00Z,"[#]",x`),
			"b BOOL, i INT64, f FLOAT64, n NUMERIC, d DATE, t TIMESTAMP, j JSON, s STRING",
		},
		"few rows":   {"a.csv", "a,b\n1,\n", "a INT64, b STRING\nthe types are guesses from 1 row\nb: STRING, because no row has a value"},
		"few values": {"a.csv", "a,b\n1,x\n" + rowsOf(20, ",x"), "a INT64, b STRING\na: a guess from 1 value"},
		"no rows":    {"a.csv", "a,b\n", "a STRING, b STRING\na: STRING, because no row has a value\nb: STRING, because no row has a value"},
		"semicolons": {"a.csv", "a;b\n" + rowsOf(10, "#,5;#"), "a STRING, b INT64\nseparator ;\nvalues are separated by \";\"\n" +
			"a: numbers with decimal commas, such as \"0,5\"; in a query: CAST(REPLACE(a, ',', '.') AS NUMERIC)"},
		"tabs in csv": {"a.csv", "a\tb\n" + rowsOf(10, "#\t#"), "a INT64, b INT64\nseparator \t\nvalues are separated by \"\\t\""},
		"tsv":         {"a.tsv", "a\tb\n" + rowsOf(10, "x,#\t#"), "a STRING, b INT64"},
		"thousands": {
			"a.csv", "a\n" + rowsOf(9, `"1.234,5"`) + "7\n",
			"a STRING\na: numbers with decimal commas, such as \"1.234,5\"; in a query: CAST(REPLACE(REPLACE(a, '.', ''), ',', '.') AS NUMERIC)",
		},
		"zeros":   {"a.csv", "a\n01234\n" + rowsOf(10, "12345"), "a STRING\na: STRING, because numbers would lose the zeros of \"01234\""},
		"phones":  {"a.csv", "a\n" + rowsOf(10, "+4912345"), "a STRING"},
		"digits":  {"a.csv", "a,b\n" + rowsOf(10, "0.1234567890123456789,12345678901234567890123456789012345"), "a STRING, b STRING"},
		"numeric": {"a.csv", "a\n" + rowsOf(10, "123456789012345.12345"), "a NUMERIC"},
		"other dates": {
			"a.csv", "Day No\n" + rowsOf(9, "01.11.2026") + "31.12.2026\n",
			"Day No STRING\nDay No: dates such as \"01.11.2026\"; in a query: PARSE_DATE('%d.%m.%Y', `Day No`)",
		},
		"dates in two spellings": {
			"a.csv", "a\n" + rowsOf(9, "2026-11-01") + "31.12.2026\n",
			"a STRING\na: dates in 2 spellings, such as \"2026-11-01\", \"31.12.2026\"; in a query: COALESCE(SAFE.PARSE_DATE('%Y-%m-%d', a), SAFE.PARSE_DATE('%d.%m.%Y', a))",
		},
		"day or month": {
			"a.csv", "a\n" + rowsOf(10, "02/03/2026"),
			"a STRING\na: dates such as \"02/03/2026\"; in a query: PARSE_DATE('%m/%d/%Y', a); is the day or the month first?",
		},
		"day after month": {
			"a.csv", "a\n" + rowsOf(10, "02/03/2026") + "02/31/2026\n",
			"a STRING\na: dates such as \"02/03/2026\"; in a query: PARSE_DATE('%m/%d/%Y', a)",
		},
		"nearly numbers": {"a.csv", "a\n" + rowsOf(30, "#") + "n/a\n", "a STRING\na: STRING, because 1 of 31 values cannot be INT64 exactly, such as \"n/a\""},
		"far away":       {"a.csv", "a\n" + rowsOf(20_480, "1") + "n/a\n", "a STRING\na: STRING, because 1 of 20481 values cannot be INT64 exactly, such as \"n/a\""},
		"local times":    {"a.csv", "a\n" + rowsOf(10, "2026-11-01 10:00:00"), "a TIMESTAMP\na: times without an offset, such as \"2026-11-01 10:00:00\", are UTC"},
		"no header":      {"a.csv", rowsOf(11, "#,1#"), "0 INT64, 10 INT64\nthe first line looks like a row, and is read as the names of the columns; is a header missing?"},
		"names": {
			"a.csv", "a, b ,,A,C\n" + rowsOf(10, "#,#,#,#,#"),
			"b INT64, column2 INT64, C INT64\nthe columns \"a\" are left out: the header names them twice; rename one in the file\ncolumn2: the header has no name for it, and DuckDB calls it so",
		},
		"quotes and commas": {"a.csv", "\"a \"\"b\",c\n" + rowsOf(10, `"x, ""y""",#`), "a \"b STRING, c INT64"},
		"byte order mark":   {"a.csv", "\ufeffa,b\r\n1,2\r\n", "a INT64, b INT64\nthe types are guesses from 1 row"},

		"json": {
			"a.json", "[" + strings.TrimSuffix(rowsOf(10, `{"i":#,"f":1.5,"b":true,"s":"x","d":"2026-11-01","t":"2026-11-01T10:00:00Z","l":[1],"o":{"x":1},"lo":[{"x":1}],"n":null,"m":"1"},`), ",\n") + "]",
			"i INT64, f FLOAT64, b BOOL, s STRING, d DATE, t TIMESTAMP, l ARRAY<INT64>, o JSON, lo JSON, n STRING, m STRING\nn: STRING, because no row has a value",
		},
		"ndjson of two shapes": {"a.ndjson", rowsOf(10, `{"a":#}`) + `{"b":"x","a":null}` + "\n", "a INT64, b STRING"},
		"scalars of two types": {"a.ndjson", rowsOf(10, `{"a":#}`) + `{"a":"x"}` + "\n", "a STRING"},
		"scalar and object":    {"a.ndjson", rowsOf(10, `{"a":#}`) + `{"a":{"b":1}}` + "\n", "a JSON"},
		"large numbers":        {"a.ndjson", rowsOf(10, `{"a":12345678901234567890}`), "a NUMERIC"},
		"dates of json":        {"a.ndjson", rowsOf(10, `{"a":"01.11.2026"}`), "a STRING\na: dates such as \"01.11.2026\"; in a query: PARSE_DATE('%d.%m.%Y', a)"},
		"members": {
			"a.ndjson", rowsOf(10, `{"a":1,"A":2," b":3,"":4,"c d":5}`),
			"a INT64, c d INT64\nthe column \" b\" is left out: its name is empty, or begins or ends with a space; rename it in the file\n" +
				"the member \"\" is left out: it has no name, or that of another member but for the letter case\n" +
				"the member \"A\" is left out: it has no name, or that of another member but for the letter case",
		},
		"spaces between values": {"a.csv", "a b\n" + rowsOf(10, "# x"), "a b STRING"},
		"late column":           {"a.csv", "a,b\n" + rowsOf(21_000, "1,") + "1,2\n", "a INT64, b INT64\nb: a guess from 1 value"},
		"late member":           {"a.ndjson", rowsOf(21_000, `{"a":1}`) + `{"a":1,"b":"x"}` + "\n", "a INT64, b STRING"},

		"empty":           {"a.csv", "", `the files of the table new cannot be read: "a.csv": the file is empty`},
		"empty lines":     {"a.csv", "\n\n", `the files of the table new cannot be read: "a.csv": the file is empty`},
		"empty json":      {"a.json", "", `the files of the table new cannot be read: "a.json": it has no object with a member, so that no column is known`},
		"no objects":      {"a.json", "[]", `the files of the table new cannot be read: "a.json": it has no object with a member, so that no column is known`},
		"empty objects":   {"a.ndjson", "{}\n{}\n", `the files of the table new cannot be read: "a.ndjson": it has no object with a member, so that no column is known`},
		"not objects":     {"a.json", "[1]", `the files of the table new cannot be read: "a.json", line 1: a row is not an object`},
		"cut short":       {"a.ndjson", `{"a":1}` + "\n" + `{"a":`, `the files of the table new cannot be read: "a.ndjson", line 2: it ends before all brackets are closed; is the file cut short?`},
		"gzip by content": {"a.csv", "\x1f\x8b\x08\x00", `the files of the table new cannot be read: "a.csv": it is compressed with gzip, and its name does not say so; name it .gz or .zst`},
		"not gzip":        {"a.csv.gz", "a\n1\n", `the files of the table new cannot be read: "a.csv.gz": its name says that it is compressed with gzip, and it is not`},
		"utf-16":          {"a.csv", "\xff\xfea\x00,\x00b\x00\n\x00", `the files of the table new cannot be read: "a.csv": its encoding is UTF-16; save it as UTF-8`},
		"latin-1":         {"a.csv", "a\nM\xfcller\n", `the files of the table new cannot be read: "a.csv", line 2: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0xFC); save it as UTF-8`},
		"more values":     {"a.csv", "a,b\n1,2\n1,2,3\n" + rowsOf(10, "1,2"), `the files of the table new cannot be read: "a.csv": line 3 has 3 values, and the header 2`},
		"all left out":    {"a.csv", "a,a\n1,2\n", `the files of the table new cannot be read: "a.csv": it has no column that a table can have; the columns "a" are left out: the header names them twice; rename one in the file`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.put(t, test.file, test.content)
			assert.Equal(t, test.want, sniffed(t, f, test.file))
		})
	}
}

// Columns of Parquet files have types. Those that no column can have are left out.
func TestSniffParquet(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "a.parquet", `SELECT 1 AS "Id", 'x' AS name, DATE '2026-01-01' AS date, [1] AS list, {'a': 1} AS struct, 1.5::DECIMAL(38, 10) AS exact, 'x'::BLOB AS photo, 1 AS " b "`)
	assert.Equal(t, "Id INT64, name STRING, date DATE, list ARRAY<INT64>, struct JSON, exact STRING\n"+
		"the column \"photo\" is left out: its type BLOB has no equal\n"+
		"the column \" b \" is left out: its name is empty, or begins or ends with a space; rename it in the file\n"+
		"exact: STRING, because no type of numbers holds DECIMAL(38,10) exactly", sniffed(t, f, "a.parquet"))
	f.write(t, "b.parquet", `SELECT 'x'::BLOB AS photo`)
	assert.Equal(t, `the files of the table new cannot be read: "b.parquet": it has no column that a table can have; the column "photo" is left out: its type BLOB has no equal`, sniffed(t, f, "b.parquet"))
	f.put(t, "c.parquet", "not a Parquet file, but a long enough text")
	assert.Equal(t, `the files of the table new cannot be read: "c.parquet": it is not a Parquet file`, sniffed(t, f, "c.parquet"))
	f.write(t, "d.parquet", `SELECT 1 AS a LIMIT 0`)
	assert.Equal(t, "a INT64", sniffed(t, f, "d.parquet"))
}

// The value of a partition is a column, too.
func TestSniffPartition(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.put(t, filepath.Join("day=2026-11-01", "a.csv"), "a\n"+rowsOf(10, "#"))
	assert.Equal(t, "a INT64, day DATE", sniffed(t, f, filepath.Join("day=2026-11-01", "a.csv")))
	f.put(t, filepath.Join("day=2026-11-01", "a.ndjson"), rowsOf(10, `{"a":#}`))
	assert.Equal(t, "a INT64, day DATE", sniffed(t, f, filepath.Join("day=2026-11-01", "a.ndjson")))
}
