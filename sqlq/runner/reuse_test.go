package runner_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// visits is a series: the number of events in each hour of the last day.
const visits = `
id: 2b1f6a3c-5d7e-4f80-9a1b-3c5d7e9f0a12
name: visits
description: Visits by hour.
cache: 900s
warm: 300s
params:
  - {name: project, type: STRING, required: true, description: Project.}
columns:
  - {name: hour, type: TIMESTAMP, description: Hour.}
  - {name: visits, type: INT64, description: Visits.}
series:
  column: hour
  lateness: 10m
  windows: [{length: 1d, bucket: 1h}]
`

// hourly is a world with a table of events.
type hourly struct {
	finding
	log bytes.Buffer

	mutex sync.Mutex
	// events are the times of events.
	events []time.Time
	// changes are the seconds that have changed, one for each version.
	changes []sqlq.Range
	// ranges are those that the engine was asked for.
	ranges []sqlq.Range
	// during is called in each run, after the events were read.
	during func()
	// shift is added to the start of each bucket.
	shift time.Duration
	// late is added to the count of the hour that is twelve hours old.
	late int64
}

// newHourly returns a world in which the engine knows its changes, unless change removes them.
func newHourly(t *testing.T, change func(*runner.Config)) *hourly {
	t.Helper()
	folder := fstest.MapFS{
		"visits/query.yaml": {Data: []byte(visits)},
		"visits/duckdb.sql": {Data: []byte("SELECT date_trunc('hour', timestamp) AS hour, count(*) AS visits FROM visits WHERE project = $project GROUP BY ALL")},
	}
	w := &hourly{during: func() {}}
	config := sqlqtest.Config(readMine(t, folder), &sqlqtest.FakeEngine{RunFunc: w.run}, time.Now)
	config.Logger = slog.New(slog.NewTextHandler(&w.log, nil))
	config.Changes = w
	if change != nil {
		change(&config)
	}
	w.finding = finding{runner.New(config)}
	return w
}

// inHourly runs a test beside others, in a bubble of its own.
func inHourly(t *testing.T, change func(*runner.Config), test func(t *testing.T, w *hourly)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, newHourly(t, change)) })
}

// run counts the events of each hour that has any.
func (w *hourly) run(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	w.mutex.Lock()
	w.ranges = append(w.ranges, statement.Range)
	counts := make(map[time.Time]int64)
	for _, event := range w.events {
		if !event.Before(statement.Range.From) && event.Before(statement.Range.To) {
			counts[event.UTC().Truncate(time.Hour)]++
		}
	}
	during, late, shift := w.during, w.late, w.shift
	w.mutex.Unlock()
	during()
	result := &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}, BytesProcessed: int64(statement.Range.To.Sub(statement.Range.From) / time.Hour)}
	for hour, count := range counts {
		if hour.Equal(statement.Now.Truncate(time.Hour).Add(-12 * time.Hour)) {
			count += late
		}
		result.Rows = append(result.Rows, []any{hour.Add(shift), count})
	}
	slices.SortFunc(result.Rows, func(a, b []any) int { return a[0].(time.Time).Compare(b[0].(time.Time)) })
	return result, nil
}

// add adds events some time ago.
func (w *hourly) add(ages ...time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, age := range ages {
		event := time.Now().Add(-age).UTC()
		w.events = append(w.events, event)
		w.changes = append(w.changes, sqlq.Range{From: event.Truncate(time.Second), To: event.Truncate(time.Second).Add(time.Second)})
	}
}

// Version implements sqlq.Changes.
func (w *hourly) Version() uint64 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return uint64(len(w.changes))
}

// Since implements sqlq.Changes.
func (w *hourly) Since(version uint64, names []string) ([]sqlq.Range, bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !slices.Contains(names, "visits") {
		return nil, true
	}
	return slices.Clone(w.changes[version:]), true
}

// ask returns the response for a project, once its engine has nothing more to do.
func (w *hourly) ask(t *testing.T, noCache bool) *runner.Response {
	t.Helper()
	response := w.request(t, noCache)
	synctest.Wait()
	return response
}

func (w *hourly) request(t *testing.T, noCache bool) *runner.Response {
	t.Helper()
	response, err := w.Run(t.Context(), runner.Request{Query: named("visits"), Params: map[string][]string{"project": {"acme"}}, NoCache: noCache})
	assert.NoError(t, err)
	return response
}

// asked returns and forgets the lengths of the ranges that the engine was asked for, in hours.
func (w *hourly) asked() []int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var hours []int
	for _, asked := range w.ranges {
		hours = append(hours, int(asked.To.Sub(asked.From)/time.Hour))
	}
	w.ranges = nil
	return hours
}

// requireWhole requires that a response has the rows of a run of the whole window.
func (w *hourly) requireWhole(t *testing.T, response *runner.Response) {
	t.Helper()
	query, _ := w.Find(t.Context(), "visits")
	args, err := query.Bind(map[string][]string{"project": {"acme"}})
	require.NoError(t, err)
	whole, err := w.run(t.Context(), sqlq.NewStatement(query, args, response.AsOf))
	require.NoError(t, err)
	require.Equal(t, whole.Rows, response.Result.Rows)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.ranges = w.ranges[:len(w.ranges)-1]
}

