package ingest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A start after a crash that left a million events in the write-ahead log.
func BenchmarkOpenAfterCrash(b *testing.B) {
	const batches, events = 10_000, 100
	store := &fakeStore{}
	config := setup(b, store)
	config.WaitingBytes, config.IDBytes = 1<<30, 1<<30
	writer, err := Open(b.Context(), config)
	require.NoError(b, err)
	store.set(func(s *fakeStore) { s.failure = errors.New("disk full") })
	for batch := range batches {
		ids := make([]string, events)
		for i := range ids {
			ids[i] = fmt.Sprintf("event %d of batch %d", i, batch)
		}
		_, err := writer.Commit(b.Context(), batchOf(ids...))
		require.NoError(b, err)
	}
	crash(writer)
	store.set(func(s *fakeStore) { s.failure = nil })
	for b.Loop() {
		writer, err := Open(b.Context(), config)
		require.NoError(b, err)
		b.StopTimer()
		crash(writer)
		b.StartTimer()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*batches*events)*float64(time.Second/time.Microsecond), "µs/event")
}
