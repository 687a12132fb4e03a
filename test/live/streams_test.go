package live_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const streamColumns = "stream: true\ncolumns:\n  - {name: n, type: INT64, description: A number.}\n"

// serveStreams serves a saved query of all rows, one that fails late, and one without an end.
func serveStreams(t *testing.T) *server {
	t.Helper()
	queries := t.TempDir()
	for name, query := range map[string]struct{ yaml, sql string }{
		"all":    {"id: 00000000-0000-4000-8000-000000000001\nmax_rows: 10000000\n", "SELECT range AS n FROM range(300000)"},
		"cut":    {"id: 00000000-0000-4000-8000-000000000002\nmax_rows: 250000\n", "SELECT range AS n FROM range(300000)"},
		"broken": {"id: 00000000-0000-4000-8000-000000000003\nmax_rows: 10000000\n", "SELECT CAST(CASE range WHEN 1000000 THEN 'x' ELSE '1' END AS BIGINT) AS n FROM range(1200000)"},
		"long":   {"id: 00000000-0000-4000-8000-000000000004\nmax_rows: 10000000\n", "SELECT range AS n FROM range(1000000000000)"},
	} {
		require.NoError(t, os.Mkdir(filepath.Join(queries, name), 0o750))
		yaml := "name: " + name + "\ndescription: A test.\n" + query.yaml + streamColumns
		require.NoError(t, os.WriteFile(filepath.Join(queries, name, "query.yaml"), []byte(yaml), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(queries, name, "duckdb.sql"), []byte(query.sql), 0o600))
	}
	return serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--queries", queries)
}

// read reads a response to its end or to its error.
func read(t *testing.T, response *http.Response) (string, error) {
	t.Helper()
	text, failure := io.ReadAll(response.Body)
	require.NoError(t, response.Body.Close())
	return string(text), failure
}

// Rows are streamed in each format, cut off at max rows and counted. An error in the middle is visible in each format.
func TestStreams(t *testing.T) {
	t.Parallel()
	s := serveStreams(t)
	broken := 0 // rows of the NDJSON
	for _, format := range []string{"ndjson", "csv", "parquet", "arrow"} {
		response := s.send(t, http.MethodGet, "/api/endpoints/all?format="+format, nil)
		text, err := read(t, response)
		require.NoError(t, err, format)
		assert.Equal(t, http.StatusOK, response.StatusCode)
		assert.Empty(t, response.Trailer.Get("X-Truncated"))
		if format == "ndjson" {
			assert.Equal(t, 300_000, strings.Count(text, "\n"))
		}

		response = s.send(t, http.MethodGet, "/api/endpoints/cut?format="+format, nil)
		text, err = read(t, response)
		require.NoError(t, err, format)
		assert.Equal(t, "true", response.Trailer.Get("X-Truncated"))
		if format == "ndjson" {
			assert.Equal(t, 250_000, strings.Count(text, "\n"))
		}

		response = s.send(t, http.MethodGet, "/api/endpoints/broken?format="+format, nil)
		text, err = read(t, response)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, format)
		assert.Equal(t, http.StatusOK, response.StatusCode, "the rows before the error were sent")
		if format == "ndjson" {
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			assert.Contains(t, lines[len(lines)-1], `{"error":{"code":"`)
			broken = len(lines) - 1
		}
	}
	var used struct {
		Result []struct {
			Endpoint string
			Rows     int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(s.get(t, "/api/usage")), &used))
	require.Len(t, used.Result, 3)
	assert.Equal(t, 4*300_000, used.Result[0].Rows)
	assert.Greater(t, used.Result[1].Rows, broken, "the rows that were sent before the error count")
	assert.Equal(t, 4*250_000, used.Result[2].Rows)
	t.Run("Elsewhere", s.testStreamsElsewhere)
	t.Run("OfAClientThatLeaves", s.testStreamOfAClientThatLeaves)
	require.Zero(t, s.stop(t), "a client that leaves ends its run: otherwise the server, which waits for its requests, would not stop in time")
	assert.Contains(t, s.stderr.String(), "a stream was cut off")
	assert.Contains(t, s.stderr.String(), `"code":"CANCELLED"`)
}

// JSON, GraphQL and MCP refuse a stream and say what to use.
func (s *server) testStreamsElsewhere(t *testing.T) {
	t.Helper()
	const advice = "ask REST for it with format=ndjson, csv, parquet or arrow"
	text, err := read(t, s.send(t, http.MethodGet, "/api/endpoints/all", nil))
	require.NoError(t, err)
	assert.Contains(t, text, advice)
	for path, document := range map[string]string{
		"/graphql": `{"query":"{ all { n } }"}`,
		"/mcp":     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"all","arguments":{}}}`,
	} {
		text, err := read(t, ask(t, http.MethodPost, s.url+path, strings.NewReader(document),
			"X-API-KEY", s.token, "Content-Type", "application/json",
			"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-11-25"))
		require.NoError(t, err)
		assert.Contains(t, text, advice, path)
	}
}

func (s *server) testStreamOfAClientThatLeaves(t *testing.T) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/endpoints/long?format=csv", nil)
	require.NoError(t, err)
	request.Header.Set("X-API-KEY", s.token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	_, err = io.ReadFull(response.Body, make([]byte, 1<<20))
	require.NoError(t, err)
	leave()
	_, err = io.Copy(io.Discard, response.Body)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, response.Body.Close())
}
