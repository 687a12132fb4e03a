package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// D30: an id that the source already has within the window is a duplicate.
func TestDuplicatesAreDropped(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		writer := open(t, config)
		assert.Equal(t, Counts{Accepted: 2, Duplicates: 1}, commit(t, writer, batchOf("a", "b", "a")))
		assert.Equal(t, Counts{Accepted: 1, Duplicates: 2}, commit(t, writer, batchOf("a", "b", "c")))
		other := batchOf("a")
		other.Events[0].Source = functions()
		assert.Equal(t, Counts{Accepted: 1}, commit(t, writer, other), "the id of another source")
		time.Sleep(30 * time.Minute)
		assert.Equal(t, Counts{Duplicates: 1}, commit(t, writer, batchOf("a")))
		finish(t, writer)
		assert.Equal(t, []string{"edge_logs a", "edge_logs b", "edge_logs c", "function_edge_logs a"}, store.stored())

		writer = open(t, config)
		assert.Equal(t, Counts{Accepted: 1, Duplicates: 1}, commit(t, writer, batchOf("a", "d")), "after a restart")
		time.Sleep(2 * time.Hour)
		assert.Equal(t, Counts{Accepted: 1}, commit(t, writer, batchOf("a")), "after the window")
		finish(t, writer)

		config.Deduplicate = 0
		writer = open(t, config)
		assert.Equal(t, Counts{Accepted: 3}, commit(t, writer, batchOf("a", "a", "d")), "without deduplication")
		finish(t, writer)
		counted := config.Observer.(*counter)
		assert.Equal(t, 9, counted.accepted)
		assert.Equal(t, 5, counted.duplicates)
	})
}

// Each step of a crash leaves every committed event exactly once.
func TestCommittedEventsSurviveACrash(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		random := rand.New(rand.NewPCG(1, 2))
		var want, last []string
		for round := range 40 {
			writer := open(t, config)
			broken := random.IntN(3) == 0
			store.set(func(s *fakeStore) {
				if s.failure = nil; broken {
					s.failure = errors.New("disk full")
				}
			})
			assert.Equal(t, Counts{Duplicates: len(last)}, commit(t, writer, batchOf(last...)), "sent again")
			last = nil
			for i := range random.IntN(5) {
				id := fmt.Sprintf("%d-%d", round, i)
				commit(t, writer, batchOf(id))
				want, last = append(want, "edge_logs "+id), append(last, id)
			}
			time.Sleep(time.Duration(random.IntN(3)) * applyInterval)
			crash(writer)
			store.set(func(s *fakeStore) { s.failure = nil })
		}
		finish(t, open(t, config))
		got := store.stored()
		slices.Sort(got)
		slices.Sort(want)
		assert.Equal(t, want, got)
	})
}

func TestConcurrentRequestsShareACommit(t *testing.T) {
	config := setup(t, &fakeStore{})
	writer := open(t, config)
	crash(writer) // the test takes the place of its goroutines
	writer.closed = false
	var requests []*request
	for i := range 50 {
		batch := batchOf(strconv.Itoa(i), "shared")
		waiting := &request{batch: &batch, bytes: 100, done: make(chan outcome, 1)}
		require.NoError(t, writer.enqueue(waiting))
		requests = append(requests, waiting)
	}
	writer.commitGroup(t.Context(), writer.takeGroup())
	assert.EqualValues(t, 1, writer.committed, "one record")
	for i, request := range requests {
		result := <-request.done
		require.NoError(t, result.err)
		assert.Equal(t, i == 0, result.counts.Accepted == 2, "the first has the shared event")
	}
	assert.Len(t, writer.parts[0].events, 51)
	assert.NoError(t, writer.log.Close())
}

func TestALargeBatchIsSeveralRecords(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		writer := open(t, config)
		var ids []string
		for i := range 2*recordEvents + 1 {
			ids = append(ids, strconv.Itoa(i))
		}
		assert.Equal(t, Counts{Accepted: len(ids)}, commit(t, writer, batchOf(ids...)), "although it is larger than the memory for waiting events")
		writer.mutex.Lock()
		assert.EqualValues(t, 3, writer.committed)
		writer.mutex.Unlock()
		finish(t, writer)
		assert.Len(t, store.stored(), len(ids))
		assert.Zero(t, writer.WaitingBytes())
	})
}

