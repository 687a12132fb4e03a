package httpserver_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/http/httpserver"
)

// SQL runs over the tables with a token that may explore. The store is maintained with a token that has no limits,
// below the path of the REST
// interface, which serves all other paths there. Without a token, nobody learns that (D17).
func TestStoreRoutes(t *testing.T) {
	t.Parallel()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{
			{Token: auth.FullAccess("full"), Hash: auth.HashOf("full")},
			{Token: auth.Token{Name: "reader"}, Hash: auth.HashOf("reader")},
			{Token: auth.Token{Name: "tenant", Ingest: true, Projects: []string{"acme"}}, Hash: auth.HashOf("tenant")},
		}, nil
	})
	require.NoError(t, err)
	named := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Served-By", name) })
	}
	var servedBy string
	handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
		config.Keyring = keyring
		config.REST, config.Store, config.Explore = named("rest"), named("store"), named("explore")
		config.Served = func(name string, _ int, _ time.Duration) { servedBy = name }
	})
	for _, test := range []struct {
		path, token string
		status      int
		handler     string
	}{
		{"/api/store/stats", "full", http.StatusOK, "store"},
		{"/api/store/x", "full", http.StatusOK, "store"},
		{"/api/store", "full", http.StatusOK, "rest"},
		{"/api/endpoints/store", "reader", http.StatusOK, "rest"},
		{"/api/store/stats", "reader", http.StatusForbidden, ""},
		{"/api/store/delete", "tenant", http.StatusForbidden, ""},
		{"/api/store/stats", "", http.StatusUnauthorized, ""},
		{"/api/store/x", "", http.StatusUnauthorized, ""},
		{"/api/explore", "full", http.StatusOK, "explore"},
		{"/api/explore/schema", "full", http.StatusOK, "explore"},
		{"/api/explore", "reader", http.StatusForbidden, ""},
		{"/api/explore/save", "reader", http.StatusForbidden, ""},
		{"/api/explore", "", http.StatusUnauthorized, ""},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.path, http.NoBody)
		if test.token != "" {
			request.Header.Set("X-Api-Key", test.token)
		}
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		assert.Equal(t, test.status, response.Code, test)
		assert.Equal(t, test.handler, response.Header().Get("X-Served-By"), test)
		if test.handler != "" {
			assert.Equal(t, test.handler, servedBy)
		}
	}
}
