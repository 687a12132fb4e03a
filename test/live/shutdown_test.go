package live_test

import (
	"net/http"
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
	}, 10*time.Second, 10*time.Millisecond)
	code, last := status("/api/endpoints/logs.all?project=acme")
	assert.Equal(t, http.StatusOK, code)
	assert.True(t, last)

	ended := make(chan error, 1)
	go func() { ended <- s.command.Wait() }()
	assert.Eventually(t, func() bool {
		_ = s.command.Process.Signal(syscall.SIGTERM)
		return len(ended) == 1
	}, 10*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, <-ended, "signal: terminated")
}
