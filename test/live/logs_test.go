package live_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samplesOnce loads the store that loadSamples copies.
var samplesOnce sync.Once //nolint:gochecknoglobals // All tests share the store, since each load starts a process.

// loadSamples makes a data directory with an event of each of the nine sources.
func loadSamples(t *testing.T, data string) {
	t.Helper()
	samples := filepath.Join(filepath.Dir(binary), "samples")
	samplesOnce.Do(func() { loadEachSample(t, samples) })
	require.NoError(t, os.CopyFS(data, os.DirFS(samples)))
}

// loadEachSample loads an event of each of the nine sources, under the name that its sender uses, twice.
func loadEachSample(t *testing.T, data string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "examples", "logs", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 9)
	for _, file := range files {
		source := strings.TrimSuffix(filepath.Base(file), ".json")
		result := run(t, "load", "--data", data, "--source", source, file)
		require.Equal(t, 0, result.status, result.stderr)
		assert.Contains(t, result.stdout, "1 event loaded, 0 rejected")
		again := run(t, "load", "--data", data, "--source", source, file)
		require.Equal(t, 0, again.status, again.stderr)
		assert.Contains(t, again.stdout, "0 events loaded, 0 rejected, 1 already stored")
	}
}

// From log files to rows: both interfaces return the same, by id and by name.
func TestLoadAndServe(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	s := serve(t, "--data", data)

	byName := s.get(t, "/api/endpoints/logs.all?project=acme")
	assert.Equal(t, byName, s.get(t, "/api/endpoints/query/logs.all?project=acme"))
	assert.Equal(t, byName, s.get(t, "/api/endpoints/query/C4D5E6F7-1A2B-4C3D-8E9F-0A1B2C3D4E32?project=acme"))
	var rest struct {
		Result []struct {
			ID           string          `json:"id"`
			Timestamp    int64           `json:"timestamp"`
			EventMessage string          `json:"event_message"`
			Metadata     json.RawMessage `json:"metadata"`
		} `json:"result"`
	}
	require.NoError(t, json.Unmarshal([]byte(byName), &rest))
	require.Len(t, rest.Result, 1)

	var graph struct {
		Logs []struct {
			ID, EventMessage string
			Metadata         json.RawMessage
		}
		InvocationStats []struct{ Count, ErrorCount int }
		APICounts       []struct{ TotalRestRequests int } `json:"apiCounts"`
	}
	s.graphql(t, `{
		logs(project: "acme") { id eventMessage metadata }
		invocationStats(project: "acme") { count errorCount }
		apiCounts(project: "acme", interval: HOURLY) { totalRestRequests }
	}`, &graph)
	require.Len(t, graph.Logs, 1)
	assert.Equal(t, rest.Result[0].ID, graph.Logs[0].ID)
	assert.Equal(t, rest.Result[0].EventMessage, graph.Logs[0].EventMessage)
	assert.Equal(t, rest.Result[0].Metadata, graph.Logs[0].Metadata)
	require.Len(t, graph.InvocationStats, 25, "D2: a day in hours, both ends included")
	invocations := 0
	for _, bucket := range graph.InvocationStats {
		invocations += bucket.Count
	}
	assert.Equal(t, 1, invocations)
	requests := 0
	for _, bucket := range graph.APICounts {
		requests += bucket.TotalRestRequests
	}
	assert.Equal(t, 1, requests)
	assert.Contains(t, s.get(t, "/schema.graphql"), "type LogEntry")

	// While the server runs the store is its own.
	busy := run(t, "load", "--data", data, "--source", "edge_logs", "doc.go")
	assert.Equal(t, 1, busy.status)
	assert.Equal(t, fmt.Sprintf("savedq: the store in %s is in use by another process (PID %d); stop it first, or choose another --data directory; "+
		"or, if that is a savedq server, send the files to it, as in: savedq load --to http://127.0.0.1:8080 --source edge_logs FILE\n",
		data, s.command.Process.Pid), busy.stderr)

	assert.Equal(t, 0, s.stop(t), s.stderr)
	assert.NoFileExists(t, filepath.Join(data, "savedq.duckdb.wal"), "the store was closed cleanly")

	// Afterwards the command line returns the same rows.
	assert.Equal(t, byName+"\n", run(t, "query", "--data", data, "--format", "json", "logs.all", "project=acme").stdout)
}

