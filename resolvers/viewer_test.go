package resolvers_test

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/graph/graphtest"
	"savedq/resolvers"
)

func TestViewer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		viewer *graph.Viewer
		want   string
	}{
		"without limits":   {nil, `{"projects":null,"projectTier":null,"refresh":true,"sandbox":true,"explore":true,"usage":true}`},
		"limited":          {&graph.Viewer{Projects: []string{"acme", "globex"}, ProjectTier: new("PRO")}, `{"projects":["acme","globex"],"projectTier":"PRO","refresh":false,"sandbox":false,"explore":false,"usage":false}`},
		"without projects": {&graph.Viewer{Projects: []string{}}, `{"projects":[],"projectTier":null,"refresh":false,"sandbox":false,"explore":false,"usage":false}`},
		"with refresh":     {&graph.Viewer{Refresh: true}, `{"projects":null,"projectTier":null,"refresh":true,"sandbox":false,"explore":false,"usage":false}`},
		"with sandbox":     {&graph.Viewer{Sandbox: true}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":true,"explore":false,"usage":false}`},
		"with explore":     {&graph.Viewer{Explore: true}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":false,"explore":true,"usage":false}`},
		"with usage":       {&graph.Viewer{Usage: true}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":false,"explore":false,"usage":true}`},
		"without refresh":  {&graph.Viewer{}, `{"projects":null,"projectTier":null,"refresh":false,"sandbox":false,"explore":false,"usage":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resolver := &resolvers.Resolver{Runner: runnerReturning(t)}
			if test.viewer != nil {
				resolver.Viewer = func(context.Context) graph.Viewer { return *test.viewer }
			}
			schema := resolvers.NewExecutableSchema(graphtest.ShippedSchema(t), resolver)
			response := execute(t, executor.New(schema), `{ viewer { projects projectTier refresh sandbox explore usage } }`, nil)
			require.Empty(t, response.Errors)
			assert.Equal(t, `{"viewer":`+test.want+`}`, string(response.Data))
		})
	}
}
