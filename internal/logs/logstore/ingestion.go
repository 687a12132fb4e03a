package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// Origin is where events come from.
type Origin int

// Sent events are real logs. Generated events are demo logs, which are never added to a store with real logs.
const (
	Sent Origin = iota
	Generated
)

// Errors of a store.
var (
	// ErrHoldsOtherLogs is the error for demo logs in a store with real logs.
	ErrHoldsOtherLogs = errors.New("the store holds logs that are not demo logs")
	// ErrInUse is the error for a store that another process has open.
	ErrInUse = errors.New("the store is in use by another process")
)

// Ingestion is what the ingest writer stores at once, with the place in its write-ahead log up to which that is
// everything.
type Ingestion struct {
	// Events are stored as they are: the writer has dropped duplicates.
	Events iter.Seq[Accepted]
	// Generated is true if all events are demo logs.
	Generated bool
	Rejected  []logevent.Rejected
	Position  uint64
}

// Accepted is an event that was accepted.
type Accepted struct {
	Source *sqlq.Table
	Event  *logevent.Event
	// ID is the fingerprint of its id.
	ID logevent.Fingerprint
	// At is when it was accepted.
	At time.Time
}

// RecentID is a fingerprint of the source and the id of an event that was accepted recently.
type RecentID struct {
	Accepted time.Time
	logevent.Fingerprint
}

// mostWaiting is how many times the usual size the events in memory may have while they cannot be written to a part. Then
// no more are taken.
const mostWaiting = 8

// Ingest makes an ingestion visible: all of it or nothing. It is in memory then, and in a part some time later. A crash
// loses what is in no part, so the caller must have it until [Store.SealedPosition] has passed its position.
func (s *Store) Ingest(ctx context.Context, ingestion Ingestion) error {
	if err := s.waitForRoom(ctx); err != nil {
		return err
	}
	// A load must know all ids that are stored before it is committed, and of what it adds nobody knows before.
	if err := s.loading.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for the store's other writer: %w", err)
	}
	defer s.loading.Release(1)
	if err := s.appending.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for the store's other writer: %w", err)
	}
	defer s.appending.Release(1)
	if ingestion.Generated && s.holdsOtherLogs() {
		return ErrHoldsOtherLogs
	}
	if err := s.catchUp(ctx); err != nil { // nobody would see the events
		return err
	}
	table := s.last()
	var touched touched
	var added growth
	var hashes []uint64
	next, stop := iter.Pull(ingestion.Events)
	defer stop()
	err := s.onCurrent(ctx, func(conn *sql.Conn) error {
		err := inTransaction(ctx, conn, func() (err error) {
			added, err = table.append(ctx, conn, func() (sourced, bool) {
				event, ok := next()
				if !ok {
					return sourced{}, false
				}
				touched.add(event.Source, event.Event.Timestamp)
				hashes = append(hashes, event.ID.High)
				return sourced{event.Source, event.Event, event.At}, true
			})
			if err != nil {
				return err
			}
			if err := appendRejected(ctx, conn, ingestion); err != nil {
				return err
			}
			s.changes.note(touched) // before the commit, so that no reader takes its rows for unchanged
			return nil
		})
		if err != nil {
			return err
		}
		added.hashes = hashes
		s.mutex.Lock()
		defer s.mutex.Unlock()
		table.add(&added)
		if table.began.IsZero() {
			table.began = s.config.clock()
		}
		table.position, s.position = ingestion.Position, ingestion.Position
		s.otherLogs = s.otherLogs || added.events > 0 && !ingestion.Generated
		if len(ingestion.Rejected) > 0 {
			s.stateChanged.Store(true)
		}
		return nil
	})
	s.changes.note(touched)
	if err != nil {
		return fmt.Errorf("store events: %w", err)
	}
	s.rejected.add(ingestion.Rejected)
	if table.bytes < s.config.recentBytes || s.config.directory == "" {
		return nil
	}
	if err := s.startRecent(ctx); err != nil {
		s.config.logger.WarnContext(ctx, "recent events stay in one table", slog.Any("error", err))
		return nil // they are stored
	}
	s.sealSoon()
	return nil
}

// waitForRoom waits while earlier events fill the memory.
func (s *Store) waitForRoom(ctx context.Context) error {
	for {
		s.mutex.Lock()
		bytes := 0
		for _, table := range s.recent {
			bytes += table.bytes
		}
		sealed, waiting := s.sealed, len(s.recent)
		s.mutex.Unlock()
		failure := s.failing.Load()
		if s.config.directory == "" || waiting <= 2 && bytes <= 2*s.config.recentBytes+s.config.recentBytes/2 || failure != nil && bytes < mostWaiting*s.config.recentBytes {
			if failure != nil {
				s.sealSoon()
			}
			return nil
		}
		if failure != nil {
			s.sealSoon()
			return fmt.Errorf("the memory for events that are in no part is full: %w", *failure)
		}
		s.sealSoon()
		select {
		case <-sealed:
		case <-time.After(sealRetry): // a seal that ended just now has not seen all of them
		case <-ctx.Done():
			return fmt.Errorf("wait until earlier events are in a part: %w", context.Cause(ctx))
		}
	}
}

// IngestPosition returns the place in the write-ahead log of ingest up to which everything is in the store.
func (s *Store) IngestPosition(context.Context) (uint64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.position, nil
}

// SealedPosition returns the place in the write-ahead log of ingest up to which everything is in parts, so that a crash
// loses nothing of it.
func (s *Store) SealedPosition() uint64 { return s.current().Position }

// HoldsOtherLogs reports whether the store holds logs that are not demo logs.
func (s *Store) HoldsOtherLogs(context.Context) (bool, error) { return s.holdsOtherLogs(), nil }

func (s *Store) holdsOtherLogs() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.otherLogs || s.manifest.HoldsOtherLogs
}

// RecentBytes returns about how much memory the events take that are in no part yet.
func (s *Store) RecentBytes() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	total := 0
	for _, table := range s.recent {
		total += table.bytes
	}
	return int64(total)
}

// withoutLast returns the tables in memory to which no events are added any more.
func (s *Store) withoutLast() []*recent {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.recent[:len(s.recent)-1])
}
