package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// filesToRead are CSV files of a table, the database that reads them, and one that cannot.
type filesToRead struct {
	*readFiles
	path       string
	table      *sqlq.Table
	db, closed *sql.DB
}

func newFilesToRead(t *testing.T) *filesToRead {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	table := &sqlq.Table{Name: "items", Files: &sqlq.Files{
		Pattern: filepath.Join(path, "*.csv"), Format: tables.CSV, Columns: []sqlq.Column{{Name: "id", Type: sqlq.Int64}},
	}}
	files := newReadFiles(tablefiles.New(time.Now, tablefiles.Directories(sqlq.Tables{table})))
	db, err := openFiles(t.Context(), files.Directories())
	require.NoError(t, err)
	t.Cleanup(func() {
		files.close()
		assert.NoError(t, db.Close())
	})
	closed, err := openFiles(t.Context(), files.Directories())
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	return &filesToRead{readFiles: files, path: path, table: table, db: db, closed: closed}
}

// put writes a file.
func (f *filesToRead) put(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(f.path, name), []byte(content), 0o600))
}

// listing returns the files.
func (f *filesToRead) listing(t *testing.T) *tablefiles.Listing {
	t.Helper()
	listing, err := f.List(f.table)
	require.NoError(t, err)
	return listing
}

// A file is read once for values that its column does not hold, whether it has one or not, until it changes.
func TestFilesAreReadOnceForMistakes(t *testing.T) {
	t.Parallel()
	files := newFilesToRead(t)
	fit := func(db *sql.DB) error { return files.fit(t.Context(), db, files.listing(t)) }
	for _, content := range []string{"id\n1.5\n", "id\n1\n", "id\n15.5\n", "id\n\"1"} {
		files.put(t, "a.csv", content)
		first := fit(files.db)
		assert.Equal(t, content != "id\n1\n", first != nil, content)
		assert.Equal(t, first, fit(files.closed), "%s is not read again", content)
		reloaded := *files.table
		reloaded.Files = new(sqlq.Files)
		*reloaded.Files = *files.table.Files
		files.table = &reloaded
		assert.Equal(t, first, fit(files.closed), "%s is not read again after a reload", content)
		files.put(t, "b.csv", "id\n2.5\n")
		require.Error(t, fit(files.db))
		require.NoError(t, os.Remove(filepath.Join(files.path, "b.csv")))
		assert.Equal(t, fmt.Sprint(first), fmt.Sprint(fit(files.db)))
	}
}

// All callers share the first reading of files. It goes on without a caller whose time has ended, or who has left, and without the one
// who started it. The next caller has what it found.
func TestFirstReadingIsShared(t *testing.T) {
	t.Parallel()
	files := newFilesToRead(t)
	files.db.SetMaxOpenConns(1)
	busy, err := files.db.Conn(t.Context()) // the reading waits for it
	require.NoError(t, err)
	files.put(t, "a.csv", "id\n1\n")
	listing := files.listing(t)
	ended, end := context.WithTimeout(t.Context(), 0)
	defer end()
	left, leave := context.WithCancel(t.Context())
	leave()
	err = files.fit(ended, files.db, listing)
	require.EqualError(t, err, "the files of the table items have changed and are still being read for the first time; try again in a moment")
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
	assert.True(t, sqlq.AsError(err).Rejected(), "it is no failure of the engine")
	require.ErrorIs(t, files.fit(left, files.closed, listing), context.Canceled)
	assert.False(t, files.knows(files.table, listing.Version))
	results := make(chan error)
	const callers = 10
	for range callers {
		go func() { results <- files.fit(t.Context(), files.closed, listing) }() // which would fail if it read
	}
	require.NoError(t, busy.Close())
	for range callers {
		require.NoError(t, <-results)
	}
	assert.True(t, files.knows(files.table, listing.Version))
	require.NoError(t, files.fit(ended, files.closed, listing), "what is known needs no time")
	// Files that change during a reading are read after it.
	busy, err = files.db.Conn(t.Context())
	require.NoError(t, err)
	files.put(t, "b.csv", "id\n2\n")
	require.Error(t, files.fit(ended, files.db, files.listing(t)))
	files.put(t, "c.csv", "id\n3\n")
	changed := files.listing(t)
	go func() { results <- files.fit(t.Context(), files.db, changed) }()
	require.NoError(t, busy.Close())
	require.NoError(t, <-results)
	assert.True(t, files.knows(files.table, changed.Version))
	// A reading ends with the engine.
	busy, err = files.db.Conn(t.Context())
	require.NoError(t, err)
	files.put(t, "d.csv", "id\n4\n")
	require.Error(t, files.fit(ended, files.db, files.listing(t)))
	files.close()
	require.NoError(t, busy.Close())
}

// A file that is not whole does not make the others be read again, neither when it comes nor when it is corrected.
func TestFirstReadingReadsChangedFilesOnly(t *testing.T) {
	t.Parallel()
	files := newFilesToRead(t)
	files.put(t, "a.csv", "id\n1\n")
	require.NoError(t, files.fit(t.Context(), files.db, files.listing(t)))
	files.put(t, "b.csv", "id\n\"2")
	require.Error(t, files.fit(t.Context(), files.closed, files.listing(t)), "only the new file is read, and not by DuckDB")
	assert.Len(t, files.tables["items"].whole.listing.Files, 1)
	files.put(t, "b.csv", "id\n2\n")
	require.NoError(t, files.fit(t.Context(), files.db, files.listing(t)))
	assert.Len(t, files.tables["items"].whole.listing.Files, 2)
}

// A pipe that takes the place of a file after it was found, and before DuckDB opens it, blocks nobody.
func TestFilesThatBecomePipes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.csv", "a.csv.gz", "a.ndjson", "a.json", "a.parquet"} {
		format := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(name, ".gz")), ".")
		path, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		path = filepath.Join(path, name)
		table := &sqlq.Table{Name: "items", Files: &sqlq.Files{Pattern: path, Format: format, Columns: []sqlq.Column{{Name: "id", Type: sqlq.String}}}}
		files := tablefiles.New(time.Now, tablefiles.Directories(sqlq.Tables{table}))
		db, err := openFiles(t.Context(), files.Directories())
		require.NoError(t, err)
		alone, err := sql.Open("duckdb", "")
		require.NoError(t, err)
		_, err = alone.ExecContext(t.Context(), "COPY (SELECT 'x' AS id) TO '"+path+"' (FORMAT "+strings.TrimPrefix(format, "nd")+")")
		require.NoError(t, err)
		require.NoError(t, alone.Close())
		engine := NewWithFiles(db, files)
		query := &sqlq.SavedQuery{Name: "test", SQL: "SELECT id FROM items", MaxRows: 10, Tables: sqlq.Tables{table}, Columns: []sqlq.Column{{Name: "id", Type: sqlq.String, Nullable: true}}}
		statement := sqlq.NewStatement(query, nil, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
		_, err = engine.Run(t.Context(), statement)
		require.NoError(t, err, name)
		found := engine.scan(query)
		require.NoError(t, os.Remove(path))
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		result, err := engine.runUnblocked(t.Context(), statement, found, engine.runOnce)
		assert.True(t, err != nil || len(result.Rows) == 0, name) // and the run notices that the file has changed
		assert.NotNil(t, engine.changed(found, false), name)
		_, err = engine.Run(t.Context(), statement)
		require.ErrorContains(t, err, "is not a regular file", name)
		engine.Close()
		require.NoError(t, db.Close())
	}
}
