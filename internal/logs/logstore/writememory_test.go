package logstore_test

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// Events whose texts do not fit into the memory of DuckDB together get into the store, because it is opened again with
// more memory. Otherwise all later events would wait for them forever.
func TestEventsLargerThanTheMemoryAreStored(t *testing.T) {
	t.Parallel()
	const events, perTransaction, textBytes = 48, 8, 1 << 20
	var log bytes.Buffer
	store, err := logstore.Open(t.Context(), t.TempDir(), "32MiB", logstore.WithoutAutomaticCheckpoints(), logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1)), logstore.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	random := rand.NewChaCha8([32]byte{})
	noise := make([]byte, textBytes)
	_, _ = random.Read(noise)
	for i := range noise {
		noise[i] = ' ' + noise[i]%64
	}
	text := func() *string {
		beginning := strconv.FormatUint(random.Uint64(), 10)
		return new(beginning + string(noise[len(beginning):]))
	}
	for position := range uint64(events / perTransaction) {
		ingestion := logstore.Ingestion{Position: position + 1}
		ingestion.Events = func(yield func(*sqlq.Table, logevent.Event) bool) {
			for range perTransaction {
				if !yield(source(t, "edge_logs"), logevent.Event{ID: strconv.FormatUint(random.Uint64(), 10), Timestamp: noon, EventMessage: text()}) {
					return
				}
			}
		}
		require.Eventually(t, func() bool { return store.Ingest(t.Context(), ingestion) == nil }, time.Minute, time.Millisecond)
	}
	require.Eventually(t, func() bool {
		done, err := store.Checkpoint(context.WithoutCancel(t.Context()))
		return done && err == nil
	}, time.Minute, time.Millisecond)
	assert.Equal(t, []string{"48"}, texts(t, store, "SELECT count(DISTINCT id) FROM edge_logs WHERE length(event_message) = 1048576"))
	assert.Contains(t, log.String(), "events are too large for the memory of DuckDB, so that it exceeds --memory; start the server with more --memory, or reject these events with a lower --max-event")
	assert.Equal(t, 1, strings.Count(log.String(), "duckdb_memory=\"64 MiB\""), log.String())
}
