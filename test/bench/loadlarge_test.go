package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	loadpackage "savedq/internal/logs/load"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// Loading a file into a store that holds many events of the same source, beside an empty one.
// The rates are events per second.
func BenchmarkLoadIntoLarge(b *testing.B) {
	const events = 1_000_000
	source, found := tables.Shipped().FindSource("function_edge_logs")
	require.True(b, found)
	large := openLarge(b)
	var largeTook, emptyTook time.Duration
	loads := 0
	for b.Loop() {
		path := writeEvents(b, loads*events, events)
		empty, err := logstore.Open(b.Context(), b.TempDir(), "512MiB")
		require.NoError(b, err)
		emptyTook += took(func() { loadInto(b, empty, path, source, events) })
		largeTook += took(func() { loadInto(b, large, path, source, events) })
		require.NoError(b, empty.Close())
		loads++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(loads*events)/emptyTook.Seconds(), "empty/s")
	b.ReportMetric(float64(loads*events)/largeTook.Seconds(), "savedq/s")
	b.ReportMetric(emptyTook.Seconds()/largeTook.Seconds(), "ratio")
}

// openLarge returns a store with many small events.
func openLarge(b *testing.B) *logstore.Store {
	b.Helper()
	store, err := logstore.Open(b.Context(), b.TempDir(), "512MiB")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	rows := rowsOf(b)
	add(b, store, "function_edge_logs", rows, func(i int) (logevent.Event, bool) {
		return logevent.Event{ID: fmt.Sprintf("%016x", hash(i, 4)), Timestamp: evenly(i, rows, week, now), Metadata: []byte("[{}]")}, true
	})
	return store
}

// writeEvents writes a file with small events, whose numbers begin with the first.
func writeEvents(b *testing.B, first, count int) (path string) {
	b.Helper()
	var content bytes.Buffer
	for n := range count {
		content.WriteString(smallEvent(first + n))
	}
	path = filepath.Join(b.TempDir(), "events.ndjson")
	require.NoError(b, os.WriteFile(path, content.Bytes(), 0o600))
	return path
}

// loadInto loads a file, all of whose events are new, and writes everything in memory to parts.
func loadInto(b *testing.B, store *logstore.Store, path string, source *sqlq.Table, events int) {
	b.Helper()
	summary, err := loadpackage.File(b.Context(), path, source, loadpackage.Options{
		Begin: func(ctx context.Context) (loadpackage.Transaction, error) { return store.Begin(ctx, logstore.Sent) }, Now: time.Now,
	})
	require.NoError(b, err)
	require.Equal(b, events, summary.Loaded)
	_, err = store.Checkpoint(b.Context())
	require.NoError(b, err)
}
