package load_test

import (
	"context"
	"maps"

	"savedq/internal/logs/load"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// fakeStore stores events in memory.
type fakeStore struct {
	events   map[string]logevent.Event // by table and id
	begun    int
	rollback int
	// onBegin, onAdd and onCommit are called before the operation. Their errors make it
	// fail.
	onBegin  func() error
	onAdd    func(event logevent.Event) error
	onCommit func() error
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		events:   make(map[string]logevent.Event),
		onBegin:  func() error { return nil },
		onAdd:    func(logevent.Event) error { return nil },
		onCommit: func() error { return nil },
	}
}

func (s *fakeStore) begin(context.Context) (load.Transaction, error) {
	s.begun++
	if err := s.onBegin(); err != nil {
		return nil, err
	}
	return &fakeTransaction{store: s, pending: make(map[string]logevent.Event), mistyped: make(map[logstore.MistypedField]int)}, nil
}

type fakeTransaction struct {
	store      *fakeStore
	pending    map[string]logevent.Event
	duplicates int
	mistyped   map[logstore.MistypedField]int
}

func (t *fakeTransaction) Add(ctx context.Context, source *sqlq.Table, event logevent.Event) error {
	if err := t.store.onAdd(event); err != nil {
		return err
	}
	key := source.Name + " " + event.ID
	_, stored := t.store.events[key]
	if _, pending := t.pending[key]; stored || pending {
		t.duplicates++
		return ctx.Err()
	}
	t.pending[key] = event
	for _, field := range logstore.NewTypeCheck(source).Mistyped(&event) {
		t.mistyped[field]++
	}
	return ctx.Err()
}

func (t *fakeTransaction) Counts() (added, duplicates int) { return len(t.pending), t.duplicates }

func (t *fakeTransaction) Mistyped() map[logstore.MistypedField]int { return t.mistyped }

func (t *fakeTransaction) Commit(ctx context.Context) error {
	if err := t.store.onCommit(); err != nil {
		return err
	}
	maps.Copy(t.store.events, t.pending)
	return ctx.Err()
}

func (t *fakeTransaction) Rollback() error {
	t.store.rollback++
	return nil
}
