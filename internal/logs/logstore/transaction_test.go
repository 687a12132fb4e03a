package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
)

// D23: all columns arrive, and NULL stays NULL.
func TestTransactionKeepsValues(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, _ func()) {
		t.Helper()
		message, project := "a\x00b'\"ü", "acme"
		addEvents(t, store, "auth_logs",
			logevent.Event{ID: "full", Timestamp: noon.Add(time.Microsecond), EventMessage: &message, Project: &project, Metadata: []byte(`[{"n":12345678901234567890,"<":1.0}]`)},
			logevent.Event{ID: "bare", Timestamp: noon},
			logevent.Event{ID: "empty", Timestamp: noon, EventMessage: new(""), Project: new(""), Metadata: []byte(`[]`)},
		)
		assert.Equal(t, []string{
			"bare|1772366400000000|NULL|NULL|NULL",
			"empty|1772366400000000|||[]",
			`full|1772366400000001|` + message + `|acme|[{"n":12345678901234567890,"<":1.0}]`,
		}, texts(t, store, `SELECT concat_ws('|', id, epoch_us(timestamp), coalesce(event_message, 'NULL'), coalesce(project, 'NULL'), coalesce(metadata, 'NULL')) FROM auth_logs ORDER BY id`))
	})
}

// An id is stored once in its source, within a transaction and across them, wherever its event is.
func TestTransactionAddsNoEventTwice(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, _ func()) {
		t.Helper()
		added, duplicates := add(t, store, logstore.Sent, "a", "b", "a")
		assert.Equal(t, []int{2, 1}, []int{added, duplicates})
		ingestEvents(t, store, source(t, "edge_logs"), logevent.Event{ID: "d", Timestamp: noon})
		added, duplicates = add(t, store, logstore.Sent, "c", "b", "d")
		assert.Equal(t, []int{1, 2}, []int{added, duplicates})
		assert.Equal(t, []string{"a", "b", "c", "d"}, texts(t, store, "SELECT id FROM edge_logs ORDER BY id"))
		addEvents(t, store, "auth_logs", logevent.Event{ID: "a", Timestamp: noon})
		assert.Equal(t, []string{"a"}, texts(t, store, "SELECT id FROM auth_logs"), "another source has ids of its own")
	})
}

// Rollback leaves nothing, in the store and in its directory, also of more events than a transaction holds in memory.
func TestRollbackLeavesNothing(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory, logstore.WithRecentBytes(100_000))
	ctx, leave := context.WithCancel(t.Context())
	transaction, err := store.Begin(ctx, logstore.Sent)
	require.NoError(t, err)
	for i := range 20_000 {
		require.NoError(t, transaction.Add(ctx, source(t, "edge_logs"), event(i)))
	}
	assert.NotEmpty(t, glob(t, directory, "*"), "there are parts")
	assert.Equal(t, holds(0), contents(t, store, "edge_logs", "edge_requests"))
	leave()
	require.Error(t, transaction.Commit(ctx), "its caller has left")
	require.NoError(t, transaction.Rollback(), "a second end does nothing")
	assert.Equal(t, holds(0), contents(t, store, "edge_logs", "edge_requests"))
	assert.Empty(t, glob(t, directory, "*"))
	add(t, store, logstore.Sent, "1")
	require.NoError(t, store.Close())
	checkFiles(t, directory)
}

// A part is written while the caller goes on, so the end of the context of an earlier call does not end it.
func TestTransactionOutlivesTheContextsOfItsCalls(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory, logstore.WithRecentBytes(1))
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	const events = 20_000
	for i := range events {
		ctx, leave := context.WithCancel(t.Context())
		require.NoError(t, transaction.Add(ctx, source(t, "edge_logs"), event(i)))
		leave()
	}
	require.NoError(t, transaction.Commit(t.Context()))
	assert.Equal(t, holds(events), contents(t, store, "edge_logs", "edge_requests"))
	assert.Len(t, glob(t, directory, "*.events"), 3, "two while events were added, and one at the end")
}

