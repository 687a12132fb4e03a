package resolvers_test

import (
	"context"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/resolvers"
	"savedq/sqlq"
)

func TestCatalog(t *testing.T) {
	t.Parallel()
	loaded := time.Date(2026, 11, 22, 8, 0, 0, 123_456_789, time.FixedZone("", 3600))
	for name, test := range map[string]struct {
		mistakes sqlq.FileErrors
		want     string
	}{
		"no mistakes":     {nil, `[]`},
		"with a place":    {sqlq.FileErrors{{File: "queries/a/query.yaml", Line: 3, Column: 7, Message: "unknown key"}}, `[{"file":"queries/a/query.yaml","line":3,"column":7,"message":"unknown key"}]`},
		"with a line":     {sqlq.FileErrors{{File: "queries/a/duckdb.sql", Line: 3, Message: "no"}}, `[{"file":"queries/a/duckdb.sql","line":3,"column":null,"message":"no"}]`},
		"without a place": {sqlq.FileErrors{{File: "queries", Message: "no folder"}}, `[{"file":"queries","line":null,"column":null,"message":"no folder"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := resolvers.NewExecutableSchema(graphtest.ShippedSchema(t), &resolvers.Resolver{
				Runner: runnerReturning(t),
				Catalog: func(context.Context) resolvers.CatalogState {
					return resolvers.CatalogState{LoadedAt: loaded, Mistakes: test.mistakes}
				},
			})
			response := execute(t, executor.New(schema), `{ catalog { loadedAt mistakes { file line column message } } }`, nil)
			require.Empty(t, response.Errors)
			assert.Equal(t, `{"catalog":{"loadedAt":"2026-11-22T07:00:00.123456Z","mistakes":`+test.want+`}}`, string(response.Data))
		})
	}
}
