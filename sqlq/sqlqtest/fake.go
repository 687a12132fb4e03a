package sqlqtest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
)

var _ sqlq.Engine = (*FakeEngine)(nil)

// FakeEngine is an engine that calls functions, for tests. It is safe for concurrent
// use if its functions are, and must not be copied.
type FakeEngine struct {
	// Language is what Dialect returns; nil means DuckDB's.
	Language sqlq.Dialect
	// RunFunc implements Run. Without it, Run returns an error.
	RunFunc func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error)
	// CheckFunc implements Check. Without it, Check finds no mistake.
	CheckFunc func(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error)

	runs, checks atomic.Int64
}

// Dialect returns Language, or DuckDB's dialect.
func (e *FakeEngine) Dialect() sqlq.Dialect {
	if e.Language == nil {
		return duckdbsql.Dialect{}
	}
	return e.Language
}

// Check counts the call and calls CheckFunc.
func (e *FakeEngine) Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	e.checks.Add(1)
	if e.CheckFunc == nil {
		return &sqlq.Plan{}, nil
	}
	return e.CheckFunc(ctx, query)
}

// Run counts the call and calls RunFunc.
func (e *FakeEngine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	e.runs.Add(1)
	if e.RunFunc == nil {
		return nil, errors.New("the fake engine has no RunFunc")
	}
	return e.RunFunc(ctx, statement)
}

// Runs returns how often Run was called.
func (e *FakeEngine) Runs() int { return int(e.runs.Load()) }

// Checks returns how often Check was called.
func (e *FakeEngine) Checks() int { return int(e.checks.Load()) }

// ReferenceEngine returns a fake that runs queries on the logs with [Reference], so that
// tests get correct rows without a store.
func ReferenceEngine(logs Logs) *FakeEngine {
	return &FakeEngine{
		RunFunc: func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			expected, err := Reference(statement.Query, logs, argumentValues(statement.Args), statement.Now)
			if err != nil {
				return nil, err
			}
			return inRange(statement, &expected.Result), nil
		},
	}
}

// inRange returns the part of the rows of a series that the statement is to compute.
func inRange(statement sqlq.Statement, whole *sqlq.Result) *sqlq.Result {
	window, ok := statement.Query.Window(statement.Args)
	if !ok {
		return whole
	}
	part := *whole
	part.Rows = slices.DeleteFunc(slices.Clone(whole.Rows), func(row []any) bool {
		bucket := row[statement.Query.Series.Column].(time.Time) //nolint:forcetypeassert // The reference returns nothing else.
		return bucket.Before(window.Start(statement.Range.From)) || !bucket.Before(statement.Range.To)
	})
	return &part
}

// argumentValues returns the values of bound arguments by name.
func argumentValues(args []sqlq.Arg) map[string]any {
	values := make(map[string]any, len(args))
	for _, arg := range args {
		values[arg.Name] = arg.Value
	}
	return values
}

// catalogs are the shipped saved queries by dialect. Catalogs are immutable, and reading one
// takes longer than most tests.
var catalogs sync.Map //nolint:gochecknoglobals // Only tests use it, and what it holds never changes.

// Shipped returns the shipped saved queries in a dialect. All tests share them: one that changes a
// saved query must read a catalog of its own.
func Shipped(tb testing.TB, dialect sqlq.Dialect) *catalog.Catalog {
	tb.Helper()
	if known, ok := catalogs.Load(dialect); ok {
		return known.(*catalog.Catalog) //nolint:forcetypeassert // Nothing else is stored.
	}
	read, err := catalog.Read(dialect)
	require.NoError(tb, err)
	catalogs.Store(dialect, read)
	return read
}

// Config configures a runner for tests, with a cache of 64 MiB, no log and no randomness.
// Tests change the fields that they are about.
func Config(catalog *catalog.Catalog, engine sqlq.Engine, clock func() time.Time) runner.Config {
	return runner.Config{
		Catalog: catalog, Engine: engine, Clock: clock,
		Logger:            slog.New(slog.DiscardHandler),
		Random:            func() float64 { return 0.5 }, // no jitter
		QueryTimeout:      30 * time.Second,
		EngineConcurrency: 4,
		QueueTimeout:      10 * time.Second,
		CacheBytes:        64 << 20,
		StaleIfError:      time.Hour,
		WarmConcurrency:   2,
	}
}