// Demo logs are never added to other logs.
func TestGeneratedEventsAreRejected(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, _ func()) {
		t.Helper()
		_, found, err := store.Newest(t.Context())
		require.NoError(t, err)
		assert.False(t, found)
		empty, err := store.Empty(t.Context())
		require.NoError(t, err)
		assert.True(t, empty)
		add(t, store, logstore.Generated, "a")
		empty, err = store.Empty(t.Context())
		require.NoError(t, err)
		assert.False(t, empty)
		newest, found, err := store.Newest(t.Context())
		require.NoError(t, err)
		assert.True(t, found)
		assert.Equal(t, noon, newest)
		add(t, store, logstore.Generated, "b")
		add(t, store, logstore.Sent, "a") // adds nothing
		add(t, store, logstore.Generated, "c")
		add(t, store, logstore.Sent, "d")
		_, err = store.Begin(t.Context(), logstore.Generated)
		require.ErrorIs(t, err, logstore.ErrHoldsOtherLogs)
		require.ErrorIs(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(nil), Position: 1, Generated: true}), logstore.ErrHoldsOtherLogs)
	})
}

// A long transaction stores the first event of each id, and no other, however many parts it writes.
func TestLongTransactionsStoreEachIDOnce(t *testing.T) {
	t.Parallel()
	for _, recentBytes := range []int{1, 20_000, 1 << 30} {
		t.Run(strconv.Itoa(recentBytes), func(t *testing.T) {
			t.Parallel()
			store := open(t, t.TempDir(), logstore.WithRecentBytes(recentBytes))
			random := rand.New(rand.NewPCG(1, uint64(recentBytes)))
			sources := []*sqlq.Table{source(t, "edge_logs"), source(t, "auth_logs")}
			want := map[string]string{}
			const events, ids = 30_000, 20_000 // several steps
			for range 2 {
				transaction, err := store.Begin(t.Context(), logstore.Sent)
				require.NoError(t, err)
				var added, duplicates int
				for i := range events {
					from := sources[random.IntN(len(sources))]
					id, message := strconv.Itoa(random.IntN(ids)), strconv.Itoa(i)
					require.NoError(t, transaction.Add(t.Context(), from, logevent.Event{ID: id, Timestamp: noon, EventMessage: &message}))
					if _, stored := want[from.Name+" "+id]; stored {
						duplicates++
						continue
					}
					want[from.Name+" "+id] = message
					added++
				}
				require.NoError(t, transaction.Commit(t.Context()))
				gotAdded, gotDuplicates := transaction.Counts()
				assert.Equal(t, []int{added, duplicates}, []int{gotAdded, gotDuplicates})
			}
			stored := 0
			for _, from := range sources {
				for _, row := range texts(t, store, "SELECT id || '|' || event_message FROM "+from.Name) {
					id, message, _ := strings.Cut(row, "|")
					assert.Equal(t, want[from.Name+" "+id], message)
					stored++
				}
			}
			assert.Len(t, want, stored)
			require.NoError(t, store.Close())
		})
	}
}

// Writers are serialized, so no id is stored twice, and the first two writers of a new store do not conflict.
func TestConcurrentTransactions(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, _ func()) {
		t.Helper()
		const writers, rounds, ids = 8, 3, 20
		edge := source(t, "edge_logs")
		var added atomic.Int64
		var running sync.WaitGroup
		for writer := range writers {
			running.Go(func() {
				for round := range rounds {
					transaction, err := store.Begin(t.Context(), logstore.Sent)
					if !assert.NoError(t, err) {
						return
					}
					end := transaction.Rollback
					if writer%4 != 3 {
						end = func() error { return transaction.Commit(t.Context()) }
					}
					for id := range ids {
						err = errors.Join(err, transaction.Add(t.Context(), edge, event(id+round)))
					}
					if !assert.NoError(t, errors.Join(err, end())) {
						return
					}
					if writer%4 != 3 {
						count, _ := transaction.Counts()
						added.Add(int64(count))
					}
				}
			})
		}
		running.Wait()
		assert.EqualValues(t, ids+rounds-1, added.Load())
		assert.Equal(t, holds(ids+rounds-1), contents(t, store, "edge_logs", "edge_requests"))
	})
}