// Malformed events do not stop the load, but change its exit status.
func TestLoadRejects(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "events.ndjson")
	require.NoError(t, os.WriteFile(file, []byte("{\"id\":\"1\",\"event_message\":\"a\"}\nnonsense\n{\"id\":\"2\",\"event_message\":\"b\"}\n"), 0o600))
	result := run(t, "load", "--data", filepath.Join(directory, "data"), "--source", "auth_logs", file)
	assert.Equal(t, 1, result.status)
	assert.Contains(t, result.stdout, "auth_logs ← "+file+": 2 events loaded, 1 rejected ("+file+".rejected.ndjson)")
	assert.Contains(t, result.stderr, "savedq: "+file+": line 2 was rejected: event: is not valid JSON")
	rejected, err := os.ReadFile(file + ".rejected.ndjson")
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(rejected), "\n"))
	assert.Contains(t, string(rejected), `"line":2,`)
}

// An event that is too long is rejected like a malformed one, and statistics that leave
// out values say so.
func TestLoadReportsLongEventsAndOddTypes(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "events.ndjson")
	long := strings.Repeat("x", 2000)
	require.NoError(t, os.WriteFile(file, []byte(`{"metadata":{"project_ref":"acme","execution_time_ms":"12","response":{"status_code":500}}}
{"event_message":"`+long+`"}
`), 0o600))
	data := filepath.Join(directory, "data")
	result := run(t, "load", "--data", data, "--source", "function_edge_logs", "--max-event", "1KiB", file)
	assert.Equal(t, 1, result.status)
	assert.Contains(t, result.stdout, "1 event loaded, 1 rejected")
	assert.Contains(t, result.stderr, "statistics ignore values of another type: execution_time_ms is not a number (1 event)")
	rejected, err := os.ReadFile(file + ".rejected.ndjson")
	require.NoError(t, err)
	assert.Contains(t, string(rejected), `"line":2,"reason":"event: has 2020 bytes; --max-event allows 1 KiB"`)
	again := run(t, "load", "--data", data, "--source", "function_edge_logs", file)
	assert.Equal(t, 0, again.status, again.stderr)
	assert.Contains(t, again.stdout, "1 event loaded, 0 rejected, 1 already stored")
}

// A repeated key has the value of its last occurrence, at every level of metadata,
// whoever reads it: statistics, the filter of logs.all, and callers.
func TestRepeatedKeys(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	data := filepath.Join(directory, "data")
	for source, event := range map[string]string{
		"function_edge_logs": `{"metadata":{"project_ref":"globex","execution_time_ms":1,"response":{"status_code":500},"execution_time_ms":2,"response":{"status_code":400,"status_code":200},"project_\u0072ef":"acme"}}`,
		"edge_logs":          `{"project":"acme","metadata":{"request":{"url":"https://globex.example.com","path":"/rest"},"request":{"url":"https://globex.example.com","path":"/rest","url":"https://acme.example.com","path":"/auth"}}}`,
	} {
		file := filepath.Join(directory, source)
		require.NoError(t, os.WriteFile(file, []byte(event), 0o600))
		result := run(t, "load", "--data", data, "--source", source, file)
		require.Equal(t, 0, result.status, result.stderr)
	}
	query := func(args ...string) string {
		result := run(t, append([]string{"query", "--data", data, "--format", "ndjson"}, args...)...)
		require.Equal(t, 0, result.status, result.stderr)
		return result.stdout
	}
	stats := query("functions.invocation-stats", "project=acme", "interval=7day")
	assert.Contains(t, stats, `"min_execution_time":2,"max_execution_time":2,"avg_execution_time":2,"p95_execution_time":2,"p99_execution_time":2,"count":1,"error_count":0}`)
	assert.NotContains(t, query("functions.invocation-stats", "project=globex", "interval=7day"), `"count":1`)
	counts := query("usage.api-counts", "project=acme", "interval=daily")
	assert.Contains(t, counts, `"total_rest_requests":0,"total_storage_requests":0,"total_auth_requests":1,"total_realtime_requests":0}`)
	assert.Empty(t, query("usage.api-counts", "project=globex", "interval=daily"))
	assert.Contains(t, query("logs.all", "project=acme"), `"metadata":[{"request":[{"url":"https://acme.example.com","path":"/auth"}]}]}`)
}

