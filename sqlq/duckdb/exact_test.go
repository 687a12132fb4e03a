package duckdb_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// A value of CSV or JSON that its column does not hold exactly is an error, and never rounded. One that it holds is read,
// however it is written.
func TestFilesAreNeverRounded(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for name, test := range map[string]struct {
		typ         sqlq.Type
		good, wrong []string
	}{
		"int":     {sqlq.Int64, []string{"1", "-1", "1.0", "1.000", "1e3", "1.5e1", "9223372036854775807"}, []string{"1.5", "-0.5", "1.0000001", "15e-1", "1.55e1"}},
		"numeric": {sqlq.Numeric, []string{"1.123456789", "99999999999999999999999999999", "1.1234567890", "1e-9", "1e3"}, []string{"1.1234567891", "0.0000000001", "1e-10"}},
		"real":    {sqlq.Float64, []string{"0.1", "1.1234567891"}, nil},
	} {
		for _, value := range append(test.good, test.wrong...) {
			f.put(t, name+"/a.csv", "c\n1\n")
			f.put(t, name+"/b.csv", "c\n"+value+"\n")
			f.put(t, name+"/a.ndjson", `{"c":`+value+"}\n")
			f.put(t, name+"/lists.ndjson", `{"c":[0,`+value+"]}\n")
			for pattern, typ := range map[string]sqlq.Type{"*.csv": test.typ, "a.ndjson": test.typ, "lists.ndjson": sqlq.ArrayOf(test.typ)} {
				table := f.table("items", pattern[len(pattern)-3:], name+"/"+pattern, column("c", typ))
				if pattern != "*.csv" {
					table.Files.Format = "ndjson"
				}
				got := run(t.Context(), f.open(t, table), reading("SELECT count(c) AS n FROM items", table))
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
	assert.Equal(t, `{"n":2}`, run(t.Context(), f.open(t, days), reading("SELECT count(c) AS n FROM days", days)))
	assert.Equal(t, `INTERNAL the files of the table times cannot be read: "times.ndjson": its column c has the value "2026-01-03 04:05:06", which DATE cannot hold exactly`,
		run(t.Context(), f.open(t, times), reading("SELECT count(c) AS n FROM times", times)))
	_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{times})
	assert.ErrorContains(t, err, `"2026-01-03 04:05:06"`, "check finds it")
}