// fill adds an event to every half hour of the last day.
func (w *hourly) fill() {
	for half := range 48 {
		w.add(time.Duration(half) * 30 * time.Minute)
	}
}

// D31: a refresh computes the open bucket and reuses all others, and it begins with the
// refreshes in the background.
func TestRefreshReusesClosedBuckets(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.maintain(t)
		w.fill()
		first := w.ask(t, false)
		assert.Equal(t, []int{25}, w.asked())
		assert.Zero(t, first.Result.ReusedRows)
		w.add(0)
		time.Sleep(301 * time.Second)
		synctest.Wait()
		assert.Equal(t, []int{1}, w.asked())
		refreshed := w.ask(t, false)
		assert.Equal(t, runner.Hit, refreshed.Cache)
		w.requireWhole(t, refreshed)
		assert.Equal(t, 24, refreshed.Result.ReusedRows)
		assert.EqualValues(t, 1, refreshed.Result.BytesProcessed)
		assert.EqualValues(t, 24, refreshed.Result.ReusedBytes)
	})
}

// Buckets that have closed since the last run are computed once more, also after the entry has
// expired.
func TestReuseAfterExpiry(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.fill()
		w.ask(t, false)
		w.asked()
		time.Sleep(59 * time.Minute)
		w.add(0, time.Minute)
		w.requireWhole(t, w.ask(t, false))
		assert.Equal(t, []int{1}, w.asked())
		time.Sleep(20 * time.Minute)
		w.requireWhole(t, w.ask(t, false))
		assert.Equal(t, []int{2}, w.asked(), "the bucket that was open, and the one that is")
	})
}

// D31, Cube #5073: a late event changes its bucket in the next run, however old it is.
func TestReuseSeesLateEvents(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.fill()
		w.ask(t, false)
		w.asked()
		time.Sleep(16 * time.Minute)
		w.add(10*time.Hour, 48*time.Hour)
		w.requireWhole(t, w.ask(t, false))
		assert.Equal(t, []int{1, 1}, w.asked(), "the bucket of the late event, and the open one")
	})
}

// A commit during a run must not be seen in one bucket and missed in another.
func TestReuseNoticesCommitsDuringARun(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.fill()
		w.ask(t, false)
		w.asked()
		time.Sleep(16 * time.Minute)
		w.during = sync.OnceFunc(func() { w.add(5 * time.Hour) })
		w.requireWhole(t, w.ask(t, false))
		assert.Equal(t, []int{1, 1, 1}, w.asked(), "planned again with the bucket of the commit")

		time.Sleep(16 * time.Minute)
		w.during = func() { w.add(5 * time.Hour) }
		response := w.ask(t, false)
		w.during = func() {}
		assert.Equal(t, []int{1, 1, 1, 25}, w.asked(), "whole, because commits go on")
		assert.Zero(t, response.Result.ReusedRows)
		time.Sleep(16 * time.Minute)
		w.requireWhole(t, w.ask(t, false))
	})
}

// A no-cache request gets a run of the whole window, also while another run reuses rows.
func TestNoCacheRunsWhole(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.fill()
		w.ask(t, false)
		w.asked()
		time.Sleep(time.Minute)
		assert.Equal(t, runner.Refreshed, w.ask(t, true).Cache)
		assert.Equal(t, []int{25}, w.asked())

		time.Sleep(16 * time.Minute)
		gate := make(chan struct{})
		w.during = func() { <-gate }
		var reusing *runner.Response
		var asking sync.WaitGroup
		asking.Go(func() { reusing = w.request(t, false) })
		synctest.Wait()
		var whole *runner.Response
		asking.Go(func() { whole = w.request(t, true) })
		synctest.Wait()
		close(gate)
		asking.Wait()
		assert.Equal(t, []int{1, 25}, w.asked())
		assert.Equal(t, 24, reusing.Result.ReusedRows)
		assert.Zero(t, whole.Result.ReusedRows)
		assert.Zero(t, w.ask(t, false).Result.ReusedRows, "the entry of the later run is cached")
	})
}

// Other arguments have other rows (Druid #7302).
func TestReuseKeepsArgumentsApart(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.fill()
		w.ask(t, false)
		w.asked()
		time.Sleep(16 * time.Minute)
		_, err := w.Run(t.Context(), runner.Request{Query: named("visits"), Params: map[string][]string{"project": {"other"}}})
		require.NoError(t, err)
		assert.Equal(t, []int{25}, w.asked())
	})
}