func TestTooManyWaitingEventsAreRejected(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		config.WaitingBytes = 3_000
		writer := open(t, config)
		store.set(func(s *fakeStore) { s.failure = fmt.Errorf("store: %w", syscall.ENOSPC) })
		commit(t, writer, batchOf("a", "b", "c", "d"))
		time.Sleep(retryInterval)
		for i := range 20 {
			_, err := writer.Commit(t.Context(), batchOf(fmt.Sprint(i, "a"), fmt.Sprint(i, "b")))
			if err == nil {
				continue
			}
			require.Greater(t, i, 1, "there is room for some")
			failure, ok := errors.AsType[*sqlq.Error](err)
			require.True(t, ok)
			assert.Equal(t, sqlq.Unavailable, failure.Code)
			assert.Positive(t, failure.RetryAfter)
			assert.Equal(t, "the server's disk is full; send the events again later", failure.Message)
		}
		assert.LessOrEqual(t, writer.WaitingBytes(), config.WaitingBytes)
		assert.Positive(t, config.Observer.(*counter).refused)

		store.set(func(s *fakeStore) { s.failure = nil })
		time.Sleep(2 * retryInterval)
		assert.Zero(t, writer.WaitingBytes(), "everything is stored")
		commit(t, writer, batchOf("after"))
		finish(t, writer)
		assert.Contains(t, store.stored(), "edge_logs after")
		assert.Contains(t, store.stored(), "edge_logs a")
	})
}

func TestAnAppendThatFailsStoresNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		var log bytes.Buffer
		config.Logger = slog.New(slog.NewTextHandler(&log, nil))
		writer := open(t, config)
		require.NoError(t, os.Remove(config.Directory)) // it is still empty
		_, err := writer.Commit(t.Context(), batchOf("a"))
		failure, ok := errors.AsType[*sqlq.Error](err)
		require.True(t, ok)
		assert.Equal(t, sqlq.Unavailable, failure.Code)
		assert.NotContains(t, failure.Message, config.Directory, "paths are for the log")
		assert.Zero(t, writer.WaitingBytes())

		require.NoError(t, os.Mkdir(config.Directory, 0o700))
		assert.Equal(t, Counts{Accepted: 1}, commit(t, writer, batchOf("a")), "it was no duplicate")
		finish(t, writer)
		assert.Contains(t, log.String(), config.Directory)
		assert.Equal(t, []string{"edge_logs a"}, store.stored())
	})
}

func TestAStoreThatFailsDelaysNoCommit(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		var log bytes.Buffer
		config.Logger = slog.New(slog.NewTextHandler(&log, nil))
		writer := open(t, config)
		store.set(func(s *fakeStore) { s.failure = errors.New("disk full") })
		for i := range 5 {
			began := time.Now()
			commit(t, writer, batchOf(strconv.Itoa(i)))
			assert.Zero(t, time.Since(began))
			time.Sleep(time.Minute)
		}
		assert.Empty(t, store.stored())
		store.set(func(s *fakeStore) { s.failure = nil })
		finish(t, writer)
		assert.Len(t, store.stored(), 5)
		assert.LessOrEqual(t, strings.Count(log.String(), "disk full"), 6, "the log is not flooded")
		assert.Contains(t, log.String(), "are added to the store again")
	})
}

func TestACommitOfTheStoreThatFailsAfterStoringIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{lost: errors.New("connection lost")}
		writer := open(t, setup(t, store))
		commit(t, writer, batchOf("a"))
		finish(t, writer)
		assert.Equal(t, []string{"edge_logs a"}, store.stored())
	})
}

// Nothing is stored again as long as it is not known whether it is stored.
func TestACommitOfTheStoreWithAnUnknownEndIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{lost: errors.New("connection lost"), unreadable: 3}
		writer := open(t, setup(t, store))
		commit(t, writer, batchOf("a"))
		time.Sleep(10 * retryInterval)
		commit(t, writer, batchOf("b"))
		finish(t, writer)
		assert.Equal(t, []string{"edge_logs a", "edge_logs b"}, store.stored())
	})
}

func TestEventsAreVisibleWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		writer := open(t, setup(t, store))
		defer finish(t, writer)
		commit(t, writer, batchOf("a"))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"edge_logs a"}, store.stored())
	})
}

