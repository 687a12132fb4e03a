package clickhousestore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/logs/clickhousestore"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// shippedTables reads the shipped tables once, because the tests need them for every event.
var shippedTables = sync.OnceValue(tables.Shipped) //nolint:gochecknoglobals // They do not change.

// errAway is the error of a ClickHouse that cannot be reached.
var errAway = errors.New("connection refused")

// warehouse is a ClickHouse in memory.
type warehouse struct {
	mutex sync.Mutex
	// ids are the ids of the rows of each insertion, by source and token.
	ids map[string][]string
	// inserted are the ids in the order of the insertions, and rows the last row of each.
	inserted []string
	rows     map[string]map[string]any
	sources  map[string]*sqlq.Table
	isAway   bool
	// fails decides whether an insertion fails: before or after the rows are there.
	fails func() (before, after bool)
}

func newWarehouse() *warehouse {
	return &warehouse{ids: make(map[string][]string), rows: make(map[string]map[string]any), sources: make(map[string]*sqlq.Table), fails: func() (before, after bool) { return false, false }}
}

// Insert implements [clickhousestore.Inserter].
func (w *warehouse) Insert(_ context.Context, insertion clickhousestore.Insertion) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	before, after := w.fails()
	if before {
		return errAway
	}
	var ids []string
	for row, err := range insertion.Rows {
		if err != nil {
			return err
		}
		id := fmt.Sprint(row[0])
		ids = append(ids, id)
		w.rows[id] = make(map[string]any)
		for i, value := range row {
			w.rows[id][clickhousestore.Columns(insertion.Source)[i]] = value
		}
		w.sources[id] = insertion.Source
	}
	key := insertion.Source.Name + " " + insertion.Token
	if earlier, found := w.ids[key]; !found {
		w.ids[key] = ids
		w.inserted = append(w.inserted, ids...)
	} else if !slices.Equal(earlier, ids) {
		return fmt.Errorf("the token %s had %v before, and now %v", key, earlier, ids)
	}
	if after {
		return errAway
	}
	return nil
}

// IDsSince implements [clickhousestore.Inserter].
func (w *warehouse) IDsSince(_ context.Context, source *sqlq.Table, since time.Time, each func(id string, accepted time.Time)) error {
	if w.isAway {
		return errAway
	}
	for id, row := range w.rows {
		if accepted, ok := row["accepted"].(time.Time); ok && w.sources[id] == source && !accepted.Before(since) {
			each(id, accepted)
		}
	}
	return nil
}

// walog is a write-ahead log in memory.
type walog []logstore.Accepted

// ingestion returns the events behind a position up to another one, of which each is one record.
func (l walog) ingestion(after, through uint64) logstore.Ingestion {
	return logstore.Ingestion{Events: slices.Values(l[after:through]), Position: through}
}

func (l walog) replay(_ context.Context, after, through uint64, each func(logstore.Ingestion) error) error {
	for position := after; position < through; position++ {
		if err := each(l.ingestion(position, position+1)); err != nil {
			return err
		}
	}
	return nil
}

// newLog returns a log with events of several sources.
func newLog(count int) walog {
	names := []string{"edge_logs", "function_logs", "postgres_logs"}
	var log walog
	for i := range count {
		source, _ := shippedTables().FindSource(names[i%len(names)])
		message := "hello"
		log = append(log, logstore.Accepted{
			Source: source, At: time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC),
			Event: &logevent.Event{ID: fmt.Sprint("event-", i), Timestamp: time.Date(2026, 1, 2, 3, 0, i, 5000, time.UTC), EventMessage: &message},
		})
	}
	return log
}

func open(t require.TestingT, directory string, log walog, w *warehouse) *clickhousestore.Store {
	store, err := clickhousestore.Open(clickhousestore.Config{Directory: directory, Inserter: w, Tables: shippedTables(), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	store.SetReplay(log.replay)
	return store
}

// Whatever fails, and whenever the process is killed, each event is added once.
func TestEachEventOnce(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		require.NoError(t, os.RemoveAll(filepath.Join(directory, clickhousestore.FileName)))
		log, w := newLog(rapid.IntRange(1, 40).Draw(t, "events")), newWarehouse()
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w.fails = func() (before, after bool) { return chance.IntN(4) == 0, chance.IntN(4) == 0 }
		for lives := rapid.IntRange(0, 6).Draw(t, "lives"); lives >= 0; lives-- {
			store := open(t, directory, log, w)
			isLast := lives == 0
			position, err := store.IngestPosition(t.Context())
			require.NoError(t, err)
			for position < uint64(len(log)) {
				through := position + 1 + uint64(chance.IntN(min(8, len(log)-int(position))))
				for err = errAway; err != nil && (isLast || chance.IntN(3) > 0); {
					err = store.Ingest(t.Context(), log.ingestion(position, through))
				}
				if err != nil { // it is killed
					break
				}
				require.Equal(t, through, store.SealedPosition())
				position = through
			}
			if isLast && store.SealedPosition() < uint64(len(log)) {
				w.fails = func() (before, after bool) { return false, false }
				store.Complete(t.Context())
				require.Equal(t, uint64(len(log)), store.SealedPosition())
			}
		}
		slices.Sort(w.inserted)
		want := make([]string, 0, len(log))
		for _, event := range log {
			want = append(want, event.Event.ID)
		}
		slices.Sort(want)
		require.Equal(t, want, w.inserted)
	})
}

