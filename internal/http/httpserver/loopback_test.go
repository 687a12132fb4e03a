package httpserver_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/health"
	"savedq/internal/observe/requestlog"
	"savedq/internal/web"
)

// Without tokens the Host header must name loopback on every path, so that a page of
// another site that points its name at 127.0.0.1 can read nothing (DNS rebinding).
func TestServerWithoutTokensRequiresLoopbackHost(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	logger := slog.New(requestlog.LogHandler(slog.NewJSONHandler(&log, nil)))
	respond := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	change := func(config *httpserver.Config) {
		config.Pages, config.PagePaths = web.Handler(""), web.Paths()
		config.REST, config.GraphQL, config.OpenAPI, config.Metrics, config.Ready = respond("rows"), respond("data"), respond("paths"), respond("metrics"), respond("ready")
		config.Origins = allowedOrigins(t, "http://evil.example")
		config.GraphQLError = func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"errors":[{"extensions":{"code":"PERMISSION_DENIED"}}]}`)
		}
	}
	handler := newServer(logger, change)
	for _, test := range []struct{ method, path string }{
		{http.MethodGet, "/"},
		{http.MethodGet, "/graphiql"},
		{http.MethodGet, "/assets/licenses.md"},
		{http.MethodGet, "/api/endpoints/logs.all?project=acme"},
		{http.MethodPost, "/graphql"},
		{http.MethodGet, "/graphql?query=%7B__typename%7D"},
		{http.MethodGet, "/schema.graphql"},
		{http.MethodGet, "/openapi.json"},
		{http.MethodGet, "/metrics"},
		{http.MethodGet, "/healthz"},
		{http.MethodGet, "/readyz"},
		{http.MethodGet, "/nothing"},
		{http.MethodOptions, "/graphql"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			for host, allowed := range map[string]bool{"evil.example": false, "evil.example:8080": false, "localhost:8080": true, "127.0.0.1": true, "[::1]:8080": true} {
				request := httptest.NewRequestWithContext(t.Context(), test.method, test.path, http.NoBody)
				request.Host = host
				request.Header.Set("Origin", "http://"+host)
				// A WebSocket handshake is denied like every other request.
				request.Header.Set("Connection", "Upgrade")
				request.Header.Set("Upgrade", "websocket")
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				if allowed {
					assert.NotEqual(t, http.StatusForbidden, recorder.Code, host)
					continue
				}
				assert.Equal(t, http.StatusForbidden, recorder.Code, host)
				assert.Contains(t, recorder.Body.String(), `"code":"PERMISSION_DENIED"`)
				assert.Empty(t, recorder.Header().Get("Access-Control-Allow-Origin"))
			}
		})
	}
	assert.Contains(t, log.String(), `"msg":"request denied"`)

	// With tokens any name is allowed, because a page of another site has no token.
	guarded, _ := newGuarded(t, &strings.Builder{})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/schema.graphql", nil)
	request.Host = "savedq.example.com"
	request.Header.Set(auth.KeyHeader, "right")
	recorder := httptest.NewRecorder()
	guarded.ServeHTTP(recorder, request)
	assert.Equal(t, http.StatusOK, recorder.Code)
}

// A metrics address on loopback, which requires no token, requires a loopback Host header
// too.
func TestMetricsOnLoopbackRequireLoopbackHost(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	errors := httperror.NewWriter(logger)
	config := httpserver.Config{
		Metrics: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), Alive: health.Alive(), Ready: health.Alive(),
		Errors: errors, GraphQLError: errors.Write, Logger: logger,
	}
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/nothing"} {
		for host, allowed := range map[string]bool{"evil.example:9090": false, "localhost:9090": true, "127.0.0.1:9090": true} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			request.Host = host
			recorder := httptest.NewRecorder()
			httpserver.NewMetricsHandler(config, true).ServeHTTP(recorder, request)
			assert.Equal(t, allowed, recorder.Code != http.StatusForbidden, host+path)
			recorder = httptest.NewRecorder()
			httpserver.NewMetricsHandler(config, false).ServeHTTP(recorder, request)
			assert.NotEqual(t, http.StatusForbidden, recorder.Code, "an address other than loopback may have any name")
		}
	}
}
