package logstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
)

// stepEvents and stepBytes limit the events that a transaction holds until it knows which ids the sources have.
const (
	stepEvents = 4 * chunkRows
	stepBytes  = 8 << 20
)

// Transaction adds events to the store, all or none, even if the process or the machine crashes. Nobody sees any of them
// before Commit. It is not safe for concurrent use. Callers must call Commit or Rollback; until then there is no other
// transaction, and nothing is ingested.
type Transaction struct {
	store  *Store
	origin Origin
	writer *partWriter
	// pending are events whose ids are not looked up yet, and bytes is about how much memory they take.
	pending []sourced
	bytes   int
	known   *knownIDs
	// accepted is when servers take the events to have arrived; the zero time means that they do not recognize their ids.
	accepted          time.Time
	ended             bool
	added, duplicates int
	mistyped          map[eventrow.MistypedField]int
	touched           touched
}

// Begin starts a transaction. It waits until the previous transaction or the context ends. For generated events it
// returns [ErrHoldsOtherLogs] if the store holds other logs.
func (s *Store) Begin(ctx context.Context, origin Origin) (_ *Transaction, err error) {
	if err := s.loading.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for the store's other writer: %w", err)
	}
	defer func() {
		if err != nil {
			s.loading.Release(1)
		}
	}()
	if origin == Generated && s.holdsOtherLogs() {
		return nil, ErrHoldsOtherLogs
	}
	t := &Transaction{store: s, origin: origin}
	if t.known, err = s.knownIDs(ctx); err != nil {
		return nil, err
	}
	err = repeated(func() error {
		t.writer, err = s.newPartWriter(ctx, 0)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, t.known.close())
	}
	t.writer.written = func(part *parts.Part, hashes []uint64) error { return t.known.addFile(s, part, hashes) }
	return t, nil
}

// Remember makes servers recognize the ids of the transaction's events as if the events had been sent to them at a time
// (D30). It must be called before the first event is added.
func (t *Transaction) Remember(accepted time.Time) { t.accepted = accepted }

// Add adds an event to its source, unless the source already holds an event with this id.
func (t *Transaction) Add(ctx context.Context, source *sqlq.Table, event logevent.Event) error {
	t.pending = append(t.pending, sourced{source, &event, t.accepted})
	t.bytes += event.MemoryBytes()
	if len(t.pending) < stepEvents && t.bytes < stepBytes {
		return nil
	}
	return t.writer.lossOf(t.flush(ctx))
}

// Counts returns the numbers of added events and of duplicates. It is final after Commit.
func (t *Transaction) Counts() (added, duplicates int) { return t.added, t.duplicates }

// Mistyped returns the mistyped fields of the added events, with the numbers of events that have them. It is final after
// Commit.
func (t *Transaction) Mistyped() map[eventrow.MistypedField]int { return t.mistyped }

// flush adds the pending events that are no duplicates.
func (t *Transaction) flush(ctx context.Context) error {
	fresh, hashes, err := t.known.remove(ctx, t, t.pending)
	if err != nil {
		return err
	}
	t.duplicates += len(t.pending) - len(fresh)
	t.added += len(fresh)
	for i := range fresh {
		t.touched.add(fresh[i].source, fresh[i].event.Timestamp)
	}
	err = t.writer.add(ctx, fresh, hashes)
	clear(t.pending)
	t.pending, t.bytes = t.pending[:0], 0
	return err
}

// Commit makes the added events durable and visible.
func (t *Transaction) Commit(ctx context.Context) error {
	err := t.flush(ctx)
	if err == nil {
		err = t.commit(ctx)
	}
	if err != nil {
		err = t.writer.lossOf(err)
		return errors.Join(fmt.Errorf("commit events: %w", err), t.Rollback()) //nolint:contextcheck // Rollback works after the context has ended.
	}
	return t.end(ctx, nil)
}

func (t *Transaction) commit(ctx context.Context) error {
	s := t.store
	t.mistyped = t.writer.mistyped()
	if t.added == 0 {
		return nil
	}
	if s.config.directory == "" {
		return t.show(ctx)
	}
	written, err := t.writer.finish(ctx)
	if err != nil {
		return err
	}
	s.changes.note(t.touched)
	defer s.changes.note(t.touched)
	return s.changeManifest(ctx, func(next *parts.Manifest) error {
		gone := t.writer.goneFields()
		for _, part := range written {
			part.Fields = without(part.Fields, gone)
			next.Parts = append(next.Parts, part)
		}
		next.HoldsOtherLogs = next.HoldsOtherLogs || t.origin == Sent
		return nil
	})
}

// show makes the events of a store in memory visible: the database becomes one of the store.
func (t *Transaction) show(ctx context.Context) error {
	s := t.store
	if err := s.appending.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for the store's other writer: %w", err)
	}
	defer s.appending.Release(1)
	s.changes.note(t.touched)
	defer s.changes.note(t.touched)
	loaded, gone := t.writer.filling, t.writer.goneFields()
	err := s.adopt(ctx, loaded, func() {
		loaded.fields = without(loaded.fields, gone)
		last := len(s.recent) - 1
		s.recent = append(append(s.recent[:last:last], loaded), s.recent[last])
		s.otherLogs = s.otherLogs || t.origin == Sent
	})
	if err != nil {
		return err
	}
	t.writer.filling = nil
	return s.publish(ctx)
}

// Rollback removes the added events. After Commit it does nothing.
func (t *Transaction) Rollback() error {
	if t.ended {
		return nil
	}
	return t.end(context.Background(), errNotCommitted)
}

// errNotCommitted is why the parts of a transaction are removed that are not in the manifest.
var errNotCommitted = errors.New("the transaction was not committed")

// end frees what the transaction holds, and lets the next one begin. It removes the parts if err is not nil.
func (t *Transaction) end(ctx context.Context, err error) error {
	t.ended = true
	defer t.store.loading.Release(1)
	return errors.Join(t.known.close(), t.writer.end(ctx, err))
}

// drop drops a schema in memory that no view reads.
func (s *Store) drop(ctx context.Context, table *recent, earlier error) error {
	if !s.isLost(table) {
		_, err := s.db.ExecContext(context.WithoutCancel(ctx), "DROP SCHEMA IF EXISTS "+table.place()+" CASCADE")
		earlier = errors.Join(earlier, err)
	}
	return earlier
}

// empty removes the events of a database in memory that no view reads.
func (s *Store) empty(ctx context.Context, table *recent) error {
	for _, name := range []string{eventsTable, recordsTable} {
		if _, err := s.db.ExecContext(ctx, "TRUNCATE "+table.place()+"."+name); err != nil {
			return err
		}
	}
	table.events, table.bytes, table.records, table.hashes = 0, 0, 0, nil
	return nil
}
