package runner_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// deaf makes the engine hang until the test lets go of it, whatever its context says.
func (w *world) deaf() (release func()) {
	run, released := w.engine.RunFunc, make(chan struct{})
	w.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		<-released
		return run(context.WithoutCancel(ctx), statement)
	}
	return func() { close(released) }
}

// An engine that does not come back, and does not hear that it should, makes nobody
// wait for longer than the query timeout. Its place is taken until it does.
func TestRunLeavesAHangingEngine(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.EngineConcurrency = 1 }, func(t *testing.T, w *world) {
		release := w.deaf()
		var asking sync.WaitGroup
		for joined := range 3 {
			asking.Go(func() {
				time.Sleep(time.Duration(joined) * 10 * time.Second)
				_, err := w.Run(t.Context(), requestFor(cached, "acme"))
				assert.Equal(t, sqlq.DeadlineExceeded, sqlq.AsError(err).Code)
			})
		}
		began := time.Now()
		asking.Wait()
		assert.Equal(t, 30*time.Second, time.Since(began), "callers who joined do not wait longer either")
		assert.Zero(t, w.CacheBytes())

		began = time.Now()
		_, err := w.Run(t.Context(), requestFor(cached, "acme"))
		assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
		assert.Equal(t, 10*time.Second, time.Since(began), "the place at the gate is taken")
		assert.Equal(t, 1, w.engine.Runs())
		release()
		synctest.Wait()
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
	})
}

// A stale entry comes within the query timeout, and at once where the engine is left
// alone.
func TestRunServesStaleEntriesInTime(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.EngineConcurrency = 2 }, func(t *testing.T, w *world) {
		for _, project := range []string{"acme", "globex"} {
			w.run(t, requestFor(cached, project))
		}
		time.Sleep(900 * time.Second)
		w.fail(errDown())
		for range 5 {
			w.assertRun(t, requestFor(cached, "acme"), runner.Stale, 1)
		}
		time.Sleep(time.Second)
		release := w.deaf()
		defer release()
		var trial sync.WaitGroup
		trial.Go(func() {
			began := time.Now()
			w.assertRun(t, requestFor(cached, "acme"), runner.Stale, 1)
			assert.Equal(t, 30*time.Second, time.Since(began))
		})
		synctest.Wait()
		began := time.Now()
		w.assertRun(t, requestFor(cached, "globex"), runner.Stale, 2)
		assert.Zero(t, time.Since(began))
		trial.Wait()
		assert.Equal(t, 2+5+1, w.engine.Runs())
	})
}

// A caller who leaves does not wait for an engine that does not stop.
func TestCallersLeaveAHangingEngine(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		release := w.deaf()
		defer release()
		for i := range 4 {
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			began := time.Now()
			_, err := w.Run(ctx, requestFor(uncached, strconv.Itoa(i)))
			leave()
			require.Error(t, err)
			assert.Equal(t, time.Second, time.Since(began))
		}
	})
}
