package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// Dashboards and alerts depend on the names and labels.
func TestStoreMetrics(t *testing.T) {
	t.Parallel()
	counted, registry, _ := newMetrics(t)
	store := counted.NewStore([]string{"auth_logs", "edge_logs"}, func() int64 { return 4096 }, func() int { return 1 }, func() int64 { return 5 })
	store.EventsDeleted("edge_logs", 7)
	store.OldestEvent("edge_logs", time.Unix(1_700_000_000, 500_000_000))
	store.OldestEvent("auth_logs", time.Unix(1_700_000_000, 0))
	store.OldestEvent("auth_logs", time.Time{})
	store.PartsMerged(2)
	store.PartsMerged(1)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP savedq_store_damaged_parts Parts of the store that cannot be read.
# TYPE savedq_store_damaged_parts gauge
savedq_store_damaged_parts 1
# HELP savedq_store_deleted_events_total Events that were deleted because they were older than --retention, by source.
# TYPE savedq_store_deleted_events_total counter
savedq_store_deleted_events_total{source="auth_logs"} 0
savedq_store_deleted_events_total{source="edge_logs"} 7
# HELP savedq_store_file_bytes Size of the parts of the store.
# TYPE savedq_store_file_bytes gauge
savedq_store_file_bytes 4096
# HELP savedq_store_merges_total Times that parts of the store were merged.
# TYPE savedq_store_merges_total counter
savedq_store_merges_total 3
# HELP savedq_store_oldest_event_timestamp_seconds Timestamp of the oldest event of each source that has events.
# TYPE savedq_store_oldest_event_timestamp_seconds gauge
savedq_store_oldest_event_timestamp_seconds{source="edge_logs"} 1.7000000005e+09
# HELP savedq_store_reopenings_total Times that the store was opened again, after a fatal error of DuckDB.
# TYPE savedq_store_reopenings_total counter
savedq_store_reopenings_total 5
`), "savedq_store_reopenings_total", "savedq_store_merges_total", "savedq_store_damaged_parts", "savedq_store_deleted_events_total", "savedq_store_file_bytes", "savedq_store_oldest_event_timestamp_seconds"))
}
