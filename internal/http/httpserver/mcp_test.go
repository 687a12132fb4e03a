package httpserver_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/http/httpserver"
)

// callTool sends a call of a tool, with headers of the form "Name: value".
func (s *signedServer) callTool(token, tool, arguments string, headers ...string) *httptest.ResponseRecorder {
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
	return s.send(http.MethodPost, "/mcp", token, message, append([]string{"Accept: application/json, text/event-stream"}, headers...)...)
}

// The access matrix of tools: the token is checked as on other paths, and its scope before the cache.
func TestAccessToTools(t *testing.T) {
	t.Parallel()
	s := newSigned(t, namingProject)
	for _, project := range []string{"acme", "globex"} { // both are cached
		assert.Contains(t, s.callTool("full", "functions_list", `{"project":"`+project+`"}`).Body.String(), "rows of "+project)
	}
	runs := s.engine.Runs()
	for name, test := range map[string]struct{ token, tool, arguments, want string }{
		"static":        {"full", "functions_list", `{"project":"globex"}`, "rows of globex"},
		"bound, absent": {s.of("user-1", "acme"), "functions_list", `{}`, "rows of acme"},
		"bound, equal":  {s.of("user-1", "acme"), "functions_list", `{"project":"acme"}`, "rows of acme"},
		"bound, other":  {s.of("user-1", "acme"), "functions_list", `{"project":"globex"}`, "PERMISSION_DENIED"},
		"one of two":    {s.of("user-1", "acme", "globex"), "functions_list", `{"project":"globex"}`, "rows of globex"},
		"none of two":   {s.of("user-1", "acme", "globex"), "functions_list", `{}`, "use one of acme, globex"},
		"unknown":       {s.of("user-1", "acme"), "nosuch", `{}`, "there is no tool"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := s.callTool(test.token, test.tool, test.arguments)
			assert.Equal(t, http.StatusOK, response.Code)
			assert.Contains(t, response.Body.String(), test.want)
			assert.Equal(t, strings.HasPrefix(test.want, "rows of"), strings.Contains(response.Body.String(), "rows of"))
			assert.Equal(t, runs, s.engine.Runs())
		})
	}
	for name, token := range map[string]string{"none": "", "unknown": "wrong", "expired": s.token(rsHeader, map[string]any{"exp": 1})} {
		response := s.callTool(token, "functions_list", `{}`)
		assert.Equal(t, http.StatusUnauthorized, response.Code, name)
		assert.Contains(t, response.Header().Get("WWW-Authenticate"), `, resource_metadata="http://localhost/.well-known/oauth-protected-resource"`, name)
	}
	assert.NotContains(t, s.send(http.MethodGet, "/api/endpoints", "", "").Header().Get("WWW-Authenticate"), "resource_metadata", "it is about the tools")
}

// RFC 9728: a client without a token finds out who issues tokens, also behind a proxy.
func TestMetadataOfTools(t *testing.T) {
	t.Parallel()
	s := newSigned(t, namingProject)
	const want = `{"resource":"%s/mcp","authorization_servers":["https://auth.example.com"],"bearer_methods_supported":["header"],"resource_name":"savedq"}`
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		response := s.send(http.MethodGet, path, "", "")
		assert.Equal(t, http.StatusOK, response.Code)
		assert.JSONEq(t, fmt.Sprintf(want, "http://localhost"), response.Body.String())
		proxied := s.send(http.MethodGet, path, "", "", "X-Forwarded-Proto: https")
		assert.JSONEq(t, fmt.Sprintf(want, "https://localhost"), proxied.Body.String())
		assert.Equal(t, http.StatusMethodNotAllowed, s.send(http.MethodPost, path, "", "").Code)
	}
	for name, test := range map[string]struct {
		issuers []string
		path    string
		status  int
	}{
		"no issuers":              {nil, "/base/.well-known/oauth-protected-resource", 404},
		"an issuer without a URL": {[]string{"supabase"}, "/base/.well-known/oauth-protected-resource", 404},
		"base path":               {[]string{"https://a.example.com"}, "/base/.well-known/oauth-protected-resource", 200},
		"as RFC 9728 has it":      {[]string{"https://a.example.com"}, "/.well-known/oauth-protected-resource/base/mcp", 200},
		"outside":                 {[]string{"https://a.example.com"}, "/.well-known/oauth-protected-resource", 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
				config.BasePath, config.MCP, config.Issuers = "/base", http.NotFoundHandler(), func() []string { return test.issuers }
			})
			response := serveOne(t, handler, http.MethodGet, test.path, "")
			assert.Equal(t, test.status, response.Code)
			if test.status == http.StatusOK {
				assert.Contains(t, response.Body.String(), `"resource":"http://localhost/base/mcp"`)
			}
		})
	}
}

// A page of another origin, or of a name that leads to this machine, calls no tools.
func TestOriginsOfTools(t *testing.T) {
	t.Parallel()
	handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
		config.MCP = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		config.Origins = allowedOrigins(t, "https://app.example.com")
	})
	for name, test := range map[string]struct {
		host, origin, site string
		status             int
	}{
		"no browser":        {"localhost:8080", "", "", 200},
		"the same origin":   {"localhost:8080", "http://localhost:8080", "same-origin", 200},
		"another origin":    {"localhost:8080", "https://evil.example.com", "cross-site", 403},
		"an old browser":    {"localhost:8080", "https://evil.example.com", "", 403},
		"an allowed origin": {"localhost:8080", "https://app.example.com", "cross-site", 200},
		"a rebound name":    {"evil.example.com", "http://evil.example.com", "same-origin", 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader("{}"))
			request.Host = test.host
			request.Header.Set("Origin", test.origin)
			request.Header.Set("Sec-Fetch-Site", test.site)
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			assert.Equal(t, test.status, recorder.Code)
		})
	}
}
