package demo_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

var (
	_ demo.Store[*logstore.Transaction] = (*logstore.Store)(nil)
	_ demo.Store[*fakeTransaction]      = (*fakeStore)(nil)
)

// fakeStore stores events in memory. Its functions can fail a step of a transaction.
type fakeStore struct {
	begin  func() error
	add    func(event stored) error
	commit func() error
	newest func() error
	// committed is called with the events of each transaction.
	committed func(events []stored)

	mutex   sync.Mutex
	events  []stored
	begun   int
	dropped int
}

type stored struct {
	table string
	event logevent.Event
}

type fakeTransaction struct {
	store  *fakeStore
	events []stored
}

func (s *fakeStore) Begin(_ context.Context, origin logstore.Origin) (*fakeTransaction, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.begun++
	if origin != logstore.Generated {
		return nil, errors.New("demo logs must be written as generated ones")
	}
	if err := call(s.begin); err != nil {
		return nil, err
	}
	return &fakeTransaction{store: s}, nil
}

func (s *fakeStore) Newest(context.Context) (time.Time, bool, error) {
	if err := call(s.newest); err != nil {
		return time.Time{}, false, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var newest time.Time
	for _, stored := range s.events {
		if stored.event.Timestamp.After(newest) {
			newest = stored.event.Timestamp
		}
	}
	return newest, len(s.events) > 0, nil
}

func (t *fakeTransaction) Add(_ context.Context, source *sqlq.Table, event logevent.Event) error {
	added := stored{table: source.Name, event: event}
	if t.store.add != nil {
		if err := t.store.add(added); err != nil {
			return err
		}
	}
	t.events = append(t.events, added)
	return nil
}

func (t *fakeTransaction) Commit(context.Context) error {
	if err := call(t.store.commit); err != nil {
		return err
	}
	if t.store.committed != nil {
		t.store.committed(t.events)
	}
	t.store.mutex.Lock()
	defer t.store.mutex.Unlock()
	t.store.events = append(t.store.events, t.events...)
	return nil
}

func (t *fakeTransaction) Rollback() error {
	t.store.mutex.Lock()
	defer t.store.mutex.Unlock()
	t.store.dropped++
	return nil
}

// Commit implements [ingest.Committer], in a transaction.
func (s *fakeStore) Commit(ctx context.Context, batch ingest.Batch) (ingest.Counts, error) {
	if !batch.Generated {
		return ingest.Counts{}, errors.New("demo logs must be committed as generated ones")
	}
	transaction, err := s.Begin(ctx, logstore.Generated)
	if err != nil {
		return ingest.Counts{}, err
	}
	for _, event := range batch.Events {
		if err := transaction.Add(ctx, event.Source, event.Event); err != nil {
			return ingest.Counts{}, errors.Join(err, transaction.Rollback())
		}
	}
	if err := transaction.Commit(ctx); err != nil {
		return ingest.Counts{}, errors.Join(err, transaction.Rollback())
	}
	return ingest.Counts{Accepted: len(batch.Events)}, nil
}

// attempts returns the number of calls of Begin.
func (s *fakeStore) attempts() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.begun
}

func call(step func() error) error {
	if step == nil {
		return nil
	}
	return step()
}

// assertHolds checks that the store contains each event of [from, to) once, and no others.
func (s *fakeStore) assertHolds(t *testing.T, generator *demo.Generator, from, to time.Time) {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, source := range tables.Shipped() {
		var ids []string
		for _, stored := range s.events {
			if stored.table == source.Name {
				ids = append(ids, stored.event.ID)
			}
		}
		var want []string
		for event := range generator.Events(source, from, to) {
			want = append(want, event.ID)
		}
		slices.Sort(ids)
		slices.Sort(want)
		if !slices.Equal(want, ids) {
			assert.Fail(t, "not the events of the time", "%s: %d events, want %d", source.Name, len(ids), len(want))
		}
	}
}
