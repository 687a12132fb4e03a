package runner_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// errDown is the error of an engine that is unavailable to all callers.
func errDown() error {
	return sqlq.Errorf(sqlq.Unavailable, "the store cannot be read").WithCause(errors.New("disk on fire"))
}

// failTimes makes that many runs fail, one after the other, with different arguments.
func (w *world) failTimes(t *testing.T, endpoint string, times int, failure error) {
	t.Helper()
	w.fail(failure)
	for i := range times {
		before := w.engine.Runs()
		_, err := w.Run(t.Context(), requestFor(endpoint, "failing"+strconv.Itoa(i)))
		require.ErrorIs(t, err, failure)
		require.Equal(t, before+1, w.engine.Runs())
	}
}

// assertRejected asserts that a query is rejected at once, without a run, and what the
// caller is told about when to retry.
func (w *world) assertRejected(t *testing.T, endpoint string, retryAfter time.Duration) {
	t.Helper()
	runs, began := w.engine.Runs(), time.Now()
	_, err := w.Run(t.Context(), requestFor(endpoint, "anything"))
	rejection := sqlq.AsError(err)
	require.NotNil(t, rejection)
	assert.Equal(t, sqlq.Unavailable, rejection.Code)
	assert.Equal(t, "the engine is unavailable; try again in a moment", rejection.PublicText(""))
	assert.Equal(t, retryAfter, rejection.RetryAfter)
	assert.Equal(t, runs, w.engine.Runs())
	assert.Zero(t, time.Since(began))
}

// D33: after five runs in a row that found the engine unavailable it gets one run a
// second, of whatever query, until one succeeds.
func TestBreakerProtectsTheEngine(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.failTimes(t, uncached, 3, errDown())
		w.failTimes(t, cached, 2, errDown())
		w.assertRejected(t, uncached, time.Second)
		time.Sleep(400 * time.Millisecond)
		w.assertRejected(t, cached, 600*time.Millisecond)
		time.Sleep(600 * time.Millisecond)
		w.failTimes(t, uncached, 1, errDown()) // a trial
		w.assertRejected(t, uncached, time.Second)
		time.Sleep(time.Second)
		w.mend()
		for range 3 {
			w.run(t, requestFor(uncached, "acme"))
		}
		assert.Regexp(t, `^.*level=WARN msg="the engine is unavailable; queries are rejected except for trials" failures=5 pause=1s error="the store cannot be read: disk on fire"
.*level=INFO msg="the engine is available again"
$`, w.log.String())
	})
}

// D33: an engine that finds fault with an argument has responded, so that one caller's bad
// arguments, which use up the trials, do not keep the breaker open for the others.
func TestBreakerClosesOnAnArgumentError(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.failTimes(t, uncached, 5, errDown())
		w.assertRejected(t, uncached, time.Second)
		time.Sleep(time.Second)
		w.failTimes(t, uncached, 1, sqlq.ParamErrorf("project", "no"))
		w.mend()
		w.run(t, requestFor(uncached, "acme"))
	})
}

// D33: only unavailability counts. Whatever one query can cause, as often as it likes,
// leaves all other callers alone.
func TestBreakerCountsUnavailabilityOnly(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		failure error
		opens   bool
	}{
		"the engine is unavailable": {errDown(), true},
		"a mistake in the SQL":      {errors.New("Binder Error"), false},
		"an internal error":         {sqlq.Errorf(sqlq.Internal, "no"), false},
		"an argument":               {sqlq.ParamErrorf("project", "no"), false},
		"too much data":             {sqlq.Errorf(sqlq.ResourceExhausted, "no"), false},
		"a timeout of the engine's": {sqlq.Errorf(sqlq.DeadlineExceeded, "no"), false},
		"a cancelled run":           {context.Canceled, false},
		"a panic":                   {nil, false},
		"a timeout of the runner's": {nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, func(t *testing.T, w *world) {
				run := w.engine.RunFunc
				w.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
					if name == "a panic" && statement.Args[0].Value != "acme" {
						panic("out of its mind")
					}
					return run(ctx, statement)
				}
				if name == "a timeout of the runner's" {
					w.takes(time.Hour)
				}
				if test.failure != nil {
					w.fail(test.failure)
				}
				for i := range 20 {
					_, err := w.Run(t.Context(), requestFor(uncached, strconv.Itoa(i)))
					require.Error(t, err)
				}
				w.takes(0)
				w.mend()
				_, err := w.Run(t.Context(), requestFor(uncached, "acme"))
				assert.Equal(t, test.opens, err != nil)
			})
		})
	}
}

// A success between failures shows that the engine is available. Errors that belong to
// one query show nothing.
func TestBreakerCountsConsecutiveFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		between error
		opens   bool
	}{
		"a success":            {nil, false},
		"a mistake in the SQL": {errors.New("Binder Error"), true},
		"a cancelled run":      {context.Canceled, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, func(t *testing.T, w *world) {
				w.failTimes(t, uncached, 4, errDown())
				if test.between == nil {
					w.mend()
					w.run(t, requestFor(uncached, "acme"))
				} else {
					w.failTimes(t, uncached, 1, test.between)
				}
				w.failTimes(t, uncached, 1, errDown())
				w.mend()
				_, err := w.Run(t.Context(), requestFor(uncached, "acme"))
				assert.Equal(t, test.opens, err != nil)
			})
		})
	}
}

