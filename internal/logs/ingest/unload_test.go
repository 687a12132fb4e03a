package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
)

// unloading opens a writer that keeps about one of the test's events in memory.
func unloading(t *testing.T, config Config) *Writer {
	t.Helper()
	writer := open(t, config)
	require.NoError(t, writer.WaitRecovered(t.Context()))
	writer.mutex.Lock()
	defer writer.mutex.Unlock()
	writer.loadedBytes = 300
	return writer
}

// unloaded returns how many parts wait, and how many of them only the write-ahead log has.
func unloaded(writer *Writer) (all, unloaded int) {
	writer.mutex.Lock()
	defer writer.mutex.Unlock()
	for _, part := range writer.parts {
		if part.unloaded {
			unloaded++
		}
	}
	return len(writer.parts), unloaded
}

// Events that wait for long are in the write-ahead log only, and are stored from there, in order.
func TestWaitingEventsAreUnloaded(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		writer := unloading(t, config)
		store.set(func(s *fakeStore) { s.failure = errors.New("being reopened") })
		var want []string
		for i := range 5 {
			batch := batchOf(strconv.Itoa(i))
			batch.Rejected = []logevent.Rejected{{Source: "edge_logs", Position: i, Reason: "reason"}}
			commit(t, writer, batch)
			want = append(want, fmt.Sprint("edge_logs ", i))
		}
		waiting, left := unloaded(writer)
		assert.Equal(t, 5, waiting)
		assert.Equal(t, 5, left, "an event with a rejected one is larger than the limit")
		held := writer.WaitingBytes()
		assert.Positive(t, held, "they still count, so senders are limited")
		commit(t, writer, batchOf("loaded"))
		commit(t, writer, batchOf("not loaded"))
		want = append(want, "edge_logs loaded", "edge_logs not loaded")
		_, left = unloaded(writer)
		assert.Equal(t, 6, left)
		assert.Empty(t, store.stored())

		store.set(func(s *fakeStore) { s.failure = nil })
		time.Sleep(2 * retryInterval)
		assert.Equal(t, want, store.stored())
		for i, rejected := range store.rejected {
			assert.Equal(t, i, rejected.Position)
		}
		assert.Len(t, store.rejected, 5)
		assert.Zero(t, writer.WaitingBytes())
		writer.mutex.Lock()
		assert.Zero(t, writer.loaded)
		writer.mutex.Unlock()
		assert.Equal(t, Counts{Duplicates: 1}, commit(t, writer, batchOf("0")), "its id stays in memory")
		finish(t, writer)
	})
}

// The log of a crashed process is not read into memory as a whole.
func TestRecoveredEventsAreUnloaded(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		writer := open(t, config)
		store.set(func(s *fakeStore) { s.failure = errors.New("being reopened") })
		commit(t, writer, batchOf("a", "b"))
		commit(t, writer, batchOf("c"))
		crash(writer)
		store.set(func(s *fakeStore) { s.failure = nil })

		recovering := &Writer{config: config, memory: NewMemory(config.WaitingBytes), loadedBytes: 1}
		decoded := &part{sequence: 1, count: 1, bytes: 2, events: batchOf("a").Events}
		recovering.replay(decoded, newWindow(config.Deduplicate, config.IDBytes))
		waiting, left := unloaded(recovering)
		assert.Equal(t, 1, waiting)
		assert.Equal(t, 1, left)

		finish(t, open(t, config))
		assert.Equal(t, []string{"edge_logs a", "edge_logs b", "edge_logs c"}, store.stored())
	})
}

// Acknowledged events that the log does not have any more are not left out, nor are later ones stored before them.
func TestUnloadedEventsThatTheLogHasLost(t *testing.T) {
	inBubble(t, func(t *testing.T, store *fakeStore, config Config) {
		var log bytes.Buffer
		config.Logger = slog.New(slog.NewTextHandler(&log, nil))
		writer := unloading(t, config)
		store.set(func(s *fakeStore) { s.failure = errors.New("being reopened") })
		for _, id := range []string{"a", "b", "c"} {
			commit(t, writer, batchOf(id))
		}
		files := logFiles(t, config)
		content, err := os.ReadFile(files[0])
		require.NoError(t, err)
		damaged := bytes.Replace(content, []byte("message of b"), []byte("message of x"), 1)
		require.NotEqual(t, content, damaged)
		require.NoError(t, os.WriteFile(files[0], damaged, 0o600))
		store.set(func(s *fakeStore) { s.failure = nil })
		time.Sleep(10 * time.Minute)
		assert.Empty(t, store.stored())
		assert.Contains(t, log.String(), "the write-ahead log has lost record 2")

		require.NoError(t, os.WriteFile(files[0], content, 0o600))
		time.Sleep(2 * retryInterval)
		assert.Equal(t, []string{"edge_logs a", "edge_logs b", "edge_logs c"}, store.stored())
		finish(t, writer)
	})
}
