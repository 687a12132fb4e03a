package duckdb_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// Many reloads keep no more statements than those of the current saved queries, also
// if a request of an older version still runs a saved query that was removed.
func TestRetainClosesStatements(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	kept := savedQuery("SELECT 0 AS n", sqlq.Column{Name: "n", Type: sqlq.Int64})
	run := func(query *sqlq.SavedQuery) {
		result, err := engine.Run(t.Context(), sqlq.NewStatement(query, nil, time.Now()))
		require.NoError(t, err)
		assert.Len(t, result.Rows, 1)
	}
	run(kept)
	for range 100 {
		changed := savedQuery("SELECT 1 AS n", sqlq.Column{Name: "n", Type: sqlq.Int64})
		engine.Retain([]*sqlq.SavedQuery{kept, changed})
		run(changed)
		run(kept)
		assert.Equal(t, 2, engine.Statements())
		engine.Retain([]*sqlq.SavedQuery{kept})
		run(changed)
		assert.Equal(t, 1, engine.Statements())
	}
}

// A run is not disturbed if its statement is retired meanwhile.
func TestRetainLeavesRunsAlone(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	queries := []*sqlq.SavedQuery{
		savedQuery("SELECT unnest(range(5)) AS n", sqlq.Column{Name: "n", Type: sqlq.Int64}),
		savedQuery("SELECT unnest(range(5)) AS n", sqlq.Column{Name: "n", Type: sqlq.Int64}),
	}
	var running sync.WaitGroup
	stop := make(chan struct{})
	for _, query := range queries {
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if result, err := engine.Run(t.Context(), sqlq.NewStatement(query, nil, time.Now())); err != nil || len(result.Rows) != 5 {
					assert.Fail(t, "a run failed", "%v", err)
					return
				}
			}
		})
	}
	for i := range 500 {
		engine.Retain(queries[i%2 : i%2+1])
	}
	close(stop)
	running.Wait()
	engine.Retain(nil)
	assert.Zero(t, engine.Statements())
}
