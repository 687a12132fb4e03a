package sqlq_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// failTimes lets so many runs fail, one after the other, for different questions.
func (w *world) failTimes(t *testing.T, endpoint string, times int, failure error) {
	t.Helper()
	w.fail(failure)
	for i := range times {
		before := w.engine.Runs()
		_, err := w.Run(t.Context(), question(endpoint, "failing"+strconv.Itoa(i)))
		require.ErrorIs(t, err, failure)
		require.Equal(t, before+1, w.engine.Runs())
	}
}

// assertRefused asserts that the engine is left alone, and for how long callers are
// told to wait.
func (w *world) assertRefused(t *testing.T, retryAfter time.Duration) {
	t.Helper()
	runs, began := w.engine.Runs(), time.Now()
	_, err := w.Run(t.Context(), question(uncached, "anything"))
	refusal := sqlq.AsError(err)
	require.NotNil(t, refusal)
	assert.Equal(t, sqlq.Unavailable, refusal.Code)
	assert.Equal(t, "the engine failed 5 times in a row; it is tried again within 5s", refusal.PublicText(""))
	assert.Equal(t, retryAfter, refusal.RetryAfter)
	assert.Equal(t, runs, w.engine.Runs())
	assert.Zero(t, time.Since(began), "it is told at once")
}

// After five failures in a row the engine is left alone for five seconds; then one
// run tries whether it is well.
func TestBreakerLeavesTheEngineAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := newWorld(t, func(config *sqlq.Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		onFire := errors.New("disk on fire")
		w.failTimes(t, uncached, 5, onFire)
		w.assertRefused(t, 5*time.Second)
		time.Sleep(2 * time.Second)
		w.assertRefused(t, 3*time.Second)
		w.mend()
		status, _ := w.ask(t, question(cached, "acme"))
		assert.Equal(t, sqlq.Miss, status, "other saved queries go on")

		time.Sleep(3*time.Second + 1)
		w.failTimes(t, uncached, 1, onFire) // the trial
		w.assertRefused(t, 5*time.Second)
		time.Sleep(5*time.Second + 1)
		w.mend()
		w.ask(t, question(uncached, "acme"))
		w.failTimes(t, uncached, 4, onFire)
		w.mend()
		w.ask(t, question(uncached, "acme"))
		w.failTimes(t, uncached, 4, onFire)

		assert.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log.String())
		assert.Equal(t, 1, strings.Count(log.String(), "level=INFO"))
		assert.Regexp(t, `level=WARN msg="the engine fails again and again, and is left alone but for trials" endpoint=logs.all failures=5 pause=5s
.*level=INFO msg="the engine has recovered" endpoint=logs.all
$`, log.String())
	})
}

// Only what is the engine's fault counts.
func TestBreakerCountsTheEnginesFaults(t *testing.T) {
	t.Parallel()
	tests := map[sqlq.Code]bool{
		sqlq.Unavailable: true, sqlq.DeadlineExceeded: true, sqlq.Internal: true,
		sqlq.InvalidArgument: false, sqlq.Cancelled: false, sqlq.ResourceExhausted: false,
	}
	for code, counts := range tests {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.failTimes(t, uncached, 5, sqlq.Errorf(code, "no"))
			w.mend()
			_, err := w.Run(t.Context(), question(uncached, "acme"))
			assert.Equal(t, counts, err != nil)
		})
	}
}

// An error that is the caller's own shows that the engine is well. A run that nobody
// waited for shows nothing.
func TestBreakerCountsFailuresInARow(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		between error
		refuses bool
	}{
		"a mistake of the caller": {sqlq.Errorf(sqlq.InvalidArgument, "no"), false},
		"a limit of the caller":   {sqlq.Errorf(sqlq.ResourceExhausted, "no"), false},
		"a cancelled run":         {context.Canceled, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.failTimes(t, uncached, 4, errors.New("disk on fire"))
			w.failTimes(t, uncached, 1, test.between)
			w.failTimes(t, uncached, 1, errors.New("disk on fire"))
			w.mend()
			_, err := w.Run(t.Context(), question(uncached, "acme"))
			assert.Equal(t, test.refuses, err != nil)
		})
	}
}

// Callers get what is kept, for as long as that is allowed.
func TestBreakerServesStaleAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := newWorld(t, func(config *sqlq.Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		w.ask(t, question(cached, "acme"))
		time.Sleep(900 * time.Second)
		w.failTimes(t, cached, 5, errors.New("disk on fire"))
		log.Reset()
		w.assertAsk(t, question(cached, "acme"), sqlq.Stale, 1)
		assert.Equal(t, 6, w.engine.Runs())
		assert.Empty(t, log.String(), "that the engine is left alone is told once")
	})
}

// One run tries the engine, however many callers there are. One whose caller leaves
// shows nothing, and makes nobody wait for another five seconds.
func TestBreakerTriesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.failTimes(t, uncached, 5, errors.New("disk on fire"))
		time.Sleep(5*time.Second + 1)
		w.mend()
		w.takes(10 * time.Second)
		var asking sync.WaitGroup
		defer asking.Wait()
		ctx, leave := context.WithCancel(t.Context())
		asking.Go(func() {
			_, err := w.Run(ctx, question(uncached, "leaves"))
			assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code)
		})
		synctest.Wait()
		w.assertRefused(t, 5*time.Second)
		leave()
		synctest.Wait()
		asking.Go(func() { w.ask(t, question(uncached, "stays")) })
		synctest.Wait()
		w.assertRefused(t, 5*time.Second)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		w.takes(0)
		w.ask(t, question(uncached, "acme"))
	})
}

