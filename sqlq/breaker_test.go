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
	assert.Equal(t, "the engine failed 5 times in a row and is only tried now and then; try again in a moment", refusal.PublicText(""))
	assert.Equal(t, retryAfter, refusal.RetryAfter)
	assert.Equal(t, runs, w.engine.Runs())
	assert.Zero(t, time.Since(began), "it is told at once")
}

// onTrial lets five runs fail, and a sixth, which is the first trial.
func (w *world) onTrial(t *testing.T, endpoint string) {
	t.Helper()
	w.failTimes(t, endpoint, 6, errors.New("disk on fire"))
}

// After five failures in a row the engine is given one run a second, until one
// succeeds.
func TestBreakerLeavesTheEngineAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := newWorld(t, func(config *sqlq.Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		w.onTrial(t, uncached)
		w.assertRefused(t, time.Second)
		time.Sleep(400 * time.Millisecond)
		w.assertRefused(t, 600*time.Millisecond)
		w.mend()
		status, _ := w.ask(t, question(cached, "acme"))
		assert.Equal(t, sqlq.Miss, status, "other saved queries go on")

		time.Sleep(600 * time.Millisecond)
		w.failTimes(t, uncached, 1, errors.New("disk on fire")) // a trial
		w.assertRefused(t, time.Second)
		time.Sleep(time.Second)
		w.mend()
		for range 3 {
			w.ask(t, question(uncached, "acme"))
		}
		assert.Regexp(t, `^.*level=WARN msg="the engine fails again and again, and is left alone but for trials" endpoint=logs.all failures=5 pause=1s
.*level=INFO msg="the engine has recovered" endpoint=logs.all
$`, log.String())
	})
}

// A success speaks for the engine while it is no more than five seconds old, and
// begins the count anew.
func TestBreakerBelievesASuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.failTimes(t, uncached, 4, errors.New("disk on fire"))
		w.mend()
		w.ask(t, question(uncached, "acme"))
		time.Sleep(5*time.Second - time.Nanosecond)
		w.failTimes(t, uncached, 100, errors.New("disk on fire"))
		time.Sleep(time.Nanosecond)
		w.onTrial(t, uncached)
		w.assertRefused(t, time.Second)
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
			w.failTimes(t, uncached, 6, sqlq.Errorf(code, "no"))
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
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.failTimes(t, uncached, 4, errors.New("disk on fire"))
				w.failTimes(t, uncached, 1, test.between)
				time.Sleep(5 * time.Second)
				w.failTimes(t, uncached, 2, errors.New("disk on fire")) // the second is a trial, if need be
				w.mend()
				_, err := w.Run(t.Context(), question(uncached, "acme"))
				assert.Equal(t, test.refuses, err != nil)
			})
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
		w.onTrial(t, cached)
		log.Reset()
		w.assertAsk(t, question(cached, "acme"), sqlq.Stale, 1)
		assert.Equal(t, 7, w.engine.Runs())
		assert.Empty(t, log.String(), "that the engine is left alone is told once")
	})
}

// A trial that takes its time does not hold up the others: they begin a second apart,
// on half of the engine's places. The first that succeeds is the last.
func TestBreakerTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *sqlq.Config) { config.EngineConcurrency = 4 })
		w.onTrial(t, uncached)
		w.mend()
		w.takes(10 * time.Second)
		var asking sync.WaitGroup
		ask := func(ctx context.Context, project string) {
			asking.Go(func() { _, _ = w.Run(ctx, question(uncached, project)) })
			synctest.Wait()
		}
		ctx, leave := context.WithCancel(t.Context())
		time.Sleep(time.Second)
		ask(ctx, "leaves")
		w.assertRefused(t, time.Second)
		time.Sleep(time.Second)
		ask(t.Context(), "stays")
		time.Sleep(5 * time.Second)
		w.assertRefused(t, time.Second)
		leave()
		synctest.Wait()
		ask(t.Context(), "takes its place")
		w.assertRefused(t, time.Second)
		time.Sleep(5 * time.Second) // the one that stayed has its answer
		synctest.Wait()
		w.takes(0)
		w.ask(t, question(uncached, "acme"))
		asking.Wait()
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

		time.Sleep(5 * time.Second)
		w.onTrial(t, uncached)
		time.Sleep(time.Second)
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
		// A place at the gate may be taken again a moment before the failure is counted,
		// and one run is a trial.
		assert.LessOrEqual(t, w.engine.Runs(), 11)
		assert.Equal(t, map[sqlq.Code]int{sqlq.Internal: w.engine.Runs(), sqlq.Unavailable: 50 - w.engine.Runs()}, counts)

		w.mend()
		w.takes(0)
		time.Sleep(time.Second)
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

// Refreshes leave the engine alone, too, but for trials, and come back when it is well.
func TestBreakerHoldsRefreshesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := newWorld(t, func(config *sqlq.Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		w.maintain(t)
		for i := range 20 {
			w.ask(t, question(cached, strconv.Itoa(i)))
		}
		w.fail(errors.New("disk on fire"))
		time.Sleep(300*time.Second + 1)
		synctest.Wait()
		failed := w.engine.Runs() - 20
		assert.LessOrEqual(t, failed, 7, "five, one that ran beside the fifth, and a trial")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.LessOrEqual(t, w.engine.Runs()-20-failed, 10, "one a second")
		w.mend()
		mended := w.engine.Runs()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 20, w.engine.Runs()-mended, "each is made anew once")
		assert.Equal(t, mended-20, strings.Count(log.String(), "an answer could not be kept warm"), "refusals are not told")
	})
}

// EngineRan is told of runs alone, Refused of the others.
func TestObserverTellsRunsFromRefusals(t *testing.T) {
	t.Parallel()
	observer := &observed{}
	w := newWorld(t, func(config *sqlq.Config) { config.Observer = observer })
	w.onTrial(t, uncached)
	for range 3 {
		_, err := w.Run(t.Context(), question(uncached, "acme"))
		require.Error(t, err)
	}
	assert.Len(t, observer.answered.all(), 9)
	assert.Len(t, observer.ran.all(), 6)
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
