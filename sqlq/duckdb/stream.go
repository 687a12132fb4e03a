package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime/debug"

	capi "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/handles"
)

// stream runs a statement and passes its rows on while DuckDB computes them.
func (e *Engine) stream(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	return e.again(ctx, statement, (&stream{engine: e, result: &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}}}).once)
}

// stream is a run whose rows are passed on. It cannot run again once some are.
type stream struct {
	engine *Engine
	result *sqlq.Result
	// err is why the last attempt failed.
	err error
}

// once is a [runFunc].
func (s *stream) once(ctx context.Context, statement sqlq.Statement, files scans) (*sqlq.Result, error) {
	switch {
	case s.result.Streamed == 0:
	case s.err != nil:
		return nil, s.err
	default:
		return nil, sqlq.Rejectf(sqlq.Unavailable, filesPause, "the files changed while they were read; try again in a moment")
	}
	prepared := s.engine.statements.acquire(statement.Query)
	defer s.engine.statements.release(prepared)
	if s.err = s.engine.guard(ctx, statement.Query, prepared); s.err != nil {
		return nil, s.err
	}
	for _, text := range sqlTexts(statement.Query, statement.Args, files.bounded(statement.Query)) {
		capped := cappedSQL(statement, text, files)
		if s.err = s.reason(ctx, statement, capped, s.run(ctx, statement, capped)); !hasType(s.err, duckdb.ErrorTypeBinder) {
			break
		}
	}
	if failure := new(duckdb.Error); errors.As(s.err, &failure) {
		s.err = s.engine.runError(ctx, statement, files.explain(s.err))
	}
	if s.err != nil {
		return nil, s.err
	}
	return s.result, nil
}

// reason returns the error of a run. When a row fails while others are read, DuckDB 1.5.5 interrupts the threads of the
// statement, and the one that reads can see that before the error. The SQL then runs again without its rows, for its error.
func (s *stream) reason(ctx context.Context, statement sqlq.Statement, text string, err error) error {
	if !hasType(err, duckdb.ErrorTypeInterrupt) || ctx.Err() != nil {
		return err
	}
	if _, reason := s.engine.db.ExecContext(ctx, "EXPLAIN ANALYZE "+text, bindings(statement)...); reason != nil {
		return reason
	}
	return err
}

// run runs SQL on a connection of its own.
func (s *stream) run(ctx context.Context, statement sqlq.Statement, text string) (err error) {
	connection, err := s.engine.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, connection.Close()) }()
	// The end of the transaction is the end of what is left of the result.
	transaction, err := connection.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, transaction.Rollback()) }()
	return prepareOn(ctx, connection, text, func(raw any, prepared driver.Stmt) error {
		return s.read(ctx, raw, prepared, statement)
	})
}

// prepareOn prepares SQL on a connection of the driver, and passes both on.
func prepareOn(ctx context.Context, connection *sql.Conn, text string, use func(raw any, prepared driver.Stmt) error) error {
	return connection.Raw(func(raw any) (err error) {
		preparer, ok := raw.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("a connection of type %T prepares no statements", raw)
		}
		prepared, err := preparer.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, prepared.Close()) }()
		return use(raw, prepared)
	})
}

// read runs a prepared statement and passes its rows on.
func (s *stream) read(ctx context.Context, connection any, prepared driver.Stmt, statement sqlq.Statement) error {
	handle, err := handles.Connection(connection)
	if err != nil {
		return err
	}
	pointer, err := handles.Statement(prepared)
	if err != nil {
		return err
	}
	binder, ok := prepared.(interface {
		Bind(args []driver.NamedValue) error
	})
	if !ok {
		return fmt.Errorf("a statement of type %T has no arguments", prepared)
	}
	if err := binder.Bind(namedValues(bindings(statement))); err != nil {
		return err
	}
	var pending mapping.PendingResult
	defer mapping.DestroyPending(&pending)
	if capi.PendingPreparedStreaming(*pointer, &pending) == mapping.StateError {
		return &duckdb.Error{Type: duckdb.ErrorTypeInvalid, Msg: mapping.PendingError(pending)}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer handles.InterruptAfter(ctx, handle)()
	defer cancel()
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.ExecutePending(pending, &result) == mapping.StateError {
		return errors.Join(ctx.Err(), errorOf(&result))
	}
	return s.fetch(ctx, cancel, &result, statement)
}

// fetch passes the rows of a result on, on this goroutine. Another one collects the next rows meanwhile, until cancel.
func (s *stream) fetch(ctx context.Context, cancel func(), result *mapping.Result, statement sqlq.Statement) error {
	batches := newBatches(statement.Query)
	var failure error
	go func() {
		defer close(batches.full)
		defer func() {
			if reason := recover(); reason != nil { // the runner recovers panics of its own goroutine only
				failure = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
			}
		}()
		failure = batches.collect(ctx, result)
	}()
	defer func() {
		cancel()
		for range batches.full {
		}
	}()
	for batch := range batches.full {
		s.result.Streamed += batch.Len()
		if err := errors.Join(statement.Emit(batch), ctx.Err()); err != nil {
			return err
		}
		batch.Reset()
		batches.free <- batch
	}
	s.result.Truncated = batches.truncated
	return errors.Join(ctx.Err(), failure)
}

// errorOf returns the error of a result; nil if it has none.
func errorOf(result *mapping.Result) error {
	message := mapping.ResultError(result)
	if message == "" {
		return nil
	}
	return &duckdb.Error{Type: duckdb.ErrorType(mapping.ResultErrorType(result)), Msg: message}
}

// namedValues returns arguments as the driver takes them.
func namedValues(arguments []any) []driver.NamedValue {
	values := make([]driver.NamedValue, len(arguments))
	for i, argument := range arguments {
		named, _ := argument.(sql.NamedArg)
		values[i] = driver.NamedValue{Name: named.Name, Value: named.Value}
	}
	return values
}
