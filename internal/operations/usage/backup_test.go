package usage_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// A backup of a ledger in use has all that was counted before, and can be opened; it has no lock
// and no unfinished files.
func TestBackup(t *testing.T) {
	t.Parallel()
	directory, copied := t.TempDir(), t.TempDir()
	config := usage.Config{Directory: directory, Clock: time.Now, Logger: slog.New(slog.DiscardHandler)}
	ledger, err := usage.Open(config)
	require.NoError(t, err)
	defer func() { assert.NoError(t, ledger.Close()) }()
	for _, name := range []string{"2026-01-02.ndjson.part", "note.ndjson"} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte("{}\n"), 0o600))
	}
	budget := usage.Budget{Day: usage.Amounts{Requests: 5}}
	caller := ledger.Caller(usage.ID{Token: "web"}, budget)
	_, err = caller.Reserve(&sqlq.SavedQuery{Name: "q"})
	require.NoError(t, err)
	names := 0
	require.NoError(t, ledger.Backup(t.Context(), func(name string, size int64, content io.Reader) error {
		names++
		_, err := caller.Reserve(&sqlq.SavedQuery{Name: "q"}) // which the copy does not have
		require.NoError(t, err)
		data, err := io.ReadAll(content)
		assert.Len(t, data, int(size))
		require.NoError(t, err)
		assert.True(t, usage.IsFile(name), name)
		return os.WriteFile(filepath.Join(copied, name), data, 0o600)
	}))
	assert.Equal(t, 1, names)
	config.Directory = copied
	restored, err := usage.Open(config)
	require.NoError(t, err)
	defer func() { assert.NoError(t, restored.Close()) }()
	spending := restored.Caller(usage.ID{Token: "web"}, budget).Spending()
	assert.EqualValues(t, 1, spending[0].Spent.Requests)

	require.NoError(t, usage.Backup(t.Context(), filepath.Join(directory, "none"), nil), "there is nothing to copy")
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, usage.Backup(ended, directory, nil), context.Canceled)
}
