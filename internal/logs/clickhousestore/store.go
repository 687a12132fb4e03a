// Package clickhousestore adds the events that a server accepts to tables of ClickHouse, each exactly once. The
// write-ahead log of ingest has them until they are there. It knows no client of ClickHouse: see [Inserter].
package clickhousestore

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/googleapis/gax-go/v2"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// Inserter adds rows to tables of ClickHouse, and reads ids from them.
type Inserter interface {
	// Insert adds rows to the table of a log source: all of them or none. An insertion whose token an earlier one of the
	// table had adds nothing, because that one has the same rows. After an error it can have added them.
	Insert(ctx context.Context, insertion Insertion) error
	// IDsSince calls each for the id of each event of a log source that was accepted since a time, with when it was.
	IDsSince(ctx context.Context, source *sqlq.Table, since time.Time, each func(id string, accepted time.Time)) error
}

// Insertion is what [Inserter.Insert] adds to a table.
type Insertion struct {
	Source *sqlq.Table
	// Token tells ClickHouse that it has the rows already (insert_deduplication_token).
	Token string
	// Rows have a value for each of [Columns]: nil for NULL, or a string, a number, a bool or a time. A NUMERIC is a string. A
	// row is valid until the next one.
	Rows iter.Seq2[[]any, error]
}

// Config configures a [Store].
type Config struct {
	// Directory has the file that says what is in ClickHouse.
	Directory string
	Inserter  Inserter
	// Tables are the tables whose log sources the events are of.
	Tables sqlq.Tables
	Logger *slog.Logger
}

// Store is what an ingest writer adds its events to. Its methods are safe for concurrent use.
type Store struct {
	config Config
	// sending is held while events are sent.
	sending sync.Mutex

	mutex  sync.Mutex
	tables sqlq.Tables
	state  state
	// inherited is the position up to which an earlier process was sending, until that is complete; then 0.
	inherited uint64
	replay    logstore.Replay
}

// Open reads what is in ClickHouse, or begins with nothing.
func Open(config Config) (*Store, error) {
	read, err := readState(config.Directory)
	if err != nil {
		return nil, err
	}
	s := &Store{config: config, tables: config.Tables, state: read}
	if read.Sending > read.Position {
		s.inherited = read.Sending
	}
	return s, nil
}

// ID returns the id of the store, by which its write-ahead log is known.
func (s *Store) ID(context.Context) (string, error) { return s.state.ID, nil }

// Tables returns the tables whose log sources the store takes.
func (s *Store) Tables() sqlq.Tables {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tables
}

// Declare makes the store take the log sources of other tables.
func (s *Store) Declare(tables sqlq.Tables) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tables = tables
}

// IngestPosition returns the place in the write-ahead log behind everything that the writer need not add. What an earlier
// process was adding, the store reads itself, because it must be added in the same pieces.
func (s *Store) IngestPosition(context.Context) (uint64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return max(s.state.Position, s.inherited), nil
}

// SealedPosition returns the place in the write-ahead log up to which all events are in ClickHouse.
func (s *Store) SealedPosition() uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.state.Position
}

// SetReplay sets what reads the write-ahead log.
func (s *Store) SetReplay(replay logstore.Replay) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.replay = replay
}

// HoldsOtherLogs is true: demo logs are never added to ClickHouse.
func (*Store) HoldsOtherLogs(context.Context) (bool, error) { return true, nil }

// TrimRejected does nothing, because rejected events are not kept.
func (*Store) TrimRejected(context.Context) error { return nil }

// RecentIDs calls each for the events that were accepted since a time. Its error is UNAVAILABLE: a writer reads the ids again
// then.
func (s *Store) RecentIDs(ctx context.Context, since time.Time, each func(logstore.RecentID)) error {
	for _, source := range s.Tables().Sources() {
		err := s.config.Inserter.IDsSince(ctx, source, since, func(id string, accepted time.Time) {
			each(logstore.RecentID{Accepted: accepted, Fingerprint: logevent.FingerprintOf(source, id)})
		})
		if err != nil {
			return sqlq.Errorf(sqlq.Unavailable, "the ids of recent events of %s cannot be read", source.Name).WithCause(err)
		}
	}
	return nil
}

// retryInterval is the time between two attempts to complete what an earlier process was adding.
const retryInterval = time.Second

// Complete adds what an earlier process was adding, and tries again until that succeeds or the context ends.
func (s *Store) Complete(ctx context.Context) {
	for failures := 0; ; failures++ {
		s.sending.Lock()
		err := s.complete(ctx)
		s.sending.Unlock()
		if err == nil {
			return
		}
		if failures == 0 && ctx.Err() == nil {
			s.config.Logger.ErrorContext(ctx, "events of the last run cannot be added to ClickHouse, trying again; they are safe in the write-ahead log", slog.Any("error", err))
		}
		if gax.Sleep(ctx, retryInterval) != nil {
			return
		}
	}
}

// Ingest adds the events of an ingestion. After an error it can have added some; then the next call must be with the same
// ingestion.
func (s *Store) Ingest(ctx context.Context, ingestion logstore.Ingestion) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := s.complete(ctx); err != nil {
		return err
	}
	if ingestion.Position <= s.SealedPosition() {
		return nil
	}
	return s.send(ctx, ingestion.Position, slices.Collect(ingestion.Events))
}

// complete adds what an earlier process was adding. The lock sending must be held.
func (s *Store) complete(ctx context.Context) error {
	s.mutex.Lock()
	through, after, replay := s.inherited, s.state.Position, s.replay
	s.mutex.Unlock()
	if through == 0 {
		return nil
	}
	var events []logstore.Accepted
	err := replay(ctx, after, through, func(ingestion logstore.Ingestion) error {
		events = slices.AppendSeq(events, ingestion.Events)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the write-ahead log again: %w", err)
	}
	if err := s.send(ctx, through, events); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.inherited = 0
	return nil
}

// send adds all events behind the position up to another one. First it notes which these are: after a crash they are added
// in the same pieces with the same tokens, so that ClickHouse knows what it has.
func (s *Store) send(ctx context.Context, through uint64, events []logstore.Accepted) error {
	now := s.current()
	if now.Sending != through {
		now.Sending = through
		if err := s.note(now); err != nil {
			return err
		}
	}
	token := now.ID + "-" + strconv.FormatUint(now.Position, 10) + "-" + strconv.FormatUint(through, 10)
	of := make(map[string][]logstore.Accepted)
	for _, event := range events {
		of[event.Source.Name] = append(of[event.Source.Name], event)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		source := of[name][0].Source
		err := s.config.Inserter.Insert(ctx, Insertion{Source: source, Token: token, Rows: rowsOf(source, of[name])})
		if err != nil {
			return fmt.Errorf("add events to the table of %s: %w", name, err)
		}
	}
	now.Position = through
	return s.note(now)
}

func (s *Store) current() state {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.state
}

// note makes a state the one that the file has.
func (s *Store) note(next state) error {
	if err := next.write(s.config.Directory); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.state = next
	return nil
}
