// Package reuse compares responses that reuse rows with runs of the whole window.
package reuse

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// stepsVariable is the environment variable with the number of steps of the long run.
const stepsVariable = "REUSE_STEPS"

// D31: on the embedded store, a response that reuses rows equals a run of the whole window at
// the same time. Events arrive late, out of order, in the future and at equal times; events are deleted; and the
// clock advances in random steps, mostly short ones.
func TestReuseEqualsWholeRun(t *testing.T) {
	t.Parallel()
	steps := 100
	if text := os.Getenv(stepsVariable); text != "" {
		var err error
		steps, err = strconv.Atoi(text)
		require.NoError(t, err, stepsVariable)
	}
	const perStore = 5000 // so that the store does not become slow
	reuses := 0
	for seed := 0; steps > 0; seed++ {
		w := newWorld(t, uint64(seed), catalog.Options{})
		for range min(steps, perStore) {
			w.step(t)
		}
		reuses += w.reuses
		steps -= perStore
	}
	t.Logf("%d responses reused rows", reuses)
	require.Positive(t, reuses)
}

// The test above would find events that the store does not note.
func TestReuseFindsUnnotedEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, catalog.Options{})
	w.runner = runner.New(w.config(unnoted{}))
	for range 400 {
		if w.difference(t) != "" {
			return
		}
	}
	t.Error("no difference was found")
}

// unnoted knows of no change.
type unnoted struct{}

func (unnoted) Version() uint64                             { return 0 }
func (unnoted) Since(uint64, []string) ([]sqlq.Range, bool) { return nil, true }

// world is a store to which events are added, and a runner with a clock.
type world struct {
	random  *rand.Rand
	store   *logstore.Store
	engine  *duckdb.Engine
	catalog *catalog.Catalog
	runner  *runner.Runner
	// now is also in clock, which the runner reads.
	now    time.Time
	clock  atomic.Int64
	events int
	reuses int
}

func newWorld(t *testing.T, seed uint64, options catalog.Options, further ...catalog.Directory) *world {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	read, err := catalog.ReadWith(options, duckdbsql.Dialect{}, further...)
	require.NoError(t, err)
	w := &world{
		random: rand.New(rand.NewPCG(seed, 2)),
		store:  store, engine: duckdb.New(store.DB()), catalog: read,
		now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(time.Duration(seed) * 7919 * time.Second),
	}
	w.clock.Store(w.now.UnixMicro())
	w.runner = runner.New(w.config(store.Changes()))
	return w
}

// config has a random caching time.
func (w *world) config(changes sqlq.Changes) runner.Config {
	for _, query := range w.catalog.Queries() {
		if query.Series != nil {
			query.Cache = time.Duration(1+w.random.IntN(10)) * time.Minute
			query.Warm = 0
		}
	}
	config := sqlqtest.Config(w.catalog, w.engine, func() time.Time { return time.UnixMicro(w.clock.Load()).UTC() })
	config.Changes = changes
	return config
}

func (w *world) step(t *testing.T) {
	t.Helper()
	require.Empty(t, w.difference(t))
}

// difference makes a step, and returns how its response differs from a run of the whole window.
func (w *world) difference(t *testing.T) string {
	t.Helper()
	w.advance()
	if w.random.IntN(3) > 0 {
		w.addEvents(t)
	}
	if w.random.IntN(60) == 0 {
		w.deleteEvents(t)
	}
	return w.compare(t, w.request())
}

// compare returns how the response to a request, for the saved query with the name of its own,
// differs from a run of the whole window.
func (w *world) compare(t *testing.T, request runner.Request) string {
	t.Helper()
	var err error
	request.Query, err = w.runner.Find(t.Context(), request.Query.Name)
	require.NoError(t, err)
	response, err := w.runner.Run(t.Context(), request)
	require.NoError(t, err)
	if response.Cache == runner.Hit {
		return ""
	}
	if response.Result.ReusedRows > 0 {
		w.reuses++
	}
	whole, err := w.engine.Run(t.Context(), sqlq.NewStatement(response.Query, response.Args, response.AsOf))
	require.NoError(t, err)
	return differences(request, whole, response.Result)
}

// advance lets the clock advance, mostly by a few minutes, so that most buckets stay.
func (w *world) advance() {
	scales := []time.Duration{time.Second, time.Minute, 5 * time.Minute, 20 * time.Minute, 3 * time.Hour}
	w.now = w.now.Add(time.Duration(w.random.ExpFloat64() * float64(scales[w.random.IntN(len(scales))]))).Truncate(time.Microsecond)
	w.clock.Store(w.now.UnixMicro())
}

