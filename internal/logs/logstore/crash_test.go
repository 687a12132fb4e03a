package logstore_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// A store that was cut off in the middle opens again with what was committed: its
// files are taken as they are while it is open, as they are after kill -9.
func TestOpenAfterCrash(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	for i := range 3 {
		add(t, store, logstore.Sent, strconv.Itoa(i))
	}
	unfinished, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	defer func() { require.NoError(t, unfinished.Rollback()) }()

	var directory string
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT path FROM duckdb_databases() WHERE NOT internal").Scan(&directory))
	files, err := filepath.Glob(filepath.Join(filepath.Dir(directory), "*"))
	require.NoError(t, err)
	crashed := t.TempDir()
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(crashed, filepath.Base(file)), data, 0o600))
	}
	again, err := logstore.Open(t.Context(), crashed, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, again.Close()) }()
	var events int
	require.NoError(t, again.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM edge_logs").Scan(&events))
	assert.Equal(t, 3, events)
}
