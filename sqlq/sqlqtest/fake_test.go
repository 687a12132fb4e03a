package sqlqtest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
)

func TestFakeEngineCallsItsFunctions(t *testing.T) {
	t.Parallel()
	query := &sqlq.SavedQuery{Name: "mine"}
	want := &sqlq.Result{Rows: [][]any{{int64(1)}}}
	fake := &FakeEngine{
		Language: googlesql.Dialect{},
		RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
			assert.Same(t, query, statement.Query)
			return want, nil
		},
		CheckFunc: func(_ context.Context, checked *sqlq.SavedQuery) (*sqlq.Plan, error) {
			assert.Same(t, query, checked)
			return nil, assert.AnError
		},
	}
	got, err := fake.Run(t.Context(), sqlq.Statement{Query: query})
	require.NoError(t, err)
	assert.Same(t, want, got)
	_, err = fake.Check(t.Context(), query)
	require.ErrorIs(t, err, assert.AnError)
	assert.Equal(t, googlesql.Dialect{}, fake.Dialect())
}

func TestFakeEngineWithoutFunctions(t *testing.T) {
	t.Parallel()
	fake := &FakeEngine{}
	_, err := fake.Run(t.Context(), sqlq.Statement{})
	require.EqualError(t, err, "the fake engine has no RunFunc")
	_, err = fake.Check(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, duckdbsql.Dialect{}, fake.Dialect())
}

func TestFakeEngineCountsCalls(t *testing.T) {
	t.Parallel()
	fake := &FakeEngine{}
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			_, err := fake.Run(t.Context(), sqlq.Statement{})
			assert.Error(t, err)
		})
	}
	callers.Wait()
	_, err := fake.Check(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, 10, fake.Runs())
	assert.Equal(t, 1, fake.Checks())
}
