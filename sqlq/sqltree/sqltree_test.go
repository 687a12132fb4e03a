package sqltree_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/sqltree"
)

func open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sqltree.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// Other statements than SELECT have no tree; the reason is the parser's.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	db := open(t)
	for text, want := range map[string]error{
		"SELECT":                     sqltree.ErrSyntax,
		"SELECT 1 FROM WHERE":        sqltree.ErrSyntax,
		"DROP TABLE edge_logs":       sqltree.ErrNotSelect,
		"PIVOT edge_logs ON project": sqltree.ErrNotSelect,
		"SELECT 1; SELECT 2":         sqltree.ErrNotOne,
		"":                           sqltree.ErrNotOne,
	} {
		_, err := sqltree.Parse(t.Context(), db, text)
		require.ErrorIs(t, err, want, text)
	}
	_, err := sqltree.Parse(t.Context(), db, "SELECT 1 FROM WHERE")
	require.ErrorContains(t, err, "at or near")
}

// The parser's database reads no files, and its settings cannot be changed.
func TestOpenIsSealed(t *testing.T) {
	t.Parallel()
	db := open(t)
	_, err := db.ExecContext(t.Context(), "SELECT * FROM read_text('/etc/hostname')")
	require.ErrorContains(t, err, "disabled by configuration")
	_, err = db.ExecContext(t.Context(), "SET enable_external_access = true")
	require.Error(t, err)
}

// Tables are those that are not common table expressions in their place.
func TestTables(t *testing.T) {
	t.Parallel()
	db := open(t)
	for text, want := range map[string]string{
		"SELECT 1":                          "",
		"FROM b, a JOIN a AS c USING (x)":   "a a b",
		"TABLE a":                           "a",
		"SELECT (SELECT 1 FROM a) FROM 'b'": "a b",
		"WITH a AS (FROM b), c AS (FROM a) FROM c, A, d":                              "b d",
		"WITH a AS (FROM a) FROM a":                                                   "a",
		"SELECT * FROM (WITH a AS (FROM b) FROM a), a":                                "a b",
		"WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r, t) FROM r": "t",
		"FROM s.a, main.b, \"C d\"":                                                   "C d a b",
		"FROM a PIVOT (count(*) FOR x IN ('y') GROUP BY z)":                           "a",
		"SELECT 1 FROM a UNION ALL SELECT 2 FROM b ORDER BY (SELECT 1 FROM c)":        "a b c",
	} {
		tree, err := sqltree.Parse(t.Context(), db, text)
		require.NoError(t, err, text)
		var names []string
		for _, table := range sqltree.Tables(tree) {
			names = append(names, table.Text("table_name"))
		}
		assert.ElementsMatch(t, strings.Fields(strings.ReplaceAll(want, "C d", "C_d")), strings.Fields(strings.ReplaceAll(strings.Join(names, " "), "C d", "C_d")), text)
	}
}

// Expressions are printed as SQL that means the same.
func TestPrint(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, expression := range []string{
		"date_trunc('day', x)", "CASE $p WHEN 'a' THEN 1 ELSE 2 END", "CAST(x AS DATE)", "[1, 2][1]", "'a<b>&''c'", "18446744073709551616", "-1.5",
	} {
		tree, err := sqltree.Parse(t.Context(), db, "SELECT "+expression+" AS alias")
		require.NoError(t, err)
		printed, err := sqltree.Print(t.Context(), db, tree.List("select_list")[0])
		require.NoError(t, err, expression)
		again, err := sqltree.Parse(t.Context(), db, "SELECT "+printed)
		require.NoError(t, err, printed)
		assert.Equal(t, without(tree.List("select_list")[0]), without(again.List("select_list")[0]), printed)
	}
}

// without returns a node without places and its alias.
func without(node sqltree.Node) sqltree.Node {
	return node.Map(func(node sqltree.Node) sqltree.Node {
		if _, ok := node["query_location"]; !ok {
			return nil
		}
		copied := make(sqltree.Node)
		for key, value := range node {
			if key != "query_location" && key != "alias" {
				copied[key] = value
			}
		}
		return without(copied)
	})
}

// Offsets are bytes of the text.
func TestOffset(t *testing.T) {
	t.Parallel()
	tree, err := sqltree.Parse(t.Context(), open(t), "SELECT 'ü',\n  now()")
	require.NoError(t, err)
	offset, ok := tree.List("select_list")[1].Offset()
	assert.True(t, ok)
	assert.Equal(t, 15, offset)
	_, ok = tree.Child("from_table").Offset()
	assert.False(t, ok, "the largest number of 64 bits")
	_, ok = sqltree.Node(nil).Offset()
	assert.False(t, ok)
}
