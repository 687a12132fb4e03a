package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"savedq/internal/logs/logstore"
)

const (
	// history is the period of demo logs: the longest interval of functions.invocation-stats.
	history = 7 * 24 * time.Hour
	// precision is the distance between two neighbouring timestamps of the store.
	precision = time.Microsecond
)

// Filling is the result of [Fill].
type Filling struct {
	// Events is the number of events that were written.
	Events int
	// The store holds demo logs up to and including Through. Live events follow it.
	Through time.Time
}

// Fill writes the week of demo logs before now into an empty store, in one transaction. In
// a store that already holds demo logs, it continues after the newest one, at most a week
// back. For a store with other logs it returns [logstore.ErrHoldsOtherLogs] and writes
// nothing. It calls begin before it writes the first log.
func Fill(ctx context.Context, store *logstore.Store, generator *Generator, now time.Time, begin func()) (Filling, error) {
	newest, found, err := store.Newest(ctx)
	if err != nil {
		return Filling{}, fmt.Errorf("find the newest demo log: %w", err)
	}
	now = now.UTC().Truncate(precision)
	from, through := missing(now, newest, found)
	transaction, err := store.Begin(ctx, logstore.Generated)
	if err != nil {
		return Filling{}, fmt.Errorf("begin writing demo logs: %w", err)
	}
	filling := Filling{Through: through}
	for source, event := range generator.all(from, now.Add(precision)) {
		if filling.Events == 0 {
			begin()
		}
		err = transaction.Add(ctx, source, event)
		if ctx.Err() != nil {
			err = ctx.Err() // DuckDB only says that something interrupted it.
		}
		if err != nil {
			err = errors.Join(err, transaction.Rollback()) //nolint:contextcheck // It works after the context has ended.
			return Filling{}, fmt.Errorf("write demo logs: %s: %w", source.Name, err)
		}
		filling.Events++
	}
	if err := transaction.Commit(ctx); err != nil {
		return Filling{}, fmt.Errorf("write demo logs: %w", err)
	}
	return filling, nil
}

// missing returns where the events begin that a store with the newest event lacks, and up to when it has all of
// them after these are added. An earlier Fill ended at the same time in all sources, so nothing is missing
// before the newest event.
func missing(now, newest time.Time, found bool) (from, through time.Time) {
	if !found {
		return beginning(now), now
	}
	return later(beginning(now), newest.Add(precision)), later(now, newest)
}

// beginning returns the start of demo logs that end now.
func beginning(now time.Time) time.Time {
	return now.Add(-history).Truncate(time.Minute)
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
