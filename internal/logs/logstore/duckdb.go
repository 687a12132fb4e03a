package logstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/sqlq/duckdb/handles"
)

const (
	// maxIdleConnections is the number of connections that stay open between runs, with their prepared statements. Few
	// servers run more queries at a time.
	maxIdleConnections = 64
	// maxDefaultSpill is the default spill limit on a disk with at least twice as much free space.
	maxDefaultSpill = 10 << 30
)

// openDuckDB opens an instance of DuckDB that is not replaced when it becomes invalid.
func (c *config) openDuckDB(ctx context.Context) (*instance, *sql.DB, error) {
	only, err := c.newInstance(ctx)
	if err != nil {
		return nil, nil, err
	}
	_, db := openPool(only, c)
	return only, db, nil
}

// onConnection runs work on a connection. The error is UNAVAILABLE if its instance refuses to work.
func (s *Store) onConnection(ctx context.Context, work func(conn *sql.Conn) error) error {
	return onConnection(ctx, s.db, func(conn *sql.Conn, _ *instance) error { return work(conn) })
}

// onConnection runs work on a connection of a pool, with its instance. The error is UNAVAILABLE if the instance refuses to
// work.
func onConnection(ctx context.Context, db *sql.DB, work func(conn *sql.Conn, on *instance) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	used, err := connectionOf(conn)
	if err != nil {
		return err
	}
	if err = work(conn, used.instance); err == nil || isUnavailable(err) {
		return err
	}
	if err = used.check(ctx, err); !used.IsValid() {
		return unavailable(err)
	}
	return err
}

// onCurrent runs work on a connection of the instance that has what the store has, and that stays meanwhile. So what
// work changes in DuckDB and in the store belongs together. It must not need another connection.
func (s *Store) onCurrent(ctx context.Context, work func(conn *sql.Conn) error) error {
	return onConnection(ctx, s.db, func(conn *sql.Conn, on *instance) error {
		s.replacing.RLock()
		defer s.replacing.RUnlock()
		if on != s.using {
			return unavailable(errReopening)
		}
		return work(conn)
	})
}

// repeated runs work, and a second time if the instance of DuckDB became invalid. The second run must not build on the first.
func repeated(work func() error) error {
	err := work()
	if isUnavailable(err) {
		return work()
	}
	return err
}

// execQuietly runs a statement that has no arguments and writes for long. A thread of DuckDB does the work, and this one
// sleeps meanwhile: the driver's ExecContext would busy-wait (ADR 039).
func execQuietly(ctx context.Context, conn *sql.Conn, query string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return conn.Raw(func(raw any) error {
		handle, err := handles.Connection(raw)
		if err != nil {
			return err
		}
		var prepared mapping.PreparedStatement
		defer mapping.DestroyPrepare(&prepared)
		if mapping.Prepare(handle, query, &prepared) == mapping.StateError {
			return failureOf(mapping.PrepareError(prepared))
		}
		var pending mapping.PendingResult
		defer mapping.DestroyPending(&pending)
		if mapping.PendingPrepared(prepared, &pending) == mapping.StateError {
			return failureOf(mapping.PendingError(pending))
		}
		defer handles.InterruptAfter(ctx, handle)()
		if err := waitUntilDone(pending); err != nil {
			return errors.Join(ctx.Err(), err)
		}
		return nil
	})
}

// waitUntilDone runs what this thread can do of a statement, and sleeps while others do the rest.
func waitUntilDone(pending mapping.PendingResult) error {
	const shortest, longest = 50 * time.Microsecond, time.Millisecond
	for pause := shortest; ; pause = min(2*pause, longest) {
		switch mapping.PendingExecuteTask(pending) {
		case mapping.PendingStateResultReady:
			var result mapping.Result
			defer mapping.DestroyResult(&result)
			if mapping.ExecutePending(pending, &result) == mapping.StateError {
				return failureOf(mapping.ResultError(&result))
			}
			return nil
		case mapping.PendingStateError:
			return failureOf(mapping.PendingError(pending))
		}
		time.Sleep(pause)
	}
}

// failureOf returns an error with a message of DuckDB, and with its type if the store needs that.
func failureOf(message string) *duckdb.Error {
	failure := &duckdb.Error{Type: duckdb.ErrorTypeInvalid, Msg: message}
	for prefix, kind := range map[string]duckdb.ErrorType{"FATAL Error: ": duckdb.ErrorTypeFatal, "Out of Memory Error: ": duckdb.ErrorTypeOutOfMemory} {
		if strings.HasPrefix(message, prefix) {
			failure.Type = kind
		}
	}
	return failure
}

// inTransaction runs work within a transaction of the connection, and commits it unless work fails.
func inTransaction(ctx context.Context, conn *sql.Conn, work func() error) error {
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	err := work()
	if err == nil {
		err = execQuietly(ctx, conn, "COMMIT")
	}
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // DuckDB rolls back itself when a commit fails
	}
	return err
}
