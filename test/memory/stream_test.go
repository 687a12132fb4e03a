package memory

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

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