func TestRejectedEventsAreKept(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		writer := open(t, config)
		batch := batchOf("a")
		batch.RequestID = "request"
		batch.Rejected = []logevent.Rejected{
			{Source: "edge_logs", Position: 1, Reason: "event: is \xff", Event: strings.Repeat("x", 2*logevent.MaxRejectedBytes)},
			{Source: "no source", Position: 2, Reason: "unknown", Event: "\xf1record\x1f"},
		}
		assert.Equal(t, Counts{Accepted: 1}, commit(t, writer, batch))
		many := Batch{Rejected: make([]logevent.Rejected, 2*maxRejectedEvents)}
		assert.Equal(t, Counts{}, commit(t, writer, many))
		crash(writer)
		writer = open(t, config)
		finish(t, writer)
		require.Len(t, store.rejected, 2+maxRejectedEvents)
		assert.Equal(t, "event: is \uFFFD", store.rejected[0].Reason)
		assert.Len(t, store.rejected[0].Event, logevent.MaxRejectedBytes)
		assert.Equal(t, "request", store.rejected[1].RequestID)
		assert.Equal(t, "\uFFFDrecord\x1f", store.rejected[1].Event)
		counted := config.Observer.(*counter)
		assert.Equal(t, 2+2*maxRejectedEvents, counted.rejected)
		assert.NotContains(t, counted.sources, "no source", "names of senders are no labels")
	})
}

func TestDemoLogsAreNotAddedToOtherLogs(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		writer := open(t, config)
		generated := func(id string) Batch {
			batch := batchOf(id)
			batch.Generated = true
			return batch
		}
		commit(t, writer, generated("demo"))
		commit(t, writer, batchOf("sent"))
		_, err := writer.Commit(t.Context(), generated("late"))
		require.ErrorIs(t, err, logstore.ErrHoldsOtherLogs)
		crash(writer)
		writer = open(t, config)
		_, err = writer.Commit(t.Context(), generated("later"))
		require.ErrorIs(t, err, logstore.ErrHoldsOtherLogs, "what was sent is not stored yet")
		finish(t, writer)
		assert.Equal(t, 1, store.generated)
		assert.Equal(t, []string{"edge_logs demo", "edge_logs sent"}, store.stored())
	})
}

func TestDurableEventsArePassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := setup(t, &fakeStore{})
		var passed []string
		config.Committed = func(events []logevent.Sourced) {
			for _, event := range events {
				passed = append(passed, event.ID)
			}
		}
		writer := open(t, config)
		commit(t, writer, batchOf("a", "a", "b"))
		finish(t, writer)
		assert.Equal(t, []string{"a", "b"}, passed)
	})
}

func TestTheLogIsDeletedOnceItsEventsAreInParts(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		config.WaitingBytes = 1 << 30
		writer := open(t, config)
		message := strings.Repeat("x", 1<<20)
		for i := range 40 {
			batch := batchOf(strconv.Itoa(i))
			batch.Events[0].EventMessage = &message
			commit(t, writer, batch)
		}
		time.Sleep(time.Minute)
		assert.Len(t, store.stored(), 40)
		assert.Greater(t, writer.LogBytes(), int64(40<<20), "the store could still lose it")
		store.set(func(s *fakeStore) { s.sealed = s.position })
		time.Sleep(time.Minute)
		assert.Less(t, writer.LogBytes(), int64(20<<20))
		finish(t, writer)
	})
}

// Ids that are in memory long after the last commit are known after a restart, too.
func TestIDsInMemoryAreKnownAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := setup(t, &fakeStore{})
		const remembered = 120
		config.IDBytes = remembered * idBytes
		writer := open(t, config)
		var ids [2 * remembered]string
		for i := range ids {
			ids[i] = strconv.Itoa(i)
			commit(t, writer, batchOf(ids[i]))
			time.Sleep(time.Second)
		}
		time.Sleep(30 * time.Minute)
		assert.InDelta(t, (30*time.Minute + remembered*time.Second).Seconds(), writer.Reach().Seconds(), remembered/generations)
		finish(t, writer)

		writer = open(t, config)
		assert.Equal(t, Counts{Duplicates: 100}, commit(t, writer, batchOf(ids[len(ids)-100:]...)))
		finish(t, writer)
	})
}

