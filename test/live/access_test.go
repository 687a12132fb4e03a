package live_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server with a tokens file accepts only these tokens, and reads new ones without a
// restart.
func TestTokens(t *testing.T) {
	t.Parallel()
	newToken := func(name string) (secret, entry string) {
		made := run(t, "token", "new", "--name", name)
		require.Zero(t, made.status, made.stderr)
		_, entry, _ = strings.Cut(made.stdout, "\ntokens:\n")
		return regexp.MustCompile(`savedq_[\w-]{43}`).FindString(made.stdout), entry
	}
	first, firstEntry := newToken("first")
	second, secondEntry := newToken("second")
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte("tokens:\n"+text), 0o600)) }
	write(firstEntry)
	s := serve(t, "--data", t.TempDir(), "--tokens", file, "--metrics-addr", "127.0.0.1:0")
	assert.Empty(t, s.token, "none is made")
	s.logs(t, `"level":"WARN","msg":"the store has no logs yet, so saved queries find no data;`)
	status := func(token string) int {
		s.token = token
		response := s.send(t, http.MethodGet, "/api/endpoints/logs.all?project=acme", nil)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	reload := func() { require.NoError(t, s.command.Process.Signal(syscall.SIGHUP)) }
	becomes := func(token string, want int) {
		assert.Eventually(t, func() bool { return status(token) == want }, time.Minute, 10*time.Millisecond)
	}
	assert.Equal(t, http.StatusOK, status(first))
	assert.Equal(t, http.StatusUnauthorized, status(second))
	assert.Equal(t, http.StatusUnauthorized, status(""))

	write(firstEntry + secondEntry)
	reload()
	becomes(second, http.StatusOK)
	write("  - name: broken\n")
	reload()
	s.logs(t, "tokens.yaml:2:")
	assert.Equal(t, http.StatusOK, status(first), "a file with mistakes changes nothing")
	write(secondEntry)
	require.NoError(t, os.Chmod(file, 0o666))
	reload()
	s.logs(t, "others can write to it")
	assert.Equal(t, http.StatusOK, status(first), "a file that others can write changes nothing")
	require.NoError(t, os.Chmod(file, 0o600))
	write(secondEntry)
	reload()
	becomes(first, http.StatusUnauthorized)
	assert.Equal(t, http.StatusOK, status(second))
	assert.Zero(t, s.stop(t), s.stderr)
	assert.Regexp(t, `"metrics and probes are served","address":"127.0.0.1:\d+"`, s.stderr.String())
	for _, secret := range []string{first, second} {
		assert.NotContains(t, s.stderr.String(), secret)
	}
}

// A running server accepts a token once it is created, and not once it is revoked.
func TestTokensOfRunningServer(t *testing.T) {
	t.Parallel()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "tokens.yaml")
	create := func(name string) (secret, message string) {
		t.Helper()
		created := run(t, "token", "new", "--to", file, "--data", data, "--name", name)
		require.Zero(t, created.status, created.stderr)
		return strings.TrimSpace(created.stdout), created.stderr
	}
	first, message := create("first")
	assert.Contains(t, message, "There is no server of "+data)
	s := serve(t, "--data", data, "--tokens", file)
	becomes := func(token string, want int) {
		t.Helper()
		s.token = token
		assert.Eventually(t, func() bool {
			response := s.send(t, http.MethodGet, "/api/endpoints/projects.list", nil)
			return response.Body.Close() == nil && response.StatusCode == want
		}, time.Minute, 10*time.Millisecond)
	}
	becomes(first, http.StatusOK)
	second, message := create("second")
	assert.Contains(t, message, fmt.Sprintf("The server of %s (process %d) reads its tokens file now.", data, s.command.Process.Pid))
	becomes(second, http.StatusOK)
	revoked := run(t, "token", "revoke", "first", "--tokens", file, "--data", data)
	require.Zero(t, revoked.status, revoked.stderr)
	becomes(first, http.StatusUnauthorized)
	becomes(second, http.StatusOK)
}
