package runner_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// SQL of a caller on which the engine fails is refused for five minutes, for that token; after three texts, all SQL
// of the token is. Nobody else, and no saved query, is affected.
func TestCulprits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{Path: "mine", FS: fstest.MapFS{
			"mine/query.yaml": {Data: []byte("id: 5b0c1d2e-3f40-4152-8637-485960718293\nname: mine.any\ndescription: Any.\nsandbox: enabled\ncolumns:\n  - {name: n, type: INT64, description: Number.}\n")},
			"mine/query.sql":  {Data: []byte("WITH numbers AS (SELECT 1 AS n) SELECT n FROM numbers")},
		}})
		require.NoError(t, err)
		query, _ := read.Find("mine.any")
		runs := 0
		engine := &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
			runs++
			if statement.Query.Callers != nil {
				return nil, fmt.Errorf("run: %w: an assertion failed", sqlq.ErrEngineFault)
			}
			return &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}, Rows: [][]any{{int64(1)}}}, nil
		}}
		queries := runner.New(sqlqtest.Config(read, engine, time.Now))
		mallory, alice := &fakeAccount{name: "mallory"}, &fakeAccount{name: "alice"}
		run := func(account *fakeAccount, sql string) error {
			_, err := queries.Run(t.Context(), runner.Request{Query: query, SQL: sql, Account: account, NoCache: true})
			return err
		}
		assertCode := func(want sqlq.Code, err error) {
			t.Helper()
			require.Error(t, err)
			assert.Equal(t, want, sqlq.AsError(err).Code, err)
		}
		assertCode(sqlq.Internal, run(mallory, "SELECT 1 AS n FROM numbers"))
		for range 10 {
			err := run(mallory, "SELECT 1 AS n FROM numbers -- again")
			assertCode(sqlq.InvalidArgument, err)
			require.ErrorContains(t, err, "the engine failed on this SQL, so it is refused until "+time.Now().Add(5*time.Minute).UTC().Format("15:04:05"))
		}
		assert.Equal(t, 1, runs)
		assertCode(sqlq.Internal, run(alice, "SELECT 1 AS n FROM numbers"))
		assertCode(sqlq.Internal, run(mallory, "SELECT 2 AS n FROM numbers"))
		time.Sleep(time.Minute)
		assertCode(sqlq.Internal, run(mallory, "SELECT 3 AS n FROM numbers"))
		err = run(mallory, "SELECT 4 AS n FROM numbers")
		assertCode(sqlq.InvalidArgument, err)
		require.ErrorContains(t, err, "all of its SQL is refused until "+time.Now().Add(4*time.Minute).UTC().Format("15:04:05"))
		assertCode(sqlq.Internal, run(alice, "SELECT 4 AS n FROM numbers"))
		require.NoError(t, run(mallory, ""), "the saved query itself runs")
		time.Sleep(4 * time.Minute)
		assertCode(sqlq.Internal, run(mallory, "SELECT 4 AS n FROM numbers"))
		assertCode(sqlq.InvalidArgument, run(mallory, "SELECT 4 AS n FROM numbers"))
	})
}
