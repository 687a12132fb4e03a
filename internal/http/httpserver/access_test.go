package httpserver_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/format"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/rest"
	"savedq/internal/auth"
	"savedq/internal/http/httpserver"
	"savedq/internal/http/origins"
	"savedq/internal/web"
	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// newGuarded returns the whole server with tokens, and its fake engine, which counts runs.
func newGuarded(t *testing.T, log *strings.Builder) (http.Handler, *sqlqtest.FakeEngine) {
	t.Helper()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	engine := &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}}, nil
	}}
	catalog := graphtest.Shipped(t)
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		credential := func(secret string, token auth.Token) auth.Credential {
			return auth.Credential{Token: token, Hash: auth.HashOf(secret)}
		}
		return []auth.Credential{
			credential("right", auth.FullAccess("right")),
			credential("expired", auth.Token{Name: "expired", Expires: now}),
			credential("narrow", auth.Token{
				Name: "narrow", Endpoints: []string{"usage.api-counts"}, Projects: []string{"acme"},
			}),
		}, nil
	})
	require.NoError(t, err)
	logger := slog.New(slog.NewJSONHandler(log, nil))
	inner := runner.New(sqlqtest.Config(catalog, engine, clock))
	runner := auth.NewRunner(inner, inner, catalog, logger)
	return newServer(logger, func(config *httpserver.Config) {
		config.REST = rest.NewHandler(runner, nil, logger)
		config.GraphQL = graphqlhttp.NewHandler(graphqlhttp.Config{Runner: runner, Schema: graphtest.ShippedSchema(t), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()})
		config.SDL = func(context.Context) string { return graphtest.ShippedSchema(t).SDL() }
		config.Keyring = keyring
		config.Usage = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		config.NotFoundPage = web.NotFound("")
		config.Clock = clock
	}), engine
}

