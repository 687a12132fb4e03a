package live_test

import (
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the reader of the log stops reading, the server still serves, and stops on a signal.
func TestServerOutlivesABlockedLog(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe() // nobody reads
	require.NoError(t, err)
	defer reader.Close() //nolint:errcheck // it was not used
	defer writer.Close() //nolint:errcheck // it was not used
	command := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--log-format", "json")
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
	began := time.Now()
	assert.Equal(t, 0, s.stop(t))
	assert.Less(t, time.Since(began), 20*time.Second)
}