// A load that is killed half way has left nothing of its file behind.
func TestLoadKilledHalfWay(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	data, pipe := filepath.Join(directory, "data"), filepath.Join(directory, "events.ndjson")
	loadSamples(t, data)
	before := run(t, "query", "--data", data, "--format", "json", "logs.all", "project=acme")
	require.Equal(t, 0, before.status, before.stderr)
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	command := exec.Command(binary, "load", "--data", data, "--source", "edge_logs", pipe)
	require.NoError(t, command.Start())
	events, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	require.NoError(t, err)
	writer := bufio.NewWriter(events)
	for i := range 120_000 { // twice what a transaction keeps in memory
		_, err = fmt.Fprintf(writer, `{"id":"event-%d","project":"acme","event_message":"%s"}`+"\n", i, strings.Repeat("x", 100))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Flush())
	require.NoError(t, command.Process.Kill())
	require.Error(t, command.Wait())
	require.NoError(t, events.Close())
	after := run(t, "query", "--data", data, "--format", "json", "logs.all", "project=acme")
	require.Equal(t, 0, after.status, after.stderr)
	assert.Equal(t, before.stdout, after.stdout)
	assert.Contains(t, after.stderr, "an interrupted load was undone")
	again := run(t, "query", "--data", data, "--format", "json", "logs.all", "project=acme")
	assert.Empty(t, again.stderr)
}

// Demo logs: a week in an empty store, more after a restart, and none where
// there are others.
func TestDemo(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := serve(t, "--data", data, "--demo")
	filled := regexp.MustCompile(`Added (\d+) demo events`).FindStringSubmatch(s.banner)
	require.NotNil(t, filled, s.banner)
	events, err := strconv.Atoi(filled[1])
	require.NoError(t, err)
	assert.GreaterOrEqual(t, events, 200_000)
	curl := regexp.MustCompile(`curl .*'(http\S+)'`).FindStringSubmatch(s.banner)
	require.NotNil(t, curl, s.banner)
	assert.Contains(t, s.get(t, strings.TrimPrefix(curl[1], s.url)), `"total_rest_requests":`)
	for _, project := range []string{"default", "acme", "globex"} {
		var graph struct {
			InvocationStats []struct{ Count int }
			Logs            []struct{ ID string }
		}
		s.graphql(t, `{ invocationStats(project: "`+project+`", interval: SEVEN_DAYS) { count } logs(project: "`+project+`") { id } }`, &graph)
		require.Len(t, graph.InvocationStats, 8)
		assert.Len(t, graph.Logs, 100)
		for _, bucket := range graph.InvocationStats[1:7] {
			assert.Greater(t, bucket.Count, 100, "a whole day")
		}
	}
	assert.Equal(t, 0, s.stop(t), s.stderr)

	s = serve(t, "--data", data, "--demo")
	// It goes on where it ended; at quiet hours there is nothing to add.
	assert.Regexp(t, `Added \d{1,3} demo events|already holds the demo events`, s.banner)
	assert.Equal(t, 0, s.stop(t), s.stderr)

	loadEachSample(t, data)
	s = serve(t, "--data", data, "--demo")
	assert.Contains(t, s.banner, data+" holds logs that are not demo logs: it is served as it is, and no demo logs are added.")
	assert.Equal(t, 0, s.stop(t), s.stderr)
}
