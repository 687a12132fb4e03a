package httpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/health"
	"savedq/internal/observe/requestlog"
)

// newHandler returns a handler that logs to log. Its REST interface panics, and its
// GraphQL interface responds with the path of the request.
func newHandler(log *strings.Builder) http.Handler {
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time {
		moment = moment.Add(time.Millisecond)
		return moment
	}
	return newServer(slog.New(requestlog.LogHandler(slog.NewJSONHandler(log, nil))), func(config *httpserver.Config) {
		config.REST = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("disk on fire") })
		config.GraphQL = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte(r.URL.Path))
		})
		config.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("metrics")) })
		config.Clock = clock
	})
}

// newServer returns a server without tokens whose interfaces send empty responses. Tests
// change its configuration as needed.
func newServer(logger *slog.Logger, change func(*httpserver.Config)) http.Handler {
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	errors := httperror.NewWriter(logger)
	config := httpserver.Config{
		REST: nothing, GraphQL: nothing, OpenAPI: nothing, Metrics: nothing, Issuers: func() []string { return nil },
		Ingest: &ingesthttp.Handlers{WriteOTLPError: errors.Write}, SDL: func(context.Context) string { return "type Query" },
		Alive: health.Alive(), Ready: nothing,
		Errors: errors, GraphQLError: errors.Write,
		MaxRequests: 10,
		Served:      func(string, int, time.Duration) {},
		Logger:      logger,
		Clock:       time.Now,
	}
	change(&config)
	return httpserver.NewHandler(config)
}

// serveOne serves one request with a request id, unless id is empty.
func serveOne(t *testing.T, handler http.Handler, method, path, id string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	request.Host = "localhost"
	if id != "" {
		request.Header.Set(requestlog.IDHeader, id)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// Without introspection, no path shows the schema.
func TestHandlerWithoutSchema(t *testing.T) {
	t.Parallel()
	handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) { config.SDL = func(context.Context) string { return "" } })
	response := serveOne(t, handler, http.MethodGet, "/schema.graphql", "")
	assert.Equal(t, http.StatusForbidden, response.Code)
	assert.Equal(t, `{"error":{"code":"PERMISSION_DENIED","message":"introspection is disabled; the schema is not served"}}`, response.Body.String())
}

func TestHandlerRoutes(t *testing.T) {
	t.Parallel()
	const notFound = `{"error":{"code":"NOT_FOUND","message":"nothing is served at this path; GraphQL is at /graphql, its schema at /schema.graphql, saved queries are at /api/endpoints/<name>, and described at /openapi.json; events are received at /api/logs"}}`
	tests := map[string]struct {
		method, path string
		status       int
		contentType  string
		body         string
	}{
		"GraphQL":          {http.MethodPost, "/graphql", 418, "text/plain; charset=utf-8", "/graphql"},
		"schema":           {http.MethodGet, "/schema.graphql", 200, "text/plain; charset=utf-8", "type Query"},
		"schema by POST":   {http.MethodPost, "/schema.graphql", 405, "application/json; charset=utf-8", `{"error":{"code":"METHOD_NOT_ALLOWED","message":"this path does not support the method POST; use one of GET, HEAD"}}`},
		"metrics":          {http.MethodGet, "/metrics", 200, "text/plain; charset=utf-8", "metrics"},
		"root":             {http.MethodGet, "/", 404, "application/json; charset=utf-8", notFound},
		"no redirect":      {http.MethodGet, "/api", 404, "application/json; charset=utf-8", notFound},
		"doubled slash":    {http.MethodPost, "//graphql", 418, "text/plain; charset=utf-8", "/graphql"},
		"slash at the end": {http.MethodPost, "/graphql/", 418, "text/plain; charset=utf-8", "/graphql"},
		"many slashes":     {http.MethodGet, "///metrics///", 200, "text/plain; charset=utf-8", "metrics"},
		"encoded slash":    {http.MethodGet, "/%2Fgraphql", 404, "application/json; charset=utf-8", notFound},
		"only slashes":     {http.MethodGet, "//", 404, "application/json; charset=utf-8", notFound},
		"dots":             {http.MethodGet, "/assets/../graphql", 404, "application/json; charset=utf-8", notFound},
		"path below":       {http.MethodGet, "/graphql/x", 404, "application/json; charset=utf-8", notFound},
		"panic in a route": {http.MethodGet, "/api/endpoints/logs.all", 500, "application/json; charset=utf-8", `{"error":{"code":"INTERNAL","message":"internal server error; the server's log has the cause under this request's id"}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := serveOne(t, newHandler(&strings.Builder{}), test.method, test.path, "")
			assert.Equal(t, test.status, response.Code)
			assert.Equal(t, test.contentType, response.Header().Get("Content-Type"))
			assert.Equal(t, test.body, response.Body.String())
		})
	}
}

// D15: a response and its log lines share a request id. The id of the caller is used
// unless it is unsafe to log.
func TestHandlerSetsRequestIDs(t *testing.T) {
	t.Parallel()
	for sent, accepted := range map[string]bool{
		"":                            false,
		"caller-1.x_Y":                true,
		"two words":                   false,
		"line\nbreak":                 false,
		strings.Repeat("x", 128):      true,
		strings.Repeat("x", 129):      false,
		`","level":"ERROR","msg":"no`: false,
	} {
		var log strings.Builder
		id := serveOne(t, newHandler(&log), http.MethodGet, "/api/endpoints/logs.all", sent).Header().Get(requestlog.IDHeader)
		if accepted {
			assert.Equal(t, sent, id)
		} else {
			require.NoError(t, uuid.Validate(id))
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		require.Len(t, lines, 2, "one for the failure, one for the request")
		for _, line := range lines {
			var fields map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &fields))
			assert.Equal(t, id, fields["request_id"])
		}
		assert.Contains(t, lines[0], "disk on fire")
		assert.Contains(t, lines[0], "handler_test.go", "the stack")
	}
}

func TestHandlerLogsRequests(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	serveOne(t, newHandler(&log), http.MethodPost, "/graphql?query=secret", "caller-1")
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(log.String()), &line))
	delete(line, "time")
	assert.Equal(t, map[string]any{
		"level": "INFO", "msg": "request", "method": "POST", "path": "/graphql", "status": 418.0,
		"bytes": 8.0, "duration_ms": 1.0, "request_id": "caller-1",
	}, line)
}

// Requests are counted by the interface that served them, whatever their path.
func TestHandlerCountsRequests(t *testing.T) {
	t.Parallel()
	statuses := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var served []string
	handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
		config.REST, config.Pages = statuses(499), statuses(200)
		config.PagePaths = []string{"/", "/assets/"}
		config.Served = func(servedBy string, status int, duration time.Duration) {
			served = append(served, fmt.Sprint(servedBy, " ", status, " ", duration))
		}
		config.Clock = func() time.Time {
			moment = moment.Add(time.Millisecond)
			return moment
		}
	})
	for _, path := range []string{"/api/endpoints/logs.all", "/api/endpoints/query/x", "/graphql", "/schema.graphql", "/metrics", "/healthz", "/", "/assets/x.js", "/secret", "/api/x"} {
		serveOne(t, handler, http.MethodGet, path, "")
	}
	assert.Equal(t, []string{
		"rest 499 1ms", "rest 499 1ms", "graphql 200 1ms", "schema 200 1ms", "metrics 200 1ms", "health 200 1ms", "pages 200 1ms", "pages 200 1ms", "none 404 1ms", "rest 499 1ms",
	}, served)
}
