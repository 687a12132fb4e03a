package runner_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// The shipped queries: one with a caching time of 900 s and a warming time of 300 s,
// and one whose caching is disabled.
const (
	cached   = "usage.api-counts"
	uncached = "logs.all"
)

// world is a runner over an engine whose entries a test controls.
type world struct {
	finding
	engine *sqlqtest.FakeEngine
	// took is how long a run takes, and fails what it fails with.
	took  atomic.Int64
	fails atomic.Pointer[error]
	log   bytes.Buffer
}

// newWorld returns a world at the bubble's time. Each run gives one row, the number
// of the run.
func newWorld(t *testing.T, change func(*runner.Config)) *world {
	t.Helper()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	w := &world{}
	w.engine = &sqlqtest.FakeEngine{RunFunc: func(ctx context.Context, _ sqlq.Statement) (*sqlq.Result, error) {
		run := int64(w.engine.Runs())
		if took := time.Duration(w.took.Load()); took > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(took):
			}
		}
		if failure := w.fails.Load(); failure != nil {
			return nil, *failure
		}
		return &sqlq.Result{Columns: []sqlq.Column{{Name: "run", Type: sqlq.Int64}}, Rows: [][]any{{run}}}, nil
	}}
	config := sqlqtest.Config(catalog, w.engine, time.Now)
	config.Logger = slog.New(slog.NewTextHandler(&w.log, nil))
	if change != nil {
		change(&config)
	}
	w.finding = finding{runner.New(config)}
	return w
}

// inWorld runs a test beside others, in a bubble of its own.
func inWorld(t *testing.T, change func(*runner.Config), test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, newWorld(t, change)) })
}

func (w *world) fail(err error) { w.fails.Store(&err) }
func (w *world) mend()          { w.fails.Store(nil) }

func (w *world) takes(duration time.Duration) { w.took.Store(int64(duration)) }

// requestFor returns a request for an endpoint about a project.
func requestFor(endpoint, project string) runner.Request {
	params := map[string][]string{"project": {project}}
	if endpoint == cached {
		params["interval"] = []string{"daily"}
	}
	return runner.Request{Query: named(endpoint), Params: params}
}

// run runs a request and returns the status of its response, and the number of the run
// that it comes from.
func (w *world) run(t *testing.T, request runner.Request) (runner.CacheStatus, int64) {
	t.Helper()
	response, err := w.Run(t.Context(), request)
	require.NoError(t, err)
	return response.Cache, response.Result.Rows[0][0].(int64)
}

// assertRun runs a request and asserts its status and run.
func (w *world) assertRun(t *testing.T, request runner.Request, status runner.CacheStatus, run int64) {
	t.Helper()
	gotStatus, gotRun := w.run(t, request)
	assert.Equal(t, status, gotStatus)
	assert.Equal(t, run, gotRun)
}

func noCache(request runner.Request) runner.Request {
	request.NoCache = true
	return request
}

// One question is one entry, however it is spelled.
func TestRunSharesEntries(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		stats := func(endpoint, interval string) runner.Request {
			return runner.Request{Query: named(endpoint), Params: map[string][]string{"project": {"acme"}, "interval": {interval}, "other": {interval}}}
		}
		w.assertRun(t, stats("functions.invocation-stats", "1day"), runner.Miss, 1)
		w.assertRun(t, stats("functions.invocation-stats", "unknown"), runner.Hit, 1)
		w.assertRun(t, stats("functions.invocation-stats", ""), runner.Hit, 1)
		w.assertRun(t, stats("2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10", "1day"), runner.Hit, 1)
		w.assertRun(t, stats("2F2C0F2E-6B0E-4C39-9D0E-2A4C5D6F7A10", "1day"), runner.Hit, 1)
		w.assertRun(t, stats("functions.invocation-stats", "1hr"), runner.Miss, 2)
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 3)
	})
}

// Specification part 8: an entry is served again for its caching time, and not a
// nanosecond longer.
func TestRunServesEntriesForTheirCachingTime(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.takes(2 * time.Second)
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1)
		asOf := time.Now().Add(-2 * time.Second).UTC()
		time.Sleep(100 * time.Second)
		response, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		assert.Equal(t, runner.Hit, response.Cache)
		assert.Equal(t, asOf, response.AsOf)
		assert.Equal(t, 100*time.Second, response.Age)
		assert.Equal(t, 800*time.Second, response.Left)
		assert.True(t, time.Now().Add(response.Left).Equal(response.Expires))
		time.Sleep(800*time.Second - 1)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
		time.Sleep(time.Nanosecond)
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
	})
}

