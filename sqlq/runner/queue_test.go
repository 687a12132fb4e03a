package runner_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// At most EngineConcurrency runs are given to the engine at a time; the others wait in order.
func TestQueueBoundsRuns(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.EngineConcurrency = 2 }, func(t *testing.T, w *world) {
		w.takes(time.Second)
		began := time.Now()
		var asking sync.WaitGroup
		for i := range 6 {
			asking.Go(func() {
				response, err := w.Run(t.Context(), requestFor(uncached, strconv.Itoa(i)))
				if assert.NoError(t, err) {
					assert.Equal(t, time.Duration(i/2)*time.Second, response.AsOf.Sub(began))
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

// A caller who waited too long is rejected, with the time of the next attempt, and leaves
// the queue.
func TestQueueRejects(t *testing.T) {
	inWorld(t, func(config *runner.Config) {
		config.EngineConcurrency = 1
		config.QueueTimeout = 5 * time.Second
	}, func(t *testing.T, w *world) {
		w.takes(20 * time.Second)
		var asking sync.WaitGroup
		asking.Go(func() { w.run(t, requestFor(uncached, "first")) })
		synctest.Wait()
		began := time.Now()
		_, err := w.Run(t.Context(), requestFor(uncached, "second"))
		assert.Equal(t, 5*time.Second, time.Since(began))
		require.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
		assert.Equal(t, "the server is busy: the query waited 5s in the queue; try again later", sqlq.AsError(err).PublicText(""))
		assert.Equal(t, 5*time.Second, sqlq.AsError(err).RetryAfter)
		asking.Wait()
		assert.Equal(t, 1, w.engine.Runs())
		w.takes(0)
		w.run(t, requestFor(uncached, "third"))
	})
}

// The queue has an end: who finds it full is rejected at once, and who joins what
// waits already is not.
func TestQueueBoundsItsLength(t *testing.T) {
	t.Parallel()
	for configured, length := range map[int]int{3: 3, 0: runner.DefaultQueueLength} {
		t.Run(strconv.Itoa(configured), func(t *testing.T) {
			inWorld(t, func(config *runner.Config) {
				config.EngineConcurrency, config.QueueLength = 1, configured
			}, func(t *testing.T, w *world) {
				w.takes(time.Millisecond)
				var asking sync.WaitGroup
				for i := range 1 + length {
					asking.Go(func() { w.run(t, requestFor(uncached, strconv.Itoa(i))) })
					synctest.Wait()
				}
				began := time.Now()
				_, err := w.Run(t.Context(), requestFor(uncached, "too much"))
				require.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
				assert.Equal(t, fmt.Sprintf("the server is busy: %d queries are in the queue; try again later", length), sqlq.AsError(err).PublicText(""))
				assert.Equal(t, 3*runner.DefaultQueueTarget, sqlq.AsError(err).RetryAfter)
				assert.Zero(t, time.Since(began))
				w.run(t, requestFor(uncached, strconv.Itoa(length)))
				asking.Wait()
				w.run(t, requestFor(uncached, "not too much"))
				assert.Equal(t, 1+length+1, w.engine.Runs())
			})
		})
	}
}

// Runs without waiting callers take no place in the queue, and leaving the queue is not a
// rejection.
func TestQueueServesCallersDuringRefreshes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		observer := &observed{}
		w := newWorld(t, func(config *runner.Config) {
			config.EngineConcurrency, config.QueueLength, config.WarmConcurrency = 1, 2, 2
			config.QueryTimeout, config.QueueTimeout = time.Hour, time.Hour
			config.Observer = observer
		})
		for _, project := range []string{"a", "b"} {
			w.run(t, requestFor(cached, project))
		}
		w.takes(30 * time.Minute)
		ctx, leave := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _, _ = w.Run(ctx, requestFor(uncached, "runs")) })
		synctest.Wait()
		running.Go(func() { w.Maintain(ctx) })
		time.Sleep(400 * time.Second) // both are to be refreshed by then
		synctest.Wait()
		running.Go(func() {
			_, err := w.Run(ctx, requestFor(uncached, "waits"))
			assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code, "it waited in the queue")
		})
		synctest.Wait()
		leave()
		running.Wait()
		synctest.Wait()
		assert.Empty(t, observer.rejected.all())
	})
}

// A caller who leaves the queue, or is rejected at the moment its run may start, takes
// no place: whatever happens, all places are free in the end.
func TestQueueLeaksNoPlace(t *testing.T) {
	inWorld(t, func(config *runner.Config) {
		config.EngineConcurrency = 2
		config.QueueTimeout = time.Second
	}, func(t *testing.T, w *world) {
		w.takes(time.Second)
		var asking sync.WaitGroup
		var failed atomic.Int64
		for i := range 50 {
			asking.Go(func() {
				if _, err := w.Run(t.Context(), requestFor(uncached, strconv.Itoa(i))); err != nil {
					failed.Add(1)
				}
			})
		}
		asking.Wait()
		assert.EqualValues(t, 50, int64(w.engine.Runs())+failed.Load())
		for range 2 {
			asking.Go(func() { w.run(t, requestFor(uncached, fmt.Sprint(time.Now()))) })
		}
		began := time.Now()
		asking.Wait()
		assert.Equal(t, time.Second, time.Since(began))
	})
}

