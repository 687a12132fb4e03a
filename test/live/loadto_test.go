package live_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A load continues while its server is killed and restarted. Each event is stored once, with
// the same id as after a load into the store.
func TestLoadToAServerThatIsKilled(t *testing.T) {
	t.Parallel()
	const events = 40_000
	directory := t.TempDir()
	data, file := filepath.Join(directory, "data"), filepath.Join(directory, "events.ndjson")
	var content strings.Builder
	for i := range events {
		id := ""
		if i%2 == 0 {
			id = fmt.Sprintf(`"id":"id%d",`, i)
		}
		fmt.Fprintf(&content, `{%s"event_message":"message %d","metadata":{"request":{"path":"/rest","url":"https://acme/rest"}}}`+"\n", id, i)
	}
	require.NoError(t, os.WriteFile(file, []byte(content.String()), 0o600))

	environment := append(os.Environ(), "SAVEDQ_TOKEN=a-token-of-more-than-sixteen-characters")
	start := func(address string) *server {
		s := &server{command: exec.Command(binary, "serve", "--addr", address, "--data", data), stderr: &output{}}
		s.command.Env, s.command.Stderr = environment, s.stderr
		s.start(t)
		return s
	}
	first := start("127.0.0.1:0")
	var stdout, stderr bytes.Buffer
	sending := exec.CommandContext(t.Context(), binary, "load", "--to", first.url, "--source", "edge_logs", file)
	sending.Env, sending.Stdout, sending.Stderr = environment, &stdout, &stderr
	require.NoError(t, sending.Start())
	require.Eventually(t, func() bool {
		acknowledged, _ := os.ReadFile(file + ".sent")
		return bytes.Count(acknowledged, []byte("\n")) > 5
	}, time.Minute, time.Millisecond)
	require.NoError(t, first.command.Process.Kill())
	_ = first.command.Wait()
	second := start(strings.TrimPrefix(first.url, "http://"))
	require.NoError(t, sending.Wait(), stderr.String())
	assert.NoFileExists(t, file+".sent")
	assert.Regexp(t, `^edge_logs ← `+regexp.QuoteMeta(file)+`: [\d,]+ events loaded, 0 rejected(, [\d,]+ already stored)?, [\d,]+ events/s\n$`, stdout.String())
	assert.Equal(t, 0, second.stop(t), second.stderr)

	again := run(t, "load", "--data", data, "--source", "edge_logs", file)
	assert.Contains(t, again.stdout, "edge_logs ← "+file+": 0 events loaded, 0 rejected, 40,000 already stored")
}

// The token must be one of the server's.
func TestLoadToWithAWrongToken(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", t.TempDir())
	file := filepath.Join(t.TempDir(), "events.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(`{"event_message":"m"}`), 0o600))
	result := run(t, "load", "--to", s.url, "--source", "edge_logs", file)
	assert.Equal(t, 1, result.status)
	assert.Equal(t, "savedq: send "+file+": "+s.url+" does not accept the token; set the variable SAVEDQ_TOKEN to one of its tokens that may send events\n", result.stderr)
}
