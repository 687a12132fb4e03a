package demo

import (
	"context"
	"fmt"
	"time"
)

// history is how far back demo logs reach: what the longest interval of
// functions.invocation-stats shows.
const history = 7 * 24 * time.Hour

// Filling says what [Fill] wrote.
type Filling struct {
	// Events is how many events were written.
	Events int
	// Through is the moment up to which, itself included, the store now holds
	// demo logs. Live events follow it.
	Through time.Time
}

// Fill writes the week of demo logs before now into an empty store, in one
// transaction. In a store that holds demo logs already it continues after the
// newest of them, at most a week back. A store that holds other logs is left
// alone: the error is [logstore.ErrHoldsOtherLogs] then.
func Fill[T Transaction](ctx context.Context, store Store[T], generator *Generator, now time.Time) (Filling, error) {
	newest, found, err := store.Newest(ctx)
	if err != nil {
		return Filling{}, fmt.Errorf("find the newest demo log: %w", err)
	}
	now = now.UTC().Truncate(precision)
	from, filling := beginning(now), Filling{Through: now}
	if found {
		// Whatever was written before ended at some moment in all sources
		// alike, so nothing is missing up to the newest event.
		from = later(from, newest.Add(precision))
		filling.Through = later(now, newest)
	}
	filling.Events, err = write(ctx, store, generator, from, now.Add(precision))
	if err != nil {
		return Filling{}, err
	}
	return filling, nil
}

// beginning returns where demo logs begin for one who looks at them now.
func beginning(now time.Time) time.Time {
	return now.Add(-history).Truncate(time.Minute)
}
