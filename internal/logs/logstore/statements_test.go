package logstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// clockOf returns a clock that a test moves.
func clockOf(moment *atomic.Int64) logstore.Option {
	return logstore.WithClock(func() time.Time { return noon.Add(time.Duration(moment.Load())) })
}

// A prepared statement means the same whatever happens to the store: sources and fields are declared, and parts come, are
// merged, deleted and closed.
func TestPreparedStatementsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	var moment atomic.Int64
	store := open(t, t.TempDir(), clockOf(&moment))
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	declare(t, store, orders("n INT64 n"))
	var statements []*sql.Stmt
	prepare := func() {
		statement, err := store.DB().PrepareContext(t.Context(), "SELECT coalesce(string_agg(n::VARCHAR, ' ' ORDER BY id), ''), count(*) FROM orders WHERE timestamp >= $1")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, statement.Close()) })
		statements = append(statements, statement)
	}
	check := func(want string) {
		t.Helper()
		prepare()
		for i, statement := range statements {
			var values string
			var count int
			require.NoError(t, statement.QueryRowContext(t.Context(), noon).Scan(&values, &count))
			assert.Equal(t, want, values, "statement %d", i)
			assert.Len(t, strings.Fields(want), count)
		}
	}
	check("")
	for i := range 9 {
		addOrders(t, store, i, fmt.Sprintf(`{"n":%d,"m":"x"}`, i))
	}
	check("0 1 2 3 4 5 6 7 8")
	table, _ := store.Tables().FindSource("orders")
	ingestEvents(t, store, table, ordersOf(t, 9, `{"n":9,"m":"y"}`)...)
	check("0 1 2 3 4 5 6 7 8 9")
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	check("0 1 2 3 4 5 6 7 8 9")
	steps, err := store.Merge(t.Context(), noon, nil)
	require.NoError(t, err)
	assert.Positive(t, steps)
	check("0 1 2 3 4 5 6 7 8 9")
	moment.Add(int64(time.Minute)) // parts that were merged are detached with the next change
	further := orders()
	further.Name, further.Aliases = "further", nil
	declare(t, store, orders("m STRING m", "n INT64 n"), further)
	check("0 1 2 3 4 5 6 7 8 9")
	assert.Equal(t, []string{"1"}, texts(t, store, "SELECT count(*)::VARCHAR FROM duckdb_databases() WHERE database_name LIKE 'part%'"))
	_, err = store.Fill(t.Context(), nil)
	require.NoError(t, err)
	check("0 1 2 3 4 5 6 7 8 9")
	require.NoError(t, store.DropField(t.Context(), "orders", "m"))
	check("0 1 2 3 4 5 6 7 8 9")
	_, err = store.Delete(t.Context(), logstore.Deletion{Source: table, Before: time.Date(2026, 11, 20, 12, 0, 50, 0, time.UTC)})
	require.NoError(t, err)
	check("5 6 7 8 9")
}

// A query that has begun ends on what it has begun with, also when its parts were merged, deleted and closed long ago.
func TestRunningQueriesKeepTheirParts(t *testing.T) {
	t.Parallel()
	var moment atomic.Int64
	store := open(t, t.TempDir(), clockOf(&moment))
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	const loads, perLoad = 4, 5000
	for i := range loads {
		require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), i*perLoad, perLoad))
	}
	rows, err := store.DB().QueryContext(t.Context(), "SELECT id, metadata FROM edge_logs ORDER BY ALL") //nolint:sqlclosecheck // It is read to the end.
	require.NoError(t, err)
	require.True(t, rows.Next())
	// This one has only begun to read.
	conn, err := store.DB().Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN TRANSACTION")
	require.NoError(t, err)
	var count int
	require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT count(*) FROM edge_logs").Scan(&count))
	assert.Equal(t, loads*perLoad, count)

	_, err = store.Merge(t.Context(), noon.AddDate(0, 1, 0), nil)
	require.NoError(t, err)
	for range 3 {
		moment.Add(int64(time.Minute))
		declare(t, store, orders(fmt.Sprintf("n%d INT64 n", moment.Load())))
	}
	deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs")})
	require.NoError(t, err)
	assert.EqualValues(t, loads*perLoad, deleted)
	assert.Equal(t, holds(0), contents(t, store, "edge_logs", "edge_requests"))

	read := 1
	for rows.Next() {
		read++
	}
	require.NoError(t, rows.Err())
	assert.Equal(t, loads*perLoad, read)
	require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT count(*) FROM edge_logs").Scan(&count))
	assert.Equal(t, loads*perLoad, count, "its transaction began before")
	_, err = conn.ExecContext(t.Context(), "COMMIT")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// Idle connections with prepared statements do not keep the memory of events that are in parts now.
func TestIdleConnectionsHoldNoEvents(t *testing.T) {
	t.Parallel()
	store, model := openFile(t), newModel(40)
	const inMemory = "SELECT coalesce(sum(memory_usage_bytes), 0)::VARCHAR FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'"
	for range 8 {
		require.NoError(t, model.tryIngest(t, store, noise(model.batch(2000))))
		conn, err := store.DB().Conn(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, conn.Close()) })
		prepared, err := conn.PrepareContext(t.Context(), "SELECT max(length(event_message)) FROM all_logs WHERE timestamp > $1")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, prepared.Close()) })
		var length int
		require.NoError(t, prepared.QueryRowContext(t.Context(), start()).Scan(&length))
		assert.Equal(t, 1000, length)
		assert.NotEqual(t, []string{"0"}, texts(t, store, inMemory))
		_, err = store.Checkpoint(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"0"}, texts(t, store, inMemory))
	}
	model.check(t, store)
}
