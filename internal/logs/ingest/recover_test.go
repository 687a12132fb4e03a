package ingest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// slowStore reads its recent ids once it is allowed to.
type slowStore struct {
	*fakeStore
	allowed chan struct{}
	failure error
}

func (s *slowStore) RecentIDs(ctx context.Context, since time.Time, each func(logstore.RecentID)) error {
	<-s.allowed
	return errors.Join(ctx.Err(), s.failure, s.fakeStore.RecentIDs(ctx, since, each))
}

// unstored returns a configuration whose write-ahead log has batches that are not stored.
func unstored(t *testing.T, store *fakeStore, batches ...Batch) Config {
	t.Helper()
	config := setup(t, store)
	leaveUnstored(t, config, store, batches...)
	return config
}

// leaveUnstored commits batches that are not stored.
func leaveUnstored(t *testing.T, config Config, store *fakeStore, batches ...Batch) {
	t.Helper()
	writer := open(t, config)
	require.NoError(t, writer.WaitRecovered(t.Context()))
	store.set(func(s *fakeStore) { s.failure = errors.New("disk full") })
	for _, batch := range batches {
		commit(t, writer, batch)
	}
	crash(writer)
	store.set(func(s *fakeStore) { s.failure = nil })
}

// Events that a crashed process committed are stored while the ids are still being read, and without the
// pause between transactions. So a server that is killed soon after each start makes progress.
func TestCommittedEventsAreStoredDuringRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeStore{}
		config := unstored(t, fake, batchOf("a"), batchOf("b"))
		store := &slowStore{fakeStore: fake, allowed: make(chan struct{})}
		config.Store = store
		writer := open(t, config)
		synctest.Wait()
		assert.Equal(t, []string{"edge_logs a", "edge_logs b"}, fake.stored())

		counts := make(chan Counts, 1)
		go func() {
			committed, err := writer.Commit(t.Context(), batchOf("a", "c"))
			assert.NoError(t, err)
			counts <- committed
		}()
		synctest.Wait()
		assert.Empty(t, counts, "duplicates are not known yet")
		close(store.allowed)
		assert.Equal(t, Counts{Accepted: 1, Duplicates: 1}, <-counts)
		finish(t, writer)
		assert.Equal(t, []string{"edge_logs a", "edge_logs b", "edge_logs c"}, fake.stored())
	})
}

// Whatever was accepted is stored, by a writer with any other window, too.
func TestRecoveryDropsNothing(t *testing.T) {
	for name, recovered := range map[string]time.Duration{"without deduplication": 0, "with deduplication": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			store := &fakeStore{}
			config := repeated(t, store)
			config.Deduplicate = recovered
			finish(t, open(t, config))
			assert.Equal(t, []string{"edge_logs a", "edge_logs a", "edge_logs a"}, store.stored())
		})
	}
}

// A command stores what a server accepted, whatever the window of the server is, and does not
// change what the server recognizes.
func TestStoreCommitted(t *testing.T) {
	store := &fakeStore{}
	config := repeated(t, store)
	require.NoError(t, StoreCommitted(t.Context(), store, config.Directory, config.Logger))
	assert.Equal(t, []string{"edge_logs a", "edge_logs a", "edge_logs a"}, store.stored())
	require.NoError(t, StoreCommitted(t.Context(), store, config.Directory, config.Logger))
	assert.Len(t, store.stored(), 3, "a second time")

	config.Deduplicate = time.Hour
	writer := open(t, config)
	assert.Equal(t, Counts{Accepted: 1, Duplicates: 1}, commit(t, writer, batchOf("a", "b")))
	finish(t, writer)
}

// Records that are larger than a transaction are stored in several, and demo logs in their own.
func TestStoreCommittedInSeveralTransactions(t *testing.T) {
	store := &fakeStore{}
	large := batchOf("b", "c")
	for i := range large.Events {
		large.Events[i].EventMessage = new(strings.Repeat("x", applyBytes))
	}
	demo := batchOf("demo")
	demo.Generated = true
	config := setup(t, store)
	config.WaitingBytes = 4 * applyBytes
	leaveUnstored(t, config, store, demo, batchOf("a"), large, batchOf("d"))
	require.NoError(t, StoreCommitted(t.Context(), store, config.Directory, config.Logger))
	assert.Equal(t, []string{"edge_logs demo", "edge_logs a", "edge_logs b", "edge_logs c", "edge_logs d"}, store.stored())
	assert.Equal(t, 1, store.generated)
}

// Files that are missing are an error for servers and commands, until a server accepts that.
func TestEventsThatAreMissing(t *testing.T) {
	store := &fakeStore{}
	config := unstored(t, store, batchOf("a"))
	require.NoError(t, os.RemoveAll(config.Directory))
	require.ErrorContains(t, StoreCommitted(t.Context(), store, config.Directory, config.Logger), "is gone or empty")
	require.ErrorContains(t, open(t, config).Close(t.Context()), "is gone or empty")

	var log bytes.Buffer
	config.Logger, config.AcceptMissing = slog.New(slog.NewTextHandler(&log, nil)), true
	writer := open(t, config)
	commit(t, writer, batchOf("b"))
	finish(t, writer)
	assert.Contains(t, log.String(), "the server goes on without acknowledged events")
	assert.Contains(t, log.String(), "begins with record 1, is gone or empty")
	config.AcceptMissing = false
	finish(t, open(t, config))
	assert.Equal(t, []string{"edge_logs b"}, store.stored())
}

