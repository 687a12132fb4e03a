package sqlcheck_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/engines/sqlcheck"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// Arguments that make the test program run as a kind of worker.
const (
	realWorker    = "-real-worker"
	brokenWorker  = "-broken-worker"
	crashedWorker = "-crashed-worker"
)

// TestMain lets the test program run as a worker.
func TestMain(m *testing.M) {
	switch os.Args[len(os.Args)-1] {
	case realWorker:
		store, err := logstore.OpenEmpty(context.Background())
		if err == nil {
			err = sqlcheck.Work(context.Background(), os.Stdin, os.Stdout, duckdb.New(store.DB()))
		}
		if err != nil {
			panic(err)
		}
		os.Exit(0)
	case brokenWorker:
		_, _ = fmt.Fprintln(os.Stderr, "no such command\nand more")
		os.Exit(2)
	case crashedWorker:
		_, _ = fmt.Fprintln(os.Stdout, "{}")
		_ = json.NewDecoder(os.Stdin).Decode(new(sqlq.SavedQuery))
		panic("crashed")
	}
	os.Exit(m.Run())
}

// newChecker returns a checker with a kind of worker.
func newChecker(t *testing.T, kind string) *sqlcheck.Checker {
	t.Helper()
	checker := sqlcheck.New(func() *exec.Cmd { return exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], kind) })
	t.Cleanup(func() { assert.NoError(t, checker.Close()) })
	return checker
}

func savedQuery(sql string) *sqlq.SavedQuery {
	return &sqlq.SavedQuery{
		Name: "test", MaxRows: 1, SQL: sql, SQLFile: "test/duckdb.sql",
		Params:  []sqlq.Param{{Name: "p", Type: sqlq.Timestamp}},
		Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64, Place: sqlq.Place{File: "test/query.yaml", Line: 7, Column: 5}}},
	}
}

// The checker returns the results of the engine.
func TestCheck(t *testing.T) {
	t.Parallel()
	checker := newChecker(t, realWorker)
	for sql, want := range map[string]string{
		"SELECT count(*) AS n FROM edge_logs WHERE timestamp > date_trunc('day', $p)": "",
		"SELECT 1 AS n FROM nosuch":                     "test/duckdb.sql:1:20: Catalog Error: Table with name nosuch does not exist!",
		"SELECT 1 AS n FROM enable_logging('QueryLog')": "test/duckdb.sql:1:20: the table function enable_logging is not allowed",
		"SELECT 'x' AS n":                               "test/query.yaml:7:5: declares column n as INT64, but test/duckdb.sql returns it as VARCHAR",
	} {
		plan, err := checker.Check(t.Context(), savedQuery(sql))
		if want == "" {
			require.NoError(t, err)
			assert.Equal(t, &sqlq.Plan{Columns: []sqlq.PlannedColumn{{Name: "n", Type: "BIGINT"}}}, plan)
			continue
		}
		var mistakes sqlq.FileErrors
		require.ErrorAs(t, err, &mistakes)
		assert.ErrorContains(t, err, want)
	}
}

// Constants that DuckDB evaluates while it compiles are limited in memory and time, and
// later saved queries are still checked.
func TestCheckIsLimited(t *testing.T) {
	t.Parallel()
	const small = "SELECT 1::BIGINT AS n"
	for name, test := range map[string]struct {
		timeout   time.Duration
		sql, want string
	}{
		"memory of a list":   {time.Minute, "SELECT list_sum(range(1, 400000000))::BIGINT AS n", "test/duckdb.sql: compiling takes more than 512 MiB of memory; DuckDB evaluates constant expressions"},
		"memory of rows":     {time.Minute, "SELECT count(i) AS n FROM (SELECT unnest(range(1, 400000000)) AS i)", "test/duckdb.sql: compiling takes more than 512 MiB of memory"},
		"memory of a string": {time.Minute, "SELECT length(repeat('x', 1000000000)) AS n", "test/duckdb.sql: compiling takes more than 512 MiB of memory"},
		"time":               {time.Second, "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000)) AS n", "test/duckdb.sql: compiling takes more than 1s; DuckDB evaluates constant expressions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checker := newChecker(t, realWorker)
			checker.SetTimeout(test.timeout)
			_, err := checker.Check(t.Context(), savedQuery(test.sql))
			var mistakes sqlq.FileErrors
			require.ErrorAs(t, err, &mistakes)
			require.ErrorContains(t, err, test.want)
			checker.SetTimeout(time.Minute)
			_, err = checker.Check(t.Context(), savedQuery(small))
			require.NoError(t, err)
		})
	}
}

// The end of the context ends a check at once, although DuckDB would continue.
func TestCheckStopsWithItsContext(t *testing.T) {
	t.Parallel()
	checker := newChecker(t, realWorker)
	_, err := checker.Check(t.Context(), savedQuery("SELECT 1::BIGINT AS n"))
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	started := time.Now()
	_, err = checker.Check(ctx, savedQuery("SELECT levenshtein(repeat('a', 300000), repeat('b', 300000)) AS n"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, "stopped while checking the saved queries: context deadline exceeded")
	assert.Less(t, time.Since(started), time.Minute)
}

// A worker ends when its parent does, although DuckDB would continue.
func TestWorkerEndsWithItsParent(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), os.Args[0], realWorker)
	requests, err := command.StdinPipe()
	require.NoError(t, err)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	responses := json.NewDecoder(output)
	require.NoError(t, responses.Decode(new(any)))
	require.NoError(t, json.NewEncoder(requests).Encode(savedQuery("SELECT levenshtein(repeat('a', 300000), repeat('b', 300000)) AS n")))
	require.NoError(t, requests.Close())
	require.Error(t, responses.Decode(new(any)))
	require.NoError(t, command.Wait())
}

// Failures of the worker itself are distinguished from those that a saved query causes.
func TestWorkerFailure(t *testing.T) {
	t.Parallel()
	_, err := newChecker(t, brokenWorker).Check(t.Context(), savedQuery("SELECT 1 AS n"))
	require.EqualError(t, err, "start a process that checks the saved queries: EOF (exit status 2: no such command)")
	_, err = newChecker(t, crashedWorker).Check(t.Context(), savedQuery("SELECT 1 AS n"))
	var mistakes sqlq.FileErrors
	require.ErrorAs(t, err, &mistakes)
	require.EqualError(t, err, "test/duckdb.sql: compiling crashes DuckDB (exit status 2: panic: crashed)")
	missing := sqlcheck.New(func() *exec.Cmd { return exec.CommandContext(t.Context(), "/nosuch/savedq") })
	defer func() { assert.NoError(t, missing.Close()) }()
	_, err = missing.Check(t.Context(), savedQuery("SELECT 1 AS n"))
	require.ErrorContains(t, err, "start a process that checks the saved queries: ")
}
