package engines

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// If DuckDB has little memory, its allocations beyond the limit are reduced.
func TestFrugality(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64]string{64 << 20: "Dictionary", 256 << 20: ""} {
		store, err := Store{Directory: t.TempDir(), MemoryBytes: limit, FrugalBelow: LowMemory}.open(t.Context(), logstore.Open, nil)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, store.Close()) })
		var got string
		require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT current_setting('disabled_compression_methods')").Scan(&got))
		assert.Equal(t, want, got)
	}
}
