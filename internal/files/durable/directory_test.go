package durable_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"savedq/internal/files/durable"
)

func TestSyncDirectory(t *testing.T) {
	t.Parallel()
	require.NoError(t, durable.SyncDirectory(t.TempDir()))
	require.ErrorIs(t, durable.SyncDirectory(filepath.Join(t.TempDir(), "missing")), fs.ErrNotExist)
}