// D17: a request without a valid token gets 401 on every route. A request beyond the
// token's scope gets 403.
func TestAccess(t *testing.T) {
	t.Parallel()
	const graphQL = "/graphql?query="
	routes := map[string]struct {
		path string
		// right and narrow are the responses to a token with full access, and to one that
		// is limited to usage.api-counts and the project acme.
		right, narrow string
	}{
		"REST by name":             {"/api/endpoints/usage.api-counts?project=acme&interval=daily", "200", "200"},
		"REST by id":               {"/api/endpoints/query/7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21?project=acme&interval=daily", "200", "200"},
		"REST by deprecated name":  {"/api/endpoints/query/name/usage.api-counts?project=acme&interval=daily", "200", "200"},
		"REST by legacy name":      {"/endpoints/query/usage.api-counts?project=acme&interval=daily", "200", "200"},
		"REST by legacy id":        {"/endpoints/query/7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21?project=acme&interval=daily", "200", "200"},
		"deprecated, unknown":      {"/api/endpoints/query/name/nosuch?project=acme", "404 NOT_FOUND", "403 PERMISSION_DENIED"},
		"legacy, unknown endpoint": {"/endpoints/query/nosuch?project=acme", "404 NOT_FOUND", "403 PERMISSION_DENIED"},
		"legacy, no endpoint":      {"/endpoints/query/", "404 NOT_FOUND", "404 NOT_FOUND"},
		"REST, other project":      {"/api/endpoints/usage.api-counts?project=globex&interval=daily", "200", "403 PERMISSION_DENIED"},
		"REST, project by pattern": {"/api/endpoints/usage.api-counts?project=.*&interval=daily", "200", "403 PERMISSION_DENIED"},
		"REST, other endpoint":     {"/api/endpoints/logs.all?project=acme", "200", "403 PERMISSION_DENIED"},
		"REST, unknown endpoint":   {"/api/endpoints/nosuch?project=acme", "404 NOT_FOUND", "403 PERMISSION_DENIED"},
		"GraphQL":                  {graphQL + "%7BapiCounts(project:%22acme%22,interval:DAILY)%7Btimestamp%7D%7D", "200", "200"},
		"GraphQL, other project":   {graphQL + "%7BapiCounts(project:%22globex%22,interval:DAILY)%7Btimestamp%7D%7D", "200", "200 PERMISSION_DENIED"},
		"GraphQL, other endpoint":  {graphQL + "%7Blogs(project:%22acme%22)%7Bid%7D%7D", "200", "200 PERMISSION_DENIED"},
		"search of logs":           {"/api/endpoints/logs.search?project=acme", "200", "403 PERMISSION_DENIED"},
		"histogram of logs":        {"/api/endpoints/logs.histogram?project=acme", "200", "403 PERMISSION_DENIED"},
		"facets of logs":           {"/api/endpoints/logs.facets?project=acme", "200", "403 PERMISSION_DENIED"},
		"GraphQL, search of logs":  {graphQL + "%7BlogsSearch(project:%22acme%22)%7Bid%7D%7D", "200", "200 PERMISSION_DENIED"},
		"schema":                   {"/schema.graphql", "200", "200"},
		"metrics":                  {"/metrics", "200", "200"},
		"usage":                    {"/api/usage", "200", "403 PERMISSION_DENIED"},
		"backends":                 {"/api/backends?metadata%5Btype%5D=log-drain", "200", "403 PERMISSION_DENIED"},
		"nothing":                  {"/nothing", "404 NOT_FOUND", "404 NOT_FOUND"},
		"root":                     {"/", "404 NOT_FOUND", "404 NOT_FOUND"},
	}
	for name, route := range routes {
		for presented, want := range map[string]string{
			"":               "401 UNAUTHENTICATED",
			"wrong":          "401 UNAUTHENTICATED",
			"expired":        "401 UNAUTHENTICATED",
			"narrow":         route.narrow,
			"right":          route.right,
			"Bearer right":   route.right,
			"Bearer wrong":   "401 UNAUTHENTICATED",
			"Bearer expired": "401 UNAUTHENTICATED",
		} {
			t.Run(name+" with "+presented, func(t *testing.T) {
				t.Parallel()
				var log strings.Builder
				handler, engine := newGuarded(t, &log)
				request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, route.path, nil)
				switch {
				case strings.HasPrefix(presented, "Bearer "):
					request.Header.Set("Authorization", presented)
				case presented != "":
					request.Header.Set("X-API-KEY", presented)
				}
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				status, code, _ := strings.Cut(want, " ")
				assert.Equal(t, status, recorder.Result().Status[:3], recorder.Body)
				if code == "" {
					assert.NotContains(t, recorder.Body.String(), `"code"`)
				} else {
					assert.Contains(t, recorder.Body.String(), `"code":"`+code+`"`)
					assert.Zero(t, engine.Runs())
				}
				denied := code == "UNAUTHENTICATED" || code == "PERMISSION_DENIED"
				assert.Equal(t, denied, strings.Contains(log.String(), "request denied"), "the audit line")
				assert.Equal(t, code == "UNAUTHENTICATED", recorder.Header().Get("WWW-Authenticate") != "")
			})
		}
	}
}

// The scope of a token decides before the cache and before the format, in every format.
func TestAccessToFormats(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	handler, engine := newGuarded(t, &log)
	get := func(token, project, format string) *httptest.ResponseRecorder {
		path := "/api/endpoints/usage.api-counts?interval=daily&project=" + project + "&format=" + format
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		request.Header.Set("X-API-KEY", token)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder
	}
	for name := range strings.SplitSeq(format.Served(true), ", ") {
		assert.Equal(t, http.StatusOK, get("right", "globex", name).Code, name) // is cached now
		assert.Equal(t, http.StatusOK, get("narrow", "acme", name).Code, name)
		runs := engine.Runs()
		denied := get("narrow", "globex", name)
		assert.Equal(t, http.StatusForbidden, denied.Code, name)
		assert.Contains(t, denied.Body.String(), `{"error":{"code":"PERMISSION_DENIED"`, name)
		assert.Equal(t, http.StatusUnauthorized, get("expired", "acme", name).Code, name)
		assert.Equal(t, runs, engine.Runs(), name)
	}
}

// D16: all paths of a saved query share its cache entries.
func TestPathsShareCacheEntries(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	handler, engine := newGuarded(t, &log)
	const name, id = "usage.api-counts", "7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21"
	for _, path := range []string{
		"/api/endpoints/" + name, "/api/endpoints/query/" + id, "/api/endpoints/query/" + name,
		"/api/endpoints/query/name/" + name, "/endpoints/query/" + name, "/endpoints/query/" + id,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			request := httptest.NewRequestWithContext(t.Context(), method, path+"?project=acme&interval=daily", http.NoBody)
			request.Header.Set("X-API-KEY", "right")
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			assert.Equal(t, http.StatusOK, recorder.Code, method+" "+path)
		}
	}
	assert.Equal(t, 1, engine.Runs())
}

