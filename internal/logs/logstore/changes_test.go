package logstore_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

func addAt(t *testing.T, store *logstore.Store, table string, moments ...time.Time) {
	t.Helper()
	source, _ := shippedTables().FindSource(table)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i, moment := range moments {
		require.NoError(t, transaction.Add(t.Context(), source, logevent.Event{ID: strconv.Itoa(i) + moment.String(), Timestamp: moment}))
	}
	require.NoError(t, transaction.Commit(t.Context()))
}

// A commit changes the seconds of its events, in the table of their source and in that of
// their records.
func TestChangesOfACommit(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	changes, noon := store.Changes(), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	before := changes.Version()
	addAt(t, store, "edge_logs", noon.Add(1500*time.Millisecond), noon.Add(1900*time.Millisecond), noon.Add(2*time.Second), noon.Add(-time.Hour), noon.Add(-time.Microsecond))
	want := []sqlq.Range{
		{From: noon.Add(-time.Hour), To: noon.Add(-time.Hour + time.Second)},
		{From: noon.Add(-time.Second), To: noon},
		{From: noon.Add(time.Second), To: noon.Add(3 * time.Second)},
	}
	for _, table := range []string{"edge_logs", "edge_requests"} {
		changed, known := changes.Since(before, []string{"count", table})
		require.True(t, known)
		assert.Subset(t, changed, want)
		for _, one := range changed {
			assert.Contains(t, want, one)
		}
	}
	changed, known := changes.Since(before, []string{"function_edge_logs"})
	assert.True(t, known)
	assert.Empty(t, changed)
	changed, known = changes.Since(changes.Version(), []string{"edge_logs"})
	assert.True(t, known)
	assert.Empty(t, changed)
}

// An ingestion changes the seconds of its events, also while earlier ones become a part, which changes nothing.
func TestChangesOfAnIngestion(t *testing.T) {
	t.Parallel()
	store := openFile(t)
	before := store.Changes().Version()
	one, two := event(1), event(2)
	two.Timestamp = noon.Add(-time.Hour)
	ingestEvents(t, store, source(t, "edge_logs"), one, two)
	changed, known := store.Changes().Since(before, []string{"edge_logs"})
	require.True(t, known)
	assert.True(t, containsMoment(changed, noon))
	assert.True(t, containsMoment(changed, noon.Add(-time.Hour)))
	assert.False(t, containsMoment(changed, noon.Add(-time.Minute)))
	after := store.Changes().Version()
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	_, err = store.Merge(t.Context(), noon.AddDate(0, 1, 0), nil)
	require.NoError(t, err)
	assert.Equal(t, after, store.Changes().Version())
}

// Changes are noted of the views of events, and of nothing else that can be read.
func TestChangesOfOtherTables(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	var noted []string
	for _, table := range texts(t, store, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' UNION SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL") {
		_, known := store.Changes().Since(0, []string{table})
		if known {
			noted = append(noted, table)
		}
		_, beside := store.Changes().Since(0, []string{"edge_logs", table})
		assert.Equal(t, known, beside, table)
	}
	assert.Equal(t, []string{
		"all_logs", "all_logs#typed", "all_logs#untyped", "all_logs_shared", "all_logs_shared#typed", "all_logs_shared#untyped", "auth_logs", "edge_logs", "edge_logs#typed", "edge_logs#untyped", "edge_requests",
		"function_edge_logs", "function_edge_logs#typed", "function_edge_logs#untyped", "function_invocations", "function_logs",
		"pgbouncer_logs", "postgres_logs", "postgrest_logs", "realtime_logs", "storage_logs",
	}, noted)
	_, known := store.Changes().Since(0, []string{"count", "other"})
	assert.False(t, known, "the names have no table")
}

// A commit with events of many times is noted in wider spans, which include all of them.
func TestChangesOfManyTimes(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var moments []time.Time
	for i := range 1000 {
		moments = append(moments, start.Add(time.Duration(i)*7*time.Second))
	}
	addAt(t, store, "edge_logs", moments...)
	changed, known := store.Changes().Since(0, []string{"edge_logs"})
	require.True(t, known)
	assert.Less(t, len(changed), 130)
	for _, moment := range moments {
		assert.True(t, containsMoment(changed, moment), moment)
	}
	assert.False(t, containsMoment(changed, start.Add(-time.Minute)))
}

func containsMoment(ranges []sqlq.Range, moment time.Time) bool {
	for _, one := range ranges {
		if !moment.Before(one.From) && moment.Before(one.To) {
			return true
		}
	}
	return false
}

// A deletion changes what it deletes.
func TestChangesOfADeletion(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	addAt(t, store, "edge_logs", noon, noon.Add(-time.Hour), noon.Add(time.Hour))
	before := store.Changes().Version()
	source, _ := shippedTables().FindSource("edge_logs")
	_, err := store.Delete(t.Context(), logstore.Deletion{Source: source, Before: noon.Add(time.Minute)})
	require.NoError(t, err)
	changed, known := store.Changes().Since(before, []string{"edge_logs"})
	require.True(t, known)
	assert.True(t, containsMoment(changed, noon))
	assert.True(t, containsMoment(changed, noon.Add(-time.Hour)))
	assert.False(t, containsMoment(changed, noon.Add(time.Hour)))
}

// A load that was undone has changed nothing.
func TestChangesAfterAnUndoneLoad(t *testing.T) {
	t.Parallel()
	store := openFile(t)
	before := store.Changes().Version()
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range 10 {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(i)))
	}
	require.NoError(t, transaction.Rollback())
	changed, known := store.Changes().Since(before, []string{"edge_logs"})
	assert.True(t, known)
	assert.Empty(t, changed)
}

// Old changes are forgotten, and nothing is known since a version before them.
func TestChangesAreForgotten(t *testing.T) {
	t.Parallel()
	changes := openMemory(t).Changes()
	source, _ := shippedTables().FindSource("edge_logs")
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for range logstore.MostChanges + 1 {
		changes.NoteRange(source, sqlq.Range{From: noon, To: noon})
	}
	_, known := changes.Since(0, []string{"edge_logs"})
	assert.False(t, known)
	changed, known := changes.Since(changes.Version()-1, []string{"edge_logs"})
	assert.True(t, known)
	assert.Len(t, changed, 1)
}
