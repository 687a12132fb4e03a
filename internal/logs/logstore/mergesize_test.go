package logstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// A large part has no blocks without events, although it is written in several steps.
func TestMergedPartHasNoFreeBlocks(t *testing.T) {
	t.Parallel()
	const perIngestion, ingestions, projects = 25_000, 10, 10
	store := open(t, t.TempDir())
	source, _ := tables.Shipped().FindSource("postgres_logs")
	for i := range ingestions {
		batch := make([]logstore.Accepted, perIngestion)
		for j := range batch {
			project, message := fmt.Sprintf("project-%d", j%projects), "a message"
			event := &logevent.Event{
				ID: fmt.Sprintf("%d-%x", i, uint64(j)*0x9E3779B97F4A7C15), Timestamp: start().Add(time.Duration(i*perIngestion+j) * time.Second / 10),
				Project: &project, EventMessage: &message,
			}
			batch[j] = logstore.Accepted{Source: source, Event: event, ID: logevent.FingerprintOf(source, event.ID), At: start()}
		}
		require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(batch), Position: uint64(i + 1)}))
	}
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	_, err = store.Merge(t.Context(), start().AddDate(0, 0, 2), nil)
	require.NoError(t, err)
	var parts, events, used, free int
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM all_logs").Scan(&events))
	assert.Equal(t, perIngestion*ingestions, events)
	query := "SELECT count(*), sum(used_blocks)::BIGINT, sum(free_blocks)::BIGINT FROM pragma_database_size() WHERE used_blocks > 20"
	require.NoError(t, store.DB().QueryRowContext(t.Context(), query).Scan(&parts, &used, &free))
	assert.Positive(t, parts)
	assert.LessOrEqual(t, free, used/20)
	require.NoError(t, store.Close())
}