// A saved query whose rows are not those of a series runs whole, although it declares one
// Rows that the shape of the SQL does not show to depend on other buckets refute the series as soon as a run of
// the whole window differs (Loki #11682): where changes are known, for a no-cache request, and at the latest
// after 64 reuses.
func TestSeriesThatIsNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ noCache, known bool }{"no-cache": {true, true}, "sampled": {false, true}, "changes are not known": {true, false}} {
		t.Run(name, func(t *testing.T) {
			inHourly(t, func(config *runner.Config) {
				if !test.known {
					config.Changes = nil
				}
			}, func(t *testing.T, w *hourly) {
				w.fill()
				w.ask(t, false)
				w.mutex.Lock()
				w.late = 1 // of a bucket that is seldom computed
				w.mutex.Unlock()
				runs := 0
				for w.log.Len() == 0 && runs < 100 {
					w.add(0)
					time.Sleep(16 * time.Minute)
					w.ask(t, test.noCache && runs == 3)
					runs++
				}
				if !test.known {
					assert.Equal(t, 100, runs, "late events could be the reason")
					return
				}
				assert.Equal(t, map[bool]int{true: 4, false: 65}[test.noCache], runs)
				assert.Contains(t, w.log.String(), "rows of a saved query are not reused")
				assert.Contains(t, w.log.String(), "have changed, although no event in them has: visits differs")
				w.asked()
				time.Sleep(16 * time.Minute)
				w.requireWhole(t, w.ask(t, false))
				assert.Equal(t, []int{25}, w.asked(), "it runs whole")
				assert.Equal(t, 1, strings.Count(w.log.String(), "\n"))
			})
		})
	}
}

// Rows that are not in the range of the run refute the series.
func TestRowsOutsideOfTheRange(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.fill()
		w.ask(t, false)
		w.mutex.Lock()
		w.shift = time.Hour
		w.mutex.Unlock()
		w.add(0)
		time.Sleep(16 * time.Minute)
		w.ask(t, false)
		assert.Equal(t, []int{25, 1, 25}, w.asked())
		assert.Contains(t, w.log.String(), "which is not between")
	})
}

// A query with an obstacle runs whole.
func TestObstaclePreventsReuse(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		query, _ := w.Find(t.Context(), "visits")
		query.Series.Obstacles = sqlq.FileErrors{{Message: "an obstacle"}}
		w.fill()
		w.ask(t, false)
		time.Sleep(16 * time.Minute)
		w.requireWhole(t, w.ask(t, false))
		assert.Equal(t, []int{25, 25}, w.asked())
	})
}

// Where the engine does not know its changes, a run computes what is not settled, and there is
// a whole run in each caching time.
func TestReuseWithLateness(t *testing.T) {
	inHourly(t, func(config *runner.Config) { config.Changes = nil }, func(t *testing.T, w *hourly) {
		w.maintain(t)
		time.Sleep(30 * time.Minute)
		w.fill()
		w.ask(t, false)
		assert.Equal(t, []int{25}, w.asked())
		for range 6 { // half an hour
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			w.ask(t, false)
		}
		assert.Equal(t, []int{1, 1, 25, 1, 1, 25}, w.asked())
		w.add(8 * time.Minute)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		w.requireWhole(t, w.ask(t, false))
		assert.Equal(t, []int{2}, w.asked(), "the bucket that closed five minutes ago is not settled")
	})
}

// The bytes that a run has read are charged, also if its rows cannot be used or a later part of it fails.
func TestAccountPaysForEachPart(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		w.fill()
		w.ask(t, false)
		pay := func() (*runner.Response, *fakeAccount) {
			account := &fakeAccount{}
			response, err := w.Run(t.Context(), paidBy(runner.Request{Query: named("visits"), Params: map[string][]string{"project": {"acme"}}}, account))
			require.NoError(t, err)
			synctest.Wait()
			return response, account
		}
		time.Sleep(16 * time.Minute)
		w.add(0)
		w.during = func() { w.add(5 * time.Hour) }
		_, account := pay()
		account.assertPaid(t, 1, 0, runner.EngineRun{Rows: 1 + 2 + 25, BytesProcessed: 1 + 2 + 25})

		w.asked()
		time.Sleep(16 * time.Minute)
		w.add(0, 10*time.Hour)
		w.during = func() {
			if len(w.ranges) == 2 {
				panic("the second part fails")
			}
		}
		response, account := pay()
		assert.Equal(t, runner.Stale, response.Cache)
		account.assertPaid(t, 1, 0, runner.EngineRun{Rows: 1, BytesProcessed: 1})
	})
}

// A result that is cut off has no whole buckets to reuse, and a merged one must not have more
// rows than a result may have.
func TestReuseAndMaxRows(t *testing.T) {
	inHourly(t, nil, func(t *testing.T, w *hourly) {
		query, _ := w.Find(t.Context(), "visits")
		query.MaxRows = 25
		w.fill()
		w.ask(t, false)
		w.asked()
		w.mutex.Lock()
		w.events = append(w.events, time.Now().Add(10*time.Minute).UTC()) // unnoticed
		w.mutex.Unlock()
		query.MaxRows = 24
		time.Sleep(16 * time.Minute)
		w.ask(t, false)
		assert.Equal(t, []int{1, 25}, w.asked())
	})
}
