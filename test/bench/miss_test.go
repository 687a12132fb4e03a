package bench

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	enginepackage "savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// now is when the week of the store ends.
var now = time.Date(2026, time.November, 20, 15, 30, 0, 0, time.UTC) //nolint:gochecknoglobals // A date is no constant.

// invocations is how many function invocations the store has, of one week and of twenty
// projects.
const invocations = 10_000_000

// openStore returns a store that holds the invocations, merged as while a server runs.
func openStore(b *testing.B) *logstore.Store {
	b.Helper()
	return filled(b, "invocations", "", func(store *logstore.Store) {
		rows := rowsOf(b)
		add(b, store, "function_edge_logs", rows, func(i int) (logevent.Event, bool) {
			return invocation(i, "project"+strconv.FormatUint(hash(i, 0)%20, 10), evenly(i, rows, week, now)), true
		})
		_, err := store.Merge(b.Context(), now, nil)
		require.NoError(b, err)
	})
}

// engineOn returns the engine on a store, as the server has it.
func engineOn(store *logstore.Store) *enginepackage.Engine {
	engine := enginepackage.New(store.DB())
	engine.OnViews(store.Views())
	return engine
}

// A response that is not cached, over HTTP from end to end, beside the same SQL on the
// same connection.
func BenchmarkMiss(b *testing.B) {
	store := openStore(b)
	db, engine := store.DB(), engineOn(store)
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(b, err)
	query, found := catalog.Find("functions.invocation-stats")
	require.True(b, found)
	address := serve(b, uncached(b, engine, func() time.Time { return now }))
	for _, interval := range []string{"5min", "15min", "1hr", "1day", "7day"} {
		b.Run(interval, func(b *testing.B) {
			request := get("/api/endpoints/functions.invocation-stats?project=project7&interval=" + interval)
			args, err := query.Bind(map[string][]string{"project": {"project7"}, "interval": {interval}})
			require.NoError(b, err)
			asking := dial(b, address)
			whole := func() { require.NoError(b, asking.exchange(request)) }
			direct := func() { runDirectly(b, db, boundedSQL(query), named(query, args)) }
			beside(b, "direct", direct, whole)
		})
	}
}

// The newest five minutes of a store whose parts are not merged yet, beside the same on views of all parts.
func BenchmarkUnmerged(b *testing.B) {
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(b, err)
	query, found := catalog.Find("functions.invocation-stats")
	require.True(b, found)
	args, err := query.Bind(map[string][]string{"project": {"project7"}, "interval": {"5min"}})
	require.NoError(b, err)
	for _, count := range []int{3, 70} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			const rows = 10_000
			store := filled(b, "unmerged-"+strconv.Itoa(count), "", func(store *logstore.Store) {
				for part := range count {
					end := now.Add(-time.Duration(count-1-part) * time.Hour)
					add(b, store, "function_edge_logs", rows, func(i int) (logevent.Event, bool) {
						event := invocation(i, "project"+strconv.FormatUint(hash(i, 0)%20, 10), evenly(i, rows, time.Hour, end))
						event.ID = strconv.Itoa(part) + "-" + event.ID
						return event, true
					})
				}
			})
			run := func(engine *enginepackage.Engine) func() {
				return func() {
					_, err := engine.Run(b.Context(), sqlq.NewStatement(query, args, now))
					require.NoError(b, err)
				}
			}
			beside(b, "views", run(enginepackage.New(store.DB())), run(engineOn(store)))
		})
	}
}

