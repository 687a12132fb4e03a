package logstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/sqlq/duckdb/handles"
)

// writesForLong reports whether a statement writes to the disk for long, so that
// [connection.execQuietly] should run it.
func writesForLong(query string) bool { return query == "COMMIT" || query == "CHECKPOINT" }

// execQuietly runs a statement that has no arguments and returns no rows. If a thread of DuckDB does the
// work, it sleeps meanwhile. The driver's ExecContext would busy-wait for that thread (ADR 039).
func (c *connection) execQuietly(ctx context.Context, query string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	handle, err := handles.Connection(c)
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
	switch kind, _, _ := strings.Cut(message, ": "); kind {
	case "FATAL Error":
		failure.Type = duckdb.ErrorTypeFatal
	case "TransactionContext Error":
		failure.Type = duckdb.ErrorTypeTransaction
	}
	return failure
}
