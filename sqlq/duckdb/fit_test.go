package duckdb

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// A file is read once for values that its column does not hold, whether it has one or not, until it changes.
func TestFilesAreReadOnceForMistakes(t *testing.T) {
	t.Parallel()
	path, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	table := &sqlq.Table{Name: "items", Files: &sqlq.Files{
		Pattern: filepath.Join(path, "*.csv"), Format: tables.CSV, Columns: []sqlq.Column{{Name: "id", Type: sqlq.Int64}},
	}}
	found := tablefiles.New(time.Now, tablefiles.Directories(sqlq.Tables{table}))
	db, err := openFiles(t.Context(), found.Directories())
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	closed, err := openFiles(t.Context(), found.Directories())
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	files := &readFiles{Files: found}
	fit := func(db *sql.DB) error {
		listing, err := found.List(table)
		require.NoError(t, err)
		return files.fit(t.Context(), db, listing)
	}
	for _, content := range []string{"id\n1.5\n", "id\n1\n", "id\n15.5\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(path, "a.csv"), []byte(content), 0o600))
		first := fit(db)
		assert.Equal(t, content != "id\n1\n", first != nil, content)
		assert.Equal(t, first, fit(closed), "%s is not read again", content)
		require.NoError(t, os.WriteFile(filepath.Join(path, "b.csv"), []byte("id\n2.5\n"), 0o600))
		require.Error(t, fit(db))
		require.NoError(t, os.Remove(filepath.Join(path, "b.csv")))
		assert.Equal(t, fmt.Sprint(first), fmt.Sprint(fit(db)))
	}
}
