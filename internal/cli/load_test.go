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

// The flags of load must have values that the store and the server support.
func TestLoadFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, want string }{
		{"--max-event=plenty", `--max-event: "plenty" is not a size such as 10GiB`},
		{"--max-event=0", "--max-event: 0 B is not a size from 1 KiB to 16 MiB"},
		{"--max-event=1023", "--max-event: 1023 B is not a size from 1 KiB to 16 MiB"},
		{"--max-event=1GiB", "--max-event: 1 GiB is not a size from 1 KiB to 16 MiB"},
		{"--to=localhost:8080", `--to: "localhost:8080" is not the URL of a server, such as http://127.0.0.1:8080`},
		{"--to=http://", `--to: "http://" is not the URL of a server`},
		{"--to=ftp://host", `--to: "ftp://host" is not the URL of a server`},
		{"--to=http://host/?a=b", `--to: "http://host/?a=b" is not the URL of a server`},
		{"--to=http://host/%zz", `--to: "http://host/%zz" is not the URL of a server`},
		{"--to=http://user:secret@host", "--to: the URL must have no user or password; set the variable SAVEDQ_TOKEN to the token"},
		{"--to=http://host --parallel=0", "--parallel: 0 is not a number from 1 to 64"},
		{"--to=http://host --parallel=65", "--parallel: 65 is not a number from 1 to 64"},
		{"--parallel=many", `--parallel: expected a valid 64 bit int but got "many"`},
		{"none.ndjson", "none.ndjson does not exist\n"},
		{"load.go/none.ndjson", "load.go/none.ndjson cannot be read: "},
		{"- -", "-: the standard input can be read only once"},
	} {
		t.Run(test.args, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			args := append([]string{"load", "--source=edge_logs", "load.go"}, strings.Fields(test.args)...)
			status := Run(t.Context(), args, &stdout, &stderr)
			assert.Equal(t, statusUsage, status)
			assert.Contains(t, stderr.String(), test.want)
			assert.NotContains(t, stderr.String(), "user:secret")
		})
	}
}

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
