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

// runBoth runs two saved queries and returns their entries.
func (w *world) runBoth(t *testing.T) []*cache.Entry {
	t.Helper()
	var entries []*cache.Entry
	for _, endpoint := range []string{cached, otherCached} {
		response, err := w.Run(t.Context(), requestFor(endpoint, "acme"))
		require.NoError(t, err)
		entries = append(entries, response.Entry)
	}
	return entries
}

func (w *world) cachedValue(t *testing.T, key string) any {
	t.Helper()
	encoded, _ := w.Encoded(t.Context(), key, false)
	if encoded == nil {
		return nil
	}
	return string(encoded.Body)
}

// A response is cached with the freshness of each of its entries.
func TestEncoding(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		first, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		time.Sleep(100 * time.Second)
		second, err := w.Run(t.Context(), requestFor(otherCached, "acme"))
		require.NoError(t, err)
		w.put(t.Context(), "key", "value", first.Entry, second.Entry, first.Entry)
		time.Sleep(20 * time.Second)
		encoded, responses := w.Encoded(t.Context(), "key", false)
		assert.Equal(t, "value", string(encoded.Body))
		require.Len(t, responses, 3)
		for i, want := range []struct {
			entry *cache.Entry
			age   time.Duration
		}{{first.Entry, 120 * time.Second}, {second.Entry, 20 * time.Second}, {first.Entry, 120 * time.Second}} {
			assert.Same(t, want.entry, responses[i].Entry)
			assert.Equal(t, runner.Hit, responses[i].Cache)
			assert.Equal(t, want.age, responses[i].Age)
			assert.Equal(t, 900*time.Second-want.age, responses[i].Left)
		}
		assert.Nil(t, w.cachedValue(t, "another key"))
		w.put(t.Context(), "key", "newer value", second.Entry)
		assert.Equal(t, "newer value", w.cachedValue(t, "key"))
	})
}

// It is valid as long as each of the entries is, however different their times.
func TestEncodingExpires(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.run(t, requestFor(cached, "acme"))
		time.Sleep(100 * time.Second)
		w.put(t.Context(), "key", "value", w.runBoth(t)...)
		time.Sleep(800*time.Second - 1)
		assert.Equal(t, "value", w.cachedValue(t, "key"))
		time.Sleep(time.Nanosecond)
		assert.Nil(t, w.cachedValue(t, "key"), "the first entry is expired, the second is not")
	})
}

// An expired response takes no room, though the entries stay for a while, for the
// case that the engine fails.
func TestEncodingIsRemovedWhenItExpires(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.StaleIfError, config.WarmConcurrency = time.Hour, 0 }, func(t *testing.T, w *world) {
		w.maintain(t)
		entries := w.runBoth(t)
		bytes := w.CacheBytes()
		w.put(t.Context(), "key", "value", entries...)
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

// The moment one of the entries is refreshed it is gone, and its bytes with it.
func TestEncodingIsRemovedWithAnEntry(t *testing.T) {
	t.Parallel()
	for _, refreshed := range []string{cached, otherCached} {
		t.Run(refreshed, func(t *testing.T) {
			inWorld(t, nil, func(t *testing.T, w *world) {
				entries := w.runBoth(t)
				bytes := w.CacheBytes()
				w.put(t.Context(), "key", "value", entries...)
				assert.Greater(t, w.CacheBytes(), bytes)
				time.Sleep(time.Minute)
				w.run(t, noCache(requestFor(refreshed, "acme")))
				assert.Nil(t, w.cachedValue(t, "key"))
				assert.Equal(t, bytes, w.CacheBytes())
				w.put(t.Context(), "key", "value", entries...)
				assert.Nil(t, w.cachedValue(t, "key"), "one of the entries is not cached any more")
				assert.Equal(t, bytes, w.CacheBytes())
			})
		})
	}
}

// A hit of a cached response counts as a request for its entries: they are refreshed.
func TestEncodingCountsAsRequest(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.maintain(t)
		for range 10 {
			response, err := w.Run(t.Context(), requestFor(cached, "acme"))
			require.NoError(t, err)
			w.put(t.Context(), "key", "value", response.Entry)
			time.Sleep(200 * time.Second)
			w.cachedValue(t, "key")
		}
		assert.GreaterOrEqual(t, w.engine.Runs(), 6)
	})
}

// A response is not cached unless all of its entries are.
func TestPutEncodedNeedsCachedEntries(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		response, err := w.Run(t.Context(), requestFor(uncached, "acme"))
		require.NoError(t, err)
		entries := append(w.runBoth(t), response.Entry)
		w.put(t.Context(), "key", "value", entries...)
		assert.Nil(t, w.cachedValue(t, "key"))

		time.Sleep(900 * time.Second)
		w.fail(errors.New("disk on fire"))
		stale, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		w.put(t.Context(), "key", "value", stale.Entry)
		assert.Nil(t, w.cachedValue(t, "key"), "encoded from a stale entry")
	})
}

// A no-cache request gets a response only if Run would give it all of its entries from the
// cache: not where one of them is older than NoCachePause, nor where one is in flight.
func TestEncodingForNoCache(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		response, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		w.put(t.Context(), "key", "value", response.Entry)
		assertKept := func(want bool) {
			encoded, responses := w.Encoded(t.Context(), "key", true)
			assert.Equal(t, want, encoded != nil)
			assert.Equal(t, want, len(responses) == 1)
		}
		assertKept(true)
		time.Sleep(cache.NoCacheInterval - 1)
		assertKept(true)
		time.Sleep(time.Nanosecond)
		assertKept(false)

		w.takes(time.Second)
		w.fail(errors.New("disk on fire"))
		refresh := requestFor(cached, "acme")
		refresh.NoCache = true
		var asking sync.WaitGroup
		asking.Go(func() { w.assertRun(t, refresh, runner.Stale, 1) })
		time.Sleep(time.Millisecond)
		assertKept(false) // The run is in flight.
		asking.Wait()
		assertKept(true) // It has failed, and is not repeated at once.
		time.Sleep(cache.NoCacheInterval)
		assertKept(false)
	})
}
