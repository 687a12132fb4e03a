package duckdb_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		"int":     {sqlq.Int64, []string{"1", "-1", "1.0", "1.000", "1e3", "1.5e1", "9223372036854775807"}, []string{"1.5", "-0.5", "1.0000001", "15e-1", "1.55e1"}},
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
	assert.Equal(t, `INTERNAL the files of the table times cannot be read: "times.ndjson": its column c has the value "2026-01-03 04:05:06", which DATE cannot hold exactly`,
		run(t.Context(), engine, reading("SELECT count(c) AS n FROM times", times)))
	_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{times})
	assert.ErrorContains(t, err, `"2026-01-03 04:05:06"`, "check finds it")
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
		"lists":    {sqlq.ArrayOf(sqlq.Int64), "UBIGINT[]", "[1, 2]", "[1, 18446744073709551615]"},
	} {
		table := f.table("items", "parquet", name+"/*.parquet", column("c", test.typ))
		f.write(t, name+"/a.parquet", "SELECT "+test.good+"::"+test.actual+" AS c UNION ALL SELECT NULL")
		engine, query := f.open(t, table), reading("SELECT count(c) AS n FROM items", table)
		assert.Equal(t, `{"n":1}`, run(t.Context(), engine, query), name)
		f.write(t, name+"/b.parquet", "SELECT "+test.more+"::"+test.actual+" AS c")
		assert.Equal(t, `INTERNAL the files of the table items cannot be read: "b.parquet": its column c has the value "`+test.more+`", which `+string(test.typ)+" cannot hold exactly",
			run(t.Context(), engine, query), name)
	}
	// Columns that are not declared get the type that holds most numbers.
	f.write(t, "undeclared.parquet", "SELECT "+digits+"::DECIMAL(38,0) AS c")
	described, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{f.table("items", "parquet", "undeclared.parquet")})
	require.NoError(t, err)
	assert.Contains(t, run(t.Context(), f.open(t, described...), reading("SELECT c FROM items", described...)), `"undeclared.parquet": its column c has the value "`+digits+`"`)
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
