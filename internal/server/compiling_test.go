package server

import (
	"context"
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
		leave, err := c.enter(t.Context())
		require.NoError(t, err)
		results := make(chan error, mostOfToken)
		for range mostOfToken - 1 {
			go func() {
				leave, err := c.enter(t.Context())
				if err == nil {
					leave()
				}
				results <- err
			}()
		}
		synctest.Wait()
		_, err = c.enter(t.Context())
		assertCode(sqlq.ResourceExhausted, err)
		assert.Positive(t, sqlq.AsError(err).RetryAfter)
		leave()
		for range mostOfToken - 1 {
			require.NoError(t, <-results)
		}

		leave, err = c.enter(t.Context())
		require.NoError(t, err)
		began := time.Now()
		_, err = c.enter(t.Context())
		assertCode(sqlq.Unavailable, err)
		assert.Equal(t, compilingPatience, time.Since(began))
		ended, end := context.WithCancel(t.Context())
		end()
		_, err = c.enter(ended)
		assertCode(sqlq.Cancelled, err)
		leave()
		assert.Empty(t, c.requests, "nothing is left")
		leave, err = c.enter(t.Context())
		require.NoError(t, err)
		leave()
	})
}
