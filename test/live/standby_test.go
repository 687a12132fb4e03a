package live_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const allEventsYAML = `id: 5f0d2b61-7c1e-4a7b-8a35-0f6f4d1c9b21
name: mine.events
description: All events of a project.
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project reference.}
columns:
  - {name: id, type: STRING, description: Id of the event.}
  - {name: timestamp, type: TIMESTAMP, description: When it happened.}
  - {name: event_message, type: STRING, description: What happened.}
`

const allEventsSQL = `SELECT id, timestamp, event_message FROM edge_logs WHERE project = $project ORDER BY id
`

// rows returns the events of acme that a server has now, in the order of their ids.
func (s *server) rows(t *testing.T) (found []string) {
	t.Helper()
	var response struct{ Result []json.RawMessage }
	text := body(t, ask(t, http.MethodGet, s.url+"/api/endpoints/mine.events?project=acme", nil, "X-API-KEY", s.token, "Cache-Control", "no-cache"))
	require.NoError(t, json.Unmarshal([]byte(text), &response))
	for _, row := range response.Result {
		found = append(found, string(row))
	}
	return found
}

// shows waits until a server has the rows that another one had.
func (s *server) shows(t *testing.T, want []string) {
	t.Helper()
	require.EventuallyWithT(t, func(collect *assert.CollectT) { assert.Equal(collect, want, s.rows(t)) }, time.Minute, 200*time.Millisecond)
}

// seal makes a server write what it has in memory to a part.
func (s *server) seal(t *testing.T) {
	t.Helper()
	backedUp := s.store(t, "backup", filepath.Join(t.TempDir(), "backup"), "--url", s.url)
	require.Equal(t, 0, backedUp.status, backedUp.stderr)
}

// A standby on the data directory of a server serves what that has in parts, and goes on when it is killed. It receives no
// events, maintains no store, and writes nothing into the directory.
func TestStandby(t *testing.T) {
	t.Parallel()
	queries := writeQuery(t, allEventsYAML, allEventsSQL)
	data, own := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "own")
	primary := serve(t, "--data", data, "--queries", queries)
	primary.post(t, 0, 300)
	primary.seal(t)
	standby := serve(t, "--data", own, "--follow", data, "--follow-interval", "100ms", "--queries", queries)
	assert.NotContains(t, standby.banner, "Events")
	standby.shows(t, primary.rows(t))
	require.Len(t, standby.rows(t), 300)
	primary.post(t, 300, 500)
	primary.seal(t)
	all := primary.rows(t)
	require.Len(t, all, 500)
	standby.shows(t, all)

	refused := standby.send(t, http.MethodPost, "/api/logs?source=edge_logs", strings.NewReader(`[{"event_message":"m"}]`))
	assert.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	assert.Equal(t, "10", refused.Header.Get("Retry-After"))
	assert.Contains(t, textOf(t, refused), "this server is a standby, which only reads the store that another server writes; send log events to that server")
	deleted := standby.store(t, "delete", "--project=acme", "--url", standby.url)
	assert.Equal(t, 1, deleted.status)
	assert.Contains(t, deleted.stderr, "this server is a standby")

	var ready struct {
		Status     string
		Written    time.Time
		AgeSeconds *int `json:"age_seconds"`
	}
	response := standby.send(t, http.MethodGet, "/readyz", nil)
	require.NoError(t, json.Unmarshal([]byte(body(t, response)), &ready))
	assert.Equal(t, "ready", ready.Status)
	assert.WithinDuration(t, time.Now(), ready.Written, 5*time.Minute)
	require.NotNil(t, ready.AgeSeconds)
	assert.Equal(t, ready.Written.Format(time.RFC3339), response.Header.Get("X-Store-Written"))
	metrics := standby.get(t, "/metrics")
	assert.Contains(t, metrics, "\nsavedq_standby_waiting 0\n")
	assert.Contains(t, metrics, "\nsavedq_standby_failures_total 0\n")
	assert.Contains(t, metrics, "\nsavedq_standby_written_timestamp_seconds 1.")

	require.NoError(t, primary.command.Process.Kill())
	_ = primary.command.Wait()
	before := names(t, data)
	assert.Equal(t, all, standby.rows(t))
	assert.Equal(t, 0, standby.stop(t))
	assert.Equal(t, before, names(t, data))
	assert.FileExists(t, filepath.Join(own, "usage", "lock"))

	restarted := serve(t, "--data", data, "--queries", queries)
	assert.Equal(t, all, restarted.rows(t))
	assert.Equal(t, 0, restarted.stop(t))
}

