package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
)

// The log says which tokens a reload added, removed and changed, and never a secret.
func TestReloadNamesChangedTokens(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	write := func(entries ...string) {
		require.NoError(t, os.WriteFile(path, []byte("tokens:\n"+strings.Join(entries, "")), 0o600))
	}
	entry := func(name, secret, more string) string {
		return auth.EntryYAML(auth.Token{Name: name}, auth.HashOf(secret)) + more
	}
	write(entry("same", "1", ""), entry("rotated", "2", ""), entry("limited", "3", ""), entry("revoked", "4", ""))
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	opened, err := openAccess(t, Config{Address: loopback, Tokens: path}, "", logger)
	require.NoError(t, err)

	opened.reload(t.Context(), logger)
	assert.Contains(t, log.String(), `msg="the tokens were reloaded" added=[] removed=[] changed=[]`)
	write(entry("same", "1", ""), entry("rotated", "5", ""), entry("limited", "3", "    endpoints: [logs.all]\n"), entry("new", "6", ""))
	opened.reload(t.Context(), logger)
	assert.Contains(t, log.String(), `msg="the tokens were reloaded" added=[new] removed=[revoked] changed="[limited rotated]"`)
}
