package logstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// A directory means what the system means by it, even if DuckDB interprets its name.
func TestOpenWithSpecialDirectoryNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, directory := range []string{"~/logs", "~", "file:x", "s3:x", "md:x", "duckdb:x", ":memory:", "./with space/x", "it's", "%41", "*"} {
		for range 2 {
			store, err := logstore.Open(t.Context(), directory, "")
			require.NoError(t, err, directory)
			add(t, store, logstore.Sent, "1")
			ingestEvents(t, store, source(t, "auth_logs"), event(1))
			require.NoError(t, store.Close())
		}
		assert.True(t, logstore.Exists(directory), directory)
		manifest, err := parts.Read(directory)
		require.NoError(t, err)
		assert.Len(t, manifest.Parts, 3, directory)
		checkFiles(t, directory)
	}
}

// Open rejects what is no store, and does not change it.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "unmounted"), link))
	for name, test := range map[string]struct{ directory, memory, want string }{
		"a directory that cannot be made": {filepath.Join(file, "data"), "", "create the data directory"},
		"a link to nothing":               {link, "", "create the data directory: " + link + " is a link to a directory that does not exist; choose another --data directory"},
		"below a link to nothing":         {filepath.Join(link, "data"), "", "create the data directory: " + link + " is a link to a directory that does not exist; choose another --data directory"},
		"an invalid memory limit":         {t.TempDir(), "plenty", "prepare DuckDB"},
	} {
		_, err := logstore.Open(t.Context(), test.directory, test.memory)
		require.ErrorContains(t, err, test.want, name)
	}
	directory := filepath.Join(t.TempDir(), "what?")
	_, err := logstore.Open(t.Context(), directory, "")
	require.ErrorContains(t, err, "must not have a question mark in its name")
	assert.NoDirExists(t, directory)

	directory = t.TempDir()
	require.NoError(t, open(t, directory).Close())
	manifest := filepath.Join(directory, parts.ManifestName)
	for content, want := range map[string]string{
		"not a manifest\n":                           "is damaged; restore it from a backup, it was not changed",
		`{"format": 99, "program": "savedq v9.1.0"}`: "was written by savedq v9.1.0 and has the format 99, but this savedq reads formats up to 1; use that program or a newer one, or choose another --data directory",
	} {
		require.NoError(t, os.WriteFile(manifest, []byte(content), 0o600))
		for range 2 {
			_, err := logstore.Open(t.Context(), directory, "")
			require.ErrorContains(t, err, want)
		}
		after, err := os.ReadFile(manifest)
		require.NoError(t, err)
		assert.Equal(t, content, string(after))
	}
	_, err = logstore.OpenExisting(t.Context(), t.TempDir(), "")
	require.ErrorContains(t, err, "load logs into it first, or choose another --data directory")
}

// A store has an id of its own, which stays the same, and names the program that had it open last.
func TestStoreID(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	idOf := func(directory string) string {
		store := open(t, directory, logstore.WithProgram("savedq 1"))
		id, err := store.ID(t.Context())
		require.NoError(t, err)
		require.NoError(t, store.Close())
		return id
	}
	id := idOf(directory)
	assert.NotEmpty(t, id)
	assert.Equal(t, id, idOf(directory))
	assert.NotEqual(t, id, idOf(t.TempDir()))
	for _, program := range []string{"savedq 1", "savedq 2"} {
		store := open(t, directory, logstore.WithProgram(program))
		add(t, store, logstore.Sent, program)
		require.NoError(t, store.Close())
		manifest, err := parts.Read(directory)
		require.NoError(t, err)
		assert.Equal(t, program, manifest.Program)
	}
}

// Only the owner can read the store, in a directory of any mode, with files that were readable before.
func TestPrivate(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.Chmod(directory, 0o755))
	private := func() {
		t.Helper()
		files, err := os.ReadDir(directory)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			info, err := file.Info()
			require.NoError(t, err)
			assert.Zero(t, info.Mode().Perm()&0o077, "%s has the mode %o", file.Name(), info.Mode().Perm())
		}
		for _, path := range glob(t, directory, "*") {
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Zero(t, info.Mode().Perm()&0o077, "%s has the mode %o", path, info.Mode().Perm())
		}
	}
	store := open(t, directory)
	add(t, store, logstore.Sent, "a")
	ingestRejected(t, store, 1, rejectedEvents(1))
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	require.Len(t, glob(t, directory, "*"), 3)
	private()
	require.NoError(t, store.Close())
	for _, name := range []string{parts.ManifestName, parts.Directory, "lock"} {
		require.NoError(t, os.Chmod(filepath.Join(directory, name), 0o755))
	}
	store = open(t, directory)
	private()
	require.NoError(t, store.Close())
}

// A store is in use until it is closed, whatever is done with its files, and again after that.
func TestStoreInUse(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	inUse := func() {
		t.Helper()
		_, err := logstore.Open(t.Context(), directory, "")
		require.ErrorIs(t, err, logstore.ErrInUse)
		require.ErrorContains(t, err, fmt.Sprintf("the store in %s is in use by another process (PID %d); stop it first, or choose another --data directory", directory, os.Getpid()))
	}
	inUse()
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), 0, 10))
	for range 2 {
		backUp(t, store, newWriter(t, filepath.Join(t.TempDir(), "backup")), nil)
		inUse()
	}
	require.NoError(t, logstore.Check(t.Context(), directory, func(damaged logstore.DamagedPart) { t.Error(damaged) }))
	inUse()
	assert.Equal(t, holds(10), contents(t, store, "edge_logs", "edge_requests"))
	require.NoError(t, store.Close())
	require.NoError(t, open(t, directory).Close())
}

// Spilled data is limited, and only the query over the limit fails.
func TestSpillLimit(t *testing.T) {
	t.Parallel()
	const spilling = `SELECT sum(length(text) + place) FROM (
		SELECT text, row_number() OVER (ORDER BY hash(i)) AS place FROM (SELECT i, repeat(i::VARCHAR, 60) AS text FROM range(400000) AS numbers(i)))`
	for name, limit := range map[string]string{"none": "0B", "a small one": "1MiB"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := logstore.Open(t.Context(), t.TempDir(), "64MiB", logstore.WithSpillLimit(limit))
			require.NoError(t, err)
			defer func() { require.NoError(t, store.Close()) }()
			var sum int64
			err = store.DB().QueryRowContext(t.Context(), spilling).Scan(&sum)
			var failure *duckdb.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, duckdb.ErrorTypeOutOfMemory, failure.Type)
			assert.Contains(t, failure.Msg, "max_temp_directory_size")
			require.NoError(t, store.Ping(t.Context()))
			add(t, store, logstore.Sent, "1")
		})
	}
}

// Without a configured limit, a store leaves free space on the disk.
func TestDefaultSpillLimit(t *testing.T) {
	t.Parallel()
	assert.Regexp(t, `^\d+(\.\d+)? (bytes|[KMG]iB)$`, texts(t, openFile(t), "SELECT current_setting('max_temp_directory_size')")[0])
}

// Spilled files of a killed process are removed; other files stay.
func TestOldSpilledFilesAreRemoved(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	spilled := filepath.Join(directory, "spill")
	require.NoError(t, os.Mkdir(spilled, 0o700))
	for _, name := range []string{"duckdb_temp_storage_S32K-0.tmp", "duckdb_temp_block-1.block", "note.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(spilled, name), []byte("x"), 0o600))
	}
	store := open(t, directory)
	left, err := filepath.Glob(filepath.Join(spilled, "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(spilled, "note.txt")}, left)
	require.NoError(t, store.Close())
}
