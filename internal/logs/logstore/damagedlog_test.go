package logstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// A flipped bit anywhere in DuckDB's write-ahead log loses nothing that was committed before
// it, and the place in the write-ahead log of ingest shows what must be stored again.
func TestADamagedLogOfDuckDBIsCutOff(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithoutAutomaticCheckpoints())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	source, _ := shippedTables().FindSource("function_edge_logs")
	const commits, perCommit = 4, 100
	ends := []int64{0}
	for i := range commits {
		require.NoError(t, store.Ingest(t.Context(), ingestionOf(source, i*perCommit+1, (i+1)*perCommit)))
		ends = append(ends, store.UncheckpointedBytes())
	}
	const flips = 10
	length := ends[commits]
	for i := range int64(flips) {
		offset := ends[1] + (length-ends[1])*i/flips
		crashed := snapshot(t, directory)
		path := filepath.Join(crashed, walFile)
		log, err := os.ReadFile(path)
		require.NoError(t, err)
		log[offset] ^= 4
		require.NoError(t, os.WriteFile(path, log, 0o600))

		opened, err := logstore.Open(t.Context(), crashed, "")
		require.NoError(t, err, "byte %d", offset)
		whole := 0
		for ends[whole+1] <= offset {
			whole++
		}
		assert.Equal(t, whole*perCommit, countOf(t, opened, "function_edge_logs"), "byte %d", offset)
		position, err := opened.IngestPosition(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, whole*perCommit, position)
		require.NotNil(t, opened.Recovery().DamagedLog, "byte %d", offset)
		kept, err := os.ReadFile(opened.Recovery().DamagedLog.Copy)
		require.NoError(t, err)
		assert.Equal(t, log, kept)
		require.Len(t, opened.Recovery().Notes(), 1)
		assert.Contains(t, opened.Recovery().Notes()[0], "DuckDB's write-ahead log was damaged at byte")
		require.NoError(t, opened.Close())
	}
}
