package auth_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/auth"
)

// A token sees an alert only if it could get the rows itself, and would get the same.
func TestMayRunAlert(t *testing.T) {
	t.Parallel()
	catalog := readCatalog(t)
	runner := auth.NewRunner(nil, nil, catalog, slog.New(slog.DiscardHandler))
	acme := map[string][]string{"project": {"acme"}}
	for name, test := range map[string]struct {
		token    auth.Token
		endpoint string
		params   map[string][]string
		want     bool
	}{
		"full access":                  {auth.Token{}, "optional", nil, true},
		"another endpoint":             {auth.Token{Endpoints: []string{"default"}}, "optional", nil, false},
		"the endpoint":                 {auth.Token{Endpoints: []string{"optional"}}, "optional", nil, true},
		"the project":                  {auth.Token{Projects: []string{"acme"}}, "optional", acme, true},
		"one of its projects":          {auth.Token{Projects: []string{"globex", "acme"}}, "optional", acme, true},
		"another project":              {auth.Token{Projects: []string{"globex"}}, "optional", acme, false},
		"all projects":                 {auth.Token{Projects: []string{"acme"}}, "optional", nil, false},
		"the default project":          {auth.Token{Projects: []string{"globex"}}, "default", nil, true},
		"a default that is another":    {auth.Token{Projects: []string{"acme"}}, "default", nil, false},
		"no parameter for the project": {auth.Token{Projects: []string{"acme"}}, "everybody", nil, false},
		"all of several projects":      {auth.Token{Projects: []string{"acme"}}, "several", nil, false},
		"a tier above":                 {auth.Token{MaxTier: "PRO"}, "tier", map[string][]string{"project": {"acme"}, "project_tier": {"PAYG"}}, false},
		"a tier":                       {auth.Token{MaxTier: "PRO"}, "tier", map[string][]string{"project": {"acme"}, "project_tier": {"FREE"}}, true},
		"a bound parameter":            {auth.Token{Issuer: "i", Endpoints: []string{"optional"}, Bound: map[string][]string{"project": {"acme"}}}, "optional", acme, true},
		"bound to another value":       {auth.Token{Issuer: "i", Endpoints: []string{"optional"}, Bound: map[string][]string{"project": {"globex"}}}, "optional", acme, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query, found := catalog.Find(test.endpoint)
			assert.True(t, found)
			seen := runner.MayRunAlert(auth.WithToken(t.Context(), test.token), query, test.params)
			assert.Equal(t, test.want, seen)
			assert.False(t, runner.MayRunAlert(context.Background(), query, test.params), "without a token")
		})
	}
}
