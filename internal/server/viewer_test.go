package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/auth"
	"savedq/resolvers"
)

// The viewer has the limits of the request's token. Without a token nothing is allowed.
func TestViewerOf(t *testing.T) {
	t.Parallel()
	assert.Equal(t, resolvers.Viewer{Projects: []string{}}, viewerOf(t.Context()))
	var viewer resolvers.Viewer
	auth.NoAuth(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		viewer = viewerOf(r.Context())
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, resolvers.Viewer{Refresh: true, Sandbox: true, Explore: true, Tail: true, Usage: true, Token: "no-auth", Bound: map[string][]string{}}, viewer)
}
