package engines

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// If DuckDB has little memory, fewer events are in memory before they become a part.
func TestFrugality(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64]int{96 << 20: 2, 256 << 20: 1} {
		store, err := Store{Directory: t.TempDir(), MemoryBytes: limit, FrugalBelow: LowMemory}.open(t.Context(), logstore.Open, nil)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, store.Close()) })
		transaction, err := store.Begin(t.Context(), logstore.Sent)
		require.NoError(t, err)
		message := strings.Repeat("x", 1<<20)
		for i := range 12 {
			event := logevent.Event{ID: strconv.Itoa(i), Timestamp: time.Unix(int64(i), 0).UTC(), EventMessage: &message}
			require.NoError(t, transaction.Add(t.Context(), tables.Shipped()[0], event))
		}
		require.NoError(t, transaction.Commit(t.Context()))
		stats, err := store.Stats(t.Context(), time.Unix(0, 0))
		require.NoError(t, err)
		assert.Equal(t, want, stats.Parts, limit)
	}
}
