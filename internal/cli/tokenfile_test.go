package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tokens are created, listed and revoked in the file of a server.
func TestTokensFile(t *testing.T) {
	t.Parallel()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "tokens.yaml")
	create := func(args ...string) string {
		t.Helper()
		status, stdout, stderr := runCommand(t, append([]string{"token", "new", "--to", file, "--data", data}, args...)...)
		require.Equal(t, statusOK, status, stderr)
		assert.Equal(t, "This token is shown only once. "+file+" has its entry, with its hash.\n"+
			"There is no server of "+data+" on this machine: send SIGHUP to the server that reads the file.\n", stderr)
		return strings.TrimSuffix(stdout, "\n")
	}
	web := create("--name=web", "--projects=acme,globex", "--rate=20")
	assert.Regexp(t, `^savedq_[\w-]{43}$`, web)
	ci := create("--name=ci", "--ingest", "--sources=edge_logs", "--explore")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotContains(t, string(content), ci, "only hashes are stored")

	status, stdout, stderr := runCommand(t, "token", "list", "--tokens", file, "--format=csv")
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, `name,state,created,expires,endpoints,projects,project_tier,rate,budget,scopes,sources
web,valid,NOW,,,"acme, globex",,20,,,
ci,valid,NOW,,,,,,,"ingest, explore",edge_logs
`, regexp.MustCompile(`20\d\d-[^,]*`).ReplaceAllString(stdout, "NOW"))

	address := serveWith(t, "--data", t.TempDir(), "--tokens", file)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/endpoints/projects.list", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+ci)
	code, _ := send(t, request)
	assert.Equal(t, http.StatusOK, code)

	status, _, stderr = runCommand(t, "token", "revoke", "wbe", "--tokens", file, "--data", data)
	assert.Equal(t, statusFailed, status)
	assert.Equal(t, `savedq: revoke "wbe": there is no token of this name in `+file+"; its tokens are web, ci\n", stderr)
	status, _, stderr = runCommand(t, "token", "revoke", "web", "--tokens", file, "--data", data)
	assert.Equal(t, statusOK, status)
	assert.Contains(t, stderr, "The entry of web is removed from "+file+".\n")
	status, _, stderr = runCommand(t, "token", "revoke", "ci", "--tokens", file, "--data", data)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "it is the only token in "+file)
	status, _, stderr = runCommand(t, "token", "list", "--tokens", filepath.Join(data, "nosuch"))
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "--tokens: ")
}
