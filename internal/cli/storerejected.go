package cli

import (
	"context"
	"fmt"
	"math"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
)

// eachRejected calls each for the rejected events that a filter selects, the oldest first. It
// prints a note if the limit of the filter leaves out older ones.
func eachRejected(ctx context.Context, store upkeep.Maintenance, filter logstore.RejectedFilter, term *terminal, each func(logevent.Rejected) error) error {
	most := filter.Most
	if most == 0 || most == math.MaxInt {
		return store.Rejected(ctx, filter, each)
	}
	filter.Most++ // one more shows whether there are older ones
	var events []logevent.Rejected
	err := store.Rejected(ctx, filter, func(event logevent.Rejected) error {
		events = append(events, event)
		return nil
	})
	if err != nil {
		return err
	}
	if len(events) > most {
		events = events[len(events)-most:]
		_, _ = fmt.Fprintln(term.stderr, "Older events are left out; use --limit 0 for all.")
	}
	for i := range events {
		if err := each(events[i]); err != nil {
			return err
		}
	}
	return nil
}
