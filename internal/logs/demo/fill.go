package demo

import (
	"context"
	"fmt"
	"time"
)

// history is the period of demo logs: the longest interval of functions.invocation-stats.
const history = 7 * 24 * time.Hour

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
// nothing.
func Fill[T Transaction](ctx context.Context, store Store[T], generator *Generator, now time.Time) (Filling, error) {
	newest, found, err := store.Newest(ctx)
	if err != nil {
		return Filling{}, fmt.Errorf("find the newest demo log: %w", err)
	}
	now = now.UTC().Truncate(precision)
	from, filling := beginning(now), Filling{Through: now}
	if found {
		// An earlier fill ended at the same time in all sources, so nothing is missing before
		// the newest event.
		from = later(from, newest.Add(precision))
		filling.Through = later(now, newest)
	}
	filling.Events, err = write(ctx, store, generator, from, now.Add(precision))
	if err != nil {
		return Filling{}, err
	}
	return filling, nil
}

// beginning returns the start of demo logs that end now.
func beginning(now time.Time) time.Time {
	return now.Add(-history).Truncate(time.Minute)
}
