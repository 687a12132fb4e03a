package tablefiles

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pattern that matches too much, or looks at too much, is an error.
func TestExpandIsBounded(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for i := range 41 {
		require.NoError(t, os.WriteFile(filepath.Join(directory, strconv.Itoa(i)+".csv"), nil, 0o600))
	}
	found, err := expand(filepath.Join(directory, "?.csv"), 10)
	require.NoError(t, err)
	assert.Len(t, found, 10)
	_, err = expand(filepath.Join(directory, "?.csv"), 9)
	require.EqualError(t, err, "it has more than 9 files")
	_, err = expand(filepath.Join(directory, "1.csv"), 2)
	require.NoError(t, err)
	_, err = expand(filepath.Join(directory, "[1].csv"), 2)
	require.EqualError(t, err, "its pattern looks at more than 40 names; name a narrower directory")
}
