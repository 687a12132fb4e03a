package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"savedq/internal/logs/upkeep"
)

// Store are the metrics of the embedded store.
type Store struct {
	deleted   *prometheus.CounterVec
	oldest    *prometheus.GaugeVec
	clustered *prometheus.CounterVec
	waiting   *prometheus.GaugeVec
}

var (
	_ upkeep.RetentionObserver  = (*Store)(nil)
	_ upkeep.ClusteringObserver = (*Store)(nil)
)

// NewStore registers the metrics of the embedded store, whose file has the size that fileBytes
// returns. Those of the sources are there from the start.
func (m *Metrics) NewStore(sources []string, fileBytes func() int64) *Store {
	s := &Store{
		deleted: m.counters("savedq_store_deleted_events_total",
			"Events that were deleted because they were older than --retention, by source.", "source"),
		oldest: m.gauges("savedq_store_oldest_event_timestamp_seconds",
			"Timestamp of the oldest event of each source that has events.", "source"),
		clustered: m.counters("savedq_store_clustered_rows_total",
			"Rows of closed days that were sorted by project and time, by table.", "table"),
		waiting: m.gauges("savedq_store_unclustered_days",
			"Closed days whose rows are not yet sorted by project and time, by table.", "table"),
	}
	gaugeFunc(m, "savedq_store_file_bytes", "Size of the store's file, with the space in it that is free for new events.", fileBytes)
	for _, source := range sources {
		s.deleted.WithLabelValues(source)
	}
	return s
}

// EventsDeleted counts events of a source that were deleted because of their age.
func (s *Store) EventsDeleted(source string, count int64) {
	s.deleted.WithLabelValues(source).Add(float64(count))
}

// OldestEvent records the time of the oldest event of a source. The zero time means that it
// has none.
func (s *Store) OldestEvent(source string, at time.Time) {
	if at.IsZero() {
		s.oldest.DeleteLabelValues(source)
		return
	}
	s.oldest.WithLabelValues(source).Set(float64(at.UnixNano()) / float64(time.Second))
}

// RowsClustered counts rows of a table that were sorted.
func (s *Store) RowsClustered(table string, rows int64) {
	s.clustered.WithLabelValues(table).Add(float64(rows))
}

// DaysWaiting records how many closed days of a table are not sorted yet.
func (s *Store) DaysWaiting(table string, days int) {
	s.waiting.WithLabelValues(table).Set(float64(days))
}
