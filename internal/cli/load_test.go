package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A link to a missing file fails, and the others in its directory are loaded.
func TestLoadBesideADanglingLink(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "b.ndjson"), []byte(`{"event_message":"m"}`), 0o600))
	require.NoError(t, os.Symlink("missing", filepath.Join(directory, "a.ndjson")))
	var stdout, stderr strings.Builder
	args := []string{"load", "--data", filepath.Join(t.TempDir(), "store"), "--source=edge_logs", directory}
	assert.Equal(t, statusFailed, Run(t.Context(), args, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "b.ndjson: 1 ")
	assert.Equal(t, "savedq: load "+filepath.Join(directory, "a.ndjson")+": no such file or directory\n", stderr.String())
}

// There is no total if no file could be loaded.
func TestLoadOfNothingHasNoTotal(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for _, name := range []string{"a.json.gz", "b.json.gz"} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte("\x1f\x8b\x08 damaged"), 0o600))
	}
	var stdout, stderr strings.Builder
	args := []string{"load", "--data", filepath.Join(t.TempDir(), "store"), "--source=edge_logs", directory}
	assert.Equal(t, statusFailed, Run(t.Context(), args, &stdout, &stderr))
	assert.Empty(t, stdout.String(), stderr.String())
}

// A directory stands for its log files: a summary for each, and a total.
func TestLoadWalksDirectories(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "a.ndjson"), []byte(`{"id":"a","event_message":"m"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "b.json"), []byte(`[{"id":"a","event_message":"m"},{"id":"b","event_message":"m"},{}]`), 0o600))
	var stdout, stderr strings.Builder
	status := Run(t.Context(), []string{"load", "--data", filepath.Join(t.TempDir(), "store"), "--source=edge_logs", directory}, &stdout, &stderr)
	assert.Equal(t, statusFailed, status, "an event is rejected")
	lines := strings.Split(stdout.String(), "\n")
	require.Len(t, lines, 4, stderr.String())
	assert.True(t, strings.HasPrefix(lines[0], "edge_logs ← "+directory+"/a.ndjson: 1 event loaded, 0 rejected"), lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "edge_logs ← "+directory+"/b.json: 1 event loaded, 1 rejected ("+directory+"/b.json.rejected.ndjson), 1 already stored"), lines[1])
	assert.True(t, strings.HasPrefix(lines[2], "edge_logs ← 2 files in total: 2 events loaded, 1 rejected, 1 already stored"), lines[2])

	stdout.Reset()
	status = Run(t.Context(), []string{"load", "--data", filepath.Join(t.TempDir(), "store"), "--source=edge_logs", t.TempDir()}, &stdout, &stderr)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr.String(), "has no log files: their names end in .ndjson, ")
}

// The token comes from the environment, and an error of the server is printed.
func TestLoadTo(t *testing.T) {
	var token string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token = r.Header.Get("Authorization")
		if r.URL.Query().Get("source") != "edge_logs" {
			http.Error(w, `{"error":{"message":"the token may not send to this source"}}`, http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"message":"Logged!","accepted":1,"duplicates":0,"rejected":0}`))
	}))
	defer server.Close()
	t.Setenv("SAVEDQ_TOKEN", "secret")
	path := filepath.Join(t.TempDir(), "a.ndjson")
	require.NoError(t, os.WriteFile(path, []byte(`{"event_message":"m"}`), 0o600))
	var stdout, stderr strings.Builder
	status := Run(t.Context(), []string{"load", "--to", server.URL, "--source=cloudflare.logs.prod", path}, &stdout, &stderr)
	assert.Equal(t, statusOK, status, stderr.String())
	assert.Equal(t, "Bearer secret", token)
	assert.True(t, strings.HasPrefix(stdout.String(), "edge_logs ← "+path+": 1 event loaded, 0 rejected"), stdout.String())

	status = Run(t.Context(), []string{"load", "--to", server.URL, "--source=auth_logs", path}, &stdout, &stderr)
	assert.Equal(t, statusFailed, status)
	assert.Equal(t, "savedq: send "+path+": "+server.URL+" responds with 403 Forbidden: the token may not send to this source\n", stderr.String())
}

// Reasons for retries are printed now and then, not for each request.
func TestRetryNotes(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	now := time.Unix(1000, 0)
	notes := &retryNotes{terminal: &terminal{stderr: &stderr, clock: func() time.Time { return now }}}
	notes.print(assert.AnError, 1234*time.Millisecond)
	now = now.Add(4 * time.Second)
	notes.print(assert.AnError, time.Second)
	now = now.Add(time.Second)
	notes.print(assert.AnError, 2*time.Second)
	assert.Equal(t, "savedq: "+assert.AnError.Error()+"; retrying in 1.2s\nsavedq: "+assert.AnError.Error()+"; retrying in 2s\n", stderr.String())
}
