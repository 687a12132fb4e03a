package logstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// Events that are made visible, written to parts and merged, with the bytes that each takes on the disk in the end.
func BenchmarkIngest(b *testing.B) {
	const perIngestion = 10_000
	generator, end := demo.New(1), time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	var events []logstore.Accepted
	for _, source := range tables.Shipped() {
		for event := range generator.Events(source, end.AddDate(0, 0, -2), end) {
			events = append(events, logstore.Accepted{Source: source, Event: &event})
		}
	}
	store, err := logstore.Open(b.Context(), b.TempDir(), "512MiB")
	require.NoError(b, err)
	count := 0
	b.ResetTimer()
	for b.Loop() {
		batch := make([]logstore.Accepted, perIngestion)
		for i := range batch {
			count++
			event := *events[count%len(events)].Event
			event.ID = fmt.Sprintf("%x", uint64(count)*0x9E3779B97F4A7C15) //nolint:perfsprint // An id without order.
			source := events[count%len(events)].Source
			batch[i] = logstore.Accepted{Source: source, Event: &event, ID: logevent.FingerprintOf(source, event.ID), At: end}
		}
		require.NoError(b, store.Ingest(b.Context(), logstore.Ingestion{Events: sequence(batch), Position: uint64(count)}))
	}
	_, err = store.Checkpoint(b.Context())
	require.NoError(b, err)
	_, err = store.Merge(b.Context(), end.AddDate(0, 0, 1), nil)
	require.NoError(b, err)
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(count), "ns/event")
	b.ReportMetric(float64(store.FileBytes())/float64(count), "B/event")
	require.NoError(b, store.Close())
}