// A transaction sees what was committed before it began, also where it had to wait.
func TestBeginWaitsForTheWriter(t *testing.T) {
	t.Parallel()
	for _, commit := range []bool{true, false} {
		t.Run(fmt.Sprintf("commit %t", commit), func(t *testing.T) {
			t.Parallel()
			store := openFile(t)
			first, err := store.Begin(t.Context(), logstore.Sent)
			require.NoError(t, err)
			require.NoError(t, first.Add(t.Context(), source(t, "edge_logs"), event(1)))

			began := make(chan *logstore.Transaction, 1)
			go func() {
				second, err := store.Begin(t.Context(), logstore.Sent)
				assert.NoError(t, err)
				began <- second
			}()
			left, leave := context.WithCancel(t.Context())
			leave()
			_, err = store.Begin(left, logstore.Sent)
			require.ErrorIs(t, err, context.Canceled, "a cancelled caller does not wait")
			assert.Empty(t, began)
			if commit {
				require.NoError(t, first.Commit(t.Context()))
			} else {
				require.NoError(t, first.Rollback())
			}
			second := <-began
			require.NoError(t, first.Rollback(), "a second end does not let another writer in")
			require.NoError(t, second.Add(t.Context(), source(t, "edge_logs"), event(1)))
			require.NoError(t, second.Commit(t.Context()))
			added, duplicates := second.Counts()
			if commit {
				assert.Equal(t, []int{0, 1}, []int{added, duplicates})
			} else {
				assert.Equal(t, []int{1, 0}, []int{added, duplicates})
			}
			assert.Equal(t, holds(1), contents(t, store, "edge_logs", "edge_requests"))
		})
	}
}

// A writer whose context ends while it waits does not block others.
func TestBeginHonoursTheContextWhileItWaits(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	first, err := store.Begin(t.Context(), logstore.Generated)
	require.NoError(t, err)
	ctx, leave := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := store.Begin(ctx, logstore.Sent)
		failed <- err
	}()
	assert.Empty(t, failed)
	leave(nil)
	require.ErrorIs(t, <-failed, context.Canceled)
	require.NoError(t, first.Commit(t.Context()))
	add(t, store, logstore.Sent, "1")
}

// An ingestion and a load take turns, so that the load knows all ids that are stored when it is committed.
func TestIngestTakesTurnsWithLoads(t *testing.T) {
	t.Parallel()
	store := openFile(t)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	var over atomic.Bool
	ingested := make(chan error, 1)
	edge, one := source(t, "edge_logs"), event(1)
	go func() {
		ingested <- store.Ingest(t.Context(), logstore.Ingestion{Position: 1, Events: func(yield func(logstore.Accepted) bool) {
			assert.True(t, over.Load(), "the load is over")
			yield(logstore.Accepted{Source: edge, Event: &one, ID: logevent.FingerprintOf(edge, one.ID)})
		}})
	}()
	for i := range 20_000 {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(i)))
	}
	over.Store(true)
	require.NoError(t, transaction.Rollback())
	require.NoError(t, <-ingested)
	added, duplicates := add(t, store, logstore.Sent, "1", "2")
	assert.Equal(t, []int{1, 1}, []int{added, duplicates})
	left, leave := context.WithCancel(t.Context())
	leave()
	transaction, err = store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.ErrorIs(t, store.Ingest(left, logstore.Ingestion{Events: sequence(nil), Position: 2}), context.Canceled)
	require.NoError(t, transaction.Rollback())
}

