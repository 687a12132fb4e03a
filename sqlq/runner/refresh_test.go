package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// recorder notes what happens, on whatever goroutine.
type recorder[T any] struct {
	mutex sync.Mutex
	notes []T
}

func (r *recorder[T]) add(note T) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.notes = append(r.notes, note)
}

func (r *recorder[T]) all() []T {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.notes)
}

// Specification part 8: an entry in use is refreshed every 300 seconds,
// while the old one is served, and its caching time begins again.
func TestMaintainRefreshesEntries(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.maintain(t)
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1)
		w.takes(10 * time.Second)
		time.Sleep(300*time.Second - 1)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
		assert.Equal(t, 1, w.engine.Runs())
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		assert.Equal(t, 2, w.engine.Runs())
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1) // while it is refreshed
		time.Sleep(10 * time.Second)
		response, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		assert.Equal(t, runner.Hit, response.Cache)
		assert.EqualValues(t, 2, response.Result.Rows[0][0])
		assert.Equal(t, 900*time.Second-1, response.Left)
		for range 20 { // no caller ever waits
			time.Sleep(311 * time.Second)
			status, _ := w.run(t, requestFor(cached, "acme"))
			assert.Equal(t, runner.Hit, status)
		}
	})
}

// A tenth more or less keeps the refreshes of many entries from falling together.
func TestMaintainSpreadsRefreshes(t *testing.T) {
	t.Parallel()
	for random, after := range map[float64]time.Duration{0: 270 * time.Second, 0.25: 285 * time.Second, 0.75: 315 * time.Second} {
		t.Run(fmt.Sprint(random), func(t *testing.T) {
			inWorld(t, func(config *runner.Config) { config.Random = func() float64 { return random } }, func(t *testing.T, w *world) {
				w.maintain(t)
				w.run(t, requestFor(cached, "acme"))
				time.Sleep(after - time.Millisecond)
				synctest.Wait()
				assert.Equal(t, 1, w.engine.Runs())
				time.Sleep(2 * time.Millisecond)
				synctest.Wait()
				assert.Equal(t, 2, w.engine.Runs())
			})
		})
	}
}

// A request that nobody repeats costs nothing: after its last caching time
// it is not refreshed, and it leaves the cache.
func TestMaintainLetsUnusedEntriesExpire(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.StaleIfError = time.Minute }, func(t *testing.T, w *world) {
		w.maintain(t)
		w.run(t, requestFor(cached, "acme"))
		time.Sleep(899 * time.Second)
		synctest.Wait()
		assert.Equal(t, 3, w.engine.Runs(), "after 300 and 600 seconds")
		time.Sleep(600*time.Second + time.Minute)
		synctest.Wait()
		assert.Positive(t, w.CacheBytes())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Zero(t, w.CacheBytes())
		assert.Equal(t, 3, w.engine.Runs())
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.Equal(t, 3, w.engine.Runs())
	})
}

// An entry that is requested again late in its time is refreshed again.
func TestMaintainRefreshesEntriesRequestedLate(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.maintain(t)
		w.run(t, requestFor(cached, "acme"))
		time.Sleep(1400 * time.Second)
		synctest.Wait()
		assert.Equal(t, 3, w.engine.Runs())
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 3)
		time.Sleep(200 * time.Second)
		synctest.Wait()
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 4)
	})
}

// A refresh that fails leaves the old entry, and is tried again: after one second,
// then two, four and so on, but at least at every warming time.
func TestMaintainRetriesRefreshes(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		var pauses recorder[time.Duration]
		last, run := time.Now(), w.engine.RunFunc
		w.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
			pauses.add(time.Since(last) / time.Second)
			last = time.Now()
			return run(ctx, statement)
		}
		w.maintain(t)
		w.run(t, requestFor(cached, "acme"))
		w.fail(errors.New("disk on fire"))
		time.Sleep(899 * time.Second)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
		time.Sleep(550 * time.Second)
		synctest.Wait()
		assert.Equal(t, []time.Duration{0, 300, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}, pauses.all())
		w.mend()
		time.Sleep(300 * time.Second)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 14)
	})
}

// At most WarmConcurrency refreshes run at once; the others wait their turn.
func TestMaintainBoundsRefreshes(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.WarmConcurrency = 2 }, func(t *testing.T, w *world) {
		w.maintain(t)
		for i := range 5 {
			w.run(t, requestFor(cached, strconv.Itoa(i)))
		}
		w.takes(20 * time.Second)
		for _, runs := range []int{7, 9, 10, 10} {
			time.Sleep(300 * time.Second / 15)
			if runs == 7 {
				time.Sleep(281 * time.Second)
			}
			synctest.Wait()
			assert.Equal(t, runs, w.engine.Runs())
		}
	})
}

// Callers go first: a refresh waits at the gate behind all of them, unless one of
// them comes to wait for it.
func TestRefreshesQueueBehindCallers(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.EngineConcurrency = 1 }, func(t *testing.T, w *world) {
		var order recorder[string]
		run := w.engine.RunFunc
		w.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
			order.add(statement.Args[0].Value.(string))
			return run(ctx, statement)
		}
		w.maintain(t)
		w.takes(2 * time.Second)
		w.run(t, requestFor(cached, "warm"))
		w.run(t, requestFor(cached, "wanted"))
		time.Sleep(297 * time.Second)
		ask := func(project string) {
			go func() {
				_, err := w.Run(t.Context(), noCache(requestFor(cached, project)))
				assert.NoError(t, err)
			}()
			synctest.Wait()
		}
		ask("first")
		time.Sleep(1500 * time.Millisecond) // both refreshes wait at the gate
		ask("second")
		ask("third")
		ask("wanted")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"warm", "wanted", "first", "second", "third", "wanted", "warm"}, order.all())
	})
}

// Maintain ends with its context, and cancels what it alone waits for.
func TestMaintainEnds(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			w.Maintain(ctx)
			close(ended)
		}()
		w.run(t, requestFor(cached, "acme"))
		w.takes(time.Hour)
		time.Sleep(301 * time.Second)
		synctest.Wait()
		assert.Equal(t, 2, w.engine.Runs())
		stop()
		synctest.Wait() // the bubble fails where a goroutine is left
		<-ended
	})
}