// Batches of an earlier process are completed when ClickHouse is back, also without new events.
func TestComplete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		directory, log, w := t.TempDir(), newLog(5), newWarehouse()
		w.fails = func() (before, after bool) { return len(w.inserted) >= 2, true }
		require.ErrorIs(t, open(t, directory, log, w).Ingest(t.Context(), log.ingestion(0, 5)), errAway)

		store := open(t, directory, log, w)
		position, err := store.IngestPosition(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 5, position, "the store reads these events itself")
		assert.Zero(t, store.SealedPosition(), "the log must keep them")
		failures := 0
		w.fails = func() (before, after bool) { failures++; return failures < 3, false }
		store.Complete(t.Context())
		assert.EqualValues(t, 5, store.SealedPosition())
		assert.Len(t, w.inserted, 5)

		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		w.fails = func() (before, after bool) { return true, false }
		require.ErrorIs(t, open(t, t.TempDir(), log, w).Ingest(t.Context(), log.ingestion(0, 5)), errAway)
		open(t, directory, log, w).Complete(canceled)
	})
}

// A row has what the event has, and what its metadata says for the fields of the source.
func TestRows(t *testing.T) {
	t.Parallel()
	w := newWarehouse()
	source := &sqlq.Table{Name: "orders", Fields: []sqlq.Field{
		{Name: "amount", Type: sqlq.Numeric, Path: []string{"amount"}}, {Name: "day", Type: sqlq.Date, Path: []string{"day"}}, {Name: "country", Type: sqlq.String, Path: []string{"country"}},
	}}
	message, project := "GET | 404", "acme"
	event := &logevent.Event{
		ID: "a", Timestamp: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), EventMessage: &message, Project: &project,
		Metadata: []byte(`[{"amount":"12.50","day":"1969-12-31","country":"ü"}]`),
	}
	accepted := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	log := walog{{Source: source, Event: event, At: accepted}, {Source: source, Event: &logevent.Event{ID: "b", Timestamp: event.Timestamp}, At: accepted}}
	require.NoError(t, open(t, t.TempDir(), log, w).Ingest(t.Context(), log.ingestion(0, 2)))
	assert.Equal(t, map[string]any{
		"id": "a", "timestamp": event.Timestamp, "event_message": message, "project": project, "metadata": string(event.Metadata), "accepted": accepted,
		"amount": "12.5", "day": time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), "country": "ü",
	}, w.rows["a"])
	assert.Equal(t, map[string]any{
		"id": "b", "timestamp": event.Timestamp, "event_message": nil, "project": nil, "metadata": nil, "accepted": accepted,
		"amount": nil, "day": nil, "country": nil,
	}, w.rows["b"])
}

// The file that says what is in ClickHouse is never guessed at: the wrong one would lose or repeat events.
func TestWrongState(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		``:                                     "is damaged: EOF",
		`{"format":1,"id":"a","position":2,"s`: "is damaged: unexpected EOF",
		`{"format":2,"id":"a"}`:                "has the format 2, which a later savedq wrote",
		`{"format":1,"id":"a","position":3,"sending":2}`:  "is damaged",
		`{"format":1,"id":"","position":3,"sending":3}`:   "is damaged",
		`{"format":1,"id":"a","position":-1,"sending":3}`: "cannot unmarshal",
		`{"format":1,"id":"a","position":1,"sent":3}`:     "unknown field",
	} {
		directory := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(directory, clickhousestore.FileName), []byte(content), 0o600))
		_, err := clickhousestore.Open(clickhousestore.Config{Directory: directory})
		require.ErrorContains(t, err, want, content)
		require.ErrorContains(t, err, clickhousestore.FileName)
	}
	missing := filepath.Join(t.TempDir(), "missing", "data")
	_, err := clickhousestore.Open(clickhousestore.Config{Directory: missing})
	require.NoError(t, err)
	_, err = clickhousestore.Open(clickhousestore.Config{Directory: filepath.Join(missing, clickhousestore.FileName, "data")})
	require.ErrorContains(t, err, "read what is in ClickHouse")
}

// A store keeps its id, by which the write-ahead log knows it.
func TestID(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	first, err := open(t, directory, nil, newWarehouse()).ID(t.Context())
	require.NoError(t, err)
	second, err := open(t, directory, nil, newWarehouse()).ID(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first, second)
	other, err := open(t, t.TempDir(), nil, newWarehouse()).ID(t.Context())
	require.NoError(t, err)
	assert.NotEqual(t, first, other)
}

// The ids of recent events come from the tables.
func TestRecentIDs(t *testing.T) {
	t.Parallel()
	log := newLog(6)
	store := open(t, t.TempDir(), log, newWarehouse())
	require.NoError(t, store.Ingest(t.Context(), log.ingestion(0, 6)))
	var got, want []logstore.RecentID
	require.NoError(t, store.RecentIDs(t.Context(), log[4].At, func(id logstore.RecentID) { got = append(got, id) }))
	for _, event := range log[4:] {
		want = append(want, logstore.RecentID{Accepted: event.At, Fingerprint: logevent.FingerprintOf(event.Source, event.Event.ID)})
	}
	assert.ElementsMatch(t, want, got)

	away := newWarehouse()
	away.isAway = true
	err := open(t, t.TempDir(), log, away).RecentIDs(t.Context(), log[4].At, nil)
	require.ErrorIs(t, err, errAway)
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code, "a writer tries again")
}
