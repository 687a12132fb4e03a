package auth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

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
			request := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
			err := auth.FullAccessTo("maintain the store")(request.WithContext(auth.WithToken(t.Context(), test.token)))
			if test.allowed {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, sqlq.PermissionDenied, sqlq.AsError(err).Code)
		})
	}
}
