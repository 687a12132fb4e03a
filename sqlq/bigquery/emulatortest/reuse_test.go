package emulatortest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// stepsVariable is the environment variable with the number of steps of each window in a long run.
const stepsVariable = "REUSE_STEPS"

// window is a window of a saved query whose buckets are reused.
type window struct {
	endpoint, interval string
	// warm is the time between two refreshes.
	warm time.Duration
}

// windows are the windows of the shipped saved queries that are longer than their lateness.
func windows() []window {
	return []window{
		{"functions.invocation-stats", "15min", time.Minute},
		{"functions.invocation-stats", "1hr", 2 * time.Minute},
		{"functions.invocation-stats", "1day", 20 * time.Minute},
		{"functions.invocation-stats", "7day", 5 * time.Hour},
		{"usage.api-counts", "minutely", 2 * time.Minute},
		{"usage.api-counts", "daily", 5 * time.Hour},
	}
}

// D31: while no event is later than the declared lateness, a refresh that reuses rows equals a run
// of the whole window at the same time. Events arrive out of order, early, and at equal times.
func TestReuseEqualsWholeRun(t *testing.T) {
	t.Parallel()
	steps := 5
	if text := os.Getenv(stepsVariable); text != "" {
		var err error
		steps, err = strconv.Atoi(text)
		require.NoError(t, err, stepsVariable)
	}
	emulator := startEmulator(t, nil)
	var reuses atomic.Int64
	for i, window := range windows() {
		t.Run(window.endpoint+" "+window.interval, func(t *testing.T) {
			t.Parallel()
			w := newReuseWorld(t, emulator, window, uint64(i))
			for range steps {
				require.Empty(t, w.step(t))
			}
			assert.Positive(t, w.reuses, "no refresh reused rows")
			reuses.Add(int64(w.reuses))
		})
	}
	t.Cleanup(func() { t.Logf("%d refreshes reused rows", reuses.Load()) })
}

// The test above would find a refresh that reuses a bucket too early.
func TestReuseFindsTooLateEvents(t *testing.T) {
	t.Parallel()
	w := newReuseWorld(t, startEmulator(t, nil), windows()[1], 0)
	w.lateness = 40 * time.Minute
	for range 40 {
		if w.step(t) != "" {
			return
		}
	}
	t.Error("no difference was found")
}

// reuseWorld is a project whose events arrive while a runner refreshes one entry.
type reuseWorld struct {
	random   *rand.Rand
	emulator *emulator
	engine   sqlq.Engine
	runner   *runner.Runner
	request  runner.Request
	warm     time.Duration
	lateness time.Duration
	// now is also in clock, which the runner reads.
	now   time.Time
	clock atomic.Int64
	// refreshed gets a value after each refresh.
	refreshed      chan error
	events, reuses int
}

func newReuseWorld(t *testing.T, emulator *emulator, window window, seed uint64) *reuseWorld {
	t.Helper()
	read, err := catalog.Read(googlesql.Dialect{})
	require.NoError(t, err)
	query, found := read.Find(window.endpoint)
	require.True(t, found)
	query.Warm, query.Cache = window.warm, 4*window.warm
	w := &reuseWorld{
		random: rand.New(rand.NewPCG(seed, 31)), emulator: emulator, engine: emulator.engine, //nolint:gosec // The same events in each run.
		request: runner.Request{Query: query, Params: map[string][]string{
			"project": {fmt.Sprintf("project%d", seed)}, "interval": {window.interval},
		}},
		warm: window.warm, lateness: query.Series.Lateness,
		now:       time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(seed) * 7919 * time.Second),
		refreshed: make(chan error, 1),
	}
	w.clock.Store(w.now.UnixMicro())
	config := sqlqtest.Config(read, emulator.engine, func() time.Time { return time.UnixMicro(w.clock.Load()).UTC() })
	config.QueryTimeout = jobTimeout
	config.Observer = refreshObserver(w.refreshed)
	w.runner = runner.New(config)
	for range 5 {
		w.addEvents(t, time.Hour)
	}
	_, err = w.runner.Run(t.Context(), w.request)
	require.NoError(t, err)
	return w
}

// refreshObserver gets the error of each refresh.
type refreshObserver chan<- error

func (o refreshObserver) Refreshed(_ *cache.Entry, err error) { o <- err }

func (refreshObserver) Responded(*sqlq.SavedQuery, runner.CacheStatus, error)                {}
func (refreshObserver) EngineRan(context.Context, *sqlq.SavedQuery, runner.EngineRun, error) {}
func (refreshObserver) Rejected(*sqlq.SavedQuery, error)                                     {}

// step lets events arrive until the next refresh, and returns how its rows differ from those of a
// run of the whole window.
func (w *reuseWorld) step(t *testing.T) string {
	t.Helper()
	w.now = w.now.Add(w.warm + time.Duration(w.random.Int64N(int64(w.warm)))).Truncate(time.Microsecond)
	w.clock.Store(w.now.UnixMicro())
	w.addEvents(t, w.lateness)
	w.refresh(t)
	response, err := w.runner.Run(t.Context(), w.request)
	require.NoError(t, err)
	require.Equal(t, runner.Hit, response.Cache)
	require.True(t, response.AsOf.Equal(w.now))
	if response.Result.ReusedRows > 0 {
		w.reuses++
	}
	whole, err := w.engine.Run(t.Context(), sqlq.NewStatement(response.Query, response.Args, response.AsOf))
	require.NoError(t, err)
	if slices.EqualFunc(whole.Rows, response.Result.Rows, slices.Equal[[]any]) {
		return ""
	}
	return fmt.Sprintf("want %v, got %v", whole.Rows, response.Result.Rows)
}

// refresh lets the runner refresh its entry, which is due.
func (w *reuseWorld) refresh(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var maintaining sync.WaitGroup
	maintaining.Go(func() { w.runner.Maintain(ctx) })
	defer func() {
		stop()
		maintaining.Wait()
	}()
	require.NoError(t, <-w.refreshed)
}

// addEvents adds some events of both sources that are at most so late, or a little early.
func (w *reuseWorld) addEvents(t *testing.T, late time.Duration) {
	t.Helper()
	logs := make(sqlqtest.Logs)
	project := w.request.Params["project"][0]
	for range 1 + w.random.IntN(4) {
		source, metadata := "edge_logs", `[{"request":[{"url":"https://%s.example.com/rest","path":"/rest/v1"}]}]`
		if w.request.Query.Name == "functions.invocation-stats" {
			source, metadata = "function_edge_logs", fmt.Sprintf(`[{"project_ref":"%%s","execution_time_ms":%d,"response":[{"status_code":500}]}]`, w.random.IntN(1000))
		}
		w.events++
		at := w.now.Add(-time.Duration(w.random.Int64N(int64(late))))
		switch w.random.IntN(6) {
		case 0:
			at = w.now.Add(time.Duration(w.random.Int64N(int64(10 * time.Minute))))
		case 1:
			at = at.Truncate(time.Minute)
		}
		if at.Before(w.now.Add(-late)) {
			at = w.now
		}
		logs[source] = append(logs[source], sqlqtest.Event{
			ID: fmt.Sprintf("%s-%d", project, w.events), Timestamp: at, Metadata: json.RawMessage(fmt.Sprintf(metadata, project)),
		})
	}
	require.NoError(t, w.emulator.add(t.Context(), "", logs))
}
