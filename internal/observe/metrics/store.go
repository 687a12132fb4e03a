package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"savedq/internal/logs/upkeep"
)

// Store are the metrics of the embedded store.
type Store struct {
	deleted *prometheus.CounterVec
	oldest  *prometheus.GaugeVec
	merges  prometheus.Counter
}

var (
	_ upkeep.RetentionObserver = (*Store)(nil)
	_ upkeep.PartObserver      = (*Store)(nil)
)

// NewStore registers the metrics of the embedded store, whose parts have the size that fileBytes
// returns, and of which damagedParts cannot be read. It was reopened as often as reopenings returns. Those of the
// sources are there from the start.
func (m *Metrics) NewStore(sources []string, fileBytes func() int64, damagedParts func() int, reopenings func() int64) *Store {
	s := &Store{
		deleted: m.counters("savedq_store_deleted_events_total",
			"Events that were deleted because they were older than --retention, by source.", "source"),
		oldest: m.gauges("savedq_store_oldest_event_timestamp_seconds",
			"Timestamp of the oldest event of each source that has events.", "source"),
		merges: m.counters("savedq_store_merges_total", "Times that parts of the store were merged.").WithLabelValues(),
	}
	gaugeFunc(m, "savedq_store_file_bytes", "Size of the parts of the store.", fileBytes)
	m.WatchStore(damagedParts, reopenings)
	for _, source := range sources {
		s.deleted.WithLabelValues(source)
	}
	return s
}

// WatchStore registers how many parts of a store cannot be read, and how often it was opened again.
func (m *Metrics) WatchStore(damagedParts func() int, reopenings func() int64) {
	gaugeFunc(m, "savedq_store_damaged_parts", "Parts of the store that cannot be read.", damagedParts)
	m.countFunc("savedq_store_reopenings_total", "Times that the store was opened again, after a fatal error of DuckDB.", reopenings)
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

// PartsMerged counts merges of parts.
func (s *Store) PartsMerged(steps int) { s.merges.Add(float64(steps)) }
