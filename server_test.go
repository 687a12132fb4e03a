package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
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

	_ "savedq/internal/cli" // so that a change of the program is one of the test, which the cache of test results sees
)

// binary is the built program, which all tests run.
var binary string //nolint:gochecknoglobals // It is set once, before the tests.

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "savedq")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(directory, "savedq")
	if output, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build the program: %v\n%s", err, output))
	}
	status := m.Run()
	_ = os.RemoveAll(directory)
	os.Exit(status)
}

// outcome is what a finished command has left.
type outcome struct {
	status         int
	stdout, stderr string
}

// run runs the program to its end.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a command that should have ended
	defer cancel()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, binary, args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended { //nolint:errorlint // It is never wrapped.
		require.NoError(t, err)
	}
	return outcome{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// server is a running "savedq serve".
type server struct {
	command *exec.Cmd
	stdout  *bufio.Reader
	stderr  *output
	// banner is what the server printed until it was ready.
	banner string
	url    string
	// token is the one that the server made for its run.
	token string
}

// output is what a program prints while it runs.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(text)
}

// String returns what was printed so far.
func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}

// serve starts a server on a free port and waits until it is ready.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	return serveIn(t, "", args...)
}

// serveIn does what serve does in a directory.
func serveIn(t *testing.T, directory string, args ...string) *server {
	t.Helper()
	s := &server{command: exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), stderr: &output{}}
	s.command.Dir = directory
	stdout, err := s.command.StdoutPipe()
	require.NoError(t, err)
	s.command.Stderr = s.stderr
	s.stdout = bufio.NewReader(stdout)
	require.NoError(t, s.command.Start())
	t.Cleanup(func() { _ = s.command.Process.Kill() })
	for !strings.Contains(s.banner, "\n  curl ") || !strings.HasSuffix(s.banner, "\n") {
		line, err := s.stdout.ReadString('\n')
		s.banner += line
		if err != nil {
			_ = s.command.Wait()
			require.NoError(t, err, "the server ended early: %s%s", s.banner, s.stderr)
		}
	}
	s.url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(s.banner)
	require.NotEmpty(t, s.url)
	s.token = regexp.MustCompile(`savedq_[\w-]{43}`).FindString(s.banner)
	return s
}

// stop ends the server with SIGTERM and returns its exit status.
func (s *server) stop(t *testing.T) int {
	t.Helper()
	require.NoError(t, s.command.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, s.stdout)
	_ = s.command.Wait()
	return s.command.ProcessState.ExitCode()
}

// get returns the body of an answer that must be 200.
func (s *server) get(t *testing.T, path string) string {
	t.Helper()
	return body(t, s.send(t, http.MethodGet, path, nil))
}

// send sends a request with the server's token.
func (s *server) send(t *testing.T, method, path string, body io.Reader) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, body)
	require.NoError(t, err)
	request.Header.Set("X-API-KEY", s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	return response
}

// graphql returns the data of an answer without errors.
func (s *server) graphql(t *testing.T, query string, data any) {
	t.Helper()
	request, err := json.Marshal(map[string]string{"query": query})
	require.NoError(t, err)
	response := s.send(t, http.MethodPost, "/graphql", bytes.NewReader(request))
	answer := struct {
		Data   any
		Errors []any
	}{Data: data}
	require.NoError(t, json.Unmarshal([]byte(body(t, response)), &answer))
	require.Empty(t, answer.Errors)
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", text)
	return string(text)
}

// loadSamples loads an event of each of the nine sources, under the name that
// its sender uses.
func loadSamples(t *testing.T, data string) {
	t.Helper()
	files, err := filepath.Glob("examples/logs/*.json")
	require.NoError(t, err)
	require.Len(t, files, 9)
	for _, file := range files {
		source := strings.TrimSuffix(filepath.Base(file), ".json")
		result := run(t, "load", "--data", data, "--source", source, file)
		require.Equal(t, 0, result.status, result.stderr)
		assert.Contains(t, result.stdout, "1 row loaded, 0 rejected")
		again := run(t, "load", "--data", data, "--source", source, file)
		require.Equal(t, 0, again.status, again.stderr)
		assert.Contains(t, again.stdout, "0 rows loaded, 0 rejected, 1 already stored")
	}
}

