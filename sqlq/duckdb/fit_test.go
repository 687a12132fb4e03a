package duckdb

import (
	"context"
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

// countedReader counts queries.
type countedReader struct {
	*sql.DB

	queries int
}

func (r *countedReader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.queries++
	return r.DB.QueryContext(ctx, query, args...)
}

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
	files, reader := newReadFiles(found), &countedReader{DB: db}
	fit := func() error {
		listing, err := found.List(table)
		require.NoError(t, err)
		return files.fit(t.Context(), reader, listing)
	}
	for _, content := range []string{"id\n1.5\n", "id\n1\n", "id\n15.5\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(path, "a.csv"), []byte(content), 0o600))
		first := fit()
		assert.Equal(t, content != "id\n1\n", first != nil, content)
		before := reader.queries
		assert.Equal(t, fmt.Sprint(first), fmt.Sprint(fit()))
		assert.Equal(t, before, reader.queries, content)
		require.NoError(t, os.WriteFile(filepath.Join(path, "b.csv"), []byte("id\n2.5\n"), 0o600))
		require.Error(t, fit())
		require.NoError(t, os.Remove(filepath.Join(path, "b.csv")))
		assert.Equal(t, fmt.Sprint(first), fmt.Sprint(fit()))
	}
}
