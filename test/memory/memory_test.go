package memory

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program stays within --memory. No test is parallel, since they measure.
func TestProgramFitsIntoMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the unit of the largest memory depends on the system")
	}
	binary := filepath.Join(t.TempDir(), "savedq")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "savedq").CombinedOutput()
	require.NoError(t, err, "%s", output)
	t.Run("load of large events", func(t *testing.T) { testLoad(t, binary) })
	t.Run("streams", func(t *testing.T) { testStreams(t, binary) })
	t.Run("greedy callers", func(t *testing.T) { testGreedyCallers(t, binary) })
}

// testLoad loads more large events than a row group has rows, with texts that no compression
// shortens much: a row group of them takes 250 MB.
func testLoad(t *testing.T, binary string) {
	t.Helper()
	const events = 125_000
	path := filepath.Join(t.TempDir(), "events.ndjson")
	writeLargeEvents(t, path, events)
	load := exec.CommandContext(t.Context(), binary, "load", "--source", "edge_logs", "--data", t.TempDir(), "--memory", memory, path)
	output, err := load.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "125,000 events loaded, 0 rejected")
	requireWithin(t, load)
}

const (
	limit  = 512 << 20
	memory = "512MiB"
)

// requireWithin requires that a process that has ended never had more memory than the limit.
func requireWithin(t *testing.T, ended *exec.Cmd) {
	t.Helper()
	usage, measured := ended.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, measured)
	t.Logf("largest memory: %d MiB", usage.Maxrss>>10)
	require.Less(t, usage.Maxrss<<10, int64(limit))
}

// writeLargeEvents writes events of about 2,200 bytes.
func writeLargeEvents(t *testing.T, path string, count int) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	written, random := bufio.NewWriter(file), rand.New(rand.NewPCG(1, 1))
	for n := range count {
		var headers strings.Builder
		for i := range 30 {
			_, _ = fmt.Fprintf(&headers, `"header_%d":"%016x%016x%016x",`, i, random.Uint64(), random.Uint64(), random.Uint64())
		}
		_, _ = fmt.Fprintf(written, `{"id":"%d","timestamp":%d,"event_message":"GET | 200","project":"acme","metadata":{"request":{"url":"https://acme.example.com/?id=%d","headers":{%s"accept":"*/*"}},"response":{"status_code":200}}}`+"\n",
			n, 1_795_000_000_000_000+n*1000, n, headers.String())
	}
	require.NoError(t, written.Flush())
	require.NoError(t, file.Close())
}

const (
	streamYAML = `id: 00000000-0000-4000-8000-000000000001
name: rows
description: A test.
max_rows: 10000000
stream: true
columns:
  - {name: n, type: INT64, description: The number of the row.}
  - {name: text, type: STRING, description: A text that no compression shortens much.}
`
	streamSQL = `SELECT range AS n, concat(hash(range), hash(range * 3), hash(range * 7), hash(range * 11), hash(range * 13),
  hash(range * 17), hash(range * 19), hash(range * 23), hash(range * 29), hash(range * 31)) AS text FROM range(2750000)`
)

// testStreams reads streams of more bytes than the server may have.
func testStreams(t *testing.T, binary string) {
	t.Helper()
	queries := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(queries, "rows"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(queries, "rows", "query.yaml"), []byte(streamYAML), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(queries, "rows", "duckdb.sql"), []byte(streamSQL), 0o600))
	server := exec.CommandContext(t.Context(), binary, "serve", "--addr", "127.0.0.1:0", "--no-auth", "--data", t.TempDir(), "--queries", queries, "--memory", memory)
	stdout, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	printed := bufio.NewReader(stdout)
	address := ""
	for address == "" {
		line, err := printed.ReadString('\n')
		require.NoError(t, err, "the server ended early")
		if strings.HasPrefix(line, "  curl ") {
			address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
		}
	}
	for _, format := range []string{"ndjson", "csv", "parquet", "arrow"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/endpoints/rows?format="+format, nil)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		bytes, err := io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Greater(t, bytes, int64(limit), format)
	}
	require.NoError(t, server.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, printed)
	require.NoError(t, server.Wait())
	requireWithin(t, server)
}
