package auth_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/auth"
)

// A limited token reads the metrics of the saved queries that it may run, unless it has
// the metrics right.
func TestVisibleMetrics(t *testing.T) {
	t.Parallel()
	runner := newScoped(&fakeRunner{}, readCatalog(t), newLogger(&bytes.Buffer{}))
	for name, test := range map[string]struct {
		token     auth.Token
		endpoints []string
		all       bool
	}{
		"full":            {auth.FullAccess("full"), nil, true},
		"no limits":       {auth.Token{Rate: 1}, nil, true},
		"endpoints":       {auth.Token{Endpoints: []string{"tier", "logs.all"}}, []string{"logs.all", "tier"}, false},
		"both":            {auth.Token{Endpoints: []string{"everybody", "logs.all"}, Projects: []string{"acme"}}, []string{"logs.all"}, false},
		"for all metrics": {auth.Token{Endpoints: []string{"logs.all"}, Metrics: true}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoints, all := runner.VisibleMetrics(auth.WithToken(t.Context(), test.token))
			assert.Equal(t, test.all, all)
			if !all {
				assert.Equal(t, test.endpoints, endpoints)
			}
		})
	}
	_, all := runner.VisibleMetrics(auth.WithToken(t.Context(), auth.Token{MaxTier: "PRO"}))
	assert.False(t, all, "a tier is also a limit")
	endpoints, all := runner.VisibleMetrics(t.Context())
	assert.Empty(t, endpoints)
	assert.False(t, all, "there is no token")
}
