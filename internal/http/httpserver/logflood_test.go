package httpserver_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/requestlog"
	"savedq/internal/web"
)

// Callers without a token cannot fill the disk through the log: 10,000 requests of each
// kind within a second leave few lines, and short ones.
func TestFloodsWithoutTokenLogFewLines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, path string
		header       http.Header
		status       int
	}{
		"no token":           {http.MethodGet, "/api/endpoints/logs.all?project=acme", nil, http.StatusUnauthorized},
		"a wrong token":      {http.MethodGet, "/api/endpoints/logs.all", http.Header{"X-Api-Key": {"wrong"}}, http.StatusUnauthorized},
		"two tokens":         {http.MethodGet, "/metrics", http.Header{"X-Api-Key": {"a", "b"}}, http.StatusUnauthorized},
		"an expired token":   {http.MethodGet, "/openapi.json", http.Header{"X-Api-Key": {"expired"}}, http.StatusUnauthorized},
		"beyond a rate":      {http.MethodGet, "/schema.graphql", http.Header{"X-Api-Key": {"slow"}}, http.StatusTooManyRequests},
		"GraphQL":            {http.MethodPost, "/graphql", nil, http.StatusUnauthorized},
		"an unknown path":    {http.MethodGet, "/" + strings.Repeat("x", 60<<10), nil, http.StatusUnauthorized},
		"control characters": {http.MethodGet, "/%1b%07" + strings.Repeat("%00", 20<<10), nil, http.StatusUnauthorized},
		"an unknown method":  {"BREW", "/", nil, http.StatusMethodNotAllowed},
		"an unsafe id":       {http.MethodGet, "/x", http.Header{"X-Request-Id": {strings.Repeat("\x1b", 60<<10)}}, http.StatusUnauthorized},
		"a long header":      {http.MethodGet, "/x", http.Header{"User-Agent": {strings.Repeat("x", 60<<10)}}, http.StatusUnauthorized},
		"OPTIONS":            {http.MethodOptions, "/graphql", nil, http.StatusUnauthorized},
		"a preflight":        {http.MethodOptions, "/graphql", http.Header{"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}}, http.StatusForbidden},
		"a probe":            {http.MethodGet, "/healthz", nil, http.StatusOK},
		"a page":             {http.MethodGet, "/graphiql", nil, http.StatusOK},
		"an unknown asset":   {http.MethodGet, "/assets/none", nil, http.StatusNotFound},
		"a panic":            {http.MethodGet, "/readyz", nil, http.StatusInternalServerError},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				logger := slog.New(requestlog.LogHandler(slog.NewJSONHandler(&log, nil)))
				limiter := requestlog.NewLimiter(logger)
				keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
					return []auth.Credential{
						{Token: auth.Token{Name: "expired", Expires: time.Now()}, Hash: auth.HashOf("expired")},
						{Token: auth.Token{Name: "slow", Rate: 1e-6}, Hash: auth.HashOf("slow")},
					}, nil
				})
				require.NoError(t, err)
				requests := make(map[int]int)
				handler := newServer(logger, func(config *httpserver.Config) {
					config.Keyring, config.LogLimiter = keyring, limiter
					config.Origins = allowedOrigins(t, "https://app.example.com")
					config.Pages, config.PagePaths = web.Handler(""), web.Paths()
					config.Ready = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("failed") })
					config.Served = func(_ string, status int, _ time.Duration) { requests[status]++ }
				})
				request := httptest.NewRequestWithContext(t.Context(), test.method, test.path, http.NoBody)
				if test.header != nil {
					request.Header = test.header
				}
				const flood = 1_000
				for range flood {
					handler.ServeHTTP(httptest.NewRecorder(), request)
					time.Sleep(time.Second / flood)
				}
				limiter.Close()
				assert.GreaterOrEqual(t, requests[test.status], flood-1, "the metric counts all of them: %v", requests)
				lines := strings.Split(strings.TrimSpace(log.String()), "\n")
				assert.LessOrEqual(t, len(lines), 2*(50+2)+3)
				for _, line := range lines {
					assert.True(t, json.Valid([]byte(line)))
					assert.Less(t, len(line), 8<<10)
				}
				assert.Contains(t, lines[len(lines)-1], "log lines about unauthenticated requests were omitted")
			})
		})
	}
}
