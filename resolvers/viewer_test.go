package resolvers_test

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/resolvers"
)

func TestViewer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		viewer *resolvers.Viewer
		want   string
	}{
		"without limits":   {nil, `{"projects":null,"projectTier":null,"refresh":true,"sandbox":true,"explore":true,"usage":true}`},
		"limited":          {&resolvers.Viewer{Projects: []string{"globex", "acme", "acme"}, ProjectTier: "PRO"}, `{"projects":["acme","globex"],"projectTier":"PRO","refresh":false,"sandbox":false,"explore":false,"usage":false}`},
		"without projects": {&resolvers.Viewer{Projects: []string{}}, `{"projects":[],"projectTier":null,"refresh":false,"sandbox":false,"explore":false,"usage":false}`},
		"with refresh":     {&resolvers.Viewer{Refresh: true}, `{"projects":null,"projectTier":null,"refresh":true,"sandbox":false,"explore":false,"usage":false}`},
		"with sandbox":     {&resolvers.Viewer{Sandbox: true}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":true,"explore":false,"usage":false}`},
		"with explore":     {&resolvers.Viewer{Explore: true}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":false,"explore":true,"usage":false}`},
		"with usage":       {&resolvers.Viewer{Usage: true}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":false,"explore":false,"usage":true}`},
		"without refresh":  {&resolvers.Viewer{}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":false,"explore":false,"usage":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resolver := &resolvers.Resolver{Runner: runnerReturning(t)}
			if test.viewer != nil {
				resolver.Viewer = func(context.Context) resolvers.Viewer { return *test.viewer }
			}
			schema := resolvers.NewExecutableSchema(graphtest.ShippedSchema(t), resolver)
			response := execute(t, executor.New(schema), `{ viewer { projects projectTier refresh sandbox explore usage } }`, nil)
			require.Empty(t, response.Errors)
			assert.Equal(t, `{"viewer":`+test.want+`}`, string(response.Data))
		})
	}
}
