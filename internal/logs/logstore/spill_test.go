package logstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

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
		})
	}
}

// Without a configured limit, a store leaves free space on the disk.
func TestDefaultSpillLimit(t *testing.T) {
	t.Parallel()
	store := open(t, t.TempDir())
	defer func() { require.NoError(t, store.Close()) }()
	assert.Regexp(t, `^\d+(\.\d+)? (bytes|[KMG]iB)$`, texts(t, store, "SELECT current_setting('max_temp_directory_size')")[0])
}

// What a process that was killed has spilled is removed; other files stay.
func TestOldSpilledFilesAreRemoved(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	spilled := filepath.Join(directory, "savedq.duckdb.tmp")
	require.NoError(t, os.Mkdir(spilled, 0o700))
	for _, name := range []string{"duckdb_temp_storage_S32K-0.tmp", "duckdb_temp_block-1.block", "note.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(spilled, name), []byte("x"), 0o600))
	}
	store := open(t, directory)
	defer func() { require.NoError(t, store.Close()) }()
	left, err := filepath.Glob(filepath.Join(spilled, "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(spilled, "note.txt")}, left)
}
