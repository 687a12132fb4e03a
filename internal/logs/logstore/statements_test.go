package logstore

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pause begins at the first moment without queries, and holds further ones from then on.
func TestPauseWaitsForQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queries := newStatements()
		require.NoError(t, queries.begin(t.Context()))
		paused, begun := false, false
		go func() { paused = queries.pause(t.Context(), false) }()
		time.Sleep(time.Second)
		synctest.Wait()
		assert.False(t, paused)
		require.NoError(t, queries.begin(t.Context()), "further queries run meanwhile")
		queries.end()
		time.Sleep(time.Second)
		synctest.Wait()
		assert.False(t, paused)
		queries.end()
		time.Sleep(time.Second)
		synctest.Wait()
		assert.True(t, paused)
		go func() { begun = queries.begin(t.Context()) == nil }()
		synctest.Wait()
		assert.False(t, begun, "it is held")
		queries.resume()
		synctest.Wait()
		assert.True(t, begun)
	})
}

// Without a query, a pause begins at once.
func TestPauseWithoutQueries(t *testing.T) {
	t.Parallel()
	queries := newStatements()
	require.True(t, queries.pause(t.Context(), false))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, queries.begin(ctx), context.Canceled, "a held query can be cancelled")
	queries.resume()
	require.NoError(t, queries.begin(t.Context()))
	queries.end()
}

// Queries that run for too long end the wait, and then none is held.
func TestPauseFails(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			queries := newStatements()
			require.NoError(t, queries.begin(t.Context()))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			held := false
			go func() {
				time.Sleep(time.Millisecond)
				if queries.begin(ctx) == nil {
					held = ctx.Err() == nil
				}
			}()
			assert.False(t, queries.pause(ctx, early))
			synctest.Wait()
			assert.Equal(t, !early, held, "held only if the pause holds early")
			require.NoError(t, queries.begin(t.Context()))
		})
	}
}

// If queries always overlap, a checkpoint gives up, and holds them only once much space is
// wasted, a little longer each time.
func TestFreeingHoldsQueriesRarely(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queries := newStatements()
		freeing := newFreeing(queries)
		runs := 0
		run := func() error { runs++; return nil }
		require.NoError(t, freeing.checkpoint(t.Context(), run), "nothing was deleted")
		require.NoError(t, queries.begin(t.Context())) // one that does not end
		for _, test := range []struct {
			deleted int64
			waits   time.Duration
		}{
			{0, 0},
			{rowGroup - 1, 0},
			{1, idlePatience},
			{2 * rowGroup, idlePatience},
			{rowGroup, idlePatience + minHold},
			{0, idlePatience + 2*minHold},
			{0, idlePatience + 4*minHold},
			{0, idlePatience + maxHold},
			{0, idlePatience + maxHold},
		} {
			freeing.note(test.deleted)
			before := time.Now()
			require.NoError(t, freeing.checkpoint(t.Context(), run))
			assert.Equal(t, test.waits, time.Since(before))
		}
		assert.Equal(t, 10, runs, "each checkpoint runs")
		assert.True(t, freeing.due())
		queries.end()
		before := time.Now()
		require.NoError(t, freeing.checkpoint(t.Context(), func() error { time.Sleep(time.Second); return nil }))
		assert.Equal(t, time.Second, time.Since(before))
		assert.False(t, freeing.due())
		require.NoError(t, queries.begin(t.Context()))
	})
}
