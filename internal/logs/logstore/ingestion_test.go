package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// One ingestion is visible as a whole, also after a restart: events, records, rejected events, the position and the
// recent ids.
func TestIngestStoresEverything(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	position, err := store.IngestPosition(t.Context())
	require.NoError(t, err)
	assert.Zero(t, position)
	function := source(t, "function_edge_logs")
	ingestion := func(first, last int) logstore.Ingestion {
		var accepted []logstore.Accepted
		for i := first; i <= last; i++ {
			event := logevent.Event{
				ID: strconv.Itoa(i), Timestamp: time.UnixMicro(int64(i)).UTC(),
				Metadata: []byte(`[{"project_ref":"acme","execution_time_ms":5,"response":[{"status_code":200}]}]`),
			}
			accepted = append(accepted, logstore.Accepted{Source: function, Event: &event, ID: logevent.FingerprintOf(function, event.ID), At: time.UnixMicro(int64(i)).UTC()})
		}
		return logstore.Ingestion{Events: sequence(accepted), Position: uint64(last)}
	}
	demo := ingestion(1, 3)
	demo.Generated = true
	require.NoError(t, store.Ingest(t.Context(), demo))
	other, err := store.HoldsOtherLogs(t.Context())
	require.NoError(t, err)
	assert.False(t, other, "demo logs")
	sent := ingestion(4, 5)
	sent.Rejected = rejectedEvents(1)
	require.NoError(t, store.Ingest(t.Context(), sent))
	failing := ingestion(6, 7)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	require.ErrorIs(t, store.Ingest(ctx, failing), context.Canceled)
	for range 2 {
		position, err = store.IngestPosition(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 5, position)
		other, err = store.HoldsOtherLogs(t.Context())
		require.NoError(t, err)
		assert.True(t, other)
		assert.Equal(t, holds(5), contents(t, store, "function_edge_logs", "function_invocations"))
		assert.Equal(t, []int{0}, listRejected(t, store, logstore.RejectedFilter{}))
		require.NoError(t, store.Close())
		store = open(t, directory)
	}
	var recent []logstore.RecentID
	require.NoError(t, store.RecentIDs(t.Context(), time.UnixMicro(4), func(id logstore.RecentID) { recent = append(recent, id) }))
	assert.Equal(t, []logstore.RecentID{
		{Accepted: time.UnixMicro(4).UTC(), Fingerprint: logevent.FingerprintOf(function, "4")},
		{Accepted: time.UnixMicro(5).UTC(), Fingerprint: logevent.FingerprintOf(function, "5")},
	}, recent)
	require.NoError(t, store.Close())
}

// A large ingestion is stored wholly, at once, and what is in memory is bounded however much is ingested.
func TestMemoryOfIngestIsBounded(t *testing.T) {
	t.Parallel()
	const recentBytes, perIngestion, ingestions = 200_000, 500, 30
	store, model := open(t, t.TempDir(), logstore.WithRecentBytes(recentBytes)), newModel(50)
	most := int64(0)
	for range ingestions {
		before := store.RecentBytes()
		require.NoError(t, model.tryIngest(t, store, model.batch(perIngestion)))
		most = max(most, store.RecentBytes()-max(store.RecentBytes()-before, 0))
	}
	assert.LessOrEqual(t, most, int64(3*recentBytes), "before an ingestion")
	model.check(t, store)
	done, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	assert.True(t, done)
	assert.Zero(t, store.RecentBytes())
	assert.Equal(t, model.position, store.SealedPosition())
	model.check(t, store)
	require.NoError(t, store.Close())
}

