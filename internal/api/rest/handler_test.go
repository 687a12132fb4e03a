package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/format"
	"savedq/internal/api/rest"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// runnerFunc adapts a function to [rest.Runner].
type runnerFunc func(request runner.Request) (*runner.Response, error)

func (f runnerFunc) Run(_ context.Context, request runner.Request) (*runner.Response, error) {
	return f(request)
}

func (runnerFunc) Find(_ context.Context, endpoint string) (*sqlq.SavedQuery, error) {
	return &sqlq.SavedQuery{Name: endpoint}, nil
}

func (f runnerFunc) Queries(context.Context) []*sqlq.SavedQuery { return nil }

// respondWith returns a runner that returns the same rows for every request.
func respondWith(rows int, change func(*runner.Response)) runnerFunc {
	result := &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}}
	for n := range rows {
		result.Rows = append(result.Rows, []any{int64(n + 1)})
	}
	entry := &cache.Entry{Query: &sqlq.SavedQuery{Name: "q"}, Result: result}
	return func(runner.Request) (*runner.Response, error) {
		response := &runner.Response{Entry: entry, Cache: runner.Hit, Age: 100*time.Second + 900*time.Millisecond, Left: 800 * time.Second}
		response.Expires = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
		if change != nil {
			change(response)
		}
		return response, nil
	}
}

// request sends a request to the handler and returns the response and its body. headers
// alternates names and values.
func request(t *testing.T, runner rest.Runner, method, target string, headers ...string) (*http.Response, string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Add(pair[0], pair[1])
	}
	rest.NewHandler(runner, nil, slog.New(slog.DiscardHandler)).ServeHTTP(recorder, request)
	response := recorder.Result()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response, string(body)
}

// D12, D16: saved queries are served on three forms of the path, to GET and HEAD, and on the
// further ones of old callers of the original service.
func TestHandlerServesEndpoints(t *testing.T) {
	t.Parallel()
	paths := map[string]string{
		"/api/endpoints/query/C4D5E6F7-1a2b-4c3d-8e9f-0a1b2c3d4e32":  "C4D5E6F7-1a2b-4c3d-8e9f-0a1b2c3d4e32",
		"/api/endpoints/query/logs.all":                              "logs.all",
		"/api/endpoints/logs.all":                                    "logs.all",
		"/api/endpoints/logs%2Eall":                                  "logs.all",
		"/api/endpoints/logs.all/":                                   "logs.all",
		"/api/endpoints/query/logs.all/":                             "logs.all",
		"/api/endpoints/query/8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f/": "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f",
		"/api/endpoints/query/name/logs.all":                         "logs.all",
		"/api/endpoints/query/name/logs.all/":                        "logs.all",
		"/api/endpoints/query/name/query":                            "query",
		"/api/endpoints/query/name":                                  "name",
		"/api/endpoints/query/name/":                                 "name",
		"/api/endpoints/query":                                       "query",
		"/api/endpoints/name":                                        "name",
		"/endpoints/query/logs.all":                                  "logs.all",
		"/endpoints/query/logs.all/":                                 "logs.all",
		"/endpoints/query/8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f":      "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f",
	}
	for path, want := range paths {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			t.Run(method+" "+path, func(t *testing.T) {
				t.Parallel()
				runner := runnerFunc(func(request runner.Request) (*runner.Response, error) {
					assert.Equal(t, runner.Request{Query: &sqlq.SavedQuery{Name: want}, Params: map[string][]string{"project": {"a b", "c"}, "empty": {""}}}, request)
					return respondWith(1, nil)(request)
				})
				response, body := request(t, runner, method, path+"?project=a+b&project=c&empty=")
				assert.Equal(t, http.StatusOK, response.StatusCode)
				assert.Equal(t, "application/json; charset=utf-8", response.Header.Get("Content-Type"))
				assert.Empty(t, response.Header.Get(format.TruncatedHeader))
				assert.Equal(t, `{"result":[{"n":1}]}`, body) // net/http drops it for HEAD
			})
		}
	}
}

// D24: a truncated response is marked.
func TestHandlerMarksTruncatedResponses(t *testing.T) {
	t.Parallel()
	response, _ := request(t, respondWith(1, func(response *runner.Response) { response.Result.Truncated = true }),
		http.MethodGet, "/api/endpoints/logs.all")
	assert.Equal(t, "true", response.Header.Get(format.TruncatedHeader))
}

// D15: every code has its own status, body and headers, and hides the cause.
func TestHandlerMapsCodesToStatuses(t *testing.T) {
	t.Parallel()
	statuses := map[sqlq.Code]int{
		sqlq.InvalidArgument:   400,
		sqlq.Unauthenticated:   401,
		sqlq.PermissionDenied:  403,
		sqlq.NotFound:          404,
		sqlq.MethodNotAllowed:  405,
		sqlq.ResourceExhausted: 429,
		sqlq.Cancelled:         499,
		sqlq.Internal:          500,
		sqlq.Unavailable:       503,
		sqlq.DeadlineExceeded:  504,
	}
	require.Len(t, statuses, len(sqlq.Codes()))
	for _, code := range sqlq.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			failure := sqlq.Errorf(code, `it "failed"`).WithCause(errors.New("SELECT secret"))
			response, body := request(t, runnerFunc(func(runner.Request) (*runner.Response, error) { return nil, failure }),
				http.MethodGet, "/api/endpoints/logs.all")
			assert.Equal(t, statuses[code], response.StatusCode)
			assert.JSONEq(t, `{"error":{"code":"`+string(code)+`","message":"it \"failed\""}}`, body)
			assert.Equal(t, "application/json; charset=utf-8", response.Header.Get("Content-Type"))
			assert.Equal(t, "no-store", response.Header.Get("Cache-Control"))
			assert.Equal(t, code == sqlq.Unavailable || code == sqlq.ResourceExhausted, response.Header.Get("Retry-After") != "")
		})
	}
}

