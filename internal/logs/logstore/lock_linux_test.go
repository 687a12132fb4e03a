package logstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// isLocked reports whether a process has a lock on a file.
func isLocked(t *testing.T, path string) bool {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	locks, err := os.ReadFile("/proc/locks")
	require.NoError(t, err)
	return strings.Contains(string(locks), fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)) //nolint:forcetypeassert // Linux has no other.
}

// Closing any descriptor of a file would release DuckDB's lock on it, and another process
// could open the store.
func TestNothingReleasesTheLock(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	path := filepath.Join(directory, storeFile)
	require.True(t, isLocked(t, path))
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), 0, 10))
	for range 2 {
		backUp(t, store, func() {})
		assert.True(t, isLocked(t, path), "after a backup")
	}
	_, err = store.Checkpoint(t.Context())
	require.NoError(t, err)
	assert.Positive(t, store.FileBytes())
	require.NoError(t, store.FreeSpace(t.Context()))
	assert.True(t, isLocked(t, path))
	require.NoError(t, store.Close())
	assert.False(t, isLocked(t, path))
}
