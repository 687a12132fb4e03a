package sqltext_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// Offsets in the rewritten text map to lines and columns of the original.
func TestRewrite(t *testing.T) {
	t.Parallel()
	const sql = "SELECT $a,\n  $b + x"
	rewritten := sqltext.Rewrite(sql, sqltext.Change{Start: 13, End: 15, Text: "CAST(NULL AS\nINT)"}, sqltext.Change{Start: 0, End: 0, Text: "WITH y AS (\n)\n"})
	assert.Equal(t, "WITH y AS (\n)\nSELECT $a,\n  CAST(NULL AS\nINT) + x", rewritten.Text)
	for text, want := range map[string][2]int{"WITH": {0, 0}, "SELECT": {1, 1}, "$a": {1, 8}, "CAST": {2, 3}, "INT)": {2, 3}, "+ x": {2, 6}} {
		offset := strings.Index(rewritten.Text, text)
		line, column := rewritten.Place(offset)
		assert.Equal(t, want, [2]int{line, column}, text)
		before := rewritten.Text[:offset]
		line, column = rewritten.OriginalPlace(1+strings.Count(before, "\n"), offset-strings.LastIndexByte(before, '\n'))
		assert.Equal(t, want, [2]int{line, column}, text)
	}
	line, column := rewritten.OriginalPlace(9, 9)
	assert.Equal(t, [2]int{9, 9}, [2]int{line, column}, "there is no such line")
}

// Common table expressions go before those of the SQL.
func TestHideTables(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT 1":                         "WITH a AS (x),\nb AS (y) SELECT 1",
		"-- WITH\nSELECT 1":                "-- WITH\nWITH a AS (x),\nb AS (y) SELECT 1",
		"/* c */ with c AS (z) SELECT 1":   "/* c */ with a AS (x),\nb AS (y), c AS (z) SELECT 1",
		"WITH RECURSIVE c AS (z) SELECT 1": "WITH RECURSIVE a AS (x),\nb AS (y), c AS (z) SELECT 1",
		"(SELECT 1)":                       "WITH a AS (x),\nb AS (y) (SELECT 1)",
	} {
		assert.Equal(t, want, sqltext.Rewrite(sql, sqltext.HideTables(googlesql.Dialect{}, sql, "a AS (x)", "b AS (y)")).Text, sql)
	}
}
