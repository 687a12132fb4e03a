package live_test

import (
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With a shutdown delay, a server that gets SIGTERM reports that it is not ready, and still
// accepts requests. A second signal ends it at once.
func TestShutdownDelay(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", t.TempDir(), "--shutdown-delay", "1h")
	status := func(path string) (status int, last bool) {
		response := s.send(t, http.MethodGet, path, nil)
		require.NoError(t, response.Body.Close())
		return response.StatusCode, response.Close
	}
	ready, last := status("/readyz")
	assert.Equal(t, http.StatusOK, ready)
	assert.False(t, last)
	require.NoError(t, s.command.Process.Signal(syscall.SIGTERM))
	assert.Eventually(t, func() bool {
		ready, _ := status("/readyz")
		return ready == http.StatusServiceUnavailable
	}, time.Minute, 10*time.Millisecond)
	code, last := status("/api/endpoints/logs.all?project=acme")
	assert.Equal(t, http.StatusOK, code)
	assert.True(t, last)

	ended := make(chan error, 1)
	go func() { ended <- s.command.Wait() }()
	assert.Eventually(t, func() bool {
		_ = s.command.Process.Signal(syscall.SIGTERM)
		return len(ended) == 1
	}, time.Minute, 10*time.Millisecond)
	require.ErrorContains(t, <-ended, "signal: terminated")
}

// Whatever reads the log may stop reading. The server goes on serving, and ends when it
// is told to.
func TestServerOutlivesABlockedLog(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe() // nobody reads
	require.NoError(t, err)
	defer reader.Close() //nolint:errcheck // it was not used
	defer writer.Close() //nolint:errcheck // it was not used
	command := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--log-format", "json", "--drain", "1h")
	command.Stderr = writer
	s := &server{command: command, stderr: &output{}}
	s.start(t)

	const requests = 1500 // more than the 64 KiB that a pipe holds
	for range requests {
		response := s.send(t, http.MethodGet, "/api/endpoints/usage.api-counts?project=acme&interval=daily", nil)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
	s.token = "wrong"
	for range requests {
		response := s.send(t, http.MethodGet, "/api/endpoints/logs.all", nil)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	}
	assert.Equal(t, 0, s.stop(t), "long before the server would have drained for an hour")
}