// Probes require no token.
func TestOpenRoutes(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	handler, _ := newGuarded(t, &log)
	for _, path := range []string{"/healthz", "/readyz", "/health"} {
		assert.Equal(t, http.StatusOK, serveOne(t, handler, http.MethodGet, path, "").Code, path)
	}
}

func allowedOrigins(tb testing.TB, texts ...string) origins.Set {
	tb.Helper()
	set, err := origins.Parse(texts...)
	require.NoError(tb, err)
	return set
}

func TestAllowedOrigins(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	handler := newServer(slog.New(slog.NewTextHandler(&log, nil)), func(config *httpserver.Config) {
		config.Origins = allowedOrigins(t, "https://app.example.com")
	})
	preflight := func(origin, method, header string) http.Header {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/graphql", nil)
		request.Host = "localhost"
		request.Header.Set("Origin", origin)
		request.Header.Set("Access-Control-Request-Method", method)
		request.Header.Set("Access-Control-Request-Headers", header)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder.Header()
	}
	const allowed = "Access-Control-Allow-Origin"
	for _, header := range []string{"authorization", "x-source,content-encoding", "apollographql-client-name,baggage,sentry-trace,x-requested-with"} {
		response := preflight("https://app.example.com", "POST", header)
		assert.Equal(t, "https://app.example.com", response.Get(allowed), header)
		assert.Equal(t, header, response.Get("Access-Control-Allow-Headers"))
	}
	assert.NotContains(t, log.String(), "level=WARN")
	assert.Empty(t, preflight("https://app.example.com.evil.example", "POST", "authorization").Get(allowed))
	assert.Empty(t, preflight("http://app.example.com", "POST", "authorization").Get(allowed), "another scheme")
	assert.Empty(t, preflight("https://app.example.com", "DELETE", "authorization").Get(allowed))
	assert.Contains(t, log.String(), `level=WARN msg="a browser asked for a page of another origin, which --cors-origins does not allow" origin=http://app.example.com path=/graphql`)

	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints/logs.all", nil)
	request.Host = "localhost"
	request.Header.Set("Origin", "https://app.example.com")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	assert.Equal(t, "https://app.example.com", recorder.Header().Get(allowed))
	assert.Contains(t, recorder.Header().Get("Access-Control-Expose-Headers"), "X-Cache")
	assert.Empty(t, recorder.Header().Get("Access-Control-Allow-Credentials"))

	closed := newServer(slog.New(slog.DiscardHandler), func(*httpserver.Config) {})
	recorder = httptest.NewRecorder()
	closed.ServeHTTP(recorder, request)
	assert.Empty(t, recorder.Header().Get(allowed), "no origin is allowed by default")
}

// Every response carries the browser security headers.
func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for _, path := range []string{"/graphql", "/api/endpoints/logs.all", "/healthz", "/nothing", "/schema.graphql"} {
		header := serveOne(t, newHandler(&log), http.MethodGet, path, "").Header()
		assert.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		assert.Equal(t, "default-src 'none'; frame-ancestors 'none'", header.Get("Content-Security-Policy"), path)
		assert.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
	}
}

