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
	require.NoError(t, os.Mkdir(filepath.Join(directory, "reference"), 0o755))
	require.NoError(t, run(directory))
	for _, name := range []string{"reference/flags.md", "reference/metrics.md", "reference/logs.md", "googlesql.md"} {
		want, err := os.ReadFile(filepath.Join(directory, name))
		require.NoError(t, err)
		committed, err := os.ReadFile(filepath.Join(root, "docs", name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(committed), "%s is not current: run \"make generate\"", name)
	}
}
