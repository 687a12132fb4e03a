package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// The newest complete backups stay, and whatever else the directory has.
func TestRemoveOldBackups(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	add := func(name string, complete bool) {
		require.NoError(t, os.MkdirAll(filepath.Join(directory, name), 0o700))
		if complete {
			require.NoError(t, os.WriteFile(filepath.Join(directory, name, "savedq.duckdb"), nil, 0o600))
		}
	}
	for _, name := range []string{"2026-11-21T02-00-00Z", "2026-11-22T02-00-00Z", "2026-11-23T02-00-00Z", "2026-11-25T02-00-00Z", "other", "2026"} {
		add(name, true)
	}
	add("2026-11-20T02-00-00Z", false)
	add("2026-11-24T02-00-00Z", false) // interrupted, among those that stay
	require.NoError(t, os.WriteFile(filepath.Join(directory, "2026-11-19T02-00-00Z"), nil, 0o600))
	require.NoError(t, removeOldBackups(directory, 2))
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	assert.Equal(t, []string{"2026", "2026-11-19T02-00-00Z", "2026-11-23T02-00-00Z", "2026-11-24T02-00-00Z", "2026-11-25T02-00-00Z", "other"}, names)
}

// A backup beside earlier ones removes the oldest, and wrong values are mistakes.
func TestBackupKeeps(t *testing.T) {
	t.Parallel()
	data, backups := t.TempDir(), t.TempDir()
	store, err := logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	for _, name := range []string{"2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"} {
		require.NoError(t, os.CopyFS(filepath.Join(backups, name), os.DirFS(data)))
	}
	var stdout, stderr strings.Builder
	assert.Equal(t, statusOK, Run(t.Context(), []string{"store", "backup", backups, "--data=" + data, "--keep=2"}, &stdout, &stderr), stderr.String())
	entries, err := os.ReadDir(backups)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	assert.Equal(t, "2020-01-02T00-00-00Z", entries[0].Name())
	assert.Contains(t, stdout.String(), filepath.Join(backups, entries[1].Name())+": 0 events")
}
