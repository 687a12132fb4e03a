package logstore_test

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

// openDay is the start of the first day that is not closed.
var openDay = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // It is a constant.

// invoke adds function invocations of three days in the order of their time, as they arrive, up
// to the hour before noon of the open day. Half of them are of one project, and some have no project.
func invoke(t *testing.T, store *logstore.Store, count int) {
	t.Helper()
	_, err := store.DB().ExecContext(t.Context(), fmt.Sprintf(`
		INSERT INTO function_invocations (timestamp, project_ref, function_id, execution_time_ms, status_code)
		SELECT TIMESTAMP '2026-03-04 11:00:00' - to_microseconds((%[1]d - i) // 3 * 3 * (3 * 86400000000 // %[1]d)),
			CASE WHEN hash(i) %% 2 = 0 THEN 'project-one' WHEN hash(i) %% 97 = 1 THEN NULL WHEN hash(i) %% 97 = 2 THEN '' ELSE 'project-' || (hash(i) %% 41) END,
			'function' || (hash(i + 1) %% 7), CASE WHEN i %% 11 = 0 THEN NULL ELSE (hash(i + 2) %% 1000) / 10 END, 200 + i %% 400
		FROM range(%[1]d) AS numbers(i)`, count))
	require.NoError(t, err)
}

// fingerprint of the rows of a table in any order, but for what clustering adds to them.
func fingerprint(t *testing.T, store *logstore.Store, table string) string {
	t.Helper()
	return texts(t, store, "SELECT concat_ws(' ', count(*), sum(hash(r::VARCHAR)::HUGEINT)) FROM (SELECT COLUMNS(name -> name <> 'project_key') FROM "+table+") AS r")[0]
}

func cluster(t *testing.T, store *logstore.Store) (moved int64) {
	t.Helper()
	require.NoError(t, store.Cluster(t.Context(), logstore.Clustering{Before: openDay, Moved: func(_ string, rows int64) { moved += rows }}))
	return moved
}

// unsorted counts the neighbouring rows with a project of closed days that are not in order.
const unsorted = `SELECT count(*)::VARCHAR FROM (
	SELECT md5_number_lower(project_ref) AS key, timestamp, lag(key) OVER place AS last_key, lag(timestamp) OVER place AS last_timestamp
	FROM function_invocations WHERE timestamp < '2026-03-04' AND project_ref IS NOT NULL
	WINDOW place AS (PARTITION BY date_trunc('day', timestamp), hour(timestamp) // %d ORDER BY rowid)
) WHERE last_key > key OR last_key = key AND last_timestamp > timestamp`

// unnumbered counts the rows whose number of the project is not that of clustered and of other rows.
const unnumbered = `SELECT count(*)::VARCHAR FROM function_invocations
	WHERE project_key IS DISTINCT FROM CASE WHEN timestamp < '2026-03-04' AND project_ref IS NOT NULL THEN md5_number_lower(project_ref) ELSE 0 END`

func TestClusterSortsClosedDays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		count, hours int
		options      []logstore.Option
	}{
		"a slice per day":                           {30_000, 24, nil},
		"two slices per day":                        {30_000, 12, []logstore.Option{logstore.WithSliceRows(6_000)}},
		"more than a row group, in a little memory": {logstore.RowGroup + 10_000, 24, []logstore.Option{logstore.WithFrugality()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := logstore.Open(t.Context(), t.TempDir(), "512MiB", test.options...)
			require.NoError(t, err)
			defer func() { require.NoError(t, store.Close()) }()
			invoke(t, store, test.count)
			sorted := fmt.Sprintf(unsorted, test.hours)
			require.NotEqual(t, []string{"0"}, texts(t, store, sorted))
			const openRows = "SELECT concat(count(*), ' ', sum(hash(rowid, r)::HUGEINT)) FROM function_invocations AS r WHERE timestamp >= '2026-03-04'"
			before, untouched := fingerprint(t, store, "function_invocations"), texts(t, store, openRows)
			closed := texts(t, store, "SELECT count(project_ref)::VARCHAR FROM function_invocations WHERE timestamp < '2026-03-04'")[0]

			assert.Equal(t, closed, strconv.FormatInt(cluster(t, store), 10), "each row with a project is moved once")
			assert.Equal(t, before, fingerprint(t, store, "function_invocations"), "the rows are the same")
			assert.Equal(t, []string{"0"}, texts(t, store, sorted))
			assert.Equal(t, []string{"0"}, texts(t, store, unnumbered))
			assert.Equal(t, untouched, texts(t, store, openRows), "rows of the open day stay where they are")
			assert.Zero(t, cluster(t, store), "what is clustered stays where it is")
		})
	}
}