// request is one of few, so that entries of the same request follow each other.
func (w *world) request() runner.Request {
	project := fmt.Sprintf("project%d", w.random.IntN(2))
	if w.random.IntN(3) == 0 {
		return request("usage.api-counts", project, []string{"minutely", "hourly", "daily"}[w.random.IntN(3)], w.random.IntN(20) == 0)
	}
	return request("functions.invocation-stats", project, []string{"5min", "15min", "1hr", "1day", "7day"}[w.random.IntN(5)], w.random.IntN(20) == 0)
}

func request(endpoint, project, interval string, noCache bool) runner.Request {
	return runner.Request{Query: &sqlq.SavedQuery{Name: endpoint}, Params: map[string][]string{"project": {project}, "interval": {interval}}, NoCache: noCache}
}

// addEvents adds events of both series in one commit.
func (w *world) addEvents(t *testing.T) {
	t.Helper()
	transaction, err := w.store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for range 1 + w.random.IntN(5) {
		source, metadata := "edge_logs", `[{"request":[{"url":"https://%s.example.com/rest","path":"/rest/v1"}]}]`
		if w.random.IntN(3) > 0 {
			source, metadata = "function_edge_logs", `[{"project_ref":"%s","execution_time_ms":`+strconv.Itoa(w.random.IntN(1000))+`,"response":[{"status_code":500}]}]`
		}
		found, _ := w.store.Tables().FindSource(source)
		w.events++
		require.NoError(t, transaction.Add(t.Context(), found, logevent.Event{
			ID: strconv.Itoa(w.events), Timestamp: w.eventTime(),
			Metadata: fmt.Appendf(nil, metadata, fmt.Sprintf("project%d", w.random.IntN(2))),
		}))
	}
	require.NoError(t, transaction.Commit(t.Context()))
}

// eventTime is mostly a moment ago, and sometimes long ago, in the future, or on an edge.
func (w *world) eventTime() time.Time {
	ago := func(most time.Duration) time.Time { return w.now.Add(-time.Duration(w.random.Int64N(int64(most)))) }
	switch w.random.IntN(8) {
	case 0:
		return ago(8 * 24 * time.Hour)
	case 1:
		return ago(2 * time.Hour)
	case 2:
		return w.now.Add(time.Duration(w.random.Int64N(int64(26 * time.Hour))))
	case 3:
		widths := []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}
		edge := w.now.Truncate(widths[w.random.IntN(len(widths))])
		return edge.Add(-time.Duration(w.random.IntN(2)) * time.Microsecond)
	}
	return ago(time.Minute)
}

// deleteEvents deletes the events of a project, or old ones.
func (w *world) deleteEvents(t *testing.T) {
	t.Helper()
	source, _ := w.store.Tables().FindSource([]string{"edge_logs", "function_edge_logs"}[w.random.IntN(2)])
	deletion := logstore.Deletion{Source: source, Before: w.now.Add(-time.Duration(w.random.Int64N(int64(6 * 24 * time.Hour))))}
	if source.Name == "function_edge_logs" && w.random.IntN(2) == 0 {
		deletion.Project = "project0"
	}
	_, err := w.store.Delete(context.WithoutCancel(t.Context()), deletion)
	require.NoError(t, err)
}

// differences returns how two results differ. Means can differ slightly, because sums of
// FLOAT64 depend on the order.
func differences(request runner.Request, want, got *sqlq.Result) string {
	if len(want.Rows) != len(got.Rows) || want.Truncated != got.Truncated {
		return fmt.Sprintf("%s %v: expected %d rows, got %d", request.Query.Name, request.Params, len(want.Rows), len(got.Rows))
	}
	for i := range want.Rows {
		for j := range want.Columns {
			if !equal(want.Rows[i][j], got.Rows[i][j]) {
				return fmt.Sprintf("%s %v: row %d, %s: expected %v, got %v", request.Query.Name, request.Params, i, want.Columns[j].Name, want.Rows[i][j], got.Rows[i][j])
			}
		}
	}
	return ""
}

func equal(want, got any) bool {
	const tolerance = 1e-9
	x, isFloat := want.(float64)
	y, alsoFloat := got.(float64)
	if isFloat && alsoFloat {
		return math.Abs(x-y) <= tolerance*math.Max(math.Abs(x), 1)
	}
	return want == got
}
