package bloom_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/bloom"
)

// The filter knows every hash that was added, and few others.
func TestFilter(t *testing.T) {
	t.Parallel()
	const hashes = 100_000
	for name, test := range map[string]struct{ bytesPerHash, fewest, most int }{
		"one byte for each":   {1, hashes / 100, hashes / 20},
		"four bytes for each": {4, 0, hashes / 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			added, others := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
			filter := bloom.New(test.bytesPerHash * hashes)
			var all []uint64
			for range hashes {
				hash := added.Uint64()
				filter.Add(hash)
				all = append(all, hash)
			}
			for _, hash := range all {
				require.True(t, filter.MayHave(hash))
			}
			wrong := 0
			for range hashes {
				if filter.MayHave(others.Uint64()) {
					wrong++
				}
			}
			assert.LessOrEqual(t, wrong, test.most)
			assert.GreaterOrEqual(t, wrong, test.fewest, "a filter without other hashes is larger than necessary")
			for _, hash := range all {
				require.True(t, filter.Add(hash))
			}
		})
	}
}
