package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"

	"savedq/sqlq"
)

// errTimeout is the reason of a run that took longer than the timeout.
var errTimeout = errors.New("the timeout of queries has passed")

// errStreamed means that a run failed whose caller has a part of the rows.
var errStreamed = errors.New("a part of the rows was passed on")

// Run runs a statement, and reads at most one row more than the result may have, which shows that a result is truncated
// (D24). Cancelling ctx, the timeout and [Engine.Close] close the connection, with which the server ends the query.
func (e *Engine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	within, end, err := e.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", statement.Query.Name, err)
	}
	defer end()
	bounded := within
	if statement.Emit == nil { // the caller of a stream decides how long it reads; the server ends the query in time
		var stop func()
		bounded, stop = withTimeout(within, e.config.Timeout+dialTimeout)
		defer stop()
	}
	result, err := e.runPatiently(bounded, statement)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil: // the caller ended the run; it did not fail
		return nil, fmt.Errorf("run %s: %w", statement.Query.Name, ctx.Err())
	case within.Err() != nil: // Close did
		return nil, fmt.Errorf("run %s: %w", statement.Query.Name, context.Cause(within))
	case bounded.Err() != nil:
		return nil, e.codedError(statement.Query, errors.Join(errTimeout, err))
	default:
		return nil, e.codedError(statement.Query, err)
	}
}

// withTimeout returns a context that is cancelled after a time. Like the context of [Engine.begin], it has no deadline.
func withTimeout(ctx context.Context, limit time.Duration) (context.Context, func()) {
	bounded, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(errTimeout) })
	return bounded, func() {
		timer.Stop()
		cancel(nil)
	}
}

// pauses are those between the attempts of a run while the server fails. Each attempt can connect to another address.
func pauses() []time.Duration {
	return []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, 1600 * time.Millisecond}
}

// runPatiently runs a statement, and repeats it while the server fails. Queries only read, so they can run again.
func (e *Engine) runPatiently(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	for _, duration := range pauses() {
		result, err := e.runOnce(ctx, statement)
		if err == nil || ctx.Err() != nil || !isTransient(err) || errors.Is(err, errStreamed) {
			return result, err
		}
		if pause(ctx, duration) != nil {
			return nil, err
		}
	}
	return e.runOnce(ctx, statement)
}

// pause waits. It returns an error if the context ends first.
func pause(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// runOnce runs a statement: on typed columns, if its tables have them and no other rows, or else on metadata.
func (e *Engine) runOnce(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	statement.Query = e.fixed(statement)
	typed := e.typed(statement.Query)
	if typed == nil {
		return e.runQuery(ctx, statement)
	}
	onTyped := statement
	onTyped.Query = typed
	result, err := e.runQuery(ctx, onTyped)
	if failed, ok := failureOf(err); ok && !errors.Is(err, errStreamed) && (isMistake(failed) || failed.code == accessDenied) {
		e.noteFailure(typed, failed)
		return e.runQuery(ctx, statement)
	}
	return result, err
}

// runQuery runs a statement as one query.
func (e *Engine) runQuery(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	settings := e.config.settings(statement.Query)
	if statement.Emit == nil {
		maps.Copy(settings, ofRows(statement.Query.MaxRows+1))
	}
	counting, counted := withReads(ctx)
	counting = clickhouse.Context(counting, clickhouse.WithSettings(settings), clickhouse.WithParameters(parameters(statement)))
	stream, err := e.client.QueryFormat(counting, rowFormat, e.mapped(statement.Query).Text)
	if err != nil {
		return nil, err
	}
	collected := newCollector(statement)
	err = collected.read(stream)
	if closed := stream.Close(); err == nil {
		err = closed
	}
	if err != nil {
		if collected.Streamed > 0 { // the rows cannot be taken back, so it must not run again
			err = errors.Join(errStreamed, err)
		}
		return nil, err
	}
	collected.BytesProcessed = counted.bytes
	return &collected.Result, nil
}

// collector makes a result of rows, or passes them on if the statement has Emit.
type collector struct {
	sqlq.Result
	statement sqlq.Statement
}

func newCollector(statement sqlq.Statement) *collector {
	return &collector{Result: sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}}, statement: statement}
}

// read reads the rows. Those beyond what the saved query may return show that the result is truncated (D24).
func (c *collector) read(stream io.Reader) error {
	rows, err := newRowReader(stream)
	if err != nil {
		return fmt.Errorf("read the columns: %w", unexpected(err))
	}
	if err := c.compare(rows); err != nil {
		return err
	}
	if c.statement.Emit != nil {
		return c.emit(rows)
	}
	for {
		row, err := rows.next(c.Columns)
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		case rows.size > c.statement.Query.ResultBytes():
			return sqlq.ResultTooLarge(c.statement.Query.ResultBytes())
		case len(c.Rows) == c.statement.Query.MaxRows:
			c.Truncated = true
			return nil
		}
		c.Rows = append(c.Rows, row)
	}
}

// compare compares the columns of the response with those that the saved query declares: a table can change while a server
// runs.
func (c *collector) compare(rows *rowReader) error {
	plan := rows.plan()
	if c.statement.Query.Callers != nil { // what the server knows better
		declared := c.Columns
		c.Columns = nil
		for i, column := range plan.Columns {
			c.Columns = append(c.Columns, Declare(column))
			if i < len(declared) && declared[i].Type == sqlq.Datetime && c.Columns[i].Type == sqlq.Timestamp { // how callers read a time
				c.Columns[i].Type = sqlq.Datetime
			}
		}
		return nil
	}
	if mistakes := plan.Compare(c.statement.Query, holds); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// batchRows is how many rows of a stream are passed on together, and batchBytes about how many bytes.
const (
	batchRows  = 2048
	batchBytes = 4 << 20
)

// emit passes the rows on.
func (c *collector) emit(rows *rowReader) error {
	batch := sqlq.NewBatch(c.Columns)
	flush := func() error {
		if batch.Len() == 0 {
			return nil
		}
		c.Streamed += batch.Len()
		err := c.statement.Emit(batch)
		batch.Reset()
		return err
	}
	for {
		row, err := rows.next(c.Columns)
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return flush()
		case err != nil:
			return err
		case c.Streamed+batch.Len() == c.statement.Query.MaxRows:
			c.Truncated = true
			return flush()
		}
		vectors, err := batch.Vectors()
		if err != nil {
			return err
		}
		for i := range vectors {
			if err := vectors[i].Append(row[i]); err != nil {
				return fmt.Errorf("column %s: %w", rows.names[i], err)
			}
		}
		if batch.Len() == batchRows || batch.Bytes() > batchBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}
