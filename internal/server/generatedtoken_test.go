package server

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
)

// A generated token survives restarts, and only its owner can read it.
func TestGeneratedToken(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "new", "data")
	first, path, err := generatedToken(directory, rand.Reader)
	require.NoError(t, err)
	assert.True(t, auth.IsSecret(first))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	second, _, err := generatedToken(directory, rand.Reader)
	require.NoError(t, err)
	assert.Equal(t, first, second)
	require.NoError(t, os.Remove(path))
	third, _, err := generatedToken(directory, rand.Reader)
	require.NoError(t, err)
	assert.NotEqual(t, first, third)
}

// A file that others can read or change, or that holds something else, is not used.
func TestGeneratedTokenOfOthers(t *testing.T) {
	t.Parallel()
	secret, err := auth.New(rand.Reader)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		mode    os.FileMode
		content string
		want    string
	}{
		"readable":  {0o644, secret, "others can read it, because it has the mode 0644; delete it, and the server generates another one"},
		"group":     {0o640, secret, "others can read it, because it has the mode 0640"},
		"writable":  {0o622, secret, "others can write to it, because it has the mode 0622"},
		"empty":     {0o600, "", "it is not a token that the server generated; delete it"},
		"no secret": {0o600, "guess me", "it is not a token that the server generated; delete it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			path := filepath.Join(directory, generatedTokenFile)
			require.NoError(t, os.WriteFile(path, []byte(test.content), 0o600))
			require.NoError(t, os.Chmod(path, test.mode))
			_, _, err := generatedToken(directory, rand.Reader)
			require.ErrorContains(t, err, "the token in "+path+" cannot be used: "+test.want)
			assert.NotContains(t, err.Error(), secret)
		})
	}
}
