package logstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// Only the owner can read the store, in a directory of any mode, with files that were readable before, and
// after the log was created again.
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
	}
	opened := func(test func(*logstore.Store)) {
		t.Helper()
		store, err := logstore.Open(t.Context(), directory, "")
		require.NoError(t, err)
		test(store)
		require.NoError(t, store.Close())
	}
	opened(func(store *logstore.Store) {
		add(t, store, logstore.Sent, "a")
		private()
		require.FileExists(t, filepath.Join(directory, "savedq.duckdb.wal"), "a log is open")
	})
	require.NoError(t, os.Chmod(filepath.Join(directory, "savedq.duckdb"), 0o644))
	opened(func(*logstore.Store) { private() })
}
