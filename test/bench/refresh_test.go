package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// A refresh five minutes after the last run, which reuses closed buckets, beside a run of the
// whole window at the same time.
func BenchmarkRefresh(b *testing.B) {
	const step = 5 * time.Minute
	store := openStore(b)
	engine := engineOn(store)
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(b, err)
	query, found := catalog.Find("functions.invocation-stats")
	require.True(b, found)
	query.Cache, query.Warm = step, 0 // every request after a step misses
	for _, interval := range []string{"1hr", "1day", "7day"} {
		b.Run(interval, func(b *testing.B) {
			clock := now.Add(-12 * time.Hour)
			config := sqlqtest.Config(catalog, engine, func() time.Time { return clock })
			config.Changes = store.Changes()
			queryRunner := runner.New(config)
			raw := map[string][]string{"project": {"project7"}, "interval": {interval}}
			args, err := query.Bind(raw)
			require.NoError(b, err)
			reused := 0
			whole := func() {
				_, err := engine.Run(b.Context(), sqlq.NewStatement(query, args, clock))
				require.NoError(b, err)
			}
			refresh := func() {
				clock = clock.Add(step)
				response, err := queryRunner.Run(b.Context(), runner.Request{Query: query, Params: raw})
				require.NoError(b, err)
				reused = response.Result.ReusedRows
			}
			refresh() // computes the whole window, and proves that rows may be reused
			require.Eventually(b, func() bool { refresh(); return reused > 0 }, 10*time.Second, 10*time.Millisecond)
			beside(b, "whole", whole, refresh)
			require.Positive(b, reused)
		})
	}
}
