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
		deleted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "savedq_store_deleted_events_total",
			Help: "Events that were deleted because they were older than --retention, by source.",
		}, []string{"source"}),
		oldest: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "savedq_store_oldest_event_timestamp_seconds",
			Help: "Timestamp of the oldest event of each source that has events.",
		}, []string{"source"}),
		clustered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "savedq_store_clustered_rows_total",
			Help: "Rows of closed days that were sorted by project and time, by table.",
		}, []string{"table"}),
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{ //nolint:promlinter // It counts days of events.
			Name: "savedq_store_unclustered_days",
			Help: "Closed days whose rows are not yet sorted by project and time, by table.",
		}, []string{"table"}),
	}
	m.registry.MustRegister(s.deleted, s.oldest, s.clustered, s.waiting, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "savedq_store_file_bytes",
		Help: "Size of the store's file, with the space in it that is free for new events.",
	}, func() float64 { return float64(fileBytes()) }))
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