// Specification part 8: caching disabled means that every entry is computed.
func TestRunStoresNothingWithoutACachingTime(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.assertRun(t, requestFor(uncached, "acme"), runner.Off, 1)
		w.assertRun(t, requestFor(uncached, "acme"), runner.Off, 2)
		response, err := w.Run(t.Context(), noCache(requestFor(uncached, "acme")))
		require.NoError(t, err)
		assert.Equal(t, runner.Off, response.Cache)
		assert.Zero(t, response.Left)
		assert.True(t, response.Expires.IsZero())
		assert.Zero(t, w.CacheBytes())
	})
}

// D34: an entry can be served without the engine for its caching time, and for
// StaleIfError after it, whether or not anything maintains the cache.
func TestCanServeWithoutEngine(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.StaleIfError = time.Hour }, func(t *testing.T, w *world) {
		assert.False(t, w.CanServeWithoutEngine(time.Now()))
		w.assertRun(t, requestFor(uncached, "acme"), runner.Off, 1)
		assert.False(t, w.CanServeWithoutEngine(time.Now()))
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
		assert.True(t, w.CanServeWithoutEngine(time.Now()))
		w.fail(sqlq.Errorf(sqlq.Unavailable, "gone"))
		time.Sleep(15*time.Minute + time.Hour - time.Nanosecond)
		assert.True(t, w.CanServeWithoutEngine(time.Now()))
		w.assertRun(t, requestFor(cached, "acme"), runner.Stale, 2)
		time.Sleep(time.Nanosecond)
		assert.False(t, w.CanServeWithoutEngine(time.Now()))
		_, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.Error(t, err)
	})
}

// However many callers ask the same of an empty cache, the engine runs once.
func TestRunJoinsCallsInFlight(t *testing.T) {
	t.Parallel()
	const callers = 1_000
	for endpoint, leader := range map[string]runner.CacheStatus{cached: runner.Miss, uncached: runner.Off} {
		t.Run(endpoint, func(t *testing.T) {
			inWorld(t, nil, func(t *testing.T, w *world) {
				w.takes(time.Second)
				var asking sync.WaitGroup
				var led, joined atomic.Int64
				for range callers {
					asking.Go(func() {
						response, err := w.Run(t.Context(), requestFor(endpoint, "acme"))
						switch {
						case err != nil:
							t.Error(err)
						case response.Cache == leader:
							led.Add(1)
						case response.Cache == runner.Joined:
							joined.Add(1)
						}
					})
				}
				asking.Wait()
				assert.Equal(t, 1, w.engine.Runs())
				assert.EqualValues(t, 1, led.Load())
				assert.EqualValues(t, callers-1, joined.Load())
			})
		})
	}
}

// A failure goes to all callers who waited, and to nobody after them.
func TestRunSharesFailures(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.takes(time.Second)
		w.fail(errors.New("disk on fire"))
		var asking sync.WaitGroup
		for range 10 {
			asking.Go(func() {
				_, err := w.Run(t.Context(), requestFor(cached, "acme"))
				assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
			})
		}
		asking.Wait()
		assert.Equal(t, 1, w.engine.Runs())
		assert.Zero(t, w.CacheBytes(), "a failure is not cached")
		w.mend()
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
	})
}

// A caller who leaves does not cancel the run for the others.
func TestRunContinuesForRemainingCallers(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.takes(10 * time.Second)
		ctx, leave := context.WithCancel(t.Context())
		var asking sync.WaitGroup
		asking.Go(func() {
			_, err := w.Run(ctx, requestFor(cached, "acme"))
			assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code)
		})
		synctest.Wait()
		asking.Go(func() { w.assertRun(t, requestFor(cached, "acme"), runner.Joined, 1) })
		synctest.Wait()
		leave()
		asking.Wait()
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
	})
}

// A run is cancelled when its last caller leaves. A caller who comes then does not join the
// cancelled run.
func TestRunIsCancelledWithItsLastCaller(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		cancelled := make(chan struct{})
		hang := w.engine.RunFunc
		w.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
			if w.engine.Runs() > 1 {
				return hang(ctx, statement)
			}
			<-ctx.Done()
			close(cancelled)
			time.Sleep(time.Minute) // an engine that takes its time to stop
			return nil, ctx.Err()
		}
		var leaving sync.WaitGroup
		for range 3 {
			leaving.Go(func() {
				ctx, leave := context.WithTimeout(t.Context(), time.Second)
				defer leave()
				_, err := w.Run(ctx, requestFor(cached, "acme"))
				assert.Equal(t, sqlq.DeadlineExceeded, sqlq.AsError(err).Code, "the caller's own deadline")
			})
		}
		leaving.Wait()
		<-cancelled
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
		time.Sleep(2 * time.Minute)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 2)
	})
}

