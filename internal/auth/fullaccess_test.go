package auth_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/sqlq"
)

// Only a token without limits that may ingest has full access.
func TestFullAccess(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token   auth.Token
		allowed bool
	}{
		"full access":          {auth.FullAccess("t"), true},
		"with a rate":          {auth.Token{Name: "t", Ingest: true, Rate: 10}, true},
		"without ingest":       {auth.Token{Name: "t", Refresh: true, Metrics: true}, false},
		"limited to projects":  {auth.Token{Name: "t", Ingest: true, Projects: []string{"acme"}}, false},
		"limited to endpoints": {auth.Token{Name: "t", Ingest: true, Endpoints: []string{"logs.all"}}, false},
		"limited to a tier":    {auth.Token{Name: "t", Ingest: true, MaxTier: "PRO"}, false},
		"limited to sources":   {auth.Token{Name: "t", Ingest: true, Sources: []string{"edge_logs"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
				return []auth.Credential{{Token: test.token, Hash: auth.HashOf("secret")}}, nil
			})
			require.NoError(t, err)
			var denied error
			writeError := func(w http.ResponseWriter, _ *http.Request, err error) {
				denied = err
				w.WriteHeader(http.StatusForbidden)
			}
			logger := slog.New(slog.DiscardHandler)
			nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
			handler := auth.Handler(auth.Require(nothing, auth.FullAccessTo("maintain the store"), logger, writeError),
				auth.HandlerConfig{Keyring: keyring, Clock: time.Now, Logger: logger, WriteError: writeError})
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			request.Header.Set("X-Api-Key", "secret")
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if test.allowed {
				assert.Equal(t, http.StatusOK, response.Code)
				return
			}
			assert.Equal(t, http.StatusForbidden, response.Code)
			assert.Equal(t, sqlq.PermissionDenied, sqlq.AsError(denied).Code)
		})
	}
}
