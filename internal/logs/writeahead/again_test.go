package writeahead

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Damage hits what it hits: the other records are read again.
func TestReadAgainLeavesOutWhatIsDamaged(t *testing.T) {
	t.Parallel()
	headerOfTwo := func(content []byte) int { return bytes.Index(content, []byte("two")) - recordHeaderBytes }
	for name, test := range map[string]struct {
		damage func(content []byte) []byte
		want   []string
	}{
		"nothing": {func(content []byte) []byte { return content }, []string{"one", "two", "three"}},
		"content": {func(content []byte) []byte {
			return bytes.Replace(content, []byte("two"), []byte("too"), 1)
		}, []string{"one", "three"}},
		"a mark": {func(content []byte) []byte {
			content[headerOfTwo(content)] = 'x'
			return content
		}, []string{"one", "three"}},
		"a length": {func(content []byte) []byte {
			content[headerOfTwo(content)+16]++
			return content
		}, []string{"one", "three"}},
		"the beginning of the file": {func(content []byte) []byte {
			content[0] = 'x'
			return content
		}, []string{"one", "two", "three"}},
		"the end of a record": {func(content []byte) []byte { return content[:len(content)-1] }, []string{"one", "two"}},
		"the end of a header": {func(content []byte) []byte { return content[:len(content)-len("three")-1] }, []string{"one", "two"}},
		"a whole record":      {func(content []byte) []byte { return content[:headerOfTwo(content)] }, []string{"one"}},
		"the whole file":      {func([]byte) []byte { return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, err := Open(Config{Directory: filepath.Join(t.TempDir(), "log"), Store: "s"})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, log.Close()) })
			_, err = log.Read(0, func(uint64, []byte) error { return nil })
			require.NoError(t, err)
			_, err = log.Append([]byte("one"), []byte("two"), []byte("three"))
			require.NoError(t, err)
			path := log.files[0].path
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, test.damage(content), ownerOnly))
			var got []string
			require.NoError(t, log.ReadAgain(0, 3, func(_ uint64, content []byte) error {
				got = append(got, string(content))
				return nil
			}))
			assert.Equal(t, test.want, got)
		})
	}
}

func TestReadAgainPassesErrorsOn(t *testing.T) {
	t.Parallel()
	log, err := Open(Config{Directory: filepath.Join(t.TempDir(), "log"), Store: "s"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	_, err = log.Read(0, func(uint64, []byte) error { return nil })
	require.NoError(t, err)
	_, err = log.Append([]byte("one"), []byte("two"))
	require.NoError(t, err)
	failure, calls := errors.New("no more"), 0
	require.ErrorIs(t, log.ReadAgain(0, 2, func(uint64, []byte) error { calls++; return failure }), failure)
	assert.Equal(t, 1, calls)
}
