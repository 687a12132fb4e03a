package live_test

import (
	"bufio"
	"bytes"
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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shared are stores that tests copy, since filling one takes long.
var shared struct { //nolint:gochecknoglobals // All tests share them.
	samples, demo sync.Once
	// banner is what the server printed that filled the store with demo logs.
	banner string
}

// loadSamples makes a data directory with an event of each of the nine sources, loaded under the name that its
// sender uses. One is loaded twice.
func loadSamples(t *testing.T, data string) {
	t.Helper()
	samples := filepath.Join(filepath.Dir(binary), "samples")
	shared.samples.Do(func() {
		files, err := filepath.Glob(filepath.Join(root, "examples", "logs", "*.json"))
		require.NoError(t, err)
		require.Len(t, files, 9)
		for _, file := range files {
			assert.Contains(t, loadSample(t, samples, file), "1 event loaded, 0 rejected")
		}
		assert.Contains(t, loadSample(t, samples, files[0]), "0 events loaded, 0 rejected, 1 already stored")
	})
	require.NoError(t, os.CopyFS(data, os.DirFS(samples)))
}

// loadSample loads a file with the name of its source, and returns what the load prints.
func loadSample(t *testing.T, data, file string) string {
	t.Helper()
	result := run(t, "load", "--data", data, "--source", strings.TrimSuffix(filepath.Base(file), ".json"), file)
	require.Equal(t, 0, result.status, result.stderr)
	return result.stdout
}

// loadDemo makes a data directory with a week of demo logs, and returns what the server printed that made them.
func loadDemo(t *testing.T, data string) (banner string) {
	t.Helper()
	demo := filepath.Join(filepath.Dir(binary), "demo")
	shared.demo.Do(func() {
		s := serve(t, "--data", demo, "--demo")
		shared.banner = s.banner
		require.Equal(t, 0, s.stop(t), s.stderr)
		require.NoError(t, os.Remove(filepath.Join(demo, "generated-token"))) // the copy would be one that others can read
	})
	require.NoError(t, os.CopyFS(data, os.DirFS(demo)))
	return strings.ReplaceAll(shared.banner, demo, data)
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

// Malformed events and those that are too long do not stop the load, but change its exit status. Statistics that leave
// out values say so.
func TestLoadRejects(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file, data := filepath.Join(directory, "events.ndjson"), filepath.Join(directory, "data")
	require.NoError(t, os.WriteFile(file, []byte(`{"metadata":{"project_ref":"acme","execution_time_ms":"12","response":{"status_code":500}}}
nonsense
{"event_message":"`+strings.Repeat("x", 2000)+`"}
`), 0o600))
	result := run(t, "load", "--data", data, "--source", "function_edge_logs", "--max-event", "1KiB", file)
	assert.Equal(t, 1, result.status)
	assert.Contains(t, result.stdout, "function_edge_logs ← "+file+": 1 event loaded, 2 rejected ("+file+".rejected.ndjson)")
	assert.Contains(t, result.stderr, "savedq: "+file+": line 2 was rejected: event: is not valid JSON")
	assert.Contains(t, result.stderr, "statistics ignore values of another type: execution_time_ms is not a number (1 event)")
	rejected, err := os.ReadFile(file + ".rejected.ndjson")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(rejected), "\n"))
	assert.Contains(t, string(rejected), `"line":2,`)
	assert.Contains(t, string(rejected), `"line":3,"reason":"event: has 2020 bytes; --max-event allows 1 KiB"`)
	again := run(t, "load", "--data", data, "--source", "function_edge_logs", file)
	assert.Contains(t, again.stdout, "1 event loaded, 1 rejected ("+file+".rejected.ndjson), 1 already stored")
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
	s := serve(t, "--data", data)
	query := func(name, params string) string { return s.get(t, "/api/endpoints/"+name+"?format=ndjson&"+params) }
	stats := query("functions.invocation-stats", "project=acme&interval=7day")
	assert.Contains(t, stats, `"min_execution_time":2,"max_execution_time":2,"avg_execution_time":2,"p95_execution_time":2,"p99_execution_time":2,"count":1,"error_count":0}`)
	assert.NotContains(t, query("functions.invocation-stats", "project=globex&interval=7day"), `"count":1`)
	counts := query("usage.api-counts", "project=acme&interval=daily")
	assert.Contains(t, counts, `"total_rest_requests":0,"total_storage_requests":0,"total_auth_requests":1,"total_realtime_requests":0}`)
	assert.Empty(t, query("usage.api-counts", "project=globex&interval=daily"))
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
	assert.Empty(t, after.stderr)
}

// Demo logs: a week in an empty store, more after a restart, and none where
// there are others.
func TestDemo(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	banner := loadDemo(t, data)
	filled := regexp.MustCompile(`Added (\d+) demo events`).FindStringSubmatch(banner)
	require.NotNil(t, filled, banner)
	events, err := strconv.Atoi(filled[1])
	require.NoError(t, err)
	assert.GreaterOrEqual(t, events, 200_000)

	s := serve(t, "--data", data, "--demo")
	// It goes on where it ended; at quiet hours there is nothing to add.
	assert.Regexp(t, `Added \d{1,3} demo events|already holds the demo events`, s.banner)
	assert.Equal(t, strings.Contains(s.banner, "Added "), strings.Contains(s.banner, "Filling "), "it says that it fills the store only where it does")
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

	loadSample(t, data, filepath.Join(root, "examples", "logs", "postgres.logs.json"))
	s = serve(t, "--data", data, "--demo")
	assert.Contains(t, s.banner, data+" holds logs that are not demo logs: it is served as it is, and no demo logs are added.")
	assert.Equal(t, 0, s.stop(t), s.stderr)
}

// A file is sent to a server that is killed and started again meanwhile. Each event is stored
// once, with the id that a load into the store gives it.
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