// The query of a week beside hand-written SQL for the same rows.
func BenchmarkHandTuned(b *testing.B) {
	db := openStore(b).DB()
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(b, err)
	query, found := catalog.Find("functions.invocation-stats")
	require.True(b, found)
	args, err := query.Bind(map[string][]string{"project": {"project7"}, "interval": {"7day"}})
	require.NoError(b, err)
	const tuned = `
		SELECT date_trunc('day', timestamp) AS bucket, min(execution_time_ms), max(execution_time_ms), avg(execution_time_ms),
			quantile_disc(execution_time_ms, [0.95, 0.99]), count(*), count(*) FILTER (status_code >= 400)
		FROM function_invocations
		WHERE project_ref = 'project7' AND timestamp >= TIMESTAMP '2026-11-13 00:00:00'
		GROUP BY bucket ORDER BY bucket`
	beside(b, "tuned", func() { runDirectly(b, db, tuned, nil) }, func() { runDirectly(b, db, boundedSQL(query), named(query, args)) })
}

// turns is how often each of two functions runs in a round, because the median of a few
// short runs depends on what else the machine does.
const turns = 5

// beside runs two functions in turn, and reports the median duration of each and the
// ratio.
func beside(b *testing.B, name string, plain, ours func()) {
	b.Helper()
	plain()
	ours()
	var plainTook, oursTook []time.Duration
	for b.Loop() {
		for range turns {
			began := time.Now()
			plain()
			plainTook = append(plainTook, time.Since(began))
			began = time.Now()
			ours()
			oursTook = append(oursTook, time.Since(began))
		}
	}
	plainMedian, oursMedian := median(plainTook), median(oursTook)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(plainMedian.Seconds()*1000, name+"-ms")
	b.ReportMetric(oursMedian.Seconds()*1000, "savedq-ms")
	b.ReportMetric(oursMedian.Seconds()/plainMedian.Seconds(), "ratio")
}

// takeTurns runs two functions in turn, each of which does a number of things, and reports how many a second each
// does and how they compare. It returns the second rate, and the median of how they compare in one turn.
func takeTurns(b *testing.B, things int, name string, plain, ours func()) (rate, medianRatio float64) {
	b.Helper()
	var plainTook, oursTook time.Duration
	var ratios []float64
	for b.Loop() {
		plainTurn, oursTurn := took(plain), took(ours)
		plainTook, oursTook = plainTook+plainTurn, oursTook+oursTurn
		ratios = append(ratios, plainTurn.Seconds()/oursTurn.Seconds())
	}
	rate = float64(b.N*things) / oursTook.Seconds()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.N*things)/plainTook.Seconds(), name+"/s")
	b.ReportMetric(rate, "savedq/s")
	b.ReportMetric(plainTook.Seconds()/oursTook.Seconds(), "ratio")
	return rate, median(ratios)
}

// median is the middle of some values.
func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

// named are the arguments of a series and its bounds, as the driver takes them.
func named(query *sqlq.SavedQuery, args []sqlq.Arg) []any {
	whole := sqlq.NewStatement(query, args, now).Range
	values := []any{
		sql.Named(sqlq.FromParam, duckdb.Typed(whole.From, duckdb.TYPE_TIMESTAMP)),
		sql.Named(sqlq.ToParam, duckdb.Typed(whole.To, duckdb.TYPE_TIMESTAMP)),
	}
	for _, arg := range args {
		values = append(values, sql.Named(arg.Name, arg.Value))
	}
	return values
}

// runDirectly runs SQL and reads its rows.
func runDirectly(b *testing.B, db *sql.DB, text string, args []any) {
	b.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(b.Context()), text, args...)
	require.NoError(b, err)
	defer func() { require.NoError(b, rows.Close()) }()
	columns, err := rows.Columns()
	require.NoError(b, err)
	row := make([]any, len(columns))
	for i := range row {
		row[i] = new(any)
	}
	for rows.Next() {
		require.NoError(b, rows.Scan(row...))
	}
	require.NoError(b, rows.Err())
}

// boundedSQL returns the SQL of a series as a run reads it: with the rows of its range.
func boundedSQL(query *sqlq.SavedQuery) string {
	return sqltext.Rewrite(query.SQL, sqltext.Bounded(duckdbsql.Dialect{}, query, func(string) string { return "" })).Text
}
