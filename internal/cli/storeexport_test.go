package cli

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// rowsOf returns the rows of a query as JSON.
func rowsOf(t *testing.T, db *sql.DB, query string) (found []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT to_json(rows)::VARCHAR FROM ("+query+") AS rows ORDER BY ALL")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		var row string
		require.NoError(t, rows.Scan(&row))
		found = append(found, row)
	}
	require.NoError(t, rows.Err())
	return found
}

// The files have the rows of the views, one for each source and day, also while a server has the store open.
func TestStoreExport(t *testing.T) {
	t.Parallel()
	data, directory := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "files")
	fillStore(t, data)
	store, err := logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	first, second := tables.Shipped()[0].Name, tables.Shipped()[4].Name
	out, _ := runStore(t, statusOK, "export", directory, "--data", data)
	assert.True(t, strings.HasSuffix(out, "20 events in 20 files\n"), out)
	assert.Contains(t, out, filepath.Join(directory, "source="+first, "day=2026-03-01", "events.parquet")+": 1 event\n")
	files, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	defer func() { require.NoError(t, files.Close()) }()
	for _, source := range []string{first, second} {
		want := rowsOf(t, store.DB(), "SELECT * FROM "+source)
		assert.Len(t, want, 10)
		assert.Equal(t, want, rowsOf(t, files, "SELECT * FROM read_parquet('"+filepath.Join(directory, "source="+source, "*", "*")+"', hive_partitioning = false)"))
	}
	assert.Equal(t, []string{`{"count":1}`}, rowsOf(t, files, "SELECT count(*) AS count FROM read_parquet('"+directory+"/*/*/*') WHERE source = '"+second+"' AND day = '2026-03-12'"))

	_, problems := runStore(t, statusFailed, "export", directory, "--data", data, "--source", first, "--from=2026-03-02")
	assert.Contains(t, problems, "day=2026-03-02/events.parquet: file already exists; nothing was written; choose another directory, or add --overwrite")
	out, _ = runStore(t, statusOK, "export", directory, "--data", data, "--overwrite", "--source", first, "--from=2026-03-02", "--through=2026-03-04")
	assert.True(t, strings.HasSuffix(out, "3 events in 3 files\n"), out)
	out, _ = runStore(t, statusOK, "export", filepath.Join(directory, "none"), "--data", data, "--through=2026-02-28")
	assert.Equal(t, "0 events in 0 files\n", out)
}

// Wrong values are explained.
func TestStoreExportMistakes(t *testing.T) {
	t.Parallel()
	data, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "file")
	fillStore(t, data)
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for want, args := range map[string][]string{
		`--from: "yesterday" is not a date; use for example 2026-11-20`: {t.TempDir(), "--data", data, "--from=yesterday"},
		`--through: 2026-01-01 is before --from, 2026-01-02`:            {t.TempDir(), "--data", data, "--from=2026-01-02", "--through=2026-01-01"},
		file + " is a file; choose a directory":                         {file, "--data", data},
		"there is no store in " + filepath.Dir(data):                    {t.TempDir(), "--data", filepath.Dir(data)},
		"--source: ": {t.TempDir(), "--data", data, "--source=nosuch"},
	} {
		var out, problems strings.Builder
		assert.NotEqual(t, statusOK, Run(t.Context(), append([]string{"store", "export"}, args...), &out, &problems))
		assert.Contains(t, problems.String(), want)
	}
	_, problems := runStore(t, statusFailed, "check", "--data", file)
	assert.Contains(t, problems, file+" is a file; name the --data directory of a server, or a backup, whose files are all checked")
}
