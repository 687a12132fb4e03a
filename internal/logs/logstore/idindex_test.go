package logstore_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// idStore is a store of one source, with the ids that it should have.
type idStore struct {
	directory string
	store     *logstore.Store
	source    *sqlq.Table
	random    *rand.Rand
	want      map[string]time.Time
}

// A source has each id once, whatever happened between the loads: events of a server, deletions,
// clustering, loads that were undone, and files of ids that are missing, damaged or of another
// time.
func TestIndexOfIDsKnowsAllRows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			s := &idStore{directory: t.TempDir(), source: source(t, "edge_logs"), random: rand.New(rand.NewPCG(seed, 0)), want: make(map[string]time.Time)}
			s.open(t)
			for range 20 {
				switch s.random.IntN(9) {
				case 0:
					s.ingest(t)
				case 1:
					s.delete(t)
				case 2:
					cluster(t, s.store)
				case 3:
					s.undo(t)
				case 4:
					require.NoError(t, s.store.Close())
					s.open(t)
				case 5:
					s.damage(t)
				default:
					s.load(t)
				}
				s.check(t)
			}
			require.NoError(t, s.store.Close())
		})
	}
}

func (s *idStore) open(t *testing.T) {
	t.Helper()
	var err error
	s.store, err = logstore.Open(t.Context(), s.directory, "", logstore.WithFlushBytes(16_000), logstore.WithManyRows(300))
	require.NoError(t, err)
}

// event returns an event of the three days before the first open one, of one of two projects.
func (s *idStore) event(id string) logevent.Event {
	const span = 72 * time.Hour
	message := "message"
	return logevent.Event{
		ID: id, Timestamp: openDay.Add(-time.Duration(s.random.Int64N(int64(span)))).Truncate(time.Microsecond),
		EventMessage: &message, Project: new(fmt.Sprintf("project%d", s.random.IntN(2))),
	}
}

func (s *idStore) load(t *testing.T) {
	t.Helper()
	transaction, err := s.store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	added, duplicates := 0, 0
	for range s.random.IntN(1000) {
		event := s.event(strconv.Itoa(s.random.IntN(10_000)))
		require.NoError(t, transaction.Add(t.Context(), s.source, event))
		if _, stored := s.want[event.ID]; stored {
			duplicates++
			continue
		}
		s.want[event.ID] = event.Timestamp
		added++
	}
	require.NoError(t, transaction.Commit(t.Context()))
	gotAdded, gotDuplicates := transaction.Counts()
	require.Equal(t, []int{added, duplicates}, []int{gotAdded, gotDuplicates})
}

// undo begins a load and rolls it back.
func (s *idStore) undo(t *testing.T) {
	t.Helper()
	transaction, err := s.store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for range s.random.IntN(1000) {
		require.NoError(t, transaction.Add(t.Context(), s.source, s.event(strconv.Itoa(s.random.IntN(10_000)))))
	}
	require.NoError(t, transaction.Rollback())
}

// ingest adds events as a server does.
func (s *idStore) ingest(t *testing.T) {
	t.Helper()
	var events iter.Seq2[*sqlq.Table, logevent.Event] = func(yield func(*sqlq.Table, logevent.Event) bool) {
		for range 200 {
			event := s.event(strconv.Itoa(s.random.IntN(10_000)))
			if _, stored := s.want[event.ID]; stored {
				continue
			}
			s.want[event.ID] = event.Timestamp
			if !yield(s.source, event) {
				return
			}
		}
	}
	require.NoError(t, s.store.Ingest(t.Context(), logstore.Ingestion{Events: events}))
}

// delete deletes the oldest events.
func (s *idStore) delete(t *testing.T) {
	t.Helper()
	times := make([]time.Time, 0, len(s.want))
	for _, moment := range s.want {
		times = append(times, moment)
	}
	if len(times) == 0 {
		return
	}
	slices.SortFunc(times, time.Time.Compare)
	before := times[len(times)*s.random.IntN(4)/4]
	_, err := s.store.Delete(t.Context(), logstore.Deletion{Source: s.source, Before: before})
	require.NoError(t, err)
	for id, moment := range s.want {
		if moment.Before(before) {
			delete(s.want, id)
		}
	}
}

// damage removes a file of ids, cuts it, or changes a byte of it.
func (s *idStore) damage(t *testing.T) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.directory, "ids", "*"))
	require.NoError(t, err)
	if len(paths) == 0 {
		return
	}
	path := paths[s.random.IntN(len(paths))]
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	switch s.random.IntN(3) {
	case 0:
		require.NoError(t, os.Remove(path))
	case 1:
		require.NoError(t, os.WriteFile(path, content[:s.random.IntN(len(content))], 0o600))
	default:
		content[s.random.IntN(len(content))] ^= 1
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}

func (s *idStore) check(t *testing.T) {
	t.Helper()
	counts := fmt.Sprintf("%[1]d %[1]d", len(s.want))
	require.Equal(t, []string{counts}, texts(t, s.store, "SELECT concat_ws(' ', count(*), count(DISTINCT id)) FROM edge_logs"))
}

// The index has few files, and none that no load needs, however many loads there are.
func TestIndexOfIDsHasFewFiles(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithManyRows(0))
	require.NoError(t, err)
	const loads, events = 15, 50
	for i := range loads {
		ids := make([]string, 0, events)
		for j := range events {
			ids = append(ids, strconv.Itoa(i*events+j))
		}
		added, _ := add(t, store, logstore.Sent, ids...)
		assert.Equal(t, events, added)
		paths, err := filepath.Glob(filepath.Join(directory, "ids", "*"))
		require.NoError(t, err)
		assert.NotEmpty(t, paths)
		assert.LessOrEqual(t, len(paths), 3)
	}
	require.NoError(t, store.Close())
}

// A load whose ids do not fit into its memory writes many files, and leaves one that has all ids.
func TestIndexOfIDsOfALongLoadIsOneFile(t *testing.T) {
	t.Parallel()
	const idsInMemory, events = 4, 300
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithFlushBytes(idsInMemory*32), logstore.WithManyRows(0))
	require.NoError(t, err)
	ids := make([]string, 0, events)
	for i := range events {
		ids = append(ids, strconv.Itoa(i))
	}
	added, _ := add(t, store, logstore.Sent, ids...)
	assert.Equal(t, events, added)
	paths, err := filepath.Glob(filepath.Join(directory, "ids", "*"))
	require.NoError(t, err)
	assert.Len(t, paths, 1)
	added, duplicates := add(t, store, logstore.Sent, append(ids, "another")...)
	assert.Equal(t, 1, added)
	assert.Equal(t, events, duplicates)
	require.NoError(t, store.Close())
}
