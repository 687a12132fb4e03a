package httpserver_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/http/httpserver"
	"savedq/internal/web"
	"savedq/sqlq/tables"
)

// With a base path every route has it, and only the paths of probes do without.
func TestBasePath(t *testing.T) {
	t.Parallel()
	const outside = "nothing is served at this path; all paths of this server begin with /tools/savedq, its --base-path, such as /tools/savedq/graphql"
	for name, test := range map[string]struct {
		method, path string
		status       int
		contains     string
		servedBy     string
		// bare is the status of the same path without the base path.
		bare int
	}{
		"home":                   {http.MethodGet, "/", 200, `src="/tools/savedq/assets/dashboard-`, "pages", 404},
		"page":                   {http.MethodGet, "/usage", 200, `href="/tools/savedq/assets/`, "pages", 404},
		"page with a slash":      {http.MethodGet, "/usage/", 200, `href="/tools/savedq/assets/`, "pages", 404},
		"GraphiQL":               {http.MethodGet, "/graphiql", 200, `src="/tools/savedq/assets/graphiql-`, "pages", 404},
		"no such page":           {http.MethodGet, "/no/such/page", 404, `src="/tools/savedq/assets/dashboard-`, "none", 404},
		"asset":                  {http.MethodGet, "/assets/licenses.md", 200, "MIT", "pages", 404},
		"GraphQL":                {http.MethodPost, "/graphql", 200, "graphql /graphql", "graphql", 404},
		"event stream":           {http.MethodGet, "/graphql", 200, "graphql /graphql", "graphql", 404},
		"schema":                 {http.MethodGet, "/schema.graphql", 200, "type Query", "schema", 404},
		"OpenAPI":                {http.MethodGet, "/openapi.json", 200, "openapi", "schema", 404},
		"REST":                   {http.MethodGet, "/api/endpoints/logs.all", 200, "rest /api/endpoints/logs.all", "rest", 404},
		"REST with slashes":      {http.MethodGet, "//api//endpoints/logs.all/", 200, "rest /api/endpoints/logs.all", "rest", 404},
		"REST, encoded slash":    {http.MethodGet, "/api/endpoints/a%2Fb", 200, "rest /api/endpoints/a/b", "rest", 404},
		"REST of old callers":    {http.MethodGet, "/endpoints/query/logs.all", 200, "rest /endpoints/query/logs.all", "rest", 404},
		"usage":                  {http.MethodGet, "/api/usage", 200, "usage", "usage", 404},
		"events":                 {http.MethodPost, "/api/logs", 404, "this server does not receive log events", "ingest", 404},
		"OTLP":                   {http.MethodPost, "/v1/traces", 404, "at /tools/savedq/v1/logs", "ingest", 404},
		"metrics":                {http.MethodGet, "/metrics", 200, "metrics", "metrics", 404},
		"probe":                  {http.MethodGet, "/healthz", 200, "alive", "health", 200},
		"another probe":          {http.MethodGet, "/readyz", 200, "ready", "health", 200},
		"the original's probe":   {http.MethodGet, "/health", 200, "ready", "health", 200},
		"backends":               {http.MethodGet, "/api/backends", 200, "[]\n", "rest", 404},
		"backends, created":      {http.MethodPost, "/api/backends", 405, "METHOD_NOT_ALLOWED", "rest", 404},
		"nothing":                {http.MethodPost, "/nosuch", 404, "GraphQL is at /tools/savedq/graphql", "none", 404},
		"the base path, twice":   {http.MethodPost, "/tools/savedq/graphql", 404, "GraphQL is at /tools/savedq/graphql", "none", 200},
		"only the base path":     {http.MethodGet, "", 200, `src="/tools/savedq/assets/dashboard-`, "pages", 404},
		"another path begins so": {http.MethodGet, "-old/graphql", 404, outside, "none", 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var servedBy string
			handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
				says := func(what string) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, what+" "+r.URL.Path) })
				}
				config.BasePath = "/tools/savedq"
				config.Pages, config.PagePaths, config.NotFoundPage = web.Handler(config.BasePath), web.Paths(), web.NotFound(config.BasePath)
				config.GraphQL, config.REST, config.OpenAPI = says("graphql"), says("rest"), says("openapi")
				config.Usage, config.Metrics, config.Ready = says("usage"), says("metrics"), says("ready")
				config.Ingest = ingesthttp.New(ingesthttp.Config{Tables: tables.Shipped, Errors: config.Errors, Logger: config.Logger, Clock: config.Clock, MemoryBytes: 1 << 20})
				config.Served = func(by string, _ int, _ time.Duration) { servedBy = by }
			})
			send := func(path string) *httptest.ResponseRecorder {
				request := httptest.NewRequestWithContext(t.Context(), test.method, path, http.NoBody)
				request.Host = "localhost"
				request.Header.Set("Accept", "text/html, */*")
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				return recorder
			}
			response := send("/tools/savedq" + test.path)
			assert.Equal(t, test.status, response.Code, response.Body)
			assert.Contains(t, response.Body.String(), test.contains)
			assert.Equal(t, test.servedBy, servedBy)
			if !strings.HasPrefix(test.path, "/") {
				return
			}
			bare := send(test.path)
			assert.Equal(t, test.bare, bare.Code)
			if test.bare == http.StatusNotFound {
				assert.Contains(t, bare.Body.String(), outside)
				assert.NotEmpty(t, bare.Header().Get("X-Request-Id"))
				assert.Equal(t, "nosniff", bare.Header().Get("X-Content-Type-Options"))
				assert.Equal(t, "none", servedBy)
			}
		})
	}
}