// resultOf returns a run that gives rows of a text and a number.
func resultOf(rows [][]any) func(context.Context, sqlq.Statement) (*sqlq.Result, error) {
	columns := []sqlq.Column{{Name: "text", Type: sqlq.String}, {Name: "number", Type: sqlq.Int64}}
	return func(context.Context, sqlq.Statement) (*sqlq.Result, error) {
		return &sqlq.Result{Columns: columns, Rows: rows}, nil
	}
}

// A panic of the engine, or an entry that makes no sense, is the failure of those who
// wait, and of nobody else.
func TestRunSurvivesInvalidResults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		run  func(context.Context, sqlq.Statement) (*sqlq.Result, error)
		want string
	}{
		"panic":         {func(context.Context, sqlq.Statement) (*sqlq.Result, error) { panic("secret") }, "panic: secret"},
		"nothing":       {func(context.Context, sqlq.Statement) (*sqlq.Result, error) { return nil, nil }, "neither rows nor an error"}, //nolint:nilnil // the mistake
		"row too short": {resultOf([][]any{{"a", nil}, {"b"}}), "returned 1 values for the 2 columns of row 2"},
		"row too long":  {resultOf([][]any{{"a", nil, nil}}), "returned 3 values for the 2 columns of row 1"},
		"type":          {resultOf([][]any{{"a", int64(1)}, {"a", 1}}), `column "number" of row 2: the engine returned a value of type int`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			good := w.engine.RunFunc
			w.engine.RunFunc = test.run
			_, err := w.Run(t.Context(), requestFor(cached, "acme"))
			assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, sqlq.AsError(err).PublicText(""), "secret")
			assert.Zero(t, w.CacheBytes())
			w.engine.RunFunc = good
			w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
		})
	}
}

// A no-cache request gets a new entry, but cannot make the
// engine work more than once in ten seconds.
func TestNoCacheBypassesTheCache(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Miss, 1)
		w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Hit, 1)
		time.Sleep(10*time.Second - 1)
		w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Hit, 1)
		time.Sleep(time.Nanosecond)
		w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Refreshed, 2)
		w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Hit, 2)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 2)

		time.Sleep(10 * time.Second)
		w.fail(errors.New("disk on fire"))
		w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Stale, 2)
		w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Hit, 2)
		assert.Equal(t, 3, w.engine.Runs(), "a failure counts as well")
	})
}

// Two no-cache requests share the new entry.
func TestNoCacheJoinsCallsInFlight(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.run(t, requestFor(cached, "acme"))
		time.Sleep(time.Minute)
		w.takes(time.Second)
		var asking sync.WaitGroup
		asking.Go(func() { w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Refreshed, 2) })
		synctest.Wait()
		asking.Go(func() { w.assertRun(t, noCache(requestFor(cached, "acme")), runner.Joined, 2) })
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
		asking.Wait()
	})
}

// Where the engine fails an expired entry is served, marked as such, for as long
// as that is allowed.
func TestRunServesStaleEntriesIfTheEngineFails(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.StaleIfError = time.Hour }, func(t *testing.T, w *world) {
		w.run(t, requestFor(cached, "acme"))
		time.Sleep(900 * time.Second)
		for _, code := range []sqlq.Code{sqlq.Internal, sqlq.Unavailable, sqlq.DeadlineExceeded, sqlq.ResourceExhausted} {
			w.fail(sqlq.Errorf(code, "no"))
			response, err := w.Run(t.Context(), requestFor(cached, "acme"))
			require.NoError(t, err)
			assert.Equal(t, runner.Stale, response.Cache)
			assert.Equal(t, 900*time.Second, response.Age)
			assert.Zero(t, response.Left)
			assert.True(t, response.Expires.IsZero())
		}
		w.fail(sqlq.Errorf(sqlq.InvalidArgument, "no"))
		_, err := w.Run(t.Context(), requestFor(cached, "acme"))
		assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code, "the caller's own mistake")

		w.fail(errors.New("disk on fire"))
		time.Sleep(time.Hour - 1)
		w.assertRun(t, requestFor(cached, "acme"), runner.Stale, 1)
		time.Sleep(time.Nanosecond)
		_, err = w.Run(t.Context(), requestFor(cached, "acme"))
		assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
		w.mend()
		status, _ := w.run(t, requestFor(cached, "acme"))
		assert.Equal(t, runner.Miss, status)
	})
}

// A caller who left gets no stale entry.
func TestRunServesNoStaleEntryAfterCancel(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.run(t, requestFor(cached, "acme"))
		time.Sleep(900 * time.Second)
		w.takes(time.Minute)
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		_, err := w.Run(ctx, requestFor(cached, "acme"))
		assert.Equal(t, sqlq.DeadlineExceeded, sqlq.AsError(err).Code)
	})
}
