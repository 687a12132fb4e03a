package demo_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/logstore"
)

// live is a running [demo.Run] of a test.
type live struct {
	store     *fakeStore
	generator *demo.Generator
	log       *syncedBuffer
	result    chan error
	stop      context.CancelFunc
}

// start runs the store's feed from the present moment of the test's time.
func start(t *testing.T, store *fakeStore, after time.Time) *live {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	running := &live{store: store, generator: demo.New(1), log: &syncedBuffer{}, result: make(chan error, 1), stop: stop}
	go func() {
		running.result <- demo.Run(ctx, store, running.generator, demo.Live{
			After: after, Clock: bubbleNow, Logger: slog.New(slog.NewTextHandler(running.log, nil)),
		})
	}()
	return running
}

// syncedBuffer is a log that is written and read at once.
type syncedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (b *syncedBuffer) Write(text []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.Write(text)
}

func (b *syncedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.String()
}

// end stops the feed and checks that it ends well.
func (l *live) end(t *testing.T) {
	t.Helper()
	l.stop()
	require.NoError(t, <-l.result)
}

// bubbleNow is the clock of a synctest bubble, which the test moves on.
func bubbleNow() time.Time {
	return time.Now()
}

// pass advances the test's clock and waits until all goroutines are idle.
func pass(span time.Duration) {
	time.Sleep(span)
	synctest.Wait()
}

// justAfter is a microsecond after a moment: where the half-open range ends that
// includes it.
func justAfter(moment time.Time) time.Time { return moment.UTC().Add(time.Microsecond) }

func TestRunAddsEachEventOnceAndInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := bubbleNow()
		store := &fakeStore{}
		store.committed = func(events []stored) {
			assert.NotEmpty(t, events, "a second without events needs no transaction")
			for _, stored := range events {
				assert.False(t, stored.event.Timestamp.After(bubbleNow()), "no log of the future")
				assert.True(t, stored.event.Timestamp.After(bubbleNow().Add(-time.Second)), "every second at its end")
			}
		}
		running := start(t, store, begin)
		pass(3*time.Minute + 500*time.Millisecond)
		running.end(t)

		ticked := begin.Add(3 * time.Minute)
		require.Greater(t, len(store.events), 10)
		store.assertHolds(t, running.generator, justAfter(begin), justAfter(ticked))
		assert.Empty(t, running.log.String())
	})
}

func TestRunContinuesWhereFillEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		generator, begin := demo.New(1), bubbleNow().UTC()
		store := filledThrough(t, generator, begin)
		for range 2 {
			// A gap arises while nothing runs.
			pass(25*time.Minute + 123_456*time.Microsecond)
			filling, err := demo.Fill(t.Context(), store, generator, bubbleNow())
			require.NoError(t, err)
			assert.Positive(t, filling.Events)

			// The clock advances while Fill runs.
			pass(7*time.Second + 300*time.Millisecond)
			running := start(t, store, filling.Through)
			pass(time.Minute)
			running.end(t)
		}
		store.assertHolds(t, generator, begin.Add(-time.Hour), justAfter(bubbleNow()))
	})
}

func TestRunCatchesUpAfterFailures(t *testing.T) {
	t.Parallel()
	failure := errors.New("disk full")
	tests := []struct {
		name string
		fail func(store *fakeStore, broken *atomic.Bool)
	}{
		{"at the start of a transaction", func(store *fakeStore, broken *atomic.Bool) {
			store.begin = failing(broken, failure)
		}},
		{"adding an event", func(store *fakeStore, broken *atomic.Bool) {
			step := failing(broken, failure)
			store.add = func(stored) error { return step() }
		}},
		{"at the commit", func(store *fakeStore, broken *atomic.Bool) {
			store.commit = failing(broken, failure)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := bubbleNow()
				store, broken := &fakeStore{}, &atomic.Bool{}
				test.fail(store, broken)
				running := start(t, store, begin)
				pass(time.Minute)
				broken.Store(true)
				pass(90 * time.Second)
				assert.Contains(t, running.log.String(), "disk full")
				assert.Contains(t, running.log.String(), "level=WARN")
				assert.NotContains(t, running.log.String(), "level=INFO")
				assert.LessOrEqual(t, strings.Count(running.log.String(), "disk full"), 2, "the log is not flooded")
				store.assertHolds(t, running.generator, justAfter(begin), justAfter(begin.Add(time.Minute)))

				broken.Store(false)
				pass(time.Minute)
				running.end(t)
				store.assertHolds(t, running.generator, justAfter(begin), justAfter(bubbleNow()))
				assert.Equal(t, 1, strings.Count(running.log.String(), "level=INFO"), "the recovery is logged once")
			})
		})
	}
}

// failing returns a step that fails while it is broken.
func failing(broken *atomic.Bool, failure error) func() error {
	return func() error {
		if broken.Load() {
			return failure
		}
		return nil
	}
}

func TestRunEndsWhereOtherLogsAppear(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{begin: func() error { return logstore.ErrHoldsOtherLogs }}
		running := start(t, store, bubbleNow())
		require.ErrorIs(t, <-running.result, logstore.ErrHoldsOtherLogs)
		running.stop()
		assert.Empty(t, store.events)
		assert.Equal(t, 1, store.attempts())
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The context ends while an event is being added.
		adding, stopped := make(chan struct{}), make(chan struct{})
		store := &fakeStore{add: func(stored) error {
			close(adding)
			<-stopped
			return context.Canceled
		}}
		running := start(t, store, bubbleNow())
		<-adding
		running.stop()
		close(stopped)
		require.NoError(t, <-running.result)
		assert.Empty(t, store.events)
		assert.Equal(t, 1, store.dropped)
		assert.Empty(t, running.log.String(), "a shutdown is not a failure")
	})
}

// After a long sleep of the machine the events of the last week are enough.
func TestRunReachesAWeekBackAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var first stored
		store := &fakeStore{add: func(event stored) error {
			first = event
			return logstore.ErrHoldsOtherLogs
		}}
		running := start(t, store, bubbleNow().AddDate(-1, 0, 0))
		require.ErrorIs(t, <-running.result, logstore.ErrHoldsOtherLogs)
		running.stop()
		assert.Equal(t, firstOfWeekBefore(t, running.generator, bubbleNow()), first)
	})
}

func TestRunWaitsForAClockThatWasSetBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		after := bubbleNow().Add(2 * time.Minute)
		running := start(t, store, after)
		pass(2 * time.Minute)
		assert.Zero(t, store.attempts())
		pass(time.Minute)
		running.end(t)
		store.assertHolds(t, running.generator, justAfter(after), justAfter(bubbleNow()))
	})
}

// After a pause of days each transaction is small: readers see all of it or nothing
// only while the store can write it in one commit.
func TestRunCatchesUpInSmallTransactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		longest, transactions := time.Duration(0), 0
		store := &fakeStore{committed: func(events []stored) {
			transactions++
			first, last := events[0].event.Timestamp, events[0].event.Timestamp
			for _, stored := range events {
				if stored.event.Timestamp.Before(first) {
					first = stored.event.Timestamp
				}
				if stored.event.Timestamp.After(last) {
					last = stored.event.Timestamp
				}
			}
			longest = max(longest, last.Sub(first))
		}}
		after := bubbleNow().Add(-5*time.Hour - 30*time.Minute)
		running := start(t, store, after)
		pass(time.Second)
		running.end(t)
		assert.Equal(t, 6, transactions, "five and a half hours")
		assert.LessOrEqual(t, longest, time.Hour)
		store.assertHolds(t, running.generator, justAfter(after), justAfter(bubbleNow()))
	})
}
