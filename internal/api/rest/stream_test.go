package rest_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/rest"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// streamRunner streams batches of one row, and then ends with an error or truncated.
type streamRunner struct {
	runnerFunc
	batches   int
	err       error
	truncated bool
}

func (s streamRunner) Find(context.Context, string) (*sqlq.SavedQuery, error) {
	return &sqlq.SavedQuery{Name: "all", Stream: true, Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}}, nil
}

func (s streamRunner) Run(_ context.Context, request runner.Request) (*runner.Response, error) {
	if request.Emit == nil {
		return nil, sqlq.Errorf(sqlq.InvalidArgument, "it is a stream")
	}
	if request.HeadersOnly {
		return &runner.Response{Entry: &cache.Entry{Result: &sqlq.Result{}}, Cache: runner.Off}, nil
	}
	for n := range s.batches {
		if err := request.Emit(sqlq.BatchOf(request.Query.Columns, [][]any{{int64(n + 1)}})); err != nil {
			return nil, err
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	return &runner.Response{Entry: &cache.Entry{Result: &sqlq.Result{Truncated: s.truncated, Streamed: s.batches}}, Cache: runner.Off}, nil
}

// get returns a response over the network, and the error of reading its body.
func get(t *testing.T, stream streamRunner, target string) (*http.Response, string, error) {
	t.Helper()
	server := httptest.NewServer(rest.NewHandler(stream, nil, slog.New(slog.DiscardHandler)))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+target, nil)
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	body, failure := io.ReadAll(response.Body)
	require.NoError(t, response.Body.Close())
	return response, string(body), failure
}

const streamPath = "/api/endpoints/all?format="

// A whole stream ends, and says in a trailer whether it was cut off.
func TestStream(t *testing.T) {
	t.Parallel()
	for _, truncated := range []bool{false, true} {
		for name, want := range map[string]string{"ndjson": "{\"n\":1}\n{\"n\":2}\n", "csv": "n\n1\n2\n", "csv&bom=1": "\ufeffn\n1\n2\n", "parquet": "", "arrow": ""} {
			response, body, err := get(t, streamRunner{batches: 2, truncated: truncated}, streamPath+name)
			require.NoError(t, err, name)
			assert.Equal(t, http.StatusOK, response.StatusCode)
			if want != "" {
				assert.Equal(t, want, body)
			}
			assert.Equal(t, truncated, response.Trailer.Get("X-Truncated") == "true", name)
			assert.Equal(t, "OFF", response.Header.Get("X-Cache"))
			assert.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		}
	}
	_, body, err := get(t, streamRunner{}, streamPath+"csv")
	require.NoError(t, err)
	assert.Equal(t, "n\n", body, "no rows")
}

// HEAD has the headers of GET, and runs nothing.
func TestHeadOfStream(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(rest.NewHandler(streamRunner{err: errors.New("it ran")}, nil, slog.New(slog.DiscardHandler)))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+streamPath+"parquet", nil)
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusOK, response.StatusCode)
	assert.Equal(t, "application/vnd.apache.parquet", response.Header.Get("Content-Type"))
	assert.Equal(t, "no-store", response.Header.Get("Cache-Control"))
}

// An error before the first row has its status; one after it aborts the connection in every format.
func TestStreamThatFails(t *testing.T) {
	t.Parallel()
	failure := sqlq.Errorf(sqlq.DeadlineExceeded, "it took too long")
	for _, name := range []string{"ndjson", "csv", "parquet", "arrow"} {
		response, body, err := get(t, streamRunner{err: failure}, streamPath+name)
		require.NoError(t, err, name)
		assert.Equal(t, http.StatusGatewayTimeout, response.StatusCode)
		assert.Contains(t, body, `"DEADLINE_EXCEEDED"`)

		_, body, err = get(t, streamRunner{batches: 20_000, err: failure}, streamPath+name)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
		if name == "ndjson" {
			assert.True(t, strings.HasSuffix(body, "\n"+`{"error":{"code":"DEADLINE_EXCEEDED","message":"it took too long"}}`+"\n"), body[max(0, len(body)-100):])
		}
	}
}

// JSON refuses a stream.
func TestStreamAsJSON(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/api/endpoints/all", streamPath + "json"} {
		response, body, err := get(t, streamRunner{err: errors.New("unused")}, target)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode)
		assert.Contains(t, body, "it is a stream")
	}
}
