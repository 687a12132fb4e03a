package logstore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/tables"
)

// No table or field can have a name that DuckDB reads as something else, or that the store has for itself.
func TestReservedNames(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	const names = `SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')
		UNION SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views() WHERE NOT internal`
	rows, err := store.DB().QueryContext(t.Context(), names)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	seen := 0
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		isSource := func() bool { _, found := shippedTables().FindSource(name); return found }
		assert.True(t, tables.IsReserved(name) || isSource(), name)
		seen++
	}
	require.NoError(t, rows.Err())
	assert.Greater(t, seen, 90)
}
