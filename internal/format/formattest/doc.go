// Package formattest reads rows in output formats with readers of others, for tests. Only tests may import it.
package formattest

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // reads Parquet and CSV
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// DuckDB opens a database in memory, which is closed at the end of the test.
func DuckDB(tb testing.TB) *sql.DB {
	tb.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, db.Close()) })
	return db
}

// fileOf writes a file, and returns its path.
func fileOf(tb testing.TB, content []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "rows")
	require.NoError(tb, os.WriteFile(path, content, 0o600))
	return path
}