func TestACallerThatLeavesDoesNotStopTheCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		writer := open(t, setup(t, store))
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("the server is shutting down")
		cancel(reason)
		_, err := writer.Commit(ctx, batchOf("a"))
		if err != nil {
			require.ErrorIs(t, err, reason)
		}
		finish(t, writer)
		assert.Equal(t, []string{"edge_logs a"}, store.stored())
	})
}

func TestAClosedWriterRejects(t *testing.T) {
	writer := open(t, setup(t, &fakeStore{}))
	finish(t, writer)
	_, err := writer.Commit(t.Context(), batchOf("a"))
	require.ErrorContains(t, err, "shutting down")
}

func TestCloseDoesNotWaitForever(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		writer := open(t, config)
		store.set(func(s *fakeStore) { s.failure = errors.New("disk full") })
		commit(t, writer, batchOf("a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, writer.Close(ctx))
		assert.Empty(t, store.stored())
		store.set(func(s *fakeStore) { s.failure = nil })
		finish(t, open(t, config))
		assert.Equal(t, []string{"edge_logs a"}, store.stored())
	})
}

func TestDamageIsReported(t *testing.T) {
	store := &fakeStore{}
	config := setup(t, store)
	writer := open(t, config)
	store.set(func(s *fakeStore) { s.failure = errors.New("disk full") })
	commit(t, writer, batchOf("a"))
	commit(t, writer, batchOf("b"))
	crash(writer)
	store.set(func(s *fakeStore) { s.failure = nil })
	files := logFiles(t, config)
	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	content[len(content)-1] ^= 1
	require.NoError(t, os.WriteFile(files[0], content, 0o600))

	var log bytes.Buffer
	config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	finish(t, open(t, config))
	assert.Equal(t, []string{"edge_logs a"}, store.stored())
	assert.Contains(t, log.String(), "the write-ahead log is incomplete or damaged")
	assert.Contains(t, log.String(), files[0])
}

func TestConcurrentUse(t *testing.T) {
	store := &fakeStore{}
	writer := open(t, setup(t, store))
	var senders sync.WaitGroup
	for sender := range 20 {
		senders.Go(func() {
			for i := range 20 {
				_, err := writer.Commit(t.Context(), batchOf(fmt.Sprint(sender, "-", i), fmt.Sprint("shared ", i)))
				assert.NoError(t, err)
			}
		})
	}
	senders.Wait()
	finish(t, writer)
	assert.Len(t, store.stored(), 20*20+20)
}

// smallStore rejects transactions with more events than it has room for.
type smallStore struct {
	*fakeStore

	room int
}

func (s smallStore) Ingest(ctx context.Context, ingestion logstore.Ingestion) error {
	events := 0
	for range ingestion.Events {
		events++
	}
	if events > s.room {
		return fmt.Errorf("store: %w", syscall.ENOSPC)
	}
	return s.fakeStore.Ingest(ctx, ingestion)
}

// Events that do not fit on the disk at once are stored bit by bit, because parts that are merged or deleted can free space.
func TestLessIsStoredAtOnceOnAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeStore{}
		var batches []Batch
		var want []string
		for i := range 9 {
			batches = append(batches, batchOf(strconv.Itoa(i)))
			want = append(want, "edge_logs "+strconv.Itoa(i))
		}
		config := unstored(t, fake, batches...)
		config.Store = smallStore{fake, 2}
		finish(t, open(t, config))
		assert.Equal(t, want, fake.stored())
	})
}

// A sender that fills the memory with small batches leaves room for another one, before and after its
// events are durable.
func TestSendersShareTheMemoryForWaitingEvents(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		config.WaitingBytes = 40_000
		writer := open(t, config)
		store.set(func(s *fakeStore) { s.failure = errors.New("it is slow") })
		send := func(sender string) (sent int) {
			for {
				batch := batchOf(sender + strconv.Itoa(sent))
				batch.Sender = sender
				if _, err := writer.Commit(t.Context(), batch); err != nil {
					assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
					return sent
				}
				sent++
			}
		}
		flood := send("flood")
		assert.InDelta(t, 30_000, writer.WaitingBytes(), 300, "three quarters")
		other := send("other")
		assert.InDelta(t, 37_500, writer.WaitingBytes(), 300, "three quarters of the rest")

		store.set(func(s *fakeStore) { s.failure = nil })
		finish(t, writer)
		assert.Zero(t, writer.WaitingBytes())
		assert.Len(t, store.stored(), flood+other)
	})
}
