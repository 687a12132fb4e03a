package ingest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
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
		require.NoError(b, writer.WaitRecovered(b.Context()))
		b.StopTimer()
		crash(writer)
		b.StartTimer()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*batches*events)*float64(time.Second/time.Microsecond), "µs/event")
}

// The lookup of a new id in a full window, with all of its generations.
func BenchmarkWindow(b *testing.B) {
	const bytes = 128 << 20
	window := newWindow(24*time.Hour, bytes)
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() logevent.Fingerprint { return logevent.Fingerprint{High: random.Uint64(), Low: random.Uint64()} }
	for now := time.UnixMicro(0); window.forgotten.IsZero(); now = now.Add(time.Millisecond) {
		window.add(draw(), now)
	}
	for b.Loop() {
		window.has(draw())
	}
}
