package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/ingest"
	"savedq/internal/observe/metrics"
	"savedq/sqlq/catalog"
)

func TestIngestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	counted := metrics.New(registry, &catalog.Catalog{}).NewIngest([]string{"edge_logs"})
	counted.EventsCommitted("edge_logs", ingest.Counts{Accepted: 5, Duplicates: 2})
	counted.EventsRejected("edge_logs", 1)
	counted.EventsRejected("unknown", 3)
	counted.BatchRefused()
	counted.BatchCommitted(3 * time.Millisecond)
	counted.EventsStored(5, 200*time.Millisecond)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP savedq_ingest_events_total Events that were sent, by source and outcome: accepted, duplicate or rejected.
# TYPE savedq_ingest_events_total counter
savedq_ingest_events_total{outcome="accepted",source="edge_logs"} 5
savedq_ingest_events_total{outcome="duplicate",source="edge_logs"} 2
savedq_ingest_events_total{outcome="rejected",source="edge_logs"} 1
savedq_ingest_events_total{outcome="rejected",source="unknown"} 3
# HELP savedq_ingest_unavailable_total Requests with events that got 503: too many events were waiting, or the disk could not store them.
# TYPE savedq_ingest_unavailable_total counter
savedq_ingest_unavailable_total 1
`), "savedq_ingest_events_total", "savedq_ingest_unavailable_total"))
}
