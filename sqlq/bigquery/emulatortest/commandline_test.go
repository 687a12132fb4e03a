package emulatortest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqlqtest"
)

// commandTimeout ends a command that should have ended by itself.
const commandTimeout = 5 * time.Minute

// The program itself, on one emulator where it needs all tables.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	program, running := buildProgram(t), startEmulator(t, recentLogs())
	for name, test := range map[string]func(t *testing.T, program string, running *emulator){
		"serve": testServe, "check": testCheck, "test": testCases, "tables are missing": testMissingTables,
		"new and reload": testNewAndReload,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, program, running)
		})
	}
}

// testServe starts the program on an emulator: with the flags that the documentation shows, it
// starts, responds on both interfaces, and ends when it is told to. The bare emulator
// is what readers can start for themselves.
func testServe(t *testing.T, program string, running *emulator) {
	t.Helper()
	for name, host := range map[string]string{"emulator": running.url, "bare emulator": running.url + bare} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serveProgram(t, program, host)

			var rest struct{ Result []map[string]any }
			getJSON(t, url+"/api/endpoints/functions.invocation-stats?project=acme&interval=1day", &rest)
			require.Len(t, rest.Result, 25)
			sums := map[string]float64{}
			for _, row := range rest.Result {
				for _, column := range []string{"count", "error_count", "p99_execution_time"} {
					value, _ := row[column].(float64) // null where the bucket is empty
					sums[column] += value
				}
			}
			assert.Equal(t, map[string]float64{"count": 1, "error_count": 1, "p99_execution_time": 7}, sums)

			var graph struct {
				Data struct {
					Logs      []struct{ ID string }
					APICounts []struct{ TotalRestRequests int } `json:"apiCounts"`
				}
				Errors []any
			}
			postJSON(t, url+"/graphql", map[string]string{"query": `{
				logs(project: "acme") { id }
				apiCounts(project: "acme", interval: DAILY) { totalRestRequests }
			}`}, &graph)
			assert.Empty(t, graph.Errors)
			assert.Equal(t, []struct{ ID string }{{"edge-1"}}, graph.Data.Logs)
			assert.Equal(t, []struct{ TotalRestRequests int }{{1}}, graph.Data.APICounts)
		})
	}
}

// testCheck proves that "check" prints what each saved query gives, and says when
// one gives something else than it declares or does not compile.
func testCheck(t *testing.T, program string, running *emulator) {
	t.Helper()

	shipped := run(t, program, running.url, "check")
	assert.Zero(t, shipped.status, shipped.stderr)
	assert.Empty(t, shipped.stderr)
	lines := strings.Split(strings.TrimSpace(shipped.stdout), "\n")
	require.Len(t, lines, 9)
	assert.Regexp(t, `^NAME +ESTIMATED BYTES +COLUMNS$`, lines[0])
	assert.Regexp(t, `^functions\.invocation-stats +0 B +timestamp TIMESTAMP, min_execution_time FLOAT64, .*, error_count INT64$`, lines[1])
	assert.Regexp(t, `^functions\.list +0 B +function_id STRING, invocations INT64, errors INT64, p95_execution_time FLOAT64, last_seen TIMESTAMP$`, lines[2])
	assert.Regexp(t, `^logs\.all +0 B +id STRING, timestamp TIMESTAMP, event_message STRING, metadata ARRAY<STRUCT<`, lines[3])
	for i, name := range []string{"facets", "histogram", "search"} {
		assert.Regexp(t, `^logs\.`+name+` +0 B +`, lines[4+i])
	}
	assert.Regexp(t, `^projects\.list +0 B +project STRING, last_seen TIMESTAMP, events INT64$`, lines[7])
	assert.Regexp(t, `^usage\.api-counts +0 B +timestamp DATETIME, total_rest_requests INT64, .*, total_realtime_requests INT64$`, lines[8])

	folder := filepath.Join(t.TempDir(), "requests")
	require.NoError(t, os.Mkdir(folder, 0o750))
	for file, text := range map[string]string{
		"query.yaml": "id: 0e5b4d6a-6f0e-4d5c-9b1e-7d3c2b1a0f9e\nname: requests\ndescription: Edge log entries.\nmax_rows: 1\ncache: disabled\nwarm: disabled\n" +
			"sandbox: disabled\ncolumns:\n  - {name: entries, type: STRING, nullable: false, description: How many.}\n",
		"bigquery.sql": "SELECT COUNTIF(timestamp < @now) AS entries\nFROM edge_logs\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
	}
	own := run(t, program, running.url, "check", "--queries", filepath.Dir(folder))
	assert.Equal(t, 1, own.status)
	assert.Contains(t, own.stdout, "entries INT64")
	assert.Contains(t, own.stderr, "requests/query.yaml:")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "bigquery.sql"), []byte("SELECT COUNTIF(timestamp < @now AS entries\nFROM edge_logs\n"), 0o600))
	own = run(t, program, running.url, "check", "--queries", filepath.Dir(folder))
	assert.Equal(t, 1, own.status)
	assert.Contains(t, own.stderr, "requests/bigquery.sql:2:1: Syntax error: Expected \")\" but got keyword FROM\n")
}