// Callers get stale entries, for as long as that is allowed.
func TestBreakerServesStaleEntries(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.run(t, requestFor(cached, "acme"))
		time.Sleep(900 * time.Second)
		w.failTimes(t, cached, 5, errDown())
		w.log.Reset()
		w.assertRun(t, requestFor(cached, "acme"), runner.Stale, 1)
		assert.Equal(t, 6, w.engine.Runs())
		assert.Empty(t, w.log.String(), "that the engine is unavailable is logged once")
	})
}

// A trial that takes long does not delay the next one, and the first success, whenever
// it comes, ends the trials.
func TestBreakerDoesNotWaitForASlowTrial(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.failTimes(t, uncached, 5, errDown())
		w.mend()
		w.takes(10 * time.Second)
		var asking sync.WaitGroup
		for i := range 3 {
			time.Sleep(time.Second)
			asking.Go(func() { w.run(t, requestFor(uncached, "slow"+strconv.Itoa(i))) })
			synctest.Wait()
			w.assertRejected(t, uncached, time.Second)
		}
		time.Sleep(8 * time.Second) // the first of them has succeeded
		w.takes(0)
		for range 3 {
			w.run(t, requestFor(uncached, "acme"))
		}
		asking.Wait()
	})
}

// Runs that the queue rejects show nothing about the engine, and are no trials.
func TestBreakerDoesNotCountTheQueue(t *testing.T) {
	inWorld(t, func(config *runner.Config) {
		config.EngineConcurrency = 1
		config.QueueTimeout = 2 * time.Second
	}, func(t *testing.T, w *world) {
		w.takes(20 * time.Second)
		var asking sync.WaitGroup
		asking.Go(func() { w.run(t, requestFor(cached, "busy")) })
		synctest.Wait()
		for range 6 {
			_, err := w.Run(t.Context(), requestFor(uncached, "acme"))
			require.ErrorContains(t, err, "the server is busy")
		}
		asking.Wait()
		w.takes(0)
		w.run(t, requestFor(uncached, "acme"))
	})
}

// Runs in the queue are rejected in their turn if the engine turns out to be unavailable
// meanwhile, and leave their places.
func TestBreakerRejectsRunsInTheQueue(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.EngineConcurrency = 5 }, func(t *testing.T, w *world) {
		w.takes(500 * time.Millisecond)
		w.fail(errDown())
		var asking sync.WaitGroup
		for i := range 50 {
			asking.Go(func() {
				_, err := w.Run(t.Context(), requestFor(uncached, strconv.Itoa(i)))
				assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
			})
		}
		asking.Wait()
		// Places may be taken again a moment before the failures are counted.
		assert.LessOrEqual(t, w.engine.Runs(), 10)

		w.mend()
		w.takes(0)
		time.Sleep(time.Second)
		w.run(t, requestFor(uncached, "trial"))
		w.takes(2 * time.Second)
		began := time.Now()
		for i := range 5 {
			asking.Go(func() { w.run(t, requestFor(uncached, strconv.Itoa(i))) })
		}
		asking.Wait()
		assert.Equal(t, 2*time.Second, time.Since(began), "all places are free again")
	})
}

// Refreshes are rejected, too, and resume when the engine is available again.
func TestBreakerRejectsRefreshes(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.maintain(t)
		for i := range 20 {
			w.run(t, requestFor(cached, strconv.Itoa(i)))
		}
		w.fail(errDown())
		time.Sleep(300*time.Second + 1)
		synctest.Wait()
		failed := w.engine.Runs() - 20
		assert.LessOrEqual(t, failed, 7, "five, one that ran at the same time as the fifth, and a trial")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.LessOrEqual(t, w.engine.Runs()-20-failed, 10, "one a second")
		w.mend()
		mended := w.engine.Runs()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 20, w.engine.Runs()-mended, "each is refreshed once")
		assert.Equal(t, mended-20, strings.Count(w.log.String(), "a cache entry could not be refreshed"), "rejections are not logged")
	})
}

// D33: the log has what the engine says about an argument, which its caller is not sent.
func TestRunnerLogsArgumentErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.fail(sqlq.ParamErrorf("limit", "no").WithCause(errors.New("Binder Error")))
	_, err := w.Run(t.Context(), requestFor(uncached, "acme"))
	require.Error(t, err)
	assert.Regexp(t, `level=INFO msg="the engine rejected an argument" endpoint=logs.all param=limit error="limit: no: Binder Error"`, w.log.String())
}

// EngineRan is called for runs, Refused for rejected ones.
func TestObserverDistinguishesRunsFromRejections(t *testing.T) {
	t.Parallel()
	observer := &observed{}
	w := newWorld(t, func(config *runner.Config) { config.Observer = observer })
	w.failTimes(t, uncached, 5, errDown())
	for range 3 {
		_, err := w.Run(t.Context(), requestFor(uncached, "acme"))
		require.Error(t, err)
	}
	assert.Len(t, observer.responded.all(), 8)
	assert.Len(t, observer.ran.all(), 5)
	assert.Len(t, observer.rejected.all(), 3)
}

// observed is an observer that records its calls.
type observed struct {
	responded, ran, rejected, refreshed recorder[error]
}

func (o *observed) Responded(_ *sqlq.SavedQuery, _ runner.CacheStatus, err error) {
	o.responded.add(err)
}

func (o *observed) EngineRan(_ context.Context, _ *sqlq.SavedQuery, _ runner.EngineRun, err error) {
	o.ran.add(err)
}
func (o *observed) Rejected(_ *sqlq.SavedQuery, err error) { o.rejected.add(err) }
func (o *observed) Refreshed(_ *cache.Entry, err error)    { o.refreshed.add(err) }
