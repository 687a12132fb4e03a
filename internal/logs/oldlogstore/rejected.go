package logstore

import (
	"context"
	"fmt"
	"time"

	"savedq/internal/logs/logevent"
)

const (
	// keptRejectedEvents and keptRejectedBytes limit the rejected events that the store keeps.
	// They are for repair, and a sender with a mistake can send any number. So many are a day
	// of one mistake a second, and take a page of disk space next to any real store.
	keptRejectedEvents = 100_000
	keptRejectedBytes  = 64 << 20
	// trimEvents and trimBytes limit what is added until the oldest ones are deleted.
	trimEvents = keptRejectedEvents / 10
	trimBytes  = keptRejectedBytes / 4
)

// rejectedGrowth is how much was added to the rejected events since they were last trimmed.
// Only the ingest writer uses it.
type rejectedGrowth struct {
	events, bytes int
	// trimmed is false until the first time, because the growth before it is not known.
	trimmed bool
}

// add counts added events.
func (g *rejectedGrowth) add(events []logevent.Rejected) {
	g.events += len(events)
	for i := range events {
		g.bytes += len(events[i].Event) + len(events[i].Reason)
	}
}

// isLarge reports whether the rejected events must be trimmed.
func (g *rejectedGrowth) isLarge() bool {
	return g.events > 0 && (!g.trimmed || g.events >= trimEvents || g.bytes >= trimBytes)
}

// TrimRejected deletes the oldest rejected events, down to 100,000 events and 64 MiB, if [Store.Ingest]
// has added many since the last time. It must not run at the same time as Ingest.
func (s *Store) TrimRejected(ctx context.Context) error {
	if !s.rejected.isLarge() {
		return nil
	}
	s.rejected = rejectedGrowth{trimmed: true}
	return s.deleteWhere(ctx, "rejected_events", `rowid IN (
		SELECT rowid FROM (
			SELECT rowid, row_number() OVER newest AS place, sum(strlen(event) + strlen(reason)) OVER newest AS bytes
			FROM rejected_events WINDOW newest AS (ORDER BY rowid DESC ROWS UNBOUNDED PRECEDING)
		) WHERE place > ? OR bytes > ?)`, s.limits.mostRejected, keptRejectedBytes)
}

// ForgetRejected deletes the rejected events that were received before a time.
func (s *Store) ForgetRejected(ctx context.Context, before time.Time) error {
	return s.deleteWhere(ctx, "rejected_events", "received < ?", before.UTC())
}

// RejectedFilter selects rejected events.
type RejectedFilter struct {
	// Source selects events that were sent to a source; empty means all.
	Source string
	// Since selects events that were received at a time or later.
	Since time.Time
	// Most limits their number to the newest ones; 0 means no limit.
	Most int
}

// Rejected calls each for rejected events, the oldest first.
func (s *Store) Rejected(ctx context.Context, filter RejectedFilter, each func(logevent.Rejected) error) error {
	condition, args := "received >= ?", []any{filter.Since.UTC()}
	if filter.Source != "" {
		condition, args = condition+" AND source = ?", append(args, filter.Source)
	}
	if filter.Most > 0 {
		condition += " AND rowid IN (SELECT rowid FROM rejected_events WHERE " + condition + " ORDER BY rowid DESC LIMIT ?)"
		args = append(append(args, args...), filter.Most)
	}
	query := "SELECT received, request_id, source, position, reason, event FROM rejected_events WHERE " + condition + " ORDER BY rowid"
	var event logevent.Rejected
	var passing error
	err := eachRow(ctx, s.db, query, args, []any{&event.Received, &event.RequestID, &event.Source, &event.Position, &event.Reason, &event.Event}, func() error {
		event.Received = event.Received.UTC()
		passing = each(event)
		return passing
	})
	if err != nil && passing == nil {
		return fmt.Errorf("read the rejected events: %w", err)
	}
	return err
}
