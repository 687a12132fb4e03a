package runner_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// A purge removes what matches, and keeps all other entries.
func TestPurge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const stats = "functions.invocation-stats"
		w := newWorld(t, nil)
		w.assertRun(t, requestFor(stats, "acme"), runner.Miss, 1)
		w.assertRun(t, requestFor(stats, "globex"), runner.Miss, 2)
		for _, test := range []struct {
			query, project string
			removed        int
		}{{"logs.all", "", 0}, {stats, "initech", 0}, {stats, "acme", 1}, {"", "acme", 0}, {"", "globex", 1}} {
			removed, err := w.Purge(test.query, test.project)
			require.NoError(t, err)
			assert.Equal(t, test.removed, removed, test)
			if test.project == "acme" {
				w.assertRun(t, requestFor(stats, "globex"), runner.Hit, 2)
			}
		}
		w.assertRun(t, requestFor(stats, "acme"), runner.Miss, 3)
		w.assertRun(t, requestFor(uncached, "acme"), runner.Off, 4)
		removed, err := w.Purge("", "")
		require.NoError(t, err)
		assert.Equal(t, 1, removed)
		_, err = w.Purge("nosuch", "")
		assert.Equal(t, sqlq.NotFound, sqlq.AsError(err).Code)
	})
}

// A call that began before a purge finishes for its callers, but no later request gets its
// rows: neither by joining it nor from the cache.
func TestPurgeOfACallInFlight(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.takes(2 * time.Second)
		var callers sync.WaitGroup
		callers.Go(func() { w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1) })
		synctest.Wait()
		_, err := w.Purge("", "")
		require.NoError(t, err)
		callers.Go(func() { w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2) })
		callers.Wait()
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 2)
	})
}

// After a start, runs wait until the tables hold every acknowledged event.
func TestRunsWaitUntilSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		settled := make(chan struct{})
		w := newWorld(t, func(config *runner.Config) { config.Settled = settled })
		time.AfterFunc(time.Second, func() { close(settled) })
		began := time.Now()
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1)
		assert.Equal(t, time.Second, time.Since(began))
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
	})
}

// A long run that began before the purge is not cached, and no later run waits for it.
func TestRowsThatAreNotSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		settled := make(chan struct{})
		var patience time.Duration
		w := newWorld(t, func(config *runner.Config) {
			config.Settled = settled
			patience = config.QueryTimeout / 2
		})
		began := time.Now()
		response, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		assert.Equal(t, patience, time.Since(began))
		assert.Zero(t, response.Left)
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
		assert.Equal(t, patience, time.Since(began))

		w.takes(2 * time.Second)
		var caller sync.WaitGroup
		caller.Go(func() { w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 3) })
		synctest.Wait()
		close(settled) // while it runs
		caller.Wait()
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 4)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 4)
	})
}
