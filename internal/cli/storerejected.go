package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
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

// storeRejectedCommand is "savedq store rejected".
type storeRejectedCommand struct {
	Source *string `placeholder:"NAME" help:"Only events that were sent to this source, by either of its names or as the sender named it. Default: all."`
	Since  *string `placeholder:"TIME" help:"Only events received at this time or later: a date, a time such as 2026-01-31T12:00:00Z, or one such as now-1d. Default: all."`
	Limit  int     `default:"1000" min:"0" placeholder:"N" help:"How many events to list, the newest; 0 is all. Default: ${default}."`
	Events bool    `help:"Print the events as they were sent, as NDJSON, to repair and send them again."`
	Format string  `enum:"${formats}" default:"${format}" placeholder:"FORMAT" unless:"events" help:"Output format: ${enum}. Default: ${default}."`
	maintenanceFlags
}

func (c *storeRejectedCommand) Validate() error {
	_, err := timeOf("--since", c.Since, parsingTime())
	return err
}

// Run lists rejected events.
func (c *storeRejectedCommand) Run(ctx context.Context, term *terminal) (err error) {
	filter := logstore.RejectedFilter{Most: c.Limit}
	if c.Source != nil {
		filter.Source = *c.Source
	}
	if filter.Since, err = timeOf("--since", c.Since, term.clock()); err != nil {
		return err
	}
	store, end, err := c.open(ctx, term)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if c.Events {
		return c.printEvents(ctx, store, filter, term)
	}
	result := &sqlq.Result{Columns: []sqlq.Column{
		{Name: "received", Type: sqlq.Timestamp},
		{Name: "source", Type: sqlq.String},
		{Name: "position", Type: sqlq.Int64},
		{Name: "reason", Type: sqlq.String},
		{Name: "event", Type: sqlq.String},
		{Name: "request_id", Type: sqlq.String},
	}}
	err = eachRejected(ctx, store, filter, term, func(event logevent.Rejected) error {
		result.Rows = append(result.Rows, []any{event.Received, event.Source, int64(event.Position), event.Reason, event.Event, event.RequestID})
		return nil
	})
	if err != nil {
		return err
	}
	return printResult(term.stdout, c.Format, "rejected", result)
}

// printEvents prints each event on a line. One that is not JSON has no place in NDJSON.
func (c *storeRejectedCommand) printEvents(ctx context.Context, store upkeep.Maintenance, filter logstore.RejectedFilter, term *terminal) error {
	skipped := int64(0)
	err := eachRejected(ctx, store, filter, term, func(event logevent.Rejected) error {
		var line bytes.Buffer
		if json.Compact(&line, []byte(event.Event)) != nil {
			skipped++
			return nil //nolint:nilerr // It is reported at the end.
		}
		_, err := fmt.Fprintln(term.stdout, line.String())
		return err
	})
	if err == nil && skipped > 0 {
		_, _ = fmt.Fprintf(term.stderr, "%s left out, because they are not JSON or were cut off; without --events they are listed.\n", countEvents(skipped))
	}
	return err
}
