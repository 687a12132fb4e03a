package logstore

import (
	"context"
	"errors"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/parts"
)

// partWriter makes parts of events that no view reads yet. It collects events in memory until there are enough for a part, and
// collects the next ones while that part is written. It is not safe for concurrent use. Callers must call end.
type partWriter struct {
	store *Store
	level int
	// filling gets the next events. full has the events of the part that is being written; it is nil if none is. spare is empty,
	// or nil.
	filling, full, spare *recent
	// result gets the outcome of writing full, which cancel ends early.
	result chan partResult
	cancel context.CancelFunc
	// parts are the parts that have been written.
	parts []parts.Part
	// written is called after a part was written, with the hashes of its ids as far as add got them. It may be nil.
	written func(part *parts.Part, hashes []uint64) error
}

// partResult is the outcome of writing a part, which is nil if there were no events.
type partResult struct {
	part *parts.Part
	err  error
}

func (s *Store) newPartWriter(ctx context.Context, level int) (*partWriter, error) {
	filling, err := s.newRecent(ctx, s.Tables(), nil)
	if err != nil {
		return nil, err
	}
	return &partWriter{store: s, level: level, filling: filling}, nil
}

// add adds events. hashes are the hashes of their ids; nil means that they are computed when the part is written.
func (w *partWriter) add(ctx context.Context, events []sourced, hashes []uint64) error {
	w.filling.hashes = append(w.filling.hashes, hashes...)
	if err := w.store.appendAll(ctx, w.filling, events); err != nil {
		return err
	}
	if w.filling.bytes < w.store.config.recentBytes || w.store.config.directory == "" {
		return nil
	}
	return w.flush(ctx)
}

// flush begins to write what is in memory to a part, once the part before it is written.
func (w *partWriter) flush(ctx context.Context) error {
	if err := w.wait(ctx); err != nil || w.filling.events == 0 {
		return err
	}
	next := w.spare
	if next == nil {
		var err error
		if next, err = w.store.newRecent(ctx, w.store.Tables(), nil); err != nil {
			return err
		}
	}
	w.full, w.filling, w.spare = w.filling, next, nil
	// The context of the caller can end before the part is awaited.
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w.result = make(chan partResult, 1)
	full, result := w.full, w.result
	from := writing{
		from: []branch{{place: full.place(), fields: full.fields}}, events: full.events, level: w.level, fields: full.fields, hashes: full.hashes,
	}
	go func() {
		part, err := w.store.writePart(ctx, from)
		result <- partResult{part, err}
	}()
	return nil
}

// wait waits until the part that is being written is written.
func (w *partWriter) wait(ctx context.Context) error {
	if w.full == nil {
		return nil
	}
	var done partResult
	select {
	case done = <-w.result:
	case <-ctx.Done():
		return ctx.Err()
	}
	w.cancel()
	hashes := w.full.hashes
	w.full, w.spare = nil, w.full
	if done.part != nil {
		w.parts = append(w.parts, *done.part)
		if w.written != nil {
			done.err = errors.Join(done.err, w.written(done.part, hashes))
		}
	}
	if done.err != nil {
		return done.err
	}
	return w.store.empty(ctx, w.spare)
}

// finish writes what is in memory, and returns the parts.
func (w *partWriter) finish(ctx context.Context) ([]parts.Part, error) {
	if err := w.flush(ctx); err != nil {
		return nil, err
	}
	if err := w.wait(ctx); err != nil {
		return nil, err
	}
	return w.parts, nil
}

// schemas returns the schemas in memory.
func (w *partWriter) schemas() []*recent {
	var schemas []*recent
	for _, schema := range []*recent{w.filling, w.full, w.spare} {
		if schema != nil {
			schemas = append(schemas, schema)
		}
	}
	return schemas
}

// mistyped returns the mistyped fields of the events, with the numbers of events that have them.
func (w *partWriter) mistyped() map[eventrow.MistypedField]int {
	counts := make(map[eventrow.MistypedField]int)
	for _, schema := range w.schemas() {
		for field, count := range schema.mistyped {
			counts[field] += count
		}
	}
	return counts
}

// goneFields returns the columns of sources of authors that have gone since the events were collected.
func (w *partWriter) goneFields() []string {
	var gone []string
	for _, schema := range w.schemas() {
		gone = append(gone, goneFields(schema.sources, w.store.Tables())...)
	}
	return gone
}

// lossOf returns an error of the writer, which is UNAVAILABLE if what is in memory is lost.
func (w *partWriter) lossOf(err error) error {
	for _, schema := range w.schemas() {
		err = w.store.lossOf(schema, err)
	}
	return err
}

// end stops the writing of a part, and frees the memory. It removes the parts if err is not nil and the manifest does not name them.
func (w *partWriter) end(ctx context.Context, err error) error {
	if w.full != nil {
		w.cancel()
		if done := <-w.result; done.part != nil {
			w.parts = append(w.parts, *done.part)
		}
	}
	failure := w.store.discard(err, w.parts)
	for _, schema := range w.schemas() {
		failure = w.store.drop(ctx, schema, failure)
	}
	return failure
}