// D15: a rejection says when to retry.
func TestHandlerSetsRetryAfter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		code       sqlq.Code
		retryAfter time.Duration
		want       string
	}{
		"default":            {sqlq.Unavailable, 0, "5"},
		"rounded up":         {sqlq.Unavailable, 2*time.Second + 1, "3"},
		"whole seconds":      {sqlq.ResourceExhausted, 10 * time.Second, "10"},
		"one nanosecond":     {sqlq.Unavailable, time.Nanosecond, "1"},
		"no retry after 500": {sqlq.Internal, 10 * time.Second, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := sqlq.Rejectf(test.code, test.retryAfter, "no")
			recorder := httptest.NewRecorder()
			httperror.NewWriter(slog.New(slog.DiscardHandler)).Write(recorder,
				httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints/logs.all", nil), failure)
			assert.Equal(t, test.want, recorder.Header().Get("Retry-After"))
		})
	}
}

// A rejected request is logged as a warning, because it is no failure of the server.
func TestHandlerLogsRejectionsAsWarnings(t *testing.T) {
	t.Parallel()
	for retryAfter, level := range map[time.Duration]string{0: "ERROR", time.Second: "WARN"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			failure := sqlq.Errorf(sqlq.Unavailable, "no")
			failure.RetryAfter = retryAfter
			var log strings.Builder
			httperror.NewWriter(slog.New(slog.NewTextHandler(&log, nil))).Write(httptest.NewRecorder(),
				httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints/logs.all", nil), failure)
			assert.Contains(t, log.String(), "level="+level)
		})
	}
}

// D15: an error names what is wrong, the parameter and what is allowed, and nothing of
// the engine.
func TestHandlerRejectsBadRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, target string
		status         int
		allow          string
		body           string
	}{
		"method":             {http.MethodPut, "/api/endpoints/logs.all", 405, "GET, HEAD, POST", `{"error":{"code":"METHOD_NOT_ALLOWED","message":"this path does not support the method PUT; use one of GET, HEAD, POST"}}`},
		"method by id":       {http.MethodDelete, "/api/endpoints/query/logs.all", 405, "GET, HEAD, POST", `{"error":{"code":"METHOD_NOT_ALLOWED","message":"this path does not support the method DELETE; use one of GET, HEAD, POST"}}`},
		"method of the list": {http.MethodPost, "/api/endpoints", 405, "GET, HEAD", `{"error":{"code":"METHOD_NOT_ALLOWED","message":"this path does not support the method POST; use one of GET, HEAD"}}`},
		"path":               {http.MethodGet, "/api/endpoint", 404, "", `{"error":{"code":"NOT_FOUND","message":"nothing is served at this path; paths of saved queries end in /api/endpoints/<name> or /api/endpoints/query/<id>, and the path that receives events ends in /api/logs"}}`},
		"longer path":        {http.MethodGet, "/api/endpoints/logs.all/rows", 404, "", `{"error":{"code":"NOT_FOUND","message":"nothing is served at this path; paths of saved queries end in /api/endpoints/<name> or /api/endpoints/query/<id>, and the path that receives events ends in /api/logs"}}`},
		"percent-encoding":   {http.MethodGet, "/api/endpoints/logs.all?project=%zz", 400, "", `{"error":{"code":"INVALID_ARGUMENT","message":"the query string cannot be read: \"%zz\"; percent-encode each value"}}`},
		"semicolon":          {http.MethodGet, "/api/endpoints/logs.all?project=a;b", 400, "", `{"error":{"code":"INVALID_ARGUMENT","message":"the query string cannot be read: invalid semicolon separator in query; percent-encode each value"}}`},
		"invalid parameter":  {http.MethodGet, "/api/endpoints/logs.all", 400, "", `{"error":{"code":"INVALID_ARGUMENT","message":"project: is required","argument":"project"}}`},
		"internal error":     {http.MethodGet, "/api/endpoints/broken", 500, "", `{"error":{"code":"INTERNAL","message":"internal server error; the server's log has the cause under this request's id"}}`},
	}
	runner := runnerFunc(func(request runner.Request) (*runner.Response, error) {
		if request.Query.Name == "broken" {
			return nil, errors.New("IO Error: /var/lib/savedq: SELECT 1")
		}
		return nil, sqlq.ParamErrorf("project", "is required")
	})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := request(t, runner, test.method, test.target)
			assert.Equal(t, test.status, response.StatusCode)
			assert.Equal(t, test.allow, response.Header.Get("Allow"))
			assert.JSONEq(t, test.body, body)
		})
	}
}

// Causes that callers do not see are in the log.
func TestHandlerLogsCauses(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	runner := runnerFunc(func(runner.Request) (*runner.Response, error) { return nil, errors.New("disk on fire") })
	rest.NewHandler(runner, nil, logger).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints/logs.all", nil))
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(log.String()), &line))
	assert.Equal(t, "INTERNAL", line["code"])
	assert.Equal(t, "disk on fire", line["error"])
}
