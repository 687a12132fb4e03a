package runlog

import (
	"context"
	"database/sql/driver"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// fakeStore keeps runs in memory.
type fakeStore struct {
	mutex   sync.Mutex
	batches [][][]driver.Value
	err     error
}

func (s *fakeStore) AddRuns(_ context.Context, runs [][]driver.Value) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err != nil {
		return s.err
	}
	s.batches = append(s.batches, runs)
	return nil
}

func (s *fakeStore) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	count := 0
	for _, batch := range s.batches {
		count += len(batch)
	}
	return count
}

func newLog(store *fakeStore) *Log { return New(store, time.Now, slog.New(slog.DiscardHandler)) }

// query is a saved query with the usual parameters.
func query() *sqlq.SavedQuery {
	return &sqlq.SavedQuery{Name: "mine.orders", Params: []sqlq.Param{{Name: "project", Type: sqlq.String, Scope: sqlq.ScopeProject}, {Name: "n", Type: sqlq.Int64}}}
}

func response(project any) *runner.Response {
	of := query()
	args := []sqlq.Arg{{Name: "project", Value: project}, {Name: "n", Value: int64(1)}}
	return &runner.Response{
		Entry: &cache.Entry{Key: "id/hash/duckdb" + runner.KeyOfArgs(args), Query: of, Args: args, Bytes: 300, Result: &sqlq.Result{Rows: [][]any{{int64(1)}}}},
		Cache: runner.Hit,
	}
}

// Runs are written every few seconds, at once if many wait, and at the end.
func TestMaintain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		log := newLog(store)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { log.Maintain(ctx); close(ended) }()
		log.Hit(Caller{"rest", "t", ""}, log.Begin(), response("acme"))
		synctest.Wait()
		assert.Zero(t, store.count())
		time.Sleep(interval)
		synctest.Wait()
		assert.Equal(t, 1, store.count())
		for range mostWaiting/2 + 1 {
			log.Hit(Caller{}, log.Begin(), response("acme"))
		}
		synctest.Wait()
		assert.Equal(t, mostWaiting/2+2, store.count(), "half of the buffer is full")
		log.Hit(Caller{}, log.Begin(), response("acme"))
		stop()
		<-ended
		assert.Equal(t, mostWaiting/2+3, store.count())
		assert.Zero(t, log.Dropped())
	})
}

// A full buffer delays nobody: further runs are dropped and counted, as are those that the store does not take.
func TestDrops(t *testing.T) {
	t.Parallel()
	store := &fakeStore{}
	log := newLog(store)
	one := response("acme")
	for range mostWaiting + 5 {
		log.Hit(Caller{}, time.Time{}, one)
	}
	assert.Equal(t, int64(5), log.Dropped())
	log.Write(t.Context())
	assert.Equal(t, mostWaiting, store.count())
	store.err = errors.New("the disk is full")
	log.Hit(Caller{}, time.Time{}, one)
	log.Write(t.Context())
	assert.Equal(t, int64(6), log.Dropped())
	store.err = nil
	log.Write(t.Context())
	assert.Equal(t, mostWaiting, store.count(), "what was dropped does not come back")
	var none *Log
	none.Hit(Caller{}, none.Begin(), one)
	none.Refreshed(one.Entry, nil)
	assert.Zero(t, none.Dropped())
}

// A run has who requested it, of which project, and what came of it.
func TestRows(t *testing.T) {
	t.Parallel()
	store := &fakeStore{}
	began := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	log := New(store, func() time.Time { return began.Add(1500 * time.Microsecond) }, slog.New(slog.DiscardHandler))
	who := Caller{"graphql", "app", strings.Repeat("é", 200)}
	log.Hit(who, began, response("acme"))
	log.responded(who, began, runner.Request{Query: query(), Params: map[string][]string{"project": {"acme"}, "n": {"1"}}}, nil, 0, sqlq.Errorf(sqlq.Unavailable, "no"))
	log.responded(Caller{"rest", "t", ""}, began, runner.Request{Query: query(), Params: map[string][]string{"n": {"x"}}}, nil, 0, errors.New("boom"))
	refreshed := response("globex").Entry
	refreshed.AsOf, refreshed.ComputedAt = began, began.Add(2*time.Second)
	log.Refreshed(refreshed, nil)
	log.Refreshed(refreshed, sqlq.Errorf(sqlq.DeadlineExceeded, "late"))
	log.Write(t.Context())
	require.Len(t, store.batches, 1)
	rows := store.batches[0]
	same := rows[0][6]
	assert.Len(t, same, 16)
	subject := strings.Repeat("é", 128)
	assert.Equal(t, [][]driver.Value{
		{began, "mine.orders", "graphql", "app", subject, "acme", same, "HIT", int64(1), int64(300), 1.5, nil},
		{began, "mine.orders", "graphql", "app", subject, "acme", same, nil, int64(0), int64(0), 1.5, "UNAVAILABLE"},
		{began, "mine.orders", "rest", "t", nil, nil, nil, nil, int64(0), int64(0), 1.5, "INTERNAL"},
		{began, "mine.orders", "refresh", nil, nil, "globex", rows[3][6], "REFRESHED", int64(1), int64(300), 2000.0, nil},
		{began.Add(1500 * time.Microsecond), "mine.orders", "refresh", nil, nil, "globex", rows[3][6], nil, int64(0), int64(0), 0.0, "DEADLINE_EXCEEDED"},
	}, rows)
	assert.NotEqual(t, same, rows[3][6])
}

