package duckdb_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// collect returns a statement that collects the rows which it streams.
func collect(query *sqlq.SavedQuery, into *[][]any) sqlq.Statement {
	return sqlq.Statement{Query: query, Emit: func(batch *sqlq.Batch) error {
		*into = slices.AppendSeq(*into, batch.Rows())
		return nil
	}}
}

// A stream has the rows of an ordinary run, of every type and in its order, also where they are read in several parts.
func TestStreamHasTheRowsOfARun(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	fields := []sqlq.Column{{Name: "a", Type: sqlq.Int64}, {Name: "b", Type: sqlq.ArrayOf(sqlq.String)}}
	for name, query := range map[string]*sqlq.SavedQuery{
		"types": savedQuery(`SELECT * FROM (VALUES
			('a', 1, 1.5::DOUBLE, 12.50::DECIMAL(10, 2), true, TIMESTAMP '2026-01-02 03:04:05.678901', DATE '2026-01-02', {'x': [1, NULL]}, to_json('s'), [1, 2], {'a': 1, 'b': ['é']}),
			(NULL, NULL, '-inf'::DOUBLE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
		) v("text", whole, "real", amount, flag, "at", "day", one, more, list, "struct")`,
			sqlq.Column{Name: "text", Type: sqlq.String}, sqlq.Column{Name: "whole", Type: sqlq.Int64}, sqlq.Column{Name: "real", Type: sqlq.Float64},
			sqlq.Column{Name: "amount", Type: sqlq.Numeric}, sqlq.Column{Name: "flag", Type: sqlq.Bool}, sqlq.Column{Name: "at", Type: sqlq.Timestamp},
			sqlq.Column{Name: "day", Type: sqlq.Date}, sqlq.Column{Name: "one", Type: sqlq.JSON}, sqlq.Column{Name: "more", Type: sqlq.JSON},
			sqlq.Column{Name: "list", Type: sqlq.ArrayOf(sqlq.Int64)}, sqlq.Column{Name: "struct", Type: sqlq.Struct, Fields: fields}),
		"numbers": savedQuery(`SELECT * FROM (VALUES
			(18446744073709551615::UBIGINT, 99999999999999999999999999999.999999999::DECIMAL(38, 9), (-170141183460469231731687303715884105727)::HUGEINT, [0.5, NULL, -0.000000001], {'a': 1.5, 'b': [1e-10::DECIMAL(38, 20)]}),
			(0, -0.000000001, NULL, [], {'a': NULL, 'b': []}), (1, 10.0, 100, NULL, NULL)) v(whole, amount, big, list, "struct")`,
			sqlq.Column{Name: "whole", Type: sqlq.Numeric}, sqlq.Column{Name: "amount", Type: sqlq.Numeric}, sqlq.Column{Name: "big", Type: sqlq.Numeric, Big: true},
			sqlq.Column{Name: "list", Type: sqlq.ArrayOf(sqlq.Numeric)},
			sqlq.Column{Name: "struct", Type: sqlq.Struct, Fields: []sqlq.Column{{Name: "a", Type: sqlq.Numeric}, {Name: "b", Type: sqlq.ArrayOf(sqlq.Numeric), Big: true}}}),
		"order": savedQuery("SELECT range AS n FROM range(50000) ORDER BY hash(range)", sqlq.Column{Name: "n", Type: sqlq.Int64}),
		"none":  savedQuery("SELECT 1 AS n WHERE false", sqlq.Column{Name: "n", Type: sqlq.Int64}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query.MaxRows = 100_000
			want, err := engine.Run(t.Context(), sqlq.Statement{Query: query})
			require.NoError(t, err)
			streamed := [][]any{}
			result, err := engine.Run(t.Context(), collect(query, &streamed))
			require.NoError(t, err)
			assert.Equal(t, want.Rows, streamed)
			assert.Empty(t, result.Rows)
			assert.Equal(t, len(want.Rows), result.RowCount())
			assert.False(t, result.Truncated)
		})
	}
}

// D24.
func TestStreamCutsToMaxRows(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for maxRows, truncated := range map[int]bool{1: true, 29_999: true, 30_000: false, 30_001: false} {
		query := savedQuery("SELECT range AS n FROM range(30000)", sqlq.Column{Name: "n", Type: sqlq.Int64})
		query.MaxRows = maxRows
		var streamed [][]any
		result, err := engine.Run(t.Context(), collect(query, &streamed))
		require.NoError(t, err)
		assert.Equal(t, truncated, result.Truncated)
		assert.Len(t, streamed, min(maxRows, 30_000))
	}
}

