package logstore_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// An event of several projects is found under each, whether it is in memory, in a part or in a merged one.
func TestEventsOfSeveralProjects(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := open(t, t.TempDir())
	defer func() { require.NoError(t, store.Close()) }()
	source, _ := tables.Shipped().FindSource("function_edge_logs")
	position := uint64(0)
	add := func(metadata string) {
		position++
		event := logevent.Event{ID: strconv.FormatUint(position, 10), Timestamp: start(), Metadata: json.RawMessage(metadata)}
		accepted := logstore.Accepted{Source: source, Event: &event, ID: logevent.FingerprintOf(source, event.ID), At: start()}
		require.NoError(t, store.Ingest(ctx, logstore.Ingestion{Position: position, Events: sequence([]logstore.Accepted{accepted})}))
	}
	check := func(want int) {
		t.Helper()
		for view, counts := range map[string][3]int{"all_logs": {2 * want, want, want}, "all_logs_shared": {want, want, want}} {
			var all, ofOne, ofTwo int
			require.NoError(t, store.DB().QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (list_contains(projects, 'one')),
				count(*) FILTER (list_contains(projects, 'two') AND project IS NULL AND source_alias = 'deno-relay-logs') FROM `+view).Scan(&all, &ofOne, &ofTwo))
			assert.Equal(t, [3]int{all, ofOne, ofTwo}, counts, view)
		}
	}
	for count := range 3 {
		add(`[{"project_ref":"one"},{"project_ref":"two"}]`)
		add(`[{"project_ref":"one"}]`)
		check(count + 1)
		_, err := store.Checkpoint(ctx)
		require.NoError(t, err)
		check(count + 1)
	}
	steps, err := store.Merge(ctx, start().AddDate(0, 0, 3), nil)
	require.NoError(t, err)
	require.NotZero(t, steps)
	check(3)
}
