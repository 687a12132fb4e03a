package sqlqtest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
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
