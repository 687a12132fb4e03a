package idfile_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/idfile"
)

func write(t *testing.T, hashes ...uint64) *idfile.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ids")
	slices.Sort(hashes)
	return opened(t)(idfile.Write(path, hashes))
}

// opened returns a function that returns a file that is open until the test ends.
func opened(t *testing.T) func(*idfile.File, error) *idfile.File {
	t.Helper()
	return func(file *idfile.File, err error) *idfile.File {
		t.Helper()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, file.Close()) })
		return file
	}
}

func numbers(seed uint64, count int) []uint64 {
	random := rand.New(rand.NewPCG(seed, 0))
	numbers := make([]uint64, count)
	for i := range numbers {
		numbers[i] = random.Uint64()
	}
	return numbers
}

// A file has the hashes that were added, and no others, whatever their number.
func TestFileHasItsHashes(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 2, 62, 63, 64, 125, 126, 127, 10_000} {
		t.Run(strconv.Itoa(count), func(t *testing.T) {
			t.Parallel()
			hashes, others := numbers(1, count), numbers(2, 1000)
			file := write(t, append(hashes, hashes...)...)
			assert.Equal(t, int64(count), file.Len())
			for _, hash := range hashes {
				assert.True(t, file.MayHave(hash))
			}
			for _, hash := range append(others, 0, math.MaxUint64) {
				assert.False(t, file.MayHave(hash))
			}
		})
	}
}

// Where hashes are is found whatever they are, although they are expected to be spread evenly.
func TestUnevenHashesAreFound(t *testing.T) {
	t.Parallel()
	const many = 5_000
	for name, hash := range map[string]func(i uint64) uint64{
		"all small":         func(i uint64) uint64 { return 2 * i },
		"all large":         func(i uint64) uint64 { return math.MaxUint64 - 2*i },
		"a few far apart":   func(i uint64) uint64 { return i % 3 * (math.MaxUint64 / 2) },
		"ever farther":      func(i uint64) uint64 { return i * i * i * i },
		"in two places":     func(i uint64) uint64 { return i%2*(math.MaxUint64-2*many) + 2*i },
		"only the smallest": func(uint64) uint64 { return 0 },
		"only the largest":  func(uint64) uint64 { return math.MaxUint64 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hashes := make([]uint64, many)
			for i := range hashes {
				hashes[i] = hash(uint64(i))
			}
			file := write(t, hashes...)
			for _, hash := range hashes {
				require.True(t, file.MayHave(hash))
				for _, other := range []uint64{hash - 1, hash + 1} {
					_, found := slices.BinarySearch(hashes, other) // write has sorted them
					require.Equal(t, found, file.MayHave(other))
				}
			}
		})
	}
}

// A changed byte, wherever it is, hides no hash: either the file does not open, or the hashes of
// the block count as known, and a check fails.
func TestDamageHidesNoHash(t *testing.T) {
	t.Parallel()
	hashes := numbers(1, 300)
	file := write(t, hashes...)
	content, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	for position := 0; position < len(content); position += 5 {
		damaged := slices.Clone(content)
		damaged[position] ^= 4
		path := filepath.Join(t.TempDir(), "damaged")
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		readable, err := idfile.Open(path)
		if err != nil {
			continue
		}
		assert.False(t, slices.ContainsFunc(hashes, func(hash uint64) bool { return !readable.MayHave(hash) }), "byte %d", position)
		require.ErrorIs(t, readable.Check(), idfile.ErrDamaged)
		require.NoError(t, readable.Close())
	}
	for _, length := range []int{0, 1, 23, 24, 1024, len(content) - 1} {
		path := filepath.Join(t.TempDir(), "short")
		require.NoError(t, os.WriteFile(path, content[:length], 0o600))
		_, err := idfile.Open(path)
		require.Error(t, err, "cut to %d", length)
	}
}

func TestHashesMustAscend(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ids")
	_, err := idfile.Write(path, []uint64{2, 1})
	require.ErrorContains(t, err, "hash 1 was added after 2")
	assert.NoFileExists(t, path)
}