// A store that cannot take events is an error, not a reason to wait: the command says why.
func TestStoreCommittedFails(t *testing.T) {
	store := &fakeStore{}
	config := repeated(t, store)
	require.ErrorContains(t, StoreCommitted(t.Context(), fullStore{store}, config.Directory, config.Logger), "disk full")
	require.NoError(t, StoreCommitted(t.Context(), store, config.Directory, config.Logger))
	assert.Len(t, store.stored(), 3)
}

// fullStore takes no events.
type fullStore struct{ *fakeStore }

func (fullStore) Ingest(context.Context, logstore.Ingestion) error { return errors.New("disk full") }

// repeated returns the configuration of a writer without deduplication whose log has an event three
// times.
func repeated(t *testing.T, store *fakeStore) Config {
	t.Helper()
	config := setup(t, store)
	config.Deduplicate = 0
	leaveUnstored(t, config, store, batchOf("a", "a"), batchOf("a"))
	return config
}

// A writer that cannot read what is committed could store events twice, so it commits nothing.
func TestAFailedRecoveryCommitsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeStore{}
		config := unstored(t, fake, batchOf("a"))
		store := &slowStore{fakeStore: fake, allowed: make(chan struct{}), failure: errors.New("bad block")}
		config.Store = store
		writer := open(t, config)
		failures := make(chan error, 1)
		go func() {
			_, err := writer.Commit(t.Context(), batchOf("a"))
			failures <- err
		}()
		synctest.Wait()
		close(store.allowed)
		require.ErrorContains(t, writer.WaitRecovered(t.Context()), "bad block")
		failure, ok := errors.AsType[*sqlq.Error](<-failures)
		require.True(t, ok)
		assert.Equal(t, sqlq.Unavailable, failure.Code)
		_, err := writer.Commit(t.Context(), batchOf("b"))
		require.ErrorContains(t, err, "shutting down")
		require.ErrorContains(t, writer.WaitStored(t.Context()), "bad block")
		require.ErrorContains(t, writer.Close(t.Context()), "bad block")
		config.Store = fake
		finish(t, open(t, config))
		assert.Equal(t, []string{"edge_logs a"}, fake.stored())
	})
}

// A store that is being reopened, as after a fatal error of DuckDB, does not end the server.
func TestRecoveryWaitsForAStoreThatIsReopened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeStore{}
		config := unstored(t, fake, batchOf("a"))
		config.Store = &reopenedStore{fakeStore: fake, failures: 3}
		writer := open(t, config)
		require.NoError(t, writer.WaitRecovered(t.Context()))
		assert.Equal(t, Counts{Accepted: 1, Duplicates: 1}, commit(t, writer, batchOf("a", "b")))
		finish(t, writer)
		assert.Equal(t, []string{"edge_logs a", "edge_logs b"}, fake.stored())
	})
}

// reopenedStore does not return its ids at first.
type reopenedStore struct {
	*fakeStore

	failures int
}

func (s *reopenedStore) RecentIDs(ctx context.Context, since time.Time, each func(logstore.RecentID)) error {
	if err := s.fakeStore.RecentIDs(ctx, since, each); err != nil || s.failures == 0 {
		return err
	}
	s.failures--
	return sqlq.Errorf(sqlq.Unavailable, "the log store is being reopened")
}

// Close waits until a long log is read and stored, but no longer than it is allowed to.
func TestCloseInterruptsRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeStore{}
		config := unstored(t, fake, batchOf("a"))
		store := &slowStore{fakeStore: fake, allowed: make(chan struct{})}
		config.Store = store
		writer := open(t, config)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		time.AfterFunc(time.Second, func() { close(store.allowed) })
		began := time.Now()
		require.NoError(t, writer.Close(ctx))
		assert.Equal(t, time.Second, time.Since(began))
		config.Store = fake
		finish(t, open(t, config))
		assert.Equal(t, []string{"edge_logs a"}, fake.stored())
	})
}

// Files whose events are in parts are deleted soon after the start, so that a server that is killed again and again
// deletes them, too.
func TestTheLogIsDeletedSoonAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeStore{}
		config := setup(t, fake)
		for _, id := range []string{"a", "b"} { // each writer begins a file
			writer := open(t, config)
			commit(t, writer, batchOf(id))
			time.Sleep(time.Second)
			crash(writer)
		}
		fake.set(func(s *fakeStore) { s.sealed = s.position })
		store := &slowStore{fakeStore: fake, allowed: make(chan struct{})}
		config.Store = store
		require.Len(t, logFiles(t, config), 2)
		writer := open(t, config)
		time.Sleep(time.Second)
		assert.Len(t, logFiles(t, config), 1, "files but the newest are deleted before the ids are read")
		close(store.allowed)
		finish(t, writer)
	})
}
