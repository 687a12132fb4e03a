package ingest

import (
	"context"
	"errors"
	"log/slog"
	"syscall"
	"time"

	"github.com/googleapis/gax-go/v2"

	"savedq/internal/logs/logstore"
)

const (
	// applyInterval is the time between two transactions, in which further parts can join the
	// next one. Under load each transaction takes longer than that.
	applyInterval = 100 * time.Millisecond
	// applyEvents and applyBytes limit the events of a transaction. One part may have more.
	applyEvents = 40_000
	applyBytes  = 16 << 20
	// retryInterval is the time between two attempts to store the same parts.
	retryInterval = time.Second
)

// applier stores what is committed.
type applier struct {
	*Writer
	// forgotten is the sequence number up to which the write-ahead log needs no more attempts to delete files.
	forgotten uint64
}

// applyParts stores committed parts, in order, until the context ends. Those of a crashed process
// are stored at once.
func (a *applier) applyParts(ctx context.Context) {
	pause := time.NewTicker(applyInterval)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		case <-a.replayed:
		}
		if parts := a.oldestParts(); len(parts) > 0 && !a.apply(ctx, parts) {
			return
		}
		a.maintain(ctx)
	}
}

// oldestParts returns the parts for the next transaction.
func (w *Writer) oldestParts() []*part {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return transactionOf(w.parts)
}

// transactionOf returns the first parts, as many as one transaction stores.
func transactionOf(parts []*part) []*part {
	count, events, bytes := 0, 0, int64(0)
	for _, part := range parts {
		events += part.count
		bytes += part.bytes
		if count > 0 && (events > applyEvents || bytes > applyBytes || part.generated != parts[0].generated) {
			break
		}
		count++
	}
	return parts[:count:count]
}

// apply adds parts to the store, or the first of them if the disk has no room for more. It tries again
// until that succeeds, and returns false if the context ends first.
func (a *applier) apply(ctx context.Context, parts []*part) bool {
	full := false
	for failures := 0; ; failures++ {
		stored, err := false, error(nil)
		if failures > 0 { // a commit can fail after its events are stored
			stored, err = a.isStored(ctx, parts)
		}
		if err == nil && !stored {
			if full {
				parts = parts[:(len(parts)+1)/2]
			}
			err = a.store(ctx, parts)
		}
		if err == nil {
			a.noteStored(ctx, parts, failures)
			return true
		}
		full = errors.Is(err, syscall.ENOSPC)
		if failures%int(time.Minute/retryInterval) == 0 && ctx.Err() == nil {
			a.config.Logger.ErrorContext(ctx, "committed events cannot be added to the store, trying again; they are safe in the write-ahead log", slog.Any("error", err))
		}
		a.noteTrouble(reasonOf(err))
		if gax.Sleep(ctx, retryInterval) != nil {
			return false
		}
	}
}

// store adds parts to the store.
func (a *applier) store(ctx context.Context, parts []*part) error {
	ingestion, err := a.ingestion(ctx, parts)
	if err != nil {
		return err
	}
	return a.config.Store.Ingest(ctx, ingestion)
}

// isStored reports whether parts that were stored together are in the store.
func (a *applier) isStored(ctx context.Context, parts []*part) (bool, error) {
	position, err := a.config.Store.IngestPosition(ctx)
	return position >= parts[len(parts)-1].sequence, err
}

// noteTrouble notes why parts cannot be stored now.
func (a *applier) noteTrouble(reason string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.trouble = reason
}

// noteStored notes that parts are stored.
func (a *applier) noteStored(ctx context.Context, parts []*part, failures int) {
	if failures > 0 {
		a.config.Logger.InfoContext(ctx, "committed events are added to the store again", slog.Int("failed_attempts", failures))
	}
	a.config.Observer.EventsStored(countEvents(parts), a.config.Clock().Sub(parts[0].accepted))
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.trouble = ""
	for _, part := range parts {
		for sender, bytes := range part.held {
			a.memory.Release(sender, bytes)
		}
		if !part.unloaded {
			a.loaded -= part.bytes
		}
	}
	a.parts = append([]*part(nil), a.parts[len(parts):]...)
	a.stored = parts[len(parts)-1].sequence
	close(a.storedChanged)
	a.storedChanged = make(chan struct{})
}

// ingestion returns what one transaction stores, of parts that are loaded.
func ingestion(parts []*part) logstore.Ingestion {
	stored := logstore.Ingestion{Generated: parts[0].generated, Position: parts[len(parts)-1].sequence}
	for _, part := range parts {
		stored.Rejected = append(stored.Rejected, part.rejected...)
	}
	stored.Events = func(yield func(logstore.Accepted) bool) {
		for _, part := range parts {
			for i := range part.events {
				event := &part.events[i]
				if !yield(logstore.Accepted{Source: event.Source, Event: &event.Event, ID: part.ids[i], At: part.accepted}) {
					return
				}
			}
		}
	}
	return stored
}

func countEvents(parts []*part) int {
	count := 0
	for _, part := range parts {
		count += part.count
	}
	return count
}

// maintain deletes what is no longer needed.
func (a *applier) maintain(ctx context.Context) {
	a.forgetRecords(ctx)
	if err := a.config.Store.TrimRejected(ctx); err != nil && ctx.Err() == nil {
		a.config.Logger.WarnContext(ctx, "old rejected events were not deleted", slog.Any("error", err))
	}
}

// forgetRecords deletes the files of the write-ahead log whose events are in parts of the store, once they are read.
func (a *applier) forgetRecords(ctx context.Context) {
	sealed := a.config.Store.SealedPosition()
	if a.forgotten == sealed {
		return
	}
	recovered := false
	select {
	case <-a.recovered:
		recovered = true
	default:
	}
	err := a.log.Forget(sealed)
	if err != nil {
		a.config.Logger.WarnContext(ctx, "the write-ahead log keeps files that are no longer needed", slog.Any("error", err))
	}
	if recovered || err != nil {
		a.forgotten = sealed
	}
}