// Events whose texts do not fit into the memory of DuckDB together get into parts.
func TestEventsLargerThanTheMemoryAreStored(t *testing.T) {
	t.Parallel()
	const events, perIngestion, textBytes = 48, 8, 1 << 20
	store, err := logstore.Open(t.Context(), t.TempDir(), "64MiB", logstore.WithFrugality())
	require.NoError(t, err)
	random := rand.NewChaCha8([32]byte{})
	noise := make([]byte, textBytes)
	_, _ = random.Read(noise)
	for i := range noise {
		noise[i] = ' ' + noise[i]%64
	}
	for range events / perIngestion {
		batch := make([]logevent.Event, perIngestion)
		for i := range batch {
			beginning := strconv.FormatUint(random.Uint64(), 10)
			batch[i] = logevent.Event{ID: beginning, Timestamp: noon, EventMessage: new(beginning + string(noise[len(beginning):]))}
		}
		ingestEvents(t, store, source(t, "edge_logs"), batch...)
	}
	_, err = store.Checkpoint(t.Context())
	require.NoError(t, err)
	stats, err := store.Stats(t.Context(), noon)
	require.NoError(t, err)
	whole := stats.Parts
	// Merging them needs more memory than there is. Others are merged nevertheless.
	later := noon.AddDate(0, 0, 1)
	for range 2 {
		ingestEvents(t, store, source(t, "edge_logs"), logevent.Event{ID: strconv.FormatUint(random.Uint64(), 10), Timestamp: later})
		_, err = store.Checkpoint(t.Context())
		require.NoError(t, err)
	}
	_, err = store.Merge(t.Context(), later.AddDate(0, 0, 2), nil)
	require.NoError(t, err)
	stats, err = store.Stats(t.Context(), later)
	require.NoError(t, err)
	assert.Equal(t, whole+1, stats.Parts, "the two small parts have become one")
	steps, err := store.Merge(t.Context(), later.AddDate(0, 0, 2), nil)
	require.NoError(t, err)
	assert.Zero(t, steps)
	assert.Equal(t, []string{strconv.Itoa(events)}, texts(t, store, "SELECT count(DISTINCT id) FROM edge_logs WHERE length(event_message) = 1048576"))
	require.NoError(t, store.Close())
}

// endingContext ends after it was asked a number of times.
type endingContext struct {
	context.Context //nolint:containedctx // It is a context.

	asks atomic.Int64
}

func (c *endingContext) Err() error {
	if c.asks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Work whose context ends at any moment is done or not, and leaves nothing behind: no event is there in part or twice, later
// work succeeds, and the same process can open the store again after it is closed.
func TestEndedContextsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(ctx context.Context, store *logstore.Store, turn int) error{
		"query": func(ctx context.Context, store *logstore.Store, _ int) error {
			var count int
			return store.DB().QueryRowContext(ctx, "SELECT count(*) FROM edge_logs").Scan(&count)
		},
		"ingest": func(ctx context.Context, store *logstore.Store, turn int) error {
			edge := source(t, "edge_logs")
			var accepted []logstore.Accepted
			for _, event := range group(turn, noon) {
				accepted = append(accepted, logstore.Accepted{Source: edge, Event: &event, ID: logevent.FingerprintOf(edge, event.ID), At: noon})
			}
			return store.Ingest(ctx, logstore.Ingestion{Events: sequence(accepted), Position: uint64(turn) + 1})
		},
		"load": func(ctx context.Context, store *logstore.Store, turn int) error {
			transaction, err := store.Begin(ctx, logstore.Sent)
			if err != nil {
				return err
			}
			for _, event := range group(turn, noon) {
				if err := transaction.Add(ctx, source(t, "edge_logs"), event); err != nil {
					return errors.Join(err, transaction.Rollback())
				}
			}
			return transaction.Commit(ctx)
		},
		"seal": func(ctx context.Context, store *logstore.Store, turn int) error {
			ingestEvents(t, store, source(t, "edge_logs"), group(turn, noon)...)
			_, err := store.Checkpoint(ctx)
			return err
		},
		"merge": func(ctx context.Context, store *logstore.Store, turn int) error {
			for i := range 2 {
				addEvents(t, store, "edge_logs", group(2*turn+i, noon)...)
			}
			_, err := store.Merge(ctx, noon.AddDate(0, 1, 0), nil)
			return err
		},
		"declare": func(ctx context.Context, store *logstore.Store, turn int) error {
			further := orders(fmt.Sprintf("n%d INT64 n", turn))
			return store.Declare(ctx, sqlq.Tables{further})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			for asks, ended := 0, true; ended; asks += 1 + asks/3 {
				require.Less(t, asks, 2000)
				store := open(t, directory)
				ending := &endingContext{Context: t.Context()}
				ending.asks.Store(int64(asks))
				err := work(ending, store, asks)
				if ended = errors.Is(err, context.Canceled); !ended {
					require.NoError(t, err)
				}
				var rows, distinct int
				require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT id) FROM edge_logs").Scan(&rows, &distinct))
				assert.Equal(t, rows, distinct)
				assert.Zero(t, rows%groupEvents)
				require.NoError(t, store.Close())
				checkFiles(t, directory)
			}
		})
	}
}
