package ingest

import (
	"context"
	"fmt"
	"slices"

	"savedq/internal/logs/logstore"
)

// loadedBytes limits the events that wait in memory until they are stored: those of the next transaction. Further ones wait in
// the write-ahead log only, and are read from it when it is their turn.
const loadedBytes = applyBytes

// wait adds durable parts to those that wait to be stored. The mutex must be held.
func (w *Writer) wait(parts ...*part) {
	for _, added := range parts {
		if w.loaded+added.bytes > w.loadedBytes {
			added.unload()
		} else {
			w.loaded += added.bytes
		}
	}
	w.parts = append(w.parts, parts...)
}

// unload drops what the write-ahead log has, too.
func (p *part) unload() { p.unloaded, p.events, p.ids, p.rejected = true, nil, nil, nil }

// ingestion returns what one transaction stores. Parts that were unloaded are read from the write-ahead log again, and stay
// unloaded. It returns an error if the log has lost one: they are acknowledged, so none may be left out.
func (w *Writer) ingestion(ctx context.Context, parts []*part) (logstore.Ingestion, error) {
	isUnloaded := func(part *part) bool { return part.unloaded }
	first := slices.IndexFunc(parts, isUnloaded)
	if first < 0 {
		return ingestion(parts), nil
	}
	read := slices.Clone(parts)
	next := first
	err := w.log.ReadAgain(parts[first].sequence-1, parts[len(parts)-1].sequence, func(sequence uint64, content []byte) (err error) {
		for next < len(parts) && (parts[next].sequence < sequence || !parts[next].unloaded) {
			next++
		}
		if next == len(parts) || parts[next].sequence != sequence {
			return nil // it has all that is in it
		}
		if read[next], err = decodePart(sequence, content, w.config.Store.Tables()); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return logstore.Ingestion{}, err
	}
	if lost := slices.IndexFunc(read, isUnloaded); lost >= 0 {
		return logstore.Ingestion{}, fmt.Errorf("the write-ahead log has lost record %d", read[lost].sequence)
	}
	return ingestion(read), nil
}