// A store that was cut off in the middle opens again with what was committed: its files are taken as they are while it is
// open, as they are after kill -9. What a load left behind is removed.
func TestOpenAfterCrash(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory, logstore.WithRecentBytes(50_000))
	for i := range 3 {
		add(t, store, logstore.Sent, strconv.Itoa(i))
	}
	unfinished, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range 20_000 {
		require.NoError(t, unfinished.Add(t.Context(), source(t, "edge_logs"), event(i)))
	}
	crashed := t.TempDir()
	require.NoError(t, os.CopyFS(crashed, os.DirFS(directory)))
	require.NoError(t, unfinished.Rollback())
	require.NoError(t, store.Close())
	left := len(glob(t, crashed, "*"))
	require.Greater(t, left, 6)
	store = open(t, crashed)
	assert.Equal(t, []string{"0", "1", "2"}, texts(t, store, "SELECT id FROM edge_logs ORDER BY id"))
	assert.Empty(t, store.Recovery().Notes())
	require.NoError(t, store.Close())
	checkFiles(t, crashed)
}

// A source has each id once, whatever happened between the loads: events of a server, deletions, merges, loads that were
// undone, and files of ids that are missing or damaged.
func TestIDsAreKnown(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			directory, random, want := t.TempDir(), rand.New(rand.NewPCG(seed, 7)), make(map[string]time.Time)
			options := []logstore.Option{logstore.WithRecentBytes(30_000)}
			store, edge := open(t, directory, options...), source(t, "edge_logs")
			newEvent := func() logevent.Event {
				return logevent.Event{
					ID: strconv.Itoa(random.IntN(3000)), Timestamp: noon.Add(-time.Duration(random.IntN(72)) * time.Hour), EventMessage: new("message"),
					Project: new(fmt.Sprintf("project%d", random.IntN(2))),
				}
			}
			for range 25 {
				switch random.IntN(9) {
				case 0:
					var events []logevent.Event
					for range 200 {
						event := newEvent()
						if _, stored := want[event.ID]; !stored {
							want[event.ID] = event.Timestamp
							events = append(events, event)
						}
					}
					ingestEvents(t, store, edge, events...)
				case 1:
					before := noon.Add(-time.Duration(random.IntN(72)) * time.Hour)
					_, err := store.Delete(t.Context(), logstore.Deletion{Source: edge, Before: before})
					require.NoError(t, err)
					for id, moment := range want {
						if moment.Before(before) {
							delete(want, id)
						}
					}
				case 2:
					_, err := store.Merge(t.Context(), noon.AddDate(0, 0, random.IntN(60)), nil)
					require.NoError(t, err)
				case 3:
					transaction, err := store.Begin(t.Context(), logstore.Sent)
					require.NoError(t, err)
					for range random.IntN(1000) {
						require.NoError(t, transaction.Add(t.Context(), edge, newEvent()))
					}
					require.NoError(t, transaction.Rollback())
				case 4:
					require.NoError(t, store.Close())
					store = open(t, directory, options...)
				case 5:
					damageIDs(t, directory, random)
				default:
					transaction, err := store.Begin(t.Context(), logstore.Sent)
					require.NoError(t, err)
					added, duplicates := 0, 0
					for range random.IntN(500) {
						event := newEvent()
						require.NoError(t, transaction.Add(t.Context(), edge, event))
						if _, stored := want[event.ID]; stored {
							duplicates++
							continue
						}
						want[event.ID] = event.Timestamp
						added++
					}
					require.NoError(t, transaction.Commit(t.Context()))
					gotAdded, gotDuplicates := transaction.Counts()
					require.Equal(t, []int{added, duplicates}, []int{gotAdded, gotDuplicates})
				}
				require.Equal(t, []string{fmt.Sprintf("%[1]d %[1]d", len(want))}, texts(t, store, "SELECT concat_ws(' ', count(*), count(DISTINCT id)) FROM edge_logs"))
			}
			require.NoError(t, store.Close())
		})
	}
}

// damageIDs removes a file of ids, cuts it, or changes a byte of it.
func damageIDs(t *testing.T, directory string, random *rand.Rand) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, parts.Directory, "*.ids"))
	require.NoError(t, err)
	if len(paths) == 0 {
		return
	}
	path := paths[random.IntN(len(paths))]
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	switch random.IntN(3) {
	case 0:
		require.NoError(t, os.Remove(path))
	case 1:
		require.NoError(t, os.WriteFile(path, content[:random.IntN(len(content))], 0o600))
	default:
		content[random.IntN(len(content))] ^= 1
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}