// testCases proves that the cases of all shipped queries pass on BigQuery with rows of their own,
// whatever the tables hold.
func testCases(t *testing.T, program string, running *emulator) {
	t.Helper()
	shipped := run(t, program, running.url, "test")
	assert.Zero(t, shipped.status, shipped.stdout+shipped.stderr)
	assert.Empty(t, shipped.stderr)
}

// testNewAndReload writes a folder from plain SQL, with the columns that BigQuery reports,
// serves it, and serves an edit of it. A mistake keeps the last good version.
func testNewAndReload(t *testing.T, program string, running *emulator) {
	t.Helper()
	queries, sql := filepath.Join(t.TempDir(), "queries"), filepath.Join(t.TempDir(), "entries.sql")
	require.NoError(t, os.WriteFile(sql, []byte("SELECT id, COUNT(*) AS entries\nFROM edge_logs\nWHERE project = @project AND timestamp < @now\nGROUP BY id\n"), 0o600))
	written := run(t, program, running.url, "new", "edge.entries", "--sql", sql, "--queries", queries, "--param", "project=STRING")
	require.Zero(t, written.status, written.stderr)
	folder := filepath.Join(queries, "edge.entries")
	manifest, err := os.ReadFile(filepath.Join(folder, "query.yaml"))
	require.NoError(t, err)
	assert.Regexp(t, `(?s)name: id\s+type: STRING.*name: entries\s+type: INT64`, string(manifest))
	checked := run(t, program, running.url, "check", "--queries", queries)
	assert.Zero(t, checked.status, checked.stderr)
	assert.Contains(t, checked.stdout, "id STRING, entries INT64")

	url := serveProgram(t, program, running.url, "--queries", queries, "--watch")
	entries := func() any {
		var rest struct{ Result []map[string]any }
		getJSON(t, url+"/api/endpoints/edge.entries?project=acme", &rest)
		require.Len(t, rest.Result, 1)
		return rest.Result[0]["entries"]
	}
	assert.EqualValues(t, 1, entries())
	edit := func(count string) {
		text := "SELECT id, " + count + " AS entries\nFROM edge_logs\nWHERE project = @project AND timestamp < @now\nGROUP BY id\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, "bigquery.sql"), []byte(text), 0o600))
	}
	edit("COUNT(*) + 41")
	assert.Eventually(t, func() bool { return entries() == float64(42) }, commandTimeout, 50*time.Millisecond)
	edit("COUNT(*")
	var state struct {
		Data struct {
			Catalog struct{ Mistakes []struct{ File string } }
		}
	}
	assert.Eventually(t, func() bool {
		postJSON(t, url+"/graphql", map[string]string{"query": `{ catalog { mistakes { file } } }`}, &state)
		return len(state.Data.Catalog.Mistakes) == 1
	}, commandTimeout, 50*time.Millisecond)
	assert.Contains(t, state.Data.Catalog.Mistakes[0].File, "bigquery.sql")
	assert.EqualValues(t, 42, entries(), "the last good version")
}