// The number of a project is stored, so every version of DuckDB must compute the same one
// (docs/adr/036).
func TestProjectNumberIsMD5(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	for _, project := range []string{"", "default", "projet-é", strings.Repeat("customer-", 100)} {
		sum := md5.Sum([]byte(project))
		var number uint64
		require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT md5_number_lower(?::VARCHAR)", project).Scan(&number))
		assert.Equal(t, binary.LittleEndian.Uint64(sum[8:]), number, project)
	}
}

// Sources with a column for the project are clustered, with all that their events have.
func TestClusterSortsEvents(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	var events []logevent.Event
	for i := range 3000 {
		project, message := "project"+strconv.Itoa(i*7%5), fmt.Sprintf("message %d", i)
		events = append(events, logevent.Event{
			ID: strconv.Itoa(i), Timestamp: noon.Add(time.Duration(i) * time.Second), Project: &project, EventMessage: &message,
			Metadata: fmt.Appendf(nil, `[{"request":[{"url":"https://%d"}]}]`, i),
		})
	}
	tables := []string{"auth_logs", "edge_logs", "pgbouncer_logs", "postgres_logs", "postgrest_logs"}
	before := make(map[string]string)
	for _, table := range tables {
		addEvents(t, store, table, events...)
		before[table] = fingerprint(t, store, table)
	}
	assert.Equal(t, int64(len(events)*len(tables)), cluster(t, store))
	for _, table := range tables {
		assert.Equal(t, before[table], fingerprint(t, store, table), table)
		assert.Equal(t, []string{"5"}, texts(t, store, "SELECT count(*)::VARCHAR FROM (SELECT project, lag(project) OVER (ORDER BY rowid) AS before FROM "+table+") WHERE project IS DISTINCT FROM before"), "%s: the rows of a project are together", table)
	}
	assert.Equal(t, holds(len(events)), contents(t, store, "edge_logs", "edge_requests"))
	added, duplicates := add(t, store, logstore.Sent, "1", "new")
	assert.Equal(t, []int{1, 1}, []int{added, duplicates}, "ids of moved events are found")
}

// Rows that are added to a clustered day are clustered once they are an eighth of it.
func TestClusterAddsLateRows(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	invoke(t, store, 60_000)
	cluster(t, store)
	late := func(count int) {
		_, err := store.DB().ExecContext(t.Context(), "INSERT INTO function_invocations (timestamp, project_ref, function_id, execution_time_ms, status_code) SELECT TIMESTAMP '2026-03-02 12:00:00' + to_seconds(i % 1000), 'late-' || (i % 3), 'late', 1, 200 FROM range(?) AS numbers(i)", count)
		require.NoError(t, err)
	}
	late(2_000)
	assert.Zero(t, cluster(t, store), "they are few")
	late(2_000)
	before := fingerprint(t, store, "function_invocations")
	assert.Greater(t, cluster(t, store), int64(20_000))
	assert.Equal(t, before, fingerprint(t, store, "function_invocations"))
	assert.Equal(t, []string{"0"}, texts(t, store, fmt.Sprintf(unsorted, 24)))

	// As many as were deleted are noticed, too.
	_, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "function_edge_logs"), Before: openDay})
	require.NoError(t, err)
	_, err = store.DB().ExecContext(t.Context(), "DELETE FROM function_invocations WHERE timestamp < '2026-03-04'")
	require.NoError(t, err)
	assert.Zero(t, cluster(t, store))
	assert.Empty(t, texts(t, store, "SELECT table_name FROM clustered_days"), "days without rows are forgotten")
	late(24_000)
	assert.Equal(t, int64(24_000), cluster(t, store))
}

