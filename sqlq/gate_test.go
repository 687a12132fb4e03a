package sqlq_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// At most so many runs are given to the engine at a time; the others wait in order.
func TestGateBoundsRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *sqlq.Config) { config.EngineConcurrency = 2 })
		w.takes(time.Second)
		began := time.Now()
		var asking sync.WaitGroup
		for i := range 6 {
			asking.Go(func() {
				reply, err := w.Run(t.Context(), question(uncached, strconv.Itoa(i)))
				if assert.NoError(t, err) {
					assert.Equal(t, time.Duration(i/2)*time.Second, reply.AsOf.Sub(began))
				}
			})
			synctest.Wait()
		}
		for wave := range 3 {
			synctest.Wait()
			assert.Equal(t, 2*wave+2, w.engine.Runs())
			time.Sleep(time.Second)
		}
		asking.Wait()
	})
}

// Who waited too long is told to come again, and leaves the queue.
func TestGateTurnsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *sqlq.Config) {
			config.EngineConcurrency = 1
			config.QueueTimeout = 5 * time.Second
		})
		w.takes(20 * time.Second)
		var asking sync.WaitGroup
		asking.Go(func() { w.ask(t, question(uncached, "first")) })
		synctest.Wait()
		began := time.Now()
		_, err := w.Run(t.Context(), question(uncached, "second"))
		assert.Equal(t, 5*time.Second, time.Since(began))
		require.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
		assert.Equal(t, "the server is busy: the query waited 5s for its turn; try again later", sqlq.AsError(err).PublicText(""))
		assert.Equal(t, 5*time.Second, sqlq.AsError(err).RetryAfter)
		asking.Wait()
		assert.Equal(t, 1, w.engine.Runs())
		w.takes(0)
		w.ask(t, question(uncached, "third"))
	})
}

// The queue has an end: who finds it full is turned away at once, and who joins what
// waits already is not.
func TestGateBoundsItsQueue(t *testing.T) {
	t.Parallel()
	for configured, length := range map[int]int{3: 3, 0: sqlq.DefaultQueueLength} {
		t.Run(strconv.Itoa(configured), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(config *sqlq.Config) {
					config.EngineConcurrency, config.QueueLength = 1, configured
				})
				w.takes(time.Millisecond)
				var asking sync.WaitGroup
				for i := range 1 + length {
					asking.Go(func() { w.ask(t, question(uncached, strconv.Itoa(i))) })
					synctest.Wait()
				}
				began := time.Now()
				_, err := w.Run(t.Context(), question(uncached, "too much"))
				require.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
				assert.Equal(t, fmt.Sprintf("the server is busy: %d queries wait for their turn; try again later", length), sqlq.AsError(err).PublicText(""))
				assert.Equal(t, 10*time.Second, sqlq.AsError(err).RetryAfter)
				assert.Zero(t, time.Since(began))
				w.ask(t, question(uncached, strconv.Itoa(length)))
				asking.Wait()
				w.ask(t, question(uncached, "not too much"))
				assert.Equal(t, 1+length+1, w.engine.Runs())
			})
		})
	}
}

// Runs that nobody waits for take no caller's place in the queue, and whoever leaves it
// was not refused.
func TestGateQueuesCallersBesideWarming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		observer := &observed{}
		w := newWorld(t, func(config *sqlq.Config) {
			config.EngineConcurrency, config.QueueLength, config.WarmConcurrency = 1, 2, 2
			config.QueryTimeout, config.QueueTimeout = time.Hour, time.Hour
			config.Observer = observer
		})
		for _, project := range []string{"a", "b"} {
			w.ask(t, question(cached, project))
		}
		w.takes(30 * time.Minute)
		ctx, leave := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _, _ = w.Run(ctx, question(uncached, "runs")) })
		synctest.Wait()
		running.Go(func() { w.Maintain(ctx) })
		time.Sleep(400 * time.Second) // both are to be made anew by then
		synctest.Wait()
		running.Go(func() {
			_, err := w.Run(ctx, question(uncached, "waits"))
			assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code, "it waited for its turn")
		})
		synctest.Wait()
		leave()
		running.Wait()
		synctest.Wait()
		assert.Empty(t, observer.refused.all())
	})
}

// Who leaves the queue, or is turned away in the moment of being let through, takes
// no place: whatever happens, all places are free in the end.
func TestGateLosesNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *sqlq.Config) {
			config.EngineConcurrency = 2
			config.QueueTimeout = time.Second
		})
		w.takes(time.Second)
		var asking sync.WaitGroup
		var failed atomic.Int64
		for i := range 50 {
			asking.Go(func() {
				if _, err := w.Run(t.Context(), question(uncached, strconv.Itoa(i))); err != nil {
					failed.Add(1)
				}
			})
		}
		asking.Wait()
		assert.EqualValues(t, 50, int64(w.engine.Runs())+failed.Load())
		for range 2 {
			asking.Go(func() { w.ask(t, question(uncached, fmt.Sprint(time.Now()))) })
		}
		began := time.Now()
		asking.Wait()
		assert.Equal(t, time.Second, time.Since(began))
	})
}
