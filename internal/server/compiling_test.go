package server

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// One request compiles SQL at a time, a token has few that wait, and nobody waits for long.
func TestCompiling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCompiling()
		assertCode := func(want sqlq.Code, err error) {
			t.Helper()
			require.Error(t, err)
			assert.Equal(t, want, sqlq.AsError(err).Code, err)
		}
		leave, err := c.enter(t.Context(), caller{})
		require.NoError(t, err)
		results := make(chan error, mostOfToken)
		for range mostOfToken - 1 {
			go func() {
				leave, err := c.enter(t.Context(), caller{})
				if err == nil {
					leave()
				}
				results <- err
			}()
		}
		synctest.Wait()
		_, err = c.enter(t.Context(), caller{})
		assertCode(sqlq.ResourceExhausted, err)
		assert.Positive(t, sqlq.AsError(err).RetryAfter)
		leave()
		for range mostOfToken - 1 {
			require.NoError(t, <-results)
		}

		leave, err = c.enter(t.Context(), caller{})
		require.NoError(t, err)
		began := time.Now()
		_, err = c.enter(t.Context(), caller{})
		assertCode(sqlq.Unavailable, err)
		assert.Equal(t, compilingPatience, time.Since(began))
		ended, end := context.WithCancel(t.Context())
		end()
		_, err = c.enter(ended, caller{})
		assertCode(sqlq.Cancelled, err)
		leave()
		assert.Empty(t, c.requests, "nothing is left")
		assert.Empty(t, c.waiting)
		assert.Empty(t, c.turns)
		leave, err = c.enter(t.Context(), caller{})
		require.NoError(t, err)
		leave()
	})
}

// Tokens take turns, whoever came first with how many requests. One that stops waiting takes no turn.
func TestCompilingTakesTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCompiling()
		leave, err := c.enter(t.Context(), caller{})
		require.NoError(t, err)
		var order []string
		var ended sync.WaitGroup
		enter := func(ctx context.Context, token string) {
			ended.Go(func() {
				leave, err := c.enter(ctx, caller{token: token})
				if err == nil {
					order = append(order, token)
					leave()
				}
			})
			synctest.Wait()
		}
		gone, end := context.WithCancel(t.Context())
		for range 3 {
			enter(t.Context(), "greedy")
		}
		enter(gone, "gone")
		enter(t.Context(), "modest")
		enter(t.Context(), "modest")
		enter(t.Context(), "late")
		end()
		synctest.Wait()
		leave()
		ended.Wait()
		assert.Equal(t, []string{"greedy", "modest", "late", "greedy", "modest", "greedy"}, order)
		assert.Empty(t, c.requests)
		assert.Empty(t, c.waiting)
		assert.Empty(t, c.turns)
		assert.Zero(t, c.running)
	})
}