// Clustering that was interrupted continues where it stopped.
func TestClusterContinues(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	invoke(t, store, 30_000)
	before := fingerprint(t, store, "function_invocations")
	errStop := errors.New("stop")
	moved, days := int64(0), []int(nil)
	for interrupted := true; interrupted; {
		steps := 0
		err := store.Cluster(t.Context(), logstore.Clustering{
			Before: openDay,
			Moved:  func(_ string, rows int64) { moved += rows },
			Waiting: func(table string, waiting int) {
				if table == "function_invocations" {
					days = append(days, waiting)
				}
			},
			Between: func(context.Context) error {
				if steps++; steps == 2 {
					return errStop
				}
				return nil
			},
		})
		interrupted = err != nil
		if interrupted {
			require.ErrorIs(t, err, errStop)
		}
		require.NoError(t, store.Close())
		store = open(t, directory)
		assert.Equal(t, before, fingerprint(t, store, "function_invocations"))
	}
	closed := texts(t, store, "SELECT count(project_ref)::VARCHAR FROM function_invocations WHERE timestamp < '2026-03-04'")
	assert.Equal(t, []string{strconv.FormatInt(moved, 10)}, closed, "no row is moved twice")
	assert.Equal(t, 3, days[0])
	assert.Equal(t, 0, days[len(days)-1])
	assert.IsNonIncreasing(t, days)
	require.NoError(t, store.Close())
}

// A kill at any moment leaves each row once. The next start continues.
func TestClusterIsCrashSafe(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithDuckDB("checkpoint_threshold=1TB"), logstore.WithSliceRows(2_000))
	require.NoError(t, err)
	invoke(t, store, 20_000)
	before := fingerprint(t, store, "function_invocations")
	begin := walSize(t, directory)
	cluster(t, store)
	clustered := snapshot(t, directory)
	require.NoError(t, store.Close())
	random := rand.New(rand.NewPCG(1, 2))
	places := make(map[string]bool)
	for range 6 {
		crashed := t.TempDir()
		copyStore(t, clustered, crashed, begin+random.Int64N(walSize(t, clustered)-begin+1))
		store := open(t, crashed)
		require.Equal(t, before, fingerprint(t, store, "function_invocations"))
		places[fmt.Sprint(texts(t, store, "SELECT r::VARCHAR FROM clustered_days AS r ORDER BY ALL"))] = true
		cluster(t, store)
		require.Equal(t, before, fingerprint(t, store, "function_invocations"))
		require.Equal(t, []string{"0"}, texts(t, store, fmt.Sprintf(unsorted, 6)))
		require.NoError(t, store.Close())
		require.NoError(t, os.RemoveAll(crashed))
	}
	assert.Greater(t, len(places), 3, "it was interrupted in many places")
}

// A step waits for a load, gives up after a while and is repeated.
func TestClusterWaitsForLoad(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	invoke(t, store, 30_000)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(1)))
	attempts, moved := 0, int64(0)
	err = store.Cluster(t.Context(), logstore.Clustering{
		Before: openDay,
		Moved:  func(_ string, rows int64) { moved += rows },
		Between: func(ctx context.Context) error {
			attempts++
			if attempts == 1 {
				assert.Zero(t, moved)
				return transaction.Commit(ctx)
			}
			return nil
		},
	})
	require.NoError(t, err)
	assert.Positive(t, moved)
	assert.Equal(t, []string{"0"}, texts(t, store, fmt.Sprintf(unsorted, 24)))
	assert.Equal(t, holds(1), contents(t, store, "edge_logs", "edge_requests"))
}

// Rows that are deleted or added while a step sorts them stay deleted and added.
func TestClusterNoticesOtherWriters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statement string
		want      error
	}{
		"deleted": {"DELETE FROM function_invocations WHERE project_ref = 'project-7'", logstore.ErrWritersBusy},
		"added":   {"INSERT INTO function_invocations (timestamp, project_ref, function_id, execution_time_ms, status_code) SELECT '2026-03-02 10:00:00', 'project-7', NULL, NULL, NULL FROM range(10)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := openMemory(t)
			invoke(t, store, 10_000)
			var want string
			err := logstore.SortThenReplace(t, store, openDay.AddDate(0, 0, -2), func() {
				_, err := store.DB().ExecContext(t.Context(), test.statement)
				require.NoError(t, err)
				want = fingerprint(t, store, "function_invocations")
			})
			require.ErrorIs(t, err, test.want)
			assert.Equal(t, want, fingerprint(t, store, "function_invocations"))
		})
	}
}

