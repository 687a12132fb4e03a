package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// Store is the part of the embedded store that this package uses. T is the type of its
// transactions: [*logstore.Store] is a Store[*logstore.Transaction].
type Store[T Transaction] interface {
	// Begin starts a transaction. For generated logs it returns [logstore.ErrHoldsOtherLogs]
	// if the store holds other logs.
	Begin(ctx context.Context, origin logstore.Origin) (T, error)
	// Newest returns the time of the newest log, and false if the store is empty.
	Newest(ctx context.Context) (time.Time, bool, error)
}

// Transaction is the part of a store's transaction that this package uses. Callers must
// call Rollback if they do not commit or if Commit fails.
type Transaction interface {
	Add(ctx context.Context, source *sqlq.Table, event logevent.Event) error
	Commit(ctx context.Context) error
	Rollback() error
}

// precision is the distance between two neighbouring timestamps of the store.
const precision = time.Microsecond

// write adds the events of all sources in [from, to) in one transaction, and returns their
// number. If it fails, nothing is written.
func write[T Transaction](ctx context.Context, store Store[T], generator *Generator, from, to time.Time) (written int, err error) {
	transaction, err := store.Begin(ctx, logstore.Generated)
	if err != nil {
		return 0, fmt.Errorf("begin writing demo logs: %w", err)
	}
	for source, event := range generator.all(from, to) {
		if err = ctx.Err(); err == nil {
			err = transaction.Add(ctx, source, event)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", source.Name, err)
			break
		}
		written++
	}
	if err == nil {
		err = transaction.Commit(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("write demo logs: %w", errors.Join(err, transaction.Rollback()))
	}
	return written, nil
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
