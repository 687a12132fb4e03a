package runner_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

const otherCached = "functions.invocation-stats"

// runBoth runs two saved queries and returns their answers.
func (w *world) runBoth(t *testing.T) []*cache.Entry {
	t.Helper()
	var answers []*cache.Entry
	for _, endpoint := range []string{cached, otherCached} {
		response, err := w.Run(t.Context(), question(endpoint, "acme"))
		require.NoError(t, err)
		answers = append(answers, response.Entry)
	}
	return answers
}

func (w *world) kept(t *testing.T, key string) any {
	t.Helper()
	value, _ := w.CachedResponse(t.Context(), key, false)
	return value
}

// What was made from answers is kept with the freshness of each of them.
func TestKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		first, err := w.Run(t.Context(), question(cached, "acme"))
		require.NoError(t, err)
		time.Sleep(100 * time.Second)
		second, err := w.Run(t.Context(), question(otherCached, "acme"))
		require.NoError(t, err)
		w.PutResponse(t.Context(), "key", "value", 10, []*cache.Entry{first.Entry, second.Entry, first.Entry})
		time.Sleep(20 * time.Second)
		value, responses := w.CachedResponse(t.Context(), "key", false)
		assert.Equal(t, "value", value)
		require.Len(t, responses, 3)
		for i, want := range []struct {
			answer *cache.Entry
			age    time.Duration
		}{{first.Entry, 120 * time.Second}, {second.Entry, 20 * time.Second}, {first.Entry, 120 * time.Second}} {
			assert.Same(t, want.answer, responses[i].Entry)
			assert.Equal(t, runner.Hit, responses[i].Cache)
			assert.Equal(t, want.age, responses[i].Age)
			assert.Equal(t, 900*time.Second-want.age, responses[i].Left)
		}
		assert.Nil(t, w.kept(t, "another key"))
		w.PutResponse(t.Context(), "key", "newer value", 10, []*cache.Entry{second.Entry})
		assert.Equal(t, "newer value", w.kept(t, "key"))
	})
}

// It is valid as long as each of the answers is, however different their times.
func TestKeptExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.ask(t, question(cached, "acme"))
		time.Sleep(100 * time.Second)
		w.PutResponse(t.Context(), "key", "value", 10, w.runBoth(t))
		time.Sleep(800*time.Second - 1)
		assert.Equal(t, "value", w.kept(t, "key"))
		time.Sleep(time.Nanosecond)
		assert.Nil(t, w.kept(t, "key"), "the first answer is expired, the second is not")
	})
}

// What is of no use any more takes no room, though the answers stay for a while, for the
// case that the engine fails.
func TestKeptLeavesWhenItExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *runner.Config) { config.StaleIfError, config.WarmConcurrency = time.Hour, 0 })
		w.maintain(t)
		answers := w.runBoth(t)
		bytes := w.CacheBytes()
		w.PutResponse(t.Context(), "key", "value", 10, answers)
		time.Sleep(900*time.Second - 1)
		synctest.Wait()
		assert.Greater(t, w.CacheBytes(), bytes)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.Equal(t, bytes, w.CacheBytes())
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Zero(t, w.CacheBytes())
	})
}

// The moment one of the answers is refreshed it is gone, and its bytes with it.
func TestKeptIsDroppedWithAnAnswer(t *testing.T) {
	t.Parallel()
	for _, refreshed := range []string{cached, otherCached} {
		t.Run(refreshed, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, nil)
				answers := w.runBoth(t)
				bytes := w.CacheBytes()
				w.PutResponse(t.Context(), "key", "value", 10, answers)
				assert.Greater(t, w.CacheBytes(), bytes)
				time.Sleep(time.Minute)
				w.ask(t, noCache(question(refreshed, "acme")))
				assert.Nil(t, w.kept(t, "key"))
				assert.Equal(t, bytes, w.CacheBytes())
				w.PutResponse(t.Context(), "key", "value", 10, answers)
				assert.Nil(t, w.kept(t, "key"), "one of the answers is not kept any more")
				assert.Equal(t, bytes, w.CacheBytes())
			})
		})
	}
}

// Who gets what was made from an answer has asked for the answer: it is refreshed.
func TestKeptCountsAsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.maintain(t)
		for range 10 {
			response, err := w.Run(t.Context(), question(cached, "acme"))
			require.NoError(t, err)
			w.PutResponse(t.Context(), "key", "value", 10, []*cache.Entry{response.Entry})
			time.Sleep(200 * time.Second)
			w.kept(t, "key")
		}
		assert.GreaterOrEqual(t, w.engine.Runs(), 6)
	})
}

// What was made from an answer that is not kept is not kept.
func TestKeepNothingOfWhatIsNotCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		response, err := w.Run(t.Context(), question(uncached, "acme"))
		require.NoError(t, err)
		answers := append(w.runBoth(t), response.Entry)
		w.PutResponse(t.Context(), "key", "value", 10, answers)
		assert.Nil(t, w.kept(t, "key"))

		time.Sleep(900 * time.Second)
		w.fail(errors.New("disk on fire"))
		stale, err := w.Run(t.Context(), question(cached, "acme"))
		require.NoError(t, err)
		w.PutResponse(t.Context(), "key", "value", 10, []*cache.Entry{stale.Entry})
		assert.Nil(t, w.kept(t, "key"), "made from a stale answer")
	})
}

// A no-cache request gets a response only if Run would give it all of its answers from the
// cache: not where one of them is older than NoCachePause, nor where one is in flight.
func TestKeptForNoCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		response, err := w.Run(t.Context(), question(cached, "acme"))
		require.NoError(t, err)
		w.PutResponse(t.Context(), "key", "value", 10, []*cache.Entry{response.Entry})
		assertKept := func(want bool) {
			value, responses := w.CachedResponse(t.Context(), "key", true)
			assert.Equal(t, want, value != nil)
			assert.Equal(t, want, len(responses) == 1)
		}
		assertKept(true)
		time.Sleep(cache.NoCacheInterval - 1)
		assertKept(true)
		time.Sleep(time.Nanosecond)
		assertKept(false)

		w.takes(time.Second)
		w.fail(errors.New("disk on fire"))
		refresh := question(cached, "acme")
		refresh.NoCache = true
		var asking sync.WaitGroup
		asking.Go(func() { w.assertAsk(t, refresh, runner.Stale, 1) })
		time.Sleep(time.Millisecond)
		assertKept(false) // The run is in flight.
		asking.Wait()
		assertKept(true) // It has failed, and is not repeated at once.
		time.Sleep(cache.NoCacheInterval)
		assertKept(false)
	})
}
