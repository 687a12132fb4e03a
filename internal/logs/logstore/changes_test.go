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

func openMemory(t *testing.T) *logstore.Store {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

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

// Changes of tables that no event is in are not noted, so nothing is known of them.
func TestChangesOfOtherTables(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	var tables []string
	for _, table := range texts(t, store, "SELECT table_name FROM duckdb_tables() ORDER BY ALL") {
		_, known := store.Changes().Since(0, []string{table})
		if known {
			tables = append(tables, table)
		}
		_, beside := store.Changes().Since(0, []string{"edge_logs", table})
		assert.Equal(t, known, beside, table)
	}
	assert.Equal(t, []string{
		"auth_logs", "edge_logs", "edge_requests", "function_edge_logs", "function_invocations", "function_logs",
		"pgbouncer_logs", "postgres_logs", "postgrest_logs", "realtime_logs", "storage_logs",
	}, tables)
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

// After a load of several commits was undone, nothing is known of the time before.
func TestChangesAfterAnUndoneLoad(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "", inParts())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	before := store.Changes().Version()
	source, _ := shippedTables().FindSource("edge_logs")
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range 3 * inPartsEvents {
		require.NoError(t, transaction.Add(t.Context(), source, event(i)))
	}
	require.NoError(t, transaction.Rollback())
	_, known := store.Changes().Since(before, []string{"edge_logs"})
	assert.False(t, known)
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
