package faults_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// run runs a statement, as Engine.Run does.
type run func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error)

// engine is an engine that works until a test sets a fault.
type engine struct {
	mutex sync.Mutex
	// fault replaces the work of the engine; nil while it works.
	fault run
	// runs counts all runs, running the current ones, and most is the highest number of
	// runs at a time.
	runs, running, most int
}

var _ sqlq.Engine = (*engine)(nil)

func (e *engine) Dialect() sqlq.Dialect { return duckdbsql.Dialect{} }

func (e *engine) Check(context.Context, *sqlq.SavedQuery) (*sqlq.Plan, error) {
	return &sqlq.Plan{}, nil
}

func (e *engine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	e.mutex.Lock()
	e.runs++
	e.running++
	e.most = max(e.most, e.running)
	do := e.fault
	e.mutex.Unlock()
	defer func() {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		e.running--
	}()
	if do == nil {
		do = work
	}
	return do(ctx, statement)
}

func (e *engine) spoil(fault run) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.fault = fault
}

// counts returns the number of runs, and the maximum of concurrent ones.
func (e *engine) counts() (runs, most int) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.runs, e.most
}

// work is a run without a fault: it takes ten milliseconds and returns one row.
func work(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	return after(10*time.Millisecond, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return rows(statement, 1, "text"), nil
	})(ctx, statement)
}

// after takes its time, unless the context ends.
func after(took time.Duration, then run) run {
	return func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(took):
			return then(ctx, statement)
		}
	}
}

// failing fails with the code of D15 that its driver would be given.
func failing(context.Context, sqlq.Statement) (*sqlq.Result, error) {
	return nil, sqlq.Errorf(sqlq.Unavailable, "the engine cannot be reached").WithCause(errors.New("connection refused"))
}

func broken(context.Context, sqlq.Statement) (*sqlq.Result, error) {
	return nil, errors.New("disk on fire")
}

// hanging hangs until its context ends.
func hanging(ctx context.Context, _ sqlq.Statement) (*sqlq.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// flapping is well for three seconds, and fails for three.
func flapping(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if time.Now().Unix()/3%2 == 0 {
		return work(ctx, statement)
	}
	return failing(ctx, statement)
}

func panicking(context.Context, sqlq.Statement) (*sqlq.Result, error) { panic("out of its mind") }

// nonsensical gives rows that lack a column.
func nonsensical(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	result := rows(statement, 3, "text")
	result.Rows[1] = result.Rows[1][1:]
	return result, nil
}

// rows are rows of the columns of a statement, with a text where there is one.
func rows(statement sqlq.Statement, count int, text string) *sqlq.Result {
	result := &sqlq.Result{Columns: statement.Query.Columns}
	for range count {
		row := make([]any, len(result.Columns))
		for i, column := range result.Columns {
			switch column.Type { //nolint:exhaustive // No shipped query has nested columns.
			case sqlq.String:
				row[i] = text
			case sqlq.Int64:
				row[i] = int64(7)
			case sqlq.Float64:
				row[i] = 1.5
			case sqlq.Bool:
				row[i] = true
			case sqlq.Timestamp, sqlq.Datetime, sqlq.Date:
				row[i] = statement.Now
			case sqlq.JSON:
				row[i] = json.RawMessage(`[{"text":"` + text + `"}]`)
			}
		}
		result.Rows = append(result.Rows, row)
	}
	return result
}
