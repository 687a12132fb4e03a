package logstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"savedq/internal/logs/parts"
)

// sealSoon begins to write to parts what is in memory and gets no more events, in the background.
func (s *Store) sealSoon() {
	if !s.isSealing.CompareAndSwap(false, true) {
		return
	}
	s.sealing.Go(func() {
		defer s.wakeWaiting() // what waits found that this seals already
		defer s.isSealing.Store(false)
		err := s.sealAll(s.ending)
		if err != nil && s.ending.Err() == nil {
			if s.failing.Swap(&err) == nil {
				s.config.logger.ErrorContext(s.ending, "events cannot be written to a part, trying again; they are safe in the write-ahead log", slog.Any("error", err))
			}
			s.wakeWaiting()
			select { // the next attempt comes with the next events
			case <-time.After(sealRetry):
			case <-s.ending.Done():
			}
			return
		}
		if s.failing.Swap(nil) != nil {
			s.config.logger.InfoContext(s.ending, "events are written to parts again")
		}
	})
}

// sealRetry is the least time between two attempts to write a part.
const sealRetry = time.Second

// sealAll writes to parts what is in memory and gets no more events.
func (s *Store) sealAll(ctx context.Context) error {
	return holding(ctx, s.writing, func() error {
		for _, table := range s.withoutLast() {
			if err := repeated(func() error { return s.seal(ctx, table) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// seal writes a table in memory to a part. The caller holds writing.
func (s *Store) seal(ctx context.Context, table *recent) (err error) {
	var added []parts.Part
	defer func() { err = errors.Join(err, s.discard(err, added)) }()
	fields := s.fieldsIn(table)
	if table.events > 0 {
		part, err := s.writePart(ctx, writing{
			from: []branch{{place: table.place(), fields: fields}}, events: table.events, fields: fields, hashes: table.hashes,
		})
		if err != nil {
			return fmt.Errorf("write a part: %w", err)
		}
		if part != nil {
			added = append(added, *part)
		}
	}
	state, err := s.writeState(ctx, table.position)
	if err != nil {
		return err
	}
	old := uint64(0)
	err = s.changeManifest(ctx, func(next *parts.Manifest) error {
		now := s.fieldsIn(table)
		for i := range added { // a field can be dropped meanwhile
			added[i].Fields = without(added[i].Fields, without(fields, now))
		}
		next.Parts = append(next.Parts, added...)
		next.Position, next.HoldsOtherLogs = max(next.Position, table.position), s.holdsOtherLogs()
		if state != 0 {
			old, next.State = next.State, state
		}
		return nil
	}, table)
	if err != nil {
		if state != 0 {
			s.removeState(state)
			s.stateChanged.Store(true)
		}
		return err
	}
	if old != 0 {
		s.removeState(old)
	}
	s.wakeWaiting()
	return nil
}

// wakeWaiting makes [Store.waitForRoom] look again whether there is room.
func (s *Store) wakeWaiting() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	close(s.sealed)
	s.sealed = make(chan struct{})
}

// hideSince returns a part with what was hidden of its events while it was written: what they had before, and what they
// have now.
func hideSince(part parts.Part, before, now []parts.Selection) parts.Part {
	for _, selection := range now {
		if !slices.Contains(before, selection) {
			part = part.Hide(selection)
		}
	}
	return part
}

// Checkpoint writes everything that is in memory to parts, so that the write-ahead log of ingest need not have it any
// more.
func (s *Store) Checkpoint(ctx context.Context) (done bool, err error) {
	if s.config.directory == "" {
		return true, nil
	}
	if err := s.turnOver(ctx); err != nil {
		return false, err
	}
	return true, s.sealAll(ctx)
}

// turnOver begins a new table in memory, unless the last one is empty and nothing else is to be written.
func (s *Store) turnOver(ctx context.Context) error {
	if err := s.appending.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for the store's other writer: %w", err)
	}
	defer s.appending.Release(1)
	last := s.last()
	s.mutex.Lock()
	nothing := s.hasNothing(last)
	s.mutex.Unlock()
	if nothing {
		return nil
	}
	return s.startRecent(ctx)
}

// SealOlder writes what is in memory to parts if its oldest event or run arrived before a time.
func (s *Store) SealOlder(ctx context.Context, than time.Time) error {
	s.mutex.Lock()
	old := len(s.journal.changes) > 0 && s.journalBegan.Before(than)
	for _, table := range s.recent {
		old = old || !table.began.IsZero() && table.began.Before(than)
	}
	s.mutex.Unlock()
	if !old {
		return nil
	}
	_, err := s.Checkpoint(ctx)
	return err
}
