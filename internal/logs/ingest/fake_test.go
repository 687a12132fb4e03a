package ingest

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// shippedTables reads the shipped tables once, because tests need them for every event.
var shippedTables = sync.OnceValue(tables.Shipped) //nolint:gochecknoglobals // They do not change.

// fakeStore stores ingestions in memory.
type fakeStore struct {
	mutex     sync.Mutex
	ids       []string
	generated int
	rejected  []logevent.Rejected
	recent    []logstore.RecentID
	position  uint64
	// sealed is the position up to which everything is in parts.
	sealed    uint64
	otherLogs bool
	// failure fails every step, unless it is nil. lost fails an ingestion after it is stored.
	failure, lost error
	// unreadable is how often the position cannot be read.
	unreadable int
	trimmed    int
}

func (*fakeStore) Tables() sqlq.Tables { return shippedTables() }

func (*fakeStore) SetReplay(logstore.Replay) {}

func (*fakeStore) ID(context.Context) (string, error) { return "fake", nil }

func (s *fakeStore) IngestPosition(context.Context) (uint64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.unreadable > 0 && s.position > 0 {
		s.unreadable--
		return 0, errors.New("the store is being reopened")
	}
	return s.position, s.failure
}

func (s *fakeStore) TrimRejected(context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.trimmed++
	return s.failure
}

func (s *fakeStore) HoldsOtherLogs(context.Context) (bool, error) { return s.otherLogs, nil }

func (s *fakeStore) RecentIDs(_ context.Context, since time.Time, each func(logstore.RecentID)) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, id := range s.recent {
		if !id.Accepted.Before(since) {
			each(id)
		}
	}
	return nil
}

func (s *fakeStore) Ingest(_ context.Context, ingestion logstore.Ingestion) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.failure != nil {
		return s.failure
	}
	for event := range ingestion.Events {
		s.ids = append(s.ids, event.Source.Name+" "+event.Event.ID)
		s.recent = append(s.recent, logstore.RecentID{Accepted: event.At, Fingerprint: event.ID})
		if ingestion.Generated {
			s.generated++
		}
	}
	s.rejected = append(s.rejected, ingestion.Rejected...)
	s.position = ingestion.Position
	lost := s.lost
	s.lost = nil
	return lost
}

func (s *fakeStore) SealedPosition() uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.sealed
}

// set changes the store while a writer uses it.
func (s *fakeStore) set(change func(*fakeStore)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change(s)
}

func (s *fakeStore) stored() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.ids)
}

// counter is an observer.
type counter struct {
	mutex                                   sync.Mutex
	accepted, duplicates, rejected, refused int
	sources                                 []string
}

func (c *counter) EventsCommitted(source string, counts Counts) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.accepted += counts.Accepted
	c.duplicates += counts.Duplicates
	c.sources = append(c.sources, source)
}

func (c *counter) EventsRejected(source string, count int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.rejected += count
	c.sources = append(c.sources, source)
}

func (*counter) BatchCommitted(time.Duration)    {}
func (*counter) EventsStored(int, time.Duration) {}

func (c *counter) BatchRefused() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.refused++
}

// setup returns a configuration for tests.
func setup(tb testing.TB, store Store) Config {
	tb.Helper()
	return Config{
		Store: store, Directory: filepath.Join(tb.TempDir(), "log"), Deduplicate: time.Hour,
		WaitingBytes: 1 << 20, IDBytes: 1 << 20, Clock: time.Now, Logger: slog.New(slog.DiscardHandler), Observer: &counter{},
	}
}

// inBubble runs a test with a store and a configuration of its own, at the bubble's time.
func inBubble(t *testing.T, test func(t *testing.T, store *fakeStore, config Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		test(t, store, setup(t, store))
	})
}

func open(t *testing.T, config Config) *Writer {
	t.Helper()
	writer, err := Open(t.Context(), config)
	require.NoError(t, err)
	return writer
}

// crash ends a writer without storing what is committed.
func crash(writer *Writer) {
	writer.mutex.Lock()
	writer.closed = true
	writer.mutex.Unlock()
	close(writer.ending)
	writer.committing.Wait()
	writer.stopApplying()
	writer.applying.Wait()
	_ = writer.log.Close()
}

// logFiles returns the files of the write-ahead log.
func logFiles(t *testing.T, config Config) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(config.Directory, "*"))
	require.NoError(t, err)
	return files
}

func finish(t *testing.T, writer *Writer) {
	t.Helper()
	assert.NoError(t, writer.Close(t.Context()))
}

func edge() *sqlq.Table { return shippedTables()[0] }

func functions() *sqlq.Table { return shippedTables()[2] }

// batchOf returns a batch of events of the edge logs.
func batchOf(ids ...string) Batch {
	var batch Batch
	for _, id := range ids {
		message := "message of " + id
		batch.Events = append(batch.Events, logevent.Sourced{Source: edge(), Event: logevent.Event{ID: id, Timestamp: time.UnixMicro(1).UTC(), EventMessage: &message}})
	}
	return batch
}

func commit(t *testing.T, writer *Writer, batch Batch) Counts {
	t.Helper()
	counts, err := writer.Commit(t.Context(), batch)
	require.NoError(t, err)
	return counts
}
