package engines

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The server and the process for SQL of callers have DuckDB's memory together, and each what DuckDB needs.
func TestDivided(t *testing.T) {
	t.Parallel()
	const mib = int64(1 << 20)
	for bytes, want := range map[int64][2]int64{64: {64, 64}, 100: {64, 64}, 141: {77, 64}, 256: {192, 64}, 400: {300, 100}, 4096: {3072, 1024}} {
		server, callers := divided(bytes * mib)
		assert.Equal(t, want, [2]int64{server / mib, callers / mib}, bytes)
	}
}
