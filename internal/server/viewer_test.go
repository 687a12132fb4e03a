package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
)

// The viewer has the limits of the request's token. Without a token nothing is allowed.
func TestViewerOf(t *testing.T) {
	t.Parallel()
	assert.Equal(t, graph.Viewer{Projects: []string{}, Limits: &graph.TokenLimits{}}, viewerOf(t.Context()))
	var viewer graph.Viewer
	auth.NoAuth(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		viewer = viewerOf(r.Context())
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, graph.Viewer{Refresh: true, Sandbox: true, Explore: true, Tail: true, Usage: true, Token: "no-auth", Limits: &graph.TokenLimits{}}, viewer)
	token := auth.Token{Name: "limited", Projects: []string{"globex", "acme", "acme"}, MaxTier: "PRO", Bound: map[string][]string{"paths": {"/a"}, "kind": {"get"}}}
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: token, Hash: auth.HashOf("secret-of-the-limited")}}, nil
	})
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Authorization", "Bearer secret-of-the-limited")
	logger := slog.New(slog.DiscardHandler)
	auth.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		viewer = viewerOf(r.Context())
	}), auth.HandlerConfig{Keyring: keyring, Clock: time.Now, Logger: logger, WriteError: httperror.NewWriter(logger).Write}).ServeHTTP(httptest.NewRecorder(), request)
	assert.Equal(t, []string{"acme", "globex"}, viewer.Projects)
	assert.Equal(t, new("PRO"), viewer.ProjectTier)
	assert.Equal(t, []graph.BoundParameter{{Name: "kind", Values: []string{"get"}}, {Name: "paths", Values: []string{"/a"}}, {Name: "project", Values: []string{"globex", "acme", "acme"}}}, viewer.BoundParameters)
}
