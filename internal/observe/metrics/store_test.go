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
	store := counted.NewStore([]string{"auth_logs", "edge_logs"}, func() int64 { return 4096 })
	store.EventsDeleted("edge_logs", 7)
	store.OldestEvent("edge_logs", time.Unix(1_700_000_000, 500_000_000))
	store.OldestEvent("auth_logs", time.Unix(1_700_000_000, 0))
	store.OldestEvent("auth_logs", time.Time{})
	store.RowsClustered("edge_logs", 5000)
	store.RowsClustered("edge_logs", 6000)
	store.DaysWaiting("edge_logs", 3)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP savedq_store_clustered_rows_total Rows of closed days that were sorted by project and time, by table.
# TYPE savedq_store_clustered_rows_total counter
savedq_store_clustered_rows_total{table="edge_logs"} 11000
# HELP savedq_store_deleted_events_total Events that were deleted because they were older than --retention, by source.
# TYPE savedq_store_deleted_events_total counter
savedq_store_deleted_events_total{source="auth_logs"} 0
savedq_store_deleted_events_total{source="edge_logs"} 7
# HELP savedq_store_file_bytes Size of the store's file, with the space in it that is free for new events.
# TYPE savedq_store_file_bytes gauge
savedq_store_file_bytes 4096
# HELP savedq_store_oldest_event_timestamp_seconds Timestamp of the oldest event of each source that has events.
# TYPE savedq_store_oldest_event_timestamp_seconds gauge
savedq_store_oldest_event_timestamp_seconds{source="edge_logs"} 1.7000000005e+09
# HELP savedq_store_unclustered_days Closed days whose rows are not yet sorted by project and time, by table.
# TYPE savedq_store_unclustered_days gauge
savedq_store_unclustered_days{table="edge_logs"} 3
`), "savedq_store_clustered_rows_total", "savedq_store_unclustered_days", "savedq_store_deleted_events_total", "savedq_store_file_bytes", "savedq_store_oldest_event_timestamp_seconds"))
}