// An error of the SQL in the first rows comes before them; one of the caller ends the run. The connection is of use afterwards.
func TestStreamEndsWithAnError(t *testing.T) {
	t.Parallel()
	db := openStore(t, nil).DB()
	engine := duckdb.New(db)
	column := sqlq.Column{Name: "n", Type: sqlq.Int64}
	var streamed [][]any
	failing := savedQuery("SELECT CASE WHEN range = 9999 THEN error('late') ELSE range END AS n FROM range(30000)", column)
	failing.MaxRows = 30_000
	_, err := engine.Run(t.Context(), collect(failing, &streamed))
	require.Error(t, err)
	assert.Empty(t, streamed)

	broken := errors.New("broken pipe")
	calls := 0
	query := savedQuery("SELECT range AS n FROM range(30000)", column)
	query.MaxRows = 30_000
	_, err = engine.Run(t.Context(), sqlq.Statement{Query: query, Emit: func(*sqlq.Batch) error { calls++; return broken }})
	require.ErrorIs(t, err, broken)
	assert.Equal(t, 1, calls)

	ctx, leave := context.WithCancel(t.Context())
	_, err = engine.Run(ctx, sqlq.Statement{Query: query, Emit: func(*sqlq.Batch) error { leave(); return nil }})
	require.Error(t, err)

	var left int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM duckdb_tables() WHERE temporary").Scan(&left))
	assert.Zero(t, left, "no temporary table is left")
	streamed = nil
	_, err = engine.Run(t.Context(), collect(query, &streamed))
	require.NoError(t, err)
	assert.Len(t, streamed, 30_000)
}

// DuckDB computes few rows before those that are passed on, because it does not count the bytes of their texts.
func TestStreamComputesFewRowsAhead(t *testing.T) {
	t.Parallel()
	db := openStore(t, nil).DB()
	_, err := db.ExecContext(t.Context(), "CREATE SEQUENCE computed")
	require.NoError(t, err)
	query := savedQuery("SELECT nextval('computed') AS n, repeat('x', 20000) AS x FROM range(100000)", sqlq.Column{Name: "n", Type: sqlq.Int64}, sqlq.Column{Name: "x", Type: sqlq.String})
	query.MaxRows = 100_000
	passed, broken := 0, errors.New("broken pipe")
	_, err = duckdb.New(db).Run(t.Context(), sqlq.Statement{Query: query, Emit: func(batch *sqlq.Batch) error {
		passed += batch.Len()
		var computed int
		if err := db.QueryRowContext(t.Context(), "SELECT last_value FROM duckdb_sequences() WHERE sequence_name = 'computed'").Scan(&computed); err != nil {
			return err
		}
		if ahead := computed - passed; !assert.Less(t, ahead, 4*2048) || passed > 10_000 {
			return broken
		}
		return nil
	}})
	require.ErrorIs(t, err, broken)
}

// An error in the middle comes after rows, and the run is not repeated.
func TestStreamThatFailsLate(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	query := savedQuery("SELECT CASE WHEN range = 2999999 THEN error('late') ELSE range END AS n FROM range(3000000)", sqlq.Column{Name: "n", Type: sqlq.Int64})
	query.MaxRows = 3_000_000
	rows := 0
	_, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Emit: func(batch *sqlq.Batch) error { rows += batch.Len(); return nil }})
	require.ErrorContains(t, err, "late")
	assert.Positive(t, rows)
	assert.Less(t, rows, 3_000_000)
}

// DuckDB can report an interrupt in place of the error. What a caller is told is the error, of the same arguments.
func TestReasonOfInterrupt(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	const text = "SELECT CASE WHEN range = $failing THEN error('late') ELSE range END AS n FROM range(30000)"
	query := savedQuery(text, sqlq.Column{Name: "n", Type: sqlq.Int64})
	query.Params = []sqlq.Param{{Name: "failing", Type: sqlq.Int64}}
	statement := func(failing any) sqlq.Statement {
		return sqlq.Statement{Query: query, Args: []sqlq.Arg{{Name: "failing", Type: sqlq.Int64, Value: failing}}}
	}
	require.ErrorContains(t, engine.ReasonOfInterrupt(t.Context(), statement(int64(29_999)), text), "late")
	require.ErrorContains(t, engine.ReasonOfInterrupt(t.Context(), statement(int64(30_000)), text), "Interrupted")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, engine.ReasonOfInterrupt(ctx, statement(int64(29_999)), text), "Interrupted")
}
