package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// storedRows returns the edge logs of a store as JSON.
func storedRows(t *testing.T, data string) []string {
	t.Helper()
	store, err := logstore.OpenExisting(t.Context(), data, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	return rowsOf(t, store.DB(), "SELECT * FROM edge_logs")
}

// threeDays returns a store with a part for each of three days, its backup, the paths of its files, and its rows.
func threeDays(t *testing.T) (data, backup string, files, rows []string) {
	t.Helper()
	data, backup = filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backup")
	first := recentDay()
	files = addDays(t, data, first, first.AddDate(0, 0, 1), first.AddDate(0, 0, 2))
	require.Len(t, files, 3)
	runStore(t, statusOK, "backup", backup, "--data", data)
	return data, backup, files, storedRows(t, data)
}

// flip changes a byte in the middle of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

// Files that are damaged or missing come back from a backup, and only these are written.
func TestRestoreFiles(t *testing.T) {
	t.Parallel()
	data, backup, files, rows := threeDays(t)
	out, _ := runStore(t, statusOK, "restore", backup, "--data", data)
	assert.Equal(t, data+": no file is damaged or missing\n", out)
	untouched, err := os.Stat(files[1])
	require.NoError(t, err)
	flip(t, files[0])
	require.NoError(t, os.Remove(files[2]))
	require.NoError(t, os.WriteFile(files[2]+".partial", []byte("of an interrupted restore"), 0o600))
	out, _ = runStore(t, statusOK, "restore", backup, "--data", data)
	assert.Equal(t, 2, strings.Count(out, "; it was put back\n"), out)
	assert.Contains(t, out, filepath.Base(files[2])+" is damaged: it is missing; it has 10 events of ")
	runStore(t, statusOK, "check", "--data", data)
	assert.Equal(t, rows, storedRows(t, data))
	assert.NoFileExists(t, files[2]+".partial")
	now, err := os.Stat(files[1])
	require.NoError(t, err)
	assert.True(t, os.SameFile(untouched, now))

	flip(t, files[0])
	flip(t, filepath.Join(backup, parts.Directory, filepath.Base(files[0])))
	latest := addDays(t, data, recentDay().AddDate(0, 0, -1))
	require.NoError(t, os.Remove(latest[3]))
	out, problems := runStore(t, statusFailed, "restore", backup, "--data", data)
	assert.Equal(t, 2, strings.Count(out, "; the backup does not have it undamaged\n"), out)
	assert.Contains(t, problems, "2 files in "+filepath.Join(data, parts.Directory)+" are damaged or missing")
}

// The events of a day come back that the store lacks, as they were, and no others.
func TestRestoreADay(t *testing.T) {
	t.Parallel()
	data, backup, _, rows := threeDays(t)
	day := recentDay().AddDate(0, 0, 1).Format(time.DateOnly)
	ofDay := slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return !strings.Contains(row, day) })
	require.Len(t, ofDay, 10)
	out, _ := runStore(t, statusOK, "restore", backup, "--data", data, "--day", day)
	assert.Equal(t, day+": 0 events restored, 10 events were there already\n", out)
	runStore(t, statusOK, "delete", "--project", "acme", "--data", data)
	assert.Empty(t, storedRows(t, data))
	out, _ = runStore(t, statusOK, "restore", backup, "--data", data, "--day", day)
	assert.Equal(t, day+": 10 events restored, 0 events were there already\n", out)
	assert.Equal(t, ofDay, storedRows(t, data))
	other := recentDay().Format(time.DateOnly)
	out, _ = runStore(t, statusOK, "restore", backup, "--data", data, "--day", other, "--day", day)
	assert.Equal(t, other+": 10 events restored, 0 events were there already\n"+day+": 0 events restored, 10 events were there already\n", out)
	assert.Len(t, storedRows(t, data), 20)
	runStore(t, statusOK, "check", "--data", data)
}

// A store must have the sources of authors whose events it gets.
func TestRestoreOwnSource(t *testing.T) {
	t.Parallel()
	data, backup := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backup")
	fillStore(t, data)
	own := &sqlq.Table{Name: "worker_logs", Fields: []sqlq.Field{{Name: "took", Type: sqlq.Int64, Path: []string{"took"}}}}
	at := time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC)
	with := func(directory string, work func(store *logstore.Store)) {
		store, err := logstore.Open(t.Context(), directory, "")
		require.NoError(t, err)
		work(store)
		require.NoError(t, store.Close())
	}
	declare := func(store *logstore.Store) {
		require.NoError(t, store.Declare(t.Context(), append(tables.Shipped(), own)))
	}
	with(backup, func(store *logstore.Store) {
		declare(store)
		event := &logevent.Event{ID: "1", Timestamp: at, Metadata: []byte(`[{"took":7}]`)}
		accepted := logstore.Accepted{Source: own, Event: event, ID: logevent.FingerprintOf(own, event.ID), At: at}
		require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: slices.Values([]logstore.Accepted{accepted})}))
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
	})
	_, problems := runStore(t, statusFailed, "restore", backup, "--data", data, "--day=2026-03-01")
	assert.Contains(t, problems, "nothing of 2026-03-01 was restored: ")
	assert.Contains(t, problems, "the store has no log source worker_logs; start a server with the tables that declare it first")
	with(data, declare)
	out, _ := runStore(t, statusOK, "restore", backup, "--data", data, "--day=2026-03-01")
	assert.Equal(t, "2026-03-01: 1 event restored, 0 events were there already\n", out)
	with(data, func(store *logstore.Store) {
		assert.Equal(t, []string{`{"id":"1","took":7}`}, rowsOf(t, store.DB(), "SELECT id, took FROM worker_logs"))
	})
}

// Wrong values are explained, and change nothing.
func TestRestoreMistakes(t *testing.T) {
	t.Parallel()
	data, empty, kept := filepath.Join(t.TempDir(), "data"), t.TempDir(), t.TempDir()
	fillStore(t, data)
	require.NoError(t, os.CopyFS(filepath.Join(kept, "2020-01-01T00-00-00Z"), os.DirFS(data)))
	inUse := t.TempDir()
	held, err := logstore.Open(t.Context(), inUse, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, held.Close()) }()
	for want, args := range map[string][]string{
		`--day: "yesterday" is not a date; use for example 2026-11-20`:                                               {data, "--data", data, "--day=yesterday"},
		"there is no backup in " + empty:                                                                             {empty, "--data", data},
		kept + " has backups; name one of them, such as " + filepath.Join(kept, "2020-01-01T00-00-00Z"):              {kept, "--data", data},
		"there is no store in " + empty + "; to restore all of a backup, put its files into an empty data directory": {data, "--data", empty},
		data + " is the store itself; name a backup of it":                                                           {data, "--data", data},
		"in use": {data, "--data", inUse},
	} {
		var out, problems strings.Builder
		assert.NotEqual(t, statusOK, Run(t.Context(), append([]string{"store", "restore"}, args...), &out, &problems))
		assert.Contains(t, problems.String(), want)
		assert.Empty(t, out.String())
	}
}
