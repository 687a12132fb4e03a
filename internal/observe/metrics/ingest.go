package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"savedq/internal/logs/ingest"
)

// Ingest are the metrics of the ingest writer.
type Ingest struct {
	registry *prometheus.Registry
	events   *prometheus.CounterVec
	commits  prometheus.Histogram
	failures prometheus.Counter
	visible  prometheus.Histogram
}

var _ ingest.Observer = (*Ingest)(nil)

// The outcomes of ingested events.
const (
	accepted  = "accepted"
	duplicate = "duplicate"
)

// NewIngest registers the metrics of the ingest writer. Those of the sources are there from
// the start.
func (m *Metrics) NewIngest(sources []string) *Ingest {
	i := &Ingest{
		registry: m.registry,
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "savedq_ingest_events_total",
			Help: "Events that were sent, by source and outcome: accepted, duplicate or rejected.",
		}, []string{"source", "outcome"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "savedq_ingest_commit_seconds",
			Help:    "Time until the events of a request were durable.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15), // to 8 s
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "savedq_ingest_unavailable_total",
			Help: "Requests with events that got 503: too many events were waiting, or the disk could not store them.",
		}),
		visible: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "savedq_ingest_visible_seconds",
			Help:    "Time from the commit of events until saved queries could read them.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 13), // to 41 s
		}),
	}
	m.registry.MustRegister(i.events, i.commits, i.failures, i.visible)
	for _, source := range sources {
		for _, outcome := range []string{accepted, duplicate, rejected} {
			i.events.WithLabelValues(source, outcome)
		}
	}
	return i
}

// IngestState is what the gauges show; see [ingest.Writer].
type IngestState interface {
	WaitingBytes() int64
	LogBytes() int64
	Reach() time.Duration
}

// Gauge adds the metrics that are read from the writer.
func (i *Ingest) Gauge(writer IngestState) {
	gauge := func(name, help string, read func() float64) {
		i.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
	}
	gauge("savedq_ingest_waiting_bytes", "Memory for events that are durable or being committed, and not stored yet.",
		func() float64 { return float64(writer.WaitingBytes()) })
	gauge("savedq_ingest_log_bytes", "Size of the write-ahead log in ingest-log.",
		func() float64 { return float64(writer.LogBytes()) })
	gauge("savedq_ingest_deduplication_seconds", "How far back duplicates are recognized. It is less than --deduplicate if there are more ids than --ingest-memory holds.",
		func() float64 { return writer.Reach().Seconds() })
}

// EventsCommitted implements [ingest.Observer].
func (i *Ingest) EventsCommitted(source string, counts ingest.Counts) {
	i.events.WithLabelValues(source, accepted).Add(float64(counts.Accepted))
	i.events.WithLabelValues(source, duplicate).Add(float64(counts.Duplicates))
}

// EventsRejected implements [ingest.Observer].
func (i *Ingest) EventsRejected(source string, count int) {
	i.events.WithLabelValues(source, rejected).Add(float64(count))
}

// BatchCommitted implements [ingest.Observer].
func (i *Ingest) BatchCommitted(duration time.Duration) { i.commits.Observe(duration.Seconds()) }

// BatchRefused implements [ingest.Observer].
func (i *Ingest) BatchRefused() { i.failures.Inc() }

// EventsStored implements [ingest.Observer].
func (i *Ingest) EventsStored(_ int, delay time.Duration) { i.visible.Observe(delay.Seconds()) }
