package logstore_test

import (
	"database/sql/driver"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// runsOf returns runs of a query, a second apart from a first one.
func runsOf(query string, first, runs int) [][]driver.Value {
	rows := make([][]driver.Value, runs)
	for i := range rows {
		began := time.Date(2026, 3, 1, 10, 0, first+i, 0, time.UTC)
		rows[i] = []driver.Value{began, query, "rest", "t", nil, nil, "a", "HIT", int64(first + i), int64(1), 1.5, nil}
	}
	return rows
}

// The store keeps the newest runs of each query, and of all, and trims them rarely. They survive a restart.
func TestRuns(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithRunsKept(10, 25))
	require.NoError(t, err)
	counts := func() string {
		var list strings.Builder
		for _, text := range texts(t, store, "SELECT query || ' ' || count(*) || ' ' || min(row_count) FROM savedq_runs GROUP BY query ORDER BY query") {
			list.WriteString(text + "\n")
		}
		return list.String()
	}
	require.NoError(t, store.AddRuns(t.Context(), runsOf("a", 0, 11)))
	assert.Equal(t, "a 11 0\n", counts(), "a tenth more is not trimmed yet")
	require.NoError(t, store.AddRuns(t.Context(), runsOf("a", 11, 1)))
	assert.Equal(t, "a 10 2\n", counts())
	require.NoError(t, store.AddRuns(t.Context(), append(runsOf("b", 100, 9), runsOf("c", 200, 9)...)))
	assert.Equal(t, "a 7 5\nb 9 100\nc 9 200\n", counts(), "the oldest of all go first")
	require.NoError(t, store.Close())
	store = open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	assert.Equal(t, "a 7 5\nb 9 100\nc 9 200\n", counts())
	require.NoError(t, store.DeleteRuns(t.Context(), "nosuch", time.Time{}))
	assert.Equal(t, "a 7 5\nb 9 100\nc 9 200\n", counts())
}

// Deleted runs stay deleted after a crash.
func TestDeletedRunsStayDeleted(t *testing.T) {
	t.Parallel()
	directory, crashed := t.TempDir(), t.TempDir()
	store := open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	runs := runsOf("a", 0, 3)
	runs[1][5] = "one"
	require.NoError(t, store.AddRuns(t.Context(), runs))
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	require.NoError(t, store.DeleteRuns(t.Context(), "one", time.Time{}))
	require.NoError(t, os.CopyFS(crashed, os.DirFS(directory)))
	again := open(t, crashed)
	t.Cleanup(func() { assert.NoError(t, again.Close()) })
	assert.Equal(t, []string{"0", "2"}, texts(t, again, "SELECT row_count FROM savedq_runs ORDER BY row_count"))
}

// A batch is added as a whole, or not at all.
func TestRunsAreAtomic(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	rows := runsOf("a", 0, 3000)
	rows[2999][1] = 7
	require.Error(t, store.AddRuns(t.Context(), rows))
	assert.Equal(t, []string{"0"}, texts(t, store, "SELECT count(*)::VARCHAR FROM savedq_runs"))
	require.NoError(t, store.AddRuns(t.Context(), rows[:2999]))
}

// Runs change no table of events: nothing that was computed from those has to be computed again. What changes in the
// table of runs is not known, so that rows of a series over it are never reused.
func TestRunsChangeNoSource(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	version := store.Changes().Version()
	require.NoError(t, store.AddRuns(t.Context(), runsOf("a", 0, 3)))
	assert.Equal(t, version, store.Changes().Version())
	changed, known := store.Changes().Since(version, []string{"edge_logs"})
	assert.True(t, known)
	assert.Empty(t, changed)
	for _, names := range [][]string{{"savedq_runs"}, {"edge_logs", "SAVEDQ_RUNS"}} {
		_, known = store.Changes().Since(version, names)
		assert.False(t, known, names)
	}
}

// The table has the declared columns, in their order, of types that the engine reads as declared.
func TestRunsColumns(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	var want []string
	for _, column := range tables.Runs().Own {
		typ := map[sqlq.Type]string{sqlq.Timestamp: "TIMESTAMP", sqlq.String: "VARCHAR", sqlq.Int64: "BIGINT", sqlq.Float64: "DOUBLE"}[column.Type]
		want = append(want, fmt.Sprintf("%s %s", column.Name, typ))
		assert.NotEmpty(t, column.Description)
	}
	assert.Equal(t, want, texts(t, store, "SELECT column_name || ' ' || data_type FROM information_schema.columns WHERE table_name = 'savedq_runs' ORDER BY ordinal_position"))
	assert.False(t, tables.Runs().IsSource())
	assert.True(t, tables.IsReserved(tables.RunsName))
}
