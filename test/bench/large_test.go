package bench

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/tables"
)

// rowsOf returns the number of rows of a large store: BENCH_ROWS, or 10 million.
func rowsOf(b *testing.B) int {
	b.Helper()
	text := os.Getenv("BENCH_ROWS")
	if text == "" {
		return invocations
	}
	rows, err := strconv.Atoi(text)
	require.NoError(b, err, "BENCH_ROWS is a number of rows")
	return rows
}

// add adds events to a source, in transactions of which each remembers few ids. It leaves out those of which event reports
// false.
func add(b *testing.B, store *logstore.Store, source string, count int, event func(i int) (logevent.Event, bool)) {
	b.Helper()
	const perTransaction = 1_000_000
	table, found := tables.Shipped().FindSource(source)
	require.True(b, found)
	for first := 0; first < count; first += perTransaction {
		transaction, err := store.Begin(b.Context(), logstore.Sent)
		require.NoError(b, err)
		for i := first; i < min(first+perTransaction, count); i++ {
			if added, ok := event(i); ok {
				require.NoError(b, transaction.Add(b.Context(), table, added))
			}
		}
		require.NoError(b, transaction.Commit(b.Context()))
	}
}

// evenly returns the time of an event among many that are spread evenly over a duration before a time.
func evenly(i, count int, duration time.Duration, end time.Time) time.Time {
	return end.Add(-time.Duration(count-i) * (duration / time.Duration(count)))
}

const week = 7 * 24 * time.Hour

// invocation returns an invocation of a function of a project.
func invocation(i int, project string, at time.Time) logevent.Event {
	status := 200
	if hash(i, 3)%25 == 0 {
		status = 500
	}
	return logevent.Event{
		ID: strconv.Itoa(i), Timestamp: at, Project: &project,
		Metadata: fmt.Appendf(nil, `[{"project_ref":%q,"function_id":"function%d","execution_time_ms":%g,"response":[{"status_code":%d}]}]`,
			project, hash(i, 1)%50, 1+float64(hash(i, 2)%100_000)/100, status),
	}
}

// longProject returns the name of a project. It has 20 characters, of which all names share the first 8.
func longProject(number uint64) string {
	digest := md5.Sum([]byte(strconv.FormatUint(number, 10)))
	return "project-" + hex.EncodeToString(digest[:])[:12]
}

// chosenProject is the number of the project whose statistics are read.
const chosenProject = 7

// storesVariable names the directory of the stores that were filled. If it is set, they stay for the next run.
const storesVariable = "BENCH_STORES"

// TestMain provides the directory of the stores that were filled, unless one is named.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv(storesVariable) != "" {
		return m.Run()
	}
	directory, err := os.MkdirTemp("", "bench")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(directory) }()
	if err := os.Setenv(storesVariable, directory); err != nil {
		panic(err)
	}
	return m.Run()
}

// filled opens a copy of the store with a name, which fill fills the first time, because that takes minutes.
func filled(b *testing.B, name, memoryLimit string, fill func(store *logstore.Store)) *logstore.Store {
	b.Helper()
	directory, copied := filepath.Join(os.Getenv(storesVariable), name), b.TempDir()
	if !logstore.Exists(directory) {
		store, err := logstore.Open(b.Context(), directory, memoryLimit)
		require.NoError(b, err)
		fill(store)
		require.NoError(b, store.Close())
	}
	require.NoError(b, os.CopyFS(copied, os.DirFS(directory)))
	store, err := logstore.Open(b.Context(), copied, memoryLimit)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	return store
}

// invoked opens a store with function invocations of the week before a time, in the order of their times, of all
// projects or of the chosen one.
func invoked(b *testing.B, projects uint64, onlyChosen bool, end time.Time) *logstore.Store {
	b.Helper()
	return filled(b, fmt.Sprintf("invoked-%d-%t-%d", projects, onlyChosen, end.Unix()), "4GB", func(store *logstore.Store) {
		names := make([]string, projects)
		for i := range names {
			names[i] = longProject(uint64(i))
		}
		rows := rowsOf(b)
		add(b, store, "function_edge_logs", rows, func(i int) (logevent.Event, bool) {
			project := hash(i, 0) % projects
			if onlyChosen && project != chosenProject {
				return logevent.Event{}, false
			}
			return invocation(i, names[project], evenly(i, rows, week, end)), true
		})
	})
}

// merged is a store whose closed days are merged.
func merged(b *testing.B, projects uint64, end time.Time) *logstore.Store {
	b.Helper()
	store := invoked(b, projects, false, end)
	_, err := store.Merge(b.Context(), now, nil)
	require.NoError(b, err)
	return store
}

// statistics returns a function that reads the statistics of a project over an interval.
func statistics(b *testing.B, store *logstore.Store, interval string) func() {
	b.Helper()
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(b, err)
	query, found := catalog.Find("functions.invocation-stats")
	require.True(b, found)
	args, err := query.Bind(map[string][]string{"project": {longProject(chosenProject)}, "interval": {interval}})
	require.NoError(b, err)
	return func() { runDirectly(b, store.DB(), boundedSQL(query), named(query, args)) }
}

// Closed days of one of 2,000 projects, beside a store that holds only that project.
func BenchmarkOneProject(b *testing.B) {
	end := now.Truncate(24 * time.Hour)
	beside(b, "alone", statistics(b, invoked(b, 2000, true, end), "7day"), statistics(b, merged(b, 2000, end), "7day"))
}

// One of 20 projects, beside a store with the parts that events in the order of their arrival make.
func BenchmarkMerged(b *testing.B) {
	arrived, sorted := invoked(b, 20, false, now), merged(b, 20, now)
	for _, interval := range []string{"1day", "7day"} {
		b.Run(interval, func(b *testing.B) {
			beside(b, "arrived", statistics(b, arrived, interval), statistics(b, sorted, interval))
		})
	}
}
