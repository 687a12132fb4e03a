package duckdb_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/sqlqtest"
)

// savedQuery is a query with the columns, as a catalog would hold it.
func savedQuery(sql string, columns ...sqlq.Column) *sqlq.SavedQuery {
	return &sqlq.SavedQuery{Name: "test", MaxRows: 1000, Columns: columns, SQL: sql, SQLFile: "test/duckdb.sql"}
}

// D24: exactly max rows is whole, one more is cut, in the query's own order.
func TestRunCutsToMaxRows(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for maxRows, truncated := range map[int]bool{2: true, 3: false, 4: false} {
		query := savedQuery("SELECT unnest([1, 2, 3]) AS n ORDER BY n DESC -- no limit", sqlq.Column{Name: "n", Type: sqlq.Int64})
		query.MaxRows = maxRows
		result, err := engine.Run(t.Context(), sqlq.Statement{Query: query})
		require.NoError(t, err)
		assert.Equal(t, truncated, result.Truncated)
		assert.Equal(t, [][]any{{int64(3)}, {int64(2)}, {int64(1)}}[:min(maxRows, 3)], result.Rows)
	}
}

// A caller who leaves interrupts the query.
func TestRunStopsWithItsCaller(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	// The query would take minutes; its caller leaves in the middle of it.
	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	query := savedQuery("SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = -1", sqlq.Column{Name: "n", Type: sqlq.Int64})
	_, err := engine.Run(ctx, sqlq.Statement{Query: query})
	require.Error(t, err)
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
}

// A run sees rows that were added after an earlier run, and that differ from all rows of
// that time. With the plan that DuckDB made before, each of these queries would fail or
// return wrong rows.
func TestRunSeesNewRows(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	engine := duckdb.New(store.DB())
	second := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	add := func(first time.Time, metadata ...string) {
		logs := make(sqlqtest.Logs)
		for i := range 1000 * len(metadata) {
			logs["function_edge_logs"] = append(logs["function_edge_logs"], sqlqtest.Event{
				ID: strconv.Itoa(i) + first.String(), Timestamp: first.Add(time.Duration(i) * time.Millisecond), Metadata: json.RawMessage(metadata[i%len(metadata)]),
			})
		}
		fill(t, store, logs)
	}
	const succeeded, failed, unfinished = `[{"response":[{"status_code":200}]}]`, `[{"response":[{"status_code":500}]}]`, `[{"response":[{}]}]`
	queries := make(map[string]*sqlq.SavedQuery)
	for _, sql := range []string{
		"SELECT count(*) AS n FROM function_invocations WHERE status_code >= 400",
		"SELECT count(*) AS n FROM function_invocations WHERE status_code < 300",
		"SELECT count(*) AS n FROM function_invocations WHERE status_code IS NULL",
		"SELECT count(*) AS n FROM function_invocations WHERE status_code >= 400 AND timestamp < $now::TIMESTAMP",
		"SELECT count(status_code) AS n FROM function_invocations",
		"SELECT count(DISTINCT status_code) AS n FROM function_invocations",
		"SELECT count(*) AS n FROM (SELECT status_code, count(*) FROM function_invocations GROUP BY status_code)",
		"SELECT count(*) AS n FROM function_invocations SEMI JOIN (SELECT 500 AS status_code) USING (status_code)",
	} {
		queries[sql] = savedQuery(sql, sqlq.Column{Name: "n", Type: sqlq.Int64})
	}
	assertRuns := func() {
		statement := sqlq.Statement{Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
		for sql, query := range queries {
			statement.Query = query
			again, err := engine.Run(t.Context(), statement)
			require.NoError(t, err, sql)
			statement.Query = savedQuery(sql, query.Columns...)
			first, err := engine.Run(t.Context(), statement)
			require.NoError(t, err, sql)
			assert.Equal(t, first.Rows, again.Rows, sql)
		}
	}
	add(second.AddDate(0, -1, 0), succeeded, succeeded, succeeded, succeeded, succeeded)
	assertRuns()
	add(second, failed, unfinished)
	assertRuns()
	source, _ := store.Tables().FindSource("function_edge_logs")
	deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source, Before: second})
	require.NoError(t, err)
	require.Equal(t, int64(5000), deleted)
	assertRuns()
	add(second.Add(time.Minute), succeeded)
	assertRuns()
	merged, err := store.Merge(t.Context(), second.AddDate(1, 0, 0), nil)
	require.NoError(t, err)
	require.Positive(t, merged)
	assertRuns()
}

// The state that a saved query keeps between its runs has nothing of their values, nor of
// how they ended.
func TestRunAgain(t *testing.T) {
	t.Parallel()
	query := savedQuery("SELECT $s AS s, $i::INT64 AS i FROM range($i)", sqlq.Column{Name: "s", Type: sqlq.String}, sqlq.Column{Name: "i", Type: sqlq.Int64})
	query.Params = []sqlq.Param{{Name: "s", Type: sqlq.String}, {Name: "i", Type: sqlq.Int64}}
	query.MaxRows = 2
	engine := duckdb.New(openStore(t, nil).DB())
	run := func(ctx context.Context, text, number any) (*sqlq.Result, error) {
		return engine.Run(ctx, sqlq.Statement{Query: query, Args: []sqlq.Arg{
			{Name: "s", Type: sqlq.String, Value: text}, {Name: "i", Type: sqlq.Int64, Value: number},
		}})
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for _, text := range []any{"a", nil, "b"} {
				result, err := run(t.Context(), text, int64(1))
				if assert.NoError(t, err) {
					assert.Equal(t, [][]any{{text, int64(1)}}, result.Rows)
				}
				_, err = run(left, text, int64(1))
				assert.ErrorIs(t, err, context.Canceled) //nolint:testifylint // require must not be called on another goroutine.
				_, err = run(t.Context(), "x", "no number")
				assert.Error(t, err) //nolint:testifylint // require must not be called on another goroutine.
				result, err = run(t.Context(), text, int64(5000))
				if assert.NoError(t, err) {
					assert.True(t, result.Truncated)
					assert.Equal(t, [][]any{{text, int64(5000)}, {text, int64(5000)}}, result.Rows)
				}
			}
		})
	}
	running.Wait()
}

// Few rows can be too large for a result, too.
func TestRunBoundsBytes(t *testing.T) {
	t.Parallel()
	query := savedQuery("SELECT repeat('x', 30 * 1024 * 1024) AS n FROM range(3)", sqlq.Column{Name: "n", Type: sqlq.String})
	_, err := duckdb.New(openStore(t, nil).DB()).Run(t.Context(), sqlq.Statement{Query: query})
	assert.Equal(t, sqlq.ResourceExhausted, sqlq.AsError(err).Code)
	require.EqualError(t, err, "the rows take more than 64 MiB; ask for a shorter time range")
}

// Saved queries reach neither files nor the settings that keep them from it.
func TestRunReachesNothingOutside(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	engine := duckdb.New(store.DB())
	for _, sql := range []string{
		"SELECT content AS n FROM read_text('/etc/hostname')",
		"SELECT n FROM read_csv('http://127.0.0.1/x.csv')",
		"SELECT n FROM read_parquet('*.parquet')",
	} {
		_, err := engine.Run(t.Context(), sqlq.Statement{Query: savedQuery(sql, sqlq.Column{Name: "n", Type: sqlq.String})})
		require.ErrorContains(t, err, "disabled by configuration", sql)
	}
	_, err := store.DB().ExecContext(t.Context(), "SET enable_external_access = true")
	require.ErrorContains(t, err, "configuration has been locked")
}
