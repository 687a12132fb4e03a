package demo

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// feed collects committed batches. Its function can reject them.
type feed struct {
	reject func(batch ingest.Batch) error

	attempts atomic.Int32
	mutex    sync.Mutex
	batches  []ingest.Batch
}

// Commit implements [ingest.Committer].
func (f *feed) Commit(_ context.Context, batch ingest.Batch) (ingest.Counts, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.attempts.Add(1)
	if !batch.Generated {
		return ingest.Counts{}, errors.New("demo logs must be committed as generated ones")
	}
	if f.reject != nil {
		if err := f.reject(batch); err != nil {
			return ingest.Counts{}, err
		}
	}
	f.batches = append(f.batches, batch)
	return ingest.Counts{Accepted: len(batch.Events)}, nil
}

// assertHolds checks that each event of [from, to) was committed once, and no others.
func (f *feed) assertHolds(t *testing.T, from, to time.Time) {
	t.Helper()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var want, ids []string
	for source, event := range seeded(1).all(from, to) {
		want = append(want, source.Name+event.ID)
	}
	for _, batch := range f.batches {
		for _, event := range batch.Events {
			ids = append(ids, event.Source.Name+event.ID)
		}
	}
	slices.Sort(want)
	slices.Sort(ids)
	assert.True(t, slices.Equal(want, ids), "%d events, want %d", len(ids), len(want))
}

// live is a running [Run] of a test.
type live struct {
	log    *syncedBuffer
	result chan error
	stop   context.CancelFunc
}

// start runs a feed from the present moment of the test's time.
func start(t *testing.T, feed *feed, after time.Time) *live {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	running := &live{log: &syncedBuffer{}, result: make(chan error, 1), stop: stop}
	go func() {
		running.result <- Run(ctx, feed, seeded(1), Live{
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

func TestRunAddsEachEventOnceAndInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := bubbleNow()
		feed := &feed{reject: func(batch ingest.Batch) error {
			assert.NotEmpty(t, batch.Events, "a second without events needs no transaction")
			for _, event := range batch.Events {
				assert.False(t, event.Timestamp.After(bubbleNow()), "no log of the future")
				assert.True(t, event.Timestamp.After(bubbleNow().Add(-time.Second)), "every second at its end")
			}
			return nil
		}}
		running := start(t, feed, begin)
		pass(3*time.Minute + 500*time.Millisecond)
		running.end(t)

		require.Greater(t, len(feed.batches), 10)
		feed.assertHolds(t, justAfter(begin), justAfter(begin.Add(3*time.Minute)))
		assert.Empty(t, running.log.String())
	})
}

func TestRunCatchesUpAfterFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin, broken := bubbleNow(), atomic.Bool{}
		feed := &feed{reject: func(ingest.Batch) error {
			if broken.Load() {
				return errors.New("disk full")
			}
			return nil
		}}
		running := start(t, feed, begin)
		pass(time.Minute)
		broken.Store(true)
		pass(90 * time.Second)
		assert.Contains(t, running.log.String(), "level=WARN")
		assert.NotContains(t, running.log.String(), "level=INFO")
		assert.Contains(t, running.log.String(), "disk full")
		assert.LessOrEqual(t, strings.Count(running.log.String(), "disk full"), 2, "the log is not flooded")
		feed.assertHolds(t, justAfter(begin), justAfter(begin.Add(time.Minute)))

		broken.Store(false)
		pass(time.Minute)
		running.end(t)
		feed.assertHolds(t, justAfter(begin), justAfter(bubbleNow()))
		assert.Equal(t, 1, strings.Count(running.log.String(), "level=INFO"), "the recovery is logged once")
	})
}

func TestRunEndsWhereOtherLogsAppear(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := &feed{reject: func(ingest.Batch) error { return logstore.ErrHoldsOtherLogs }}
		running := start(t, feed, bubbleNow())
		require.ErrorIs(t, <-running.result, logstore.ErrHoldsOtherLogs)
		running.stop()
		assert.EqualValues(t, 1, feed.attempts.Load())
	})
}

// The context ends while events are being committed.
func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		committing, stopped := make(chan struct{}), make(chan struct{})
		running := start(t, &feed{reject: func(ingest.Batch) error {
			close(committing)
			<-stopped
			return context.Canceled
		}}, bubbleNow())
		<-committing
		running.stop()
		close(stopped)
		require.NoError(t, <-running.result)
		assert.Empty(t, running.log.String(), "a shutdown is not a failure")
	})
}

// After a long sleep of the machine the events of the last week are enough.
func TestRunReachesAWeekBackAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var first logevent.Sourced
		running := start(t, &feed{reject: func(batch ingest.Batch) error {
			first = batch.Events[0]
			return logstore.ErrHoldsOtherLogs
		}}, bubbleNow().AddDate(-1, 0, 0))
		require.ErrorIs(t, <-running.result, logstore.ErrHoldsOtherLogs)
		running.stop()
		from := bubbleNow().UTC().Add(-week).Truncate(time.Minute)
		assert.Equal(t, collect(seeded(1), tables.Shipped()[0], from, from.Add(time.Hour))[0], first.Event)
	})
}

func TestRunWaitsForAClockThatWasSetBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed, after := &feed{}, bubbleNow().Add(2*time.Minute)
		running := start(t, feed, after)
		pass(2 * time.Minute)
		assert.Zero(t, feed.attempts.Load())
		pass(time.Minute)
		running.end(t)
		feed.assertHolds(t, justAfter(after), justAfter(bubbleNow()))
	})
}

// After a pause of days each transaction is small: readers see all of it or nothing
// only while the store can write it in one commit.
func TestRunCatchesUpInSmallTransactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed, after := &feed{}, bubbleNow().Add(-5*time.Hour-30*time.Minute)
		running := start(t, feed, after)
		pass(time.Second)
		running.end(t)
		assert.Len(t, feed.batches, 6, "five and a half hours")
		byTime := func(a, b logevent.Sourced) int { return a.Timestamp.Compare(b.Timestamp) }
		for _, batch := range feed.batches {
			first, last := slices.MinFunc(batch.Events, byTime), slices.MaxFunc(batch.Events, byTime)
			assert.LessOrEqual(t, last.Timestamp.Sub(first.Timestamp), time.Hour)
		}
		feed.assertHolds(t, justAfter(after), justAfter(bubbleNow()))
	})
}
