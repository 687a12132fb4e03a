// Package ingest makes events durable while the store is served. One writer commits the
// events of concurrent requests together to a write-ahead log, and applies them to the store
// in the background.
package ingest

import (
	"context"
	"time"

	"savedq/internal/logs/logevent"
)

// Event is an event of a source.
type Event struct {
	Source logevent.Source
	logevent.Event
}

// RejectedEvent is an event that cannot be stored as an event. It is kept for repair and
// resending.
type RejectedEvent struct {
	// Source is the table of the source that the event was sent to, or what the sender
	// named instead of a source.
	Source string
	// Position is the event's place in its request, counted from 0.
	Position int
	// Reason is a sentence for the sender.
	Reason string
	// Raw is the event as it was sent, cut to [MaxRejectedBytes]. It may be no valid JSON.
	Raw string
}

// MaxRejectedBytes is the length to which rejected events are cut.
const MaxRejectedBytes = 64 << 10

// Batch is what one request sends.
type Batch struct {
	// Received is when the request arrived.
	Received time.Time
	// RequestID is the request's id in the log of requests.
	RequestID string
	// Sender is whose share of the memory the events take until they are stored.
	Sender   string
	Events   []Event
	Rejected []RejectedEvent
	// Generated is true if the events are demo logs, which are never added to a store with
	// other logs.
	Generated bool
}

// Counts is what became of a batch's events. Rejected events are not counted.
type Counts struct {
	Accepted int
	// Duplicates is the number of events whose id the source already has within the
	// deduplication window (D30), earlier events of the same batch included.
	Duplicates int
}

// Committer makes batches durable.
type Committer interface {
	// Commit returns once the batch is safe from a crash of the process and of the machine
	// (D30). The error is UNAVAILABLE, with a time to retry after, if the batch cannot be
	// stored now; none of it is stored then. If the context ends first, the batch may
	// nevertheless be stored. For demo logs the error is [logstore.ErrHoldsOtherLogs] if the
	// store has other logs.
	Commit(ctx context.Context, batch Batch) (Counts, error)
}