// A copy that has the manifest before its files heals.
func TestStandbyOnACopy(t *testing.T) {
	t.Parallel()
	queries := writeQuery(t, allEventsYAML, allEventsSQL)
	data, copied := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "copied")
	primary := serve(t, "--data", data, "--queries", queries)
	primary.post(t, 0, 100)
	primary.seal(t)
	copyFiles(t, data, copied, "parts")
	copyFiles(t, data, copied, "")
	standby := serve(t, "--data", t.TempDir(), "--follow", copied, "--follow-interval", "100ms", "--queries", queries)
	first := primary.rows(t)
	standby.shows(t, first)
	primary.post(t, 100, 200)
	primary.seal(t)
	copyFiles(t, data, copied, "")
	require.EventuallyWithT(t, func(collect *assert.CollectT) {
		assert.Contains(collect, standby.get(t, "/metrics"), "\nsavedq_standby_waiting 1\n")
	}, time.Minute, 100*time.Millisecond)
	assert.Equal(t, first, standby.rows(t))
	copyFiles(t, data, copied, "parts")
	standby.shows(t, primary.rows(t))
	assert.Contains(t, standby.get(t, "/metrics"), "\nsavedq_standby_waiting 0\n")
	require.Len(t, standby.rows(t), 200)
	assert.Equal(t, 0, standby.stop(t))
	assert.Equal(t, 0, primary.stop(t))
}

// textOf returns the body of a response of any status.
func textOf(t *testing.T, response *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return string(text)
}

// copyFiles copies the files in a directory below another one, as rsync does.
func copyFiles(t *testing.T, from, to, below string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(to, below), 0o700))
	entries, err := os.ReadDir(filepath.Join(from, below))
	require.NoError(t, err)
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, below, entry.Name()))
		require.NoError(t, err)
		written := filepath.Join(to, "written")
		require.NoError(t, os.WriteFile(written, content, 0o600))
		require.NoError(t, os.Rename(written, filepath.Join(to, below, entry.Name())))
	}
}

// names returns the names of all files below a directory.
func names(t *testing.T, directory string) (found []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(directory, func(path string, _ os.DirEntry, err error) error {
		found = append(found, path)
		return err
	}))
	return found
}

// Flags that would write to the store that is followed are rejected, and so is what cannot be followed.
func TestStandbyMistakes(t *testing.T) {
	t.Parallel()
	empty, own := t.TempDir(), t.TempDir()
	for want, args := range map[string][]string{
		"there is no store in " + empty + "; it needs a manifest.json":                                                                    {"--follow", empty},
		"--follow: stat " + empty + "/none: no such file or directory":                                                                    {"--follow", empty + "/none"},
		"--data: " + own + " is the directory of --follow, in which this server writes nothing; choose another one for its usage and the": {"--follow", own},
		"--demo: cannot be combined with --follow, which writes nothing; give it to the server that writes the store":                     {"--follow", empty, "--demo"},
		"--retention: cannot be combined with --follow, which writes nothing; give it to the server that writes the store":                {"--follow", empty, "--retention=90d"},
		"--accept-missing-events: cannot be combined with --follow, which writes nothing; give it to the server that writes the store":    {"--follow", empty, "--accept-missing-events"},
		"--follow-interval: needs --follow": {"--follow-interval=1s"},
		"--follow-interval: ":               {"--follow", empty, "--follow-interval=1ms"},
		"--follow: needs --engine duckdb":   {"--follow", empty, "--engine=bigquery"},
	} {
		outcome := run(t, append([]string{"serve", "--addr=127.0.0.1:0", "--data=" + own}, args...)...)
		assert.NotEqual(t, 0, outcome.status)
		assert.Contains(t, outcome.stderr, want)
	}
}

// A standby runs SQL of callers in a process of its own, on what it shows.
func TestStandbyRunsSQLOfCallersInAProcess(t *testing.T) {
	t.Parallel()
	data, own := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "own")
	primary := serve(t, "--data", data)
	primary.post(t, 0, 300)
	primary.seal(t)
	standby := serve(t, "--data", own, "--follow", data, "--follow-interval", "100ms")
	const running = "\nsavedq_callers_process_running "
	assert.Contains(t, standby.get(t, "/metrics"), running+"0\n")
	count := func() string {
		return body(t, ask(t, http.MethodPost, standby.url+"/api/explore", strings.NewReader(`{"sql":"SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS ids FROM edge_logs","params":{}}`), "X-API-KEY", standby.token, "Content-Type", "application/json"))
	}
	assert.Contains(t, count(), `"result":[{"n":300,"ids":300}]`)
	assert.Contains(t, standby.get(t, "/metrics"), running+"1\n")
	assert.DirExists(t, filepath.Join(own, "spill-callers"))
	assert.NoDirExists(t, filepath.Join(data, "spill-callers"))
	primary.post(t, 300, 500)
	primary.seal(t)
	require.EventuallyWithT(t, func(collect *assert.CollectT) {
		assert.Contains(collect, count(), `"result":[{"n":500,"ids":500}]`)
	}, time.Minute, 200*time.Millisecond)
}