// From files of logs to answers: both interfaces, by id and by name, agree.
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
	busy := run(t, "load", "--data", data, "--source", "edge_logs", "go.mod")
	assert.Equal(t, 1, busy.status)
	assert.Equal(t, fmt.Sprintf("savedq: the store in %s is in use by another process (PID %d); stop it first, or choose another --data directory\n",
		data, s.command.Process.Pid), busy.stderr)

	assert.Equal(t, 0, s.stop(t), s.stderr)
	assert.NoFileExists(t, filepath.Join(data, "savedq.duckdb.wal"), "the store was closed cleanly")

	// And afterwards the command line gives the same answer.
	assert.Equal(t, byName+"\n", run(t, "query", "--data", data, "--format", "json", "logs.all", "project=acme").stdout)
}

const fourthYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11
name: functions.slowest
description: The slowest function invocations of a project.
max_rows: 2
params:
  - name: project
    type: STRING
    required: true
    description: Project reference.
columns:
  - name: function_id
    type: STRING
    description: Function id.
  - name: execution_time_ms
    type: FLOAT64
    description: Execution time in milliseconds.
`

const fourthSQL = `SELECT function_id, execution_time_ms
FROM function_invocations
WHERE project_ref = $project
ORDER BY execution_time_ms DESC;
`

// writeQuery makes a directory with one folder of a saved query.
func writeQuery(t *testing.T, yaml, sql string) string {
	t.Helper()
	directory := t.TempDir()
	folder := filepath.Join(directory, "slowest")
	require.NoError(t, os.Mkdir(folder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte(yaml), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "duckdb.sql"), []byte(sql), 0o600))
	return directory
}

// A user's fourth saved query is served and listed with no change of code.
func TestFourthSavedQuery(t *testing.T) {
	t.Parallel()
	data, queries := filepath.Join(t.TempDir(), "data"), writeQuery(t, fourthYAML, fourthSQL)
	loadSamples(t, data)
	s := serve(t, "--data", data, "--queries", queries)
	byName := s.get(t, "/api/endpoints/functions.slowest?project=acme")
	assert.Regexp(t, `^\{"result":\[\{"function_id":"[^"]+","execution_time_ms":\d+\}\]\}$`, byName)
	assert.Equal(t, byName, s.get(t, "/api/endpoints/query/0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11?project=acme"))
	var list struct{ Endpoints []struct{ Name, SQL string } }
	s.graphql(t, `{ endpoints { name sql } }`, &list)
	require.Len(t, list.Endpoints, 4)
	assert.Equal(t, "functions.slowest", list.Endpoints[1].Name)
	assert.Equal(t, 0, s.stop(t), s.stderr)
	assert.Contains(t, run(t, "endpoints", "--queries", queries).stdout, "functions.slowest           0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11  project")
}

// What is wrong is said in plain lines, before anything is opened.
func TestMistakesAreSaidBeforeAnythingIsOpened(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	taken := listener.Addr().String()
	broken := writeQuery(t, strings.Replace(fourthYAML, "max_rows: 2", "max_rows: two\nttl: 5", 1), fourthSQL)
	wrong := writeQuery(t, fourthYAML, strings.Replace(fourthSQL, "function_invocations", "invocations", 1))
	empty := t.TempDir()
	tests := map[string]struct {
		args   []string
		status int
		stderr string
	}{
		"no command":            {nil, 2, "savedq: expected one of"},
		"unknown command":       {[]string{"sevre"}, 2, "savedq: unexpected argument sevre"},
		"unknown flag":          {[]string{"serve", "--prot=1"}, 2, "savedq: unknown flag --prot"},
		"bad address":           {[]string{"serve", "--addr", "8080"}, 2, `--addr: "8080" is not an address such as 127.0.0.1:8080`},
		"bad engine":            {[]string{"serve", "--engine", "sqlite"}, 2, `--engine must be one of "duckdb","bigquery" but got "sqlite"`},
		"bad timeout":           {[]string{"serve", "--query-timeout", "0s"}, 2, "--query-timeout: 0s is not a positive duration such as 30s"},
		"no such directory":     {[]string{"serve", "--queries", filepath.Join(empty, "none")}, 2, "--queries: " + filepath.Join(empty, "none") + " is no directory"},
		"directory of nothing":  {[]string{"serve", "--queries", empty}, 1, "holds no folder with a query.yaml"},
		"mistakes in a folder":  {[]string{"serve", "--queries", broken}, 1, "savedq: the saved queries cannot be used:\n" + broken + "/slowest/query.yaml:4:11: max_rows must be a whole number from 1 to 100000\n" + broken + `/slowest/query.yaml:5:1: unknown key "ttl"`},
		"port in use":           {[]string{"serve", "--addr", taken}, 1, "savedq: cannot listen on " + taken + ": the port is in use; stop what uses it, or choose another --addr\n"},
		"no source":             {[]string{"load", "go.mod"}, 2, "--source: is required; use one of edge_logs (or cloudflare.logs.prod)"},
		"unknown source":        {[]string{"load", "--source", "syslog", "go.mod"}, 2, `--source: "syslog" is no log source; use one of edge_logs (or cloudflare.logs.prod)`},
		"no file":               {[]string{"load", "--source", "edge_logs"}, 2, `expected "<file> ..."`},
		"no such file":          {[]string{"load", "--source", "edge_logs", "nosuch.json"}, 2, "nosuch.json is no file"},
		"unknown query":         {[]string{"query", "logs.none"}, 1, `savedq: there is no saved query "logs.none"; "savedq endpoints" lists them`},
		"parameter without =":   {[]string{"query", "logs.all", "acme"}, 1, `savedq: "acme" is not of the form param=value`},
		"undeclared parameter":  {[]string{"query", "logs.all", "projct=acme"}, 1, `savedq: logs.all has no parameter "projct"; its parameters are: project, project_tier, iso_timestamp_start, iso_timestamp_end`},
		"value that is missing": {[]string{"query", "logs.all"}, 1, "savedq: project: is required and must not be empty"},
		"bad format":            {[]string{"query", "--format", "xml", "logs.all"}, 2, `--format must be one of "table","json","ndjson","csv" but got "xml"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			args := test.args
			if len(args) > 0 && args[0] != "endpoints" && args[0] != "sevre" {
				args = append([]string{args[0], "--data", data}, args[1:]...)
			}
			result := run(t, args...)
			assert.Equal(t, test.status, result.status)
			assert.Contains(t, result.stderr, test.stderr)
			assert.Empty(t, result.stdout)
			assert.NoDirExists(t, data)
		})
	}
	t.Run("SQL that does not compile", func(t *testing.T) {
		t.Parallel()
		result := run(t, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--queries", wrong)
		assert.Equal(t, 1, result.status)
		assert.Contains(t, result.stderr, wrong+"/slowest/duckdb.sql:2:6: Catalog Error: Table with name invocations does not exist!")
	})
	t.Run("data directory that cannot be made", func(t *testing.T) {
		t.Parallel()
		result := run(t, "query", "--data", "go.mod/data", "logs.all", "project=acme")
		assert.Equal(t, 1, result.status)
		assert.Regexp(t, `^savedq: make the data directory: .*: not a directory\n$`, result.stderr)
	})
}

// Malformed events do not stop the rest, and the exit status tells.
func TestLoadRejects(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "events.ndjson")
	require.NoError(t, os.WriteFile(file, []byte("{\"id\":\"1\",\"event_message\":\"a\"}\nnonsense\n{\"id\":\"2\",\"event_message\":\"b\"}\n"), 0o600))
	result := run(t, "load", "--data", filepath.Join(directory, "data"), "--source", "auth_logs", file)
	assert.Equal(t, 1, result.status)
	assert.Contains(t, result.stdout, "auth_logs ← "+file+": 2 rows loaded, 1 rejected ("+file+".rejected.ndjson)")
	assert.Empty(t, result.stderr)
	rejected, err := os.ReadFile(file + ".rejected.ndjson")
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(rejected), "\n"))
	assert.Contains(t, string(rejected), `"line":2,`)
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
	for i := range 200_000 { // four times what a transaction keeps in memory
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
	more := regexp.MustCompile(`Added (\d+) demo events`).FindStringSubmatch(s.banner)
	require.NotNil(t, more, s.banner)
	assert.Less(t, len(more[1]), 4, "it goes on where it ended")
	assert.Equal(t, 0, s.stop(t), s.stderr)

	loadSamples(t, data)
	s = serve(t, "--data", data, "--demo")
	assert.Contains(t, s.banner, data+" holds logs that are not demo logs: it is served as it is, and no demo logs are added.")
	assert.Equal(t, 0, s.stop(t), s.stderr)
}