// Clustering, deletion, loads and checkpoints at the same time lose nothing.
func TestClusterBesideOtherWriters(t *testing.T) {
	t.Parallel()
	store := open(t, t.TempDir())
	defer func() { require.NoError(t, store.Close()) }()
	const projects, each = 8, 500
	var events []logevent.Event
	for i := range projects * each {
		project := fmt.Sprintf("project-%d", i%projects)
		events = append(events, logevent.Event{ID: strconv.Itoa(i), Timestamp: noon.Add(time.Duration(i) * time.Second), Project: &project, Metadata: fmt.Appendf(nil, `[{"request":[{"url":"https://%d"}]}]`, i)})
	}
	addEvents(t, store, "edge_logs", events[:len(events)/2]...)
	done, edge := make(chan error), source(t, "edge_logs")
	go func() {
		var err error
		for _, project := range []string{"project-3", "project-5"} {
			_, deleteErr := store.Delete(t.Context(), logstore.Deletion{Source: edge, Project: project})
			_, checkpointErr := store.Checkpoint(t.Context())
			err = errors.Join(err, deleteErr, checkpointErr)
		}
		done <- err
	}()
	for first := len(events) / 2; first < len(events); first += 500 {
		addEvents(t, store, "edge_logs", events[first:first+500]...)
		cluster(t, store)
	}
	require.NoError(t, <-done)
	for _, project := range []string{"project-3", "project-5"} {
		_, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Project: project})
		require.NoError(t, err)
	}
	cluster(t, store)
	assert.Equal(t, holds((projects-2)*each), contents(t, store, "edge_logs", "edge_requests"))
}

// Days are found across gaps, as those that a wrong clock leaves.
func TestClusterFindsDaysAcrossGaps(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	for _, day := range []string{"1970-01-01", "2026-02-27", "2026-02-28", "2026-03-03"} {
		_, err := store.DB().ExecContext(t.Context(), "INSERT INTO function_invocations (timestamp, project_ref, function_id, execution_time_ms, status_code) SELECT ?::TIMESTAMP + to_seconds(i), 'project-' || (i % 3), NULL, NULL, NULL FROM range(3000) AS numbers(i)", day)
		require.NoError(t, err)
	}
	assert.Equal(t, int64(4*3000), cluster(t, store))
	assert.Zero(t, cluster(t, store))
}

// A minute with more rows than a step may move stays where it is, also if it is all that the last
// project has. Days before it are still clustered.
func TestClusterPassesOverLargeMinutes(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	_, err := store.DB().ExecContext(t.Context(), `
		INSERT INTO function_invocations (timestamp, project_ref)
		SELECT TIMESTAMP '2026-03-03 10:00:00', 'large' FROM range(100001) UNION ALL
		SELECT TIMESTAMP '2026-03-02 10:00:00' + to_seconds(i), 'project' || i % 3 FROM range(3000) AS numbers(i)`)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	moved := int64(0)
	require.NoError(t, store.Cluster(ctx, logstore.Clustering{Before: openDay, Moved: func(_ string, rows int64) { moved += rows }}))
	assert.Equal(t, int64(3000), moved)
	assert.Equal(t, []string{"100001"}, texts(t, store, "SELECT count(*)::VARCHAR FROM function_invocations WHERE project_key = 0"))
	assert.Zero(t, cluster(t, store), "the day is done")
}

// A step does not move more rows than a transaction may have, also if rows arrive in a closed day
// after they were counted.
func TestClusterCountsAgain(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	arrive := func(count int, at string) {
		_, err := store.DB().ExecContext(t.Context(), fmt.Sprintf(`
			INSERT INTO function_invocations (timestamp, project_ref)
			SELECT TIMESTAMP '2026-03-03 %s' + to_milliseconds(i), 'project' || i %% 3 FROM range(%d) AS numbers(i)`, at, count))
		require.NoError(t, err)
	}
	arrive(30_000, "11:00:00")
	late, most := false, int64(0)
	require.NoError(t, store.Cluster(t.Context(), logstore.Clustering{
		Before: openDay,
		Moved:  func(_ string, rows int64) { most = max(most, rows) },
		Between: func(ctx context.Context) error {
			if !late {
				arrive(100_000, "12:00:00")
				late = true
			}
			return ctx.Err()
		},
	}))
	assert.Positive(t, most)
	assert.Less(t, most, int64(logstore.RowGroup))
}
