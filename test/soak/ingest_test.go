package soak

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ingestServer is a server that senders send events to.
type ingestServer struct {
	command *exec.Cmd
	url     string
	started time.Duration
}

// ingestCommand returns the command of a server on a data directory.
func ingestCommand(ctx context.Context, binary, directory string, flags ...string) *exec.Cmd {
	return exec.CommandContext(ctx, binary, append([]string{"serve", "--no-auth", "--addr", "127.0.0.1:0", "--data", directory, "--log-level", "warn"}, flags...)...)
}

// startIngest starts a server on a data directory, and waits until it serves.
func startIngest(t *testing.T, binary, directory string, flags ...string) *ingestServer {
	t.Helper()
	server := &ingestServer{command: ingestCommand(t.Context(), binary, directory, flags...)}
	stdout, err := server.command.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	server.command.Stderr = &stderr
	began := time.Now()
	require.NoError(t, server.command.Start())
	lines := bufio.NewScanner(stdout)
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	for lines.Scan() {
		if server.url = address.FindString(lines.Text()); server.url != "" {
			server.started = time.Since(began)
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return server
		}
	}
	_ = server.command.Wait()
	require.FailNow(t, "the server did not start", stderr.String())
	return nil
}

// kill ends the server as a power failure would.
func (s *ingestServer) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, s.command.Process.Kill())
	_ = s.command.Wait()
}

// stop ends the server in order.
func (s *ingestServer) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, s.command.Process.Signal(os.Interrupt))
	require.NoError(t, s.command.Wait())
}