// overload sends ever new requests at a rate, for some time, and returns how long those
// took that succeeded, and those that were rejected. The queue may not be full.
func (w *world) overload(t *testing.T, perSecond int, duration time.Duration) (took, rejected []time.Duration) {
	t.Helper()
	var asking sync.WaitGroup
	var durations, rejections recorder[time.Duration]
	end := time.Now().Add(duration)
	for time.Now().Before(end) {
		asking.Go(func() {
			began := time.Now()
			_, err := w.Run(t.Context(), requestFor(uncached, strconv.FormatInt(began.UnixNano(), 10)))
			if err == nil {
				durations.add(time.Since(began))
				return
			}
			if code := sqlq.AsError(err).Code; code != sqlq.DeadlineExceeded { // an engine that hangs
				assert.Equal(t, sqlq.Unavailable, code)
				assert.Positive(t, sqlq.AsError(err).RetryAfter)
			}
			rejections.add(time.Since(began))
		})
		time.Sleep(time.Second / time.Duration(perSecond))
	}
	asking.Wait()
	return durations.all(), rejections.all()
}

// Under a lasting overload what succeeds is quick, about as many succeed as the engine can
// run, and as soon as the load is less nothing is rejected.
func TestQueueUnderOverload(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run, slowest, usual time.Duration
	}{
		"quick runs": {20 * time.Millisecond, 620 * time.Millisecond, 221 * time.Millisecond},
		"slow runs":  {time.Second, 4 * time.Second, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const places, runs = 4, 400
				w := newWorld(t, func(config *runner.Config) { config.EngineConcurrency = places })
				w.takes(test.run)
				capacity := int(time.Second / test.run * places)
				took, rejected := w.overload(t, 2*capacity, runs*test.run)
				slices.Sort(took)
				slices.Sort(rejected)
				assert.LessOrEqual(t, took[len(took)-1], test.slowest)
				assert.LessOrEqual(t, took[len(took)*9/10], test.usual, "once it is clear that the overload lasts")
				assert.GreaterOrEqual(t, len(took), runs*places*95/100, "the engine stays busy")
				assert.LessOrEqual(t, rejected[len(rejected)*9/10], time.Second, "a rejection comes soon")
				time.Sleep(test.run)
				_, rejected = w.overload(t, capacity*9/10, runs/4*test.run)
				assert.Empty(t, rejected)
			})
		})
	}
}

// A burst on an idle engine waits, also where runs have just become slow.
func TestQueueAbsorbsABurst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, run time.Duration
		queries     int
	}{
		"quick runs":           {20 * time.Millisecond, 20 * time.Millisecond, 4 * 25},
		"slow runs":            {1500 * time.Millisecond, 1500 * time.Millisecond, 4 * 3},
		"runs that are slower": {time.Millisecond, 1500 * time.Millisecond, 4 * 2},
		"the first runs":       {0, 1500 * time.Millisecond, 4 * 3},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, func(t *testing.T, w *world) {
				if test.before > 0 {
					w.takes(test.before)
					w.run(t, requestFor(uncached, "before"))
				}
				w.takes(test.run)
				var asking sync.WaitGroup
				for i := range test.queries {
					asking.Go(func() { w.run(t, requestFor(uncached, strconv.Itoa(i))) })
				}
				asking.Wait()
			})
		})
	}
}

// An engine that hangs makes callers wait only until it is clear that it does.
func TestQueueWithAHangingEngine(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.QueryTimeout = time.Hour }, func(t *testing.T, w *world) {
		w.run(t, requestFor(uncached, "quick"))
		w.takes(time.Hour)
		var asking sync.WaitGroup
		ctx, leave := context.WithCancel(t.Context())
		for i := range 4 {
			asking.Go(func() { _, _ = w.Run(ctx, requestFor(uncached, strconv.Itoa(i))) })
		}
		synctest.Wait()
		asking.Go(func() { w.overload(t, 20, 30*time.Second) })
		time.Sleep(20*time.Second + time.Millisecond)
		began := time.Now()
		_, err := w.Run(t.Context(), requestFor(uncached, "late"))
		assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
		assert.Equal(t, runner.DefaultQueueTarget, time.Since(began))
		w.takes(0)
		leave()
		asking.Wait()
	})
}

// A caller who wants what a waiting refresh will give waits as callers do.
func TestQueuePromotesARefresh(t *testing.T) {
	inWorld(t, func(config *runner.Config) {
		config.EngineConcurrency, config.QueueTimeout, config.QueryTimeout = 1, time.Hour, 2*time.Hour
	}, func(t *testing.T, w *world) {
		w.run(t, requestFor(cached, "wanted"))
		ctx, leave := context.WithCancel(t.Context())
		var running sync.WaitGroup
		w.takes(time.Second)
		running.Go(func() { // keeps the engine busy, with runs that start one after the other
			for ctx.Err() == nil {
				_, _ = w.Run(ctx, requestFor(uncached, time.Now().String()))
			}
		})
		running.Go(func() {
			for ctx.Err() == nil {
				_, _ = w.Run(ctx, requestFor(uncached, "and "+time.Now().String()))
			}
		})
		running.Go(func() { w.Maintain(ctx) })
		time.Sleep(1000 * time.Second) // it has expired, and its refresh waits behind callers
		began := time.Now()
		w.run(t, requestFor(cached, "wanted"))
		assert.LessOrEqual(t, time.Since(began), 4*time.Second)
		leave()
		running.Wait()
	})
}