// A browser that opens an unknown path gets a page without a token, which it cannot send.
// All other clients get JSON. The page does not reveal what is served under /api/, nor
// whether the metrics and the OpenAPI description are served.
func TestUnknownPathsGetAPage(t *testing.T) {
	t.Parallel()
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	var log strings.Builder
	handler, _ := newGuarded(t, &log)
	withoutMetrics := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
		config.NotFoundPage, config.Metrics = web.NotFound(""), nil
	})
	for name, test := range map[string]struct {
		handler              http.Handler
		method, path, accept string
		status               int
		mediaType            string
	}{
		"browser":               {handler, http.MethodGet, "/nosuch", browser, 404, "text/html; charset=utf-8"},
		"browser, below a page": {handler, http.MethodGet, "/logs/x", browser, 404, "text/html; charset=utf-8"},
		"HEAD":                  {handler, http.MethodHead, "/nosuch", browser, 404, "text/html; charset=utf-8"},
		"curl":                  {handler, http.MethodGet, "/nosuch", "*/*", 401, "application/json; charset=utf-8"},
		"no Accept":             {handler, http.MethodGet, "/nosuch", "", 401, "application/json; charset=utf-8"},
		"HTML declined":         {handler, http.MethodGet, "/nosuch", "text/html;q=0, */*", 401, "application/json; charset=utf-8"},
		"malformed quality":     {handler, http.MethodGet, "/nosuch", "text/html;q=odd", 401, "application/json; charset=utf-8"},
		"POST":                  {handler, http.MethodPost, "/nosuch", browser, 401, "application/json; charset=utf-8"},
		"REST":                  {handler, http.MethodGet, "/api/endpoints/nosuch", browser, 401, "application/json; charset=utf-8"},
		"metrics":               {handler, http.MethodGet, "/metrics", browser, 401, "application/json; charset=utf-8"},
		"no metrics here":       {withoutMetrics, http.MethodGet, "/metrics", browser, 404, "application/json; charset=utf-8"},
		"description":           {handler, http.MethodGet, "/openapi.json", browser, 401, "application/json; charset=utf-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), test.method, test.path, nil)
			request.Host = "localhost"
			request.Header.Set("Accept", test.accept)
			request.Header.Set("If-None-Match", "*")
			recorder := httptest.NewRecorder()
			test.handler.ServeHTTP(recorder, request)
			assert.Equal(t, test.status, recorder.Code)
			assert.Equal(t, test.mediaType, recorder.Header().Get("Content-Type"))
		})
	}
}

// Pages, their files and error responses carry the security headers. Only pages have a
// policy of their own.
func TestSecurityHeadersOfPages(t *testing.T) {
	t.Parallel()
	handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
		config.Pages, config.PagePaths = web.Handler(""), web.Paths()
	})
	const defaultPolicy = "default-src 'none'; frame-ancestors 'none'"
	for path, test := range map[string]struct {
		method    string
		status    int
		ownPolicy bool
	}{
		"/":                      {http.MethodGet, http.StatusOK, true},
		"/graphiql":              {http.MethodHead, http.StatusOK, true},
		"/usage":                 {http.MethodPost, http.StatusMethodNotAllowed, false},
		"/assets/licenses.md":    {http.MethodGet, http.StatusOK, false},
		"/assets/of-old-version": {http.MethodGet, http.StatusNotFound, false},
	} {
		response := serveOne(t, handler, test.method, path, "")
		assert.Equal(t, test.status, response.Code, path)
		assert.Equal(t, "nosniff", response.Header().Get("X-Content-Type-Options"), path)
		assert.Equal(t, "no-referrer", response.Header().Get("Referrer-Policy"), path)
		assert.Equal(t, test.ownPolicy, response.Header().Get("Content-Security-Policy") != defaultPolicy, path)
	}
}

// Requests beyond the limit are rejected at once.
func TestHandlerRejectsWhenBusy(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	entered, leave := make(chan struct{}), make(chan struct{})
	handler := newServer(slog.New(slog.NewTextHandler(&log, nil)), func(config *httpserver.Config) {
		config.MaxRequests = 2
		config.REST = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			entered <- struct{}{}
			<-leave
		})
	})
	const path = "/api/endpoints/logs.all"
	done := make(chan int)
	for range 2 {
		go func() { done <- serveOne(t, handler, http.MethodGet, path, "").Code }()
		<-entered
	}
	rejected := serveOne(t, handler, http.MethodGet, path, "")
	assert.Contains(t, log.String(), `level=WARN msg="request failed"`, "a rejection is not a failure of the server")
	assert.NotContains(t, log.String(), "level=ERROR")
	assert.Equal(t, http.StatusServiceUnavailable, rejected.Code)
	assert.NotEmpty(t, rejected.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"error":{"code":"UNAVAILABLE","message":"the server is busy; try again later"}}`, rejected.Body.String())
	assert.Equal(t, http.StatusOK, serveOne(t, handler, http.MethodGet, "/healthz", "").Code, "probes are not limited")
	close(leave)
	for range 2 {
		assert.Equal(t, http.StatusOK, <-done)
	}
}
