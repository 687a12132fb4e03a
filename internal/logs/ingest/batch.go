// Package ingest makes events durable while the store is served. One writer commits the
// events of concurrent requests together to a write-ahead log, and applies them to the store
// in the background.
package ingest

import (
	"context"
	"time"

	"savedq/internal/logs/logevent"
)

// Batch is what one request sends.
type Batch struct {
	// Received is when the request arrived.
	Received time.Time
	// RequestID is the request's id in the log of requests.
	RequestID string
	// Sender is whose share of the memory the events take until they are stored.
	Sender   string
	Events   []logevent.Sourced
	Rejected []logevent.Rejected
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