// testMissingTables proves that what is missing at the start is named in one line,
// with the way to mend it.
func testMissingTables(t *testing.T, program string, _ *emulator) {
	t.Helper()
	running := startEmulator(t, sqlqtest.Logs{}) // without one of its tables
	require.NoError(t, running.execute(t.Context(), "DROP TABLE "+datasetName+".pgbouncer_logs"))
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"table": {
			[]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "warn"},
			"savedq: BigQuery has no table or view project.logs.pgbouncer_logs; create the view or table as docs/bigquery.md shows, or name another dataset with --bigquery-dataset\n",
		},
		"dataset": {
			[]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "warn", "--bigquery-dataset", "other"},
			"savedq: BigQuery has no dataset project.other; create it (bq mk --dataset project:other), or name another with --bigquery-dataset and --bigquery-location\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := run(t, program, running.url, test.args...)
			assert.Equal(t, 1, ended.status)
			assert.Equal(t, test.want, ended.stderr)
			assert.Empty(t, ended.stdout)
		})
	}
}

// recentLogs are an edge request and a function invocation of a minute ago.
func recentLogs() sqlqtest.Logs {
	at := time.Now().UTC().Truncate(time.Microsecond).Add(-time.Minute)
	return sqlqtest.Logs{
		"edge_logs": {{
			ID: "edge-1", Timestamp: at, Project: new("acme"),
			Metadata: json.RawMessage(`[{"request":[{"url":"https://acme.example.com/","path":"/rest/v1/items"}]}]`),
		}},
		"function_edge_logs": {{
			ID: "function-1", Timestamp: at,
			Metadata: json.RawMessage(`[{"project_ref":"acme","execution_time_ms":7,"response":[{"status_code":500}]}]`),
		}},
	}
}

// buildProgram builds the program as "make build" does.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "savedq")
	output, err := exec.CommandContext(t.Context(), "go", "-C", "../../..", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", output)
	return program
}

// command is the program with the flags and the variable that lead it to an
// emulator; later flags overrule them.
func command(ctx context.Context, program, host string, args ...string) *exec.Cmd {
	flags := []string{args[0], "--engine", googlesql.Dialect{}.Name(), "--bigquery-project", projectName, "--bigquery-dataset", datasetName}
	started := exec.CommandContext(ctx, program, append(flags, args[1:]...)...)
	started.Env = append(os.Environ(), "BIGQUERY_EMULATOR_HOST="+host, "SAVEDQ_TOKEN="+token, "SAVEDQ_DATA="+filepath.Join(filepath.Dir(program), "data"))
	return started
}

// outcome is what a command that ended has left.
type outcome struct {
	status         int
	stdout, stderr string
}

// run runs the program to its end.
func run(t *testing.T, program, host string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTimeout)
	defer cancel()
	started := command(ctx, program, host, args...)
	var stdout, stderr bytes.Buffer
	started.Stdout, started.Stderr = &stdout, &stderr
	if err := started.Run(); err != nil {
		var failed *exec.ExitError
		require.ErrorAs(t, err, &failed)
	}
	return outcome{started.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// serveProgram starts a server and returns where it is, once it is ready. At the
// end of the test the server has to end well.
func serveProgram(t *testing.T, program, host string, flags ...string) string {
	t.Helper()
	started := command(context.WithoutCancel(t.Context()), program, host, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()}, flags...)...)
	var stderr bytes.Buffer
	started.Stderr = &stderr
	stdout, err := started.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, started.Start())
	t.Cleanup(func() {
		require.NoError(t, started.Process.Signal(syscall.SIGTERM))
		_, _ = io.Copy(io.Discard, stdout)
		assert.NoError(t, started.Wait(), stderr.String())
	})
	banner, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	url, ready := strings.CutPrefix(strings.TrimSpace(banner), "savedq is ready on ")
	require.True(t, ready, banner)
	return url
}

func getJSON(t *testing.T, url string, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	exchange(t, request, into)
}

func postJSON(t *testing.T, url string, body, into any) {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(text))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	exchange(t, request, into)
}

// token is what the server lets in.
const token = "token-of-the-test"

// exchange sends a request and reads the JSON of the response, which must be 200.
func exchange(t *testing.T, request *http.Request, into any) {
	t.Helper()
	request.Header.Set("X-API-KEY", token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", text)
	require.NoError(t, json.Unmarshal(text, into))
}