// queryRunner is a [runner.QueryRunner].
type queryRunner func(request runner.Request) (*runner.Response, error)

func (f queryRunner) Run(_ context.Context, request runner.Request) (*runner.Response, error) {
	return f(request)
}

// A stream that fails late has the rows that its caller received.
func TestRowsOfFailedStreams(t *testing.T) {
	t.Parallel()
	store := &fakeStore{}
	log, broken := newLog(store), errors.New("broken pipe")
	rows := sqlq.BatchOf([]sqlq.Column{{Name: "n", Type: sqlq.Int64}}, [][]any{{int64(1)}, {int64(2)}})
	received := 0
	for range 2 { // the engine fails, and the caller
		_, err := log.Run(t.Context(), Caller{}, queryRunner(func(request runner.Request) (*runner.Response, error) {
			for range 3 {
				if err := request.Emit(rows); err != nil {
					return nil, err
				}
			}
			return nil, sqlq.Errorf(sqlq.DeadlineExceeded, "late")
		}), runner.Request{Query: query(), Emit: func(*sqlq.Batch) error {
			if received++; received == 5 {
				return broken
			}
			return nil
		}})
		require.Error(t, err)
	}
	log.Write(t.Context())
	assert.Equal(t, int64(6), store.batches[0][0][8])
	assert.Equal(t, int64(2), store.batches[0][1][8])
}

// A run belongs to a project only if it read that one alone.
func TestProjectOf(t *testing.T) {
	t.Parallel()
	params := []sqlq.Param{{Name: "a", Scope: sqlq.ScopeProject}, {Name: "b", Scope: sqlq.ScopeProject}, {Name: "project"}}
	for name, test := range map[string]struct {
		values []any
		want   string
	}{
		"one":             {[]any{"acme", nil, "x"}, "acme"},
		"the same twice":  {[]any{"acme", []any{"acme"}, nil}, "acme"},
		"a list of one":   {[]any{[]any{"acme"}, nil, nil}, "acme"},
		"two":             {[]any{"acme", "globex", nil}, ""},
		"a list of two":   {[]any{[]any{"acme", "globex"}, nil, nil}, ""},
		"an empty list":   {[]any{"acme", []any{}, nil}, ""},
		"none":            {[]any{nil, nil, nil}, ""},
		"no scope":        {[]any{nil, nil, "acme"}, ""},
		"not of the type": {[]any{int64(1), nil, nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := make([]sqlq.Arg, len(params))
			for i := range params {
				args[i] = sqlq.Arg{Name: params[i].Name, Value: test.values[i]}
			}
			assert.Equal(t, test.want, projectOf(args, params))
		})
	}
}

// Long arguments do not wait in memory.
func TestLongArguments(t *testing.T) {
	t.Parallel()
	store := &fakeStore{}
	log := newLog(store)
	log.Hit(Caller{}, time.Time{}, response(strings.Repeat("x", mostArgumentBytes)))
	assert.Less(t, len(log.waiting[0].arguments), 20)
	waiting := log.waiting[0].arguments
	log.Write(t.Context())
	assert.Equal(t, waiting, store.batches[0][0][6])
}

// The cost of noting a run in a request.
func BenchmarkHit(b *testing.B) {
	log, one, who := newLog(&fakeStore{}), response("acme"), Caller{"rest", "t", ""}
	b.ReportAllocs()
	for b.Loop() {
		log.Hit(who, log.Begin(), one)
		if len(log.waiting) == mostWaiting {
			log.waiting = log.waiting[:0]
		}
	}
}