// Runs that the gate turns away show nothing about the engine, and leave the trial to
// the next.
func TestBreakerDoesNotCountTheGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *sqlq.Config) {
			config.EngineConcurrency = 1
			config.QueueTimeout = time.Second
		})
		occupied := func(then func()) {
			var asking sync.WaitGroup
			asking.Go(func() { w.ask(t, question(cached, time.Now().String())) })
			synctest.Wait()
			then()
			asking.Wait()
		}
		turnedAway := func() {
			_, err := w.Run(t.Context(), question(uncached, "acme"))
			require.ErrorContains(t, err, "the server is busy")
		}
		w.takes(20 * time.Second)
		occupied(func() {
			for range 6 {
				turnedAway()
			}
		})
		w.takes(0)
		w.ask(t, question(uncached, "acme"))

		w.failTimes(t, uncached, 5, errors.New("disk on fire"))
		time.Sleep(5*time.Second + 1)
		w.mend()
		w.takes(20 * time.Second)
		occupied(func() {
			turnedAway()
			turnedAway()
		})
		w.takes(0)
		w.ask(t, question(uncached, "acme"))
	})
}

// What waits for its turn while the engine is found to fail is turned away when its
// turn comes.
func TestBreakerStopsWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *sqlq.Config) { config.EngineConcurrency = 5 })
		w.takes(2 * time.Second)
		w.fail(errors.New("disk on fire"))
		var asking sync.WaitGroup
		var codes recorder[sqlq.Code]
		for i := range 50 {
			asking.Go(func() {
				_, err := w.Run(t.Context(), question(uncached, strconv.Itoa(i)))
				codes.add(sqlq.AsError(err).Code)
			})
		}
		asking.Wait()
		counts := make(map[sqlq.Code]int)
		for _, code := range codes.all() {
			counts[code]++
		}
		// A place at the gate may be taken again a moment before the failure is counted.
		assert.LessOrEqual(t, w.engine.Runs(), 10)
		assert.Equal(t, map[sqlq.Code]int{sqlq.Internal: w.engine.Runs(), sqlq.Unavailable: 50 - w.engine.Runs()}, counts)

		w.mend()
		w.takes(0)
		time.Sleep(5*time.Second + 1)
		w.ask(t, question(uncached, "trial"))
		w.takes(2 * time.Second)
		began := time.Now()
		for i := range 5 {
			asking.Go(func() { w.ask(t, question(uncached, strconv.Itoa(i))) })
		}
		asking.Wait()
		assert.Equal(t, 2*time.Second, time.Since(began), "all places are free again")
	})
}

// Refreshes leave the engine alone, too, and come back when it is to be tried.
func TestBreakerHoldsRefreshesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		observer := &observed{}
		w := newWorld(t, func(config *sqlq.Config) {
			config.Logger, config.Observer = slog.New(slog.NewTextHandler(&log, nil)), observer
		})
		w.maintain(t)
		for i := range 20 {
			w.ask(t, question(cached, strconv.Itoa(i)))
		}
		w.fail(errors.New("disk on fire"))
		time.Sleep(300*time.Second + 1)
		synctest.Wait()
		failed := w.engine.Runs() - 20
		assert.LessOrEqual(t, failed, 6, "five, and one that ran beside the fifth")
		assert.Equal(t, failed, strings.Count(log.String(), "an answer could not be kept warm"), "refusals are not told")
		time.Sleep(4900 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, failed, w.engine.Runs()-20)
		assert.Len(t, observer.warmed.all(), 20+failed, "who was refused once comes when the pause is over")
		w.mend()
		time.Sleep(15 * time.Second)
		synctest.Wait()
		assert.Equal(t, 20, w.engine.Runs()-20-failed, "each is made anew once")
	})
}

// EngineRan is told of runs alone, Refused of the others.
func TestObserverTellsRunsFromRefusals(t *testing.T) {
	t.Parallel()
	observer := &observed{}
	w := newWorld(t, func(config *sqlq.Config) { config.Observer = observer })
	w.failTimes(t, uncached, 5, errors.New("disk on fire"))
	for range 3 {
		_, err := w.Run(t.Context(), question(uncached, "acme"))
		require.Error(t, err)
	}
	assert.Len(t, observer.answered.all(), 8)
	assert.Len(t, observer.ran.all(), 5)
	assert.Len(t, observer.refused.all(), 3)
}

// observed is an observer that notes what it is told.
type observed struct {
	answered, ran, refused, warmed recorder[error]
}

func (o *observed) Answered(_ *sqlq.SavedQuery, _ sqlq.CacheStatus, err error) { o.answered.add(err) }
func (o *observed) EngineRan(_ *sqlq.SavedQuery, _ time.Duration, err error)   { o.ran.add(err) }
func (o *observed) Refused(_ *sqlq.SavedQuery, err error)                      { o.refused.add(err) }
func (o *observed) Warmed(_ *sqlq.SavedQuery, err error)                       { o.warmed.add(err) }
