package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The committed pages match the program.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, run(directory))
	for _, name := range []string{"flags.md", "metrics.md", "logs.md"} {
		want, err := os.ReadFile(filepath.Join(directory, name))
		require.NoError(t, err)
		committed, err := os.ReadFile(filepath.Join(root, "docs", "reference", name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(committed), "%s is not current: run \"make generate\"", name)
	}
}
