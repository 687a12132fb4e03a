package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"savedq/internal/logs/ingest"
)

// Ingest are the metrics of the ingest writer.
type Ingest struct {
	metrics  *Metrics
	events   *prometheus.CounterVec
	commits  prometheus.Observer
	failures prometheus.Counter
	visible  prometheus.Observer
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
		metrics: m,
		events: m.counters("savedq_ingest_events_total",
			"Events that were sent, by source and outcome: accepted, duplicate or rejected.", "source", "outcome"),
		commits: m.histograms("savedq_ingest_commit_seconds", "Time until the events of a request were durable.",
			prometheus.ExponentialBuckets(0.0005, 2, 15)).WithLabelValues(), // to 8 s
		failures: m.counters("savedq_ingest_unavailable_total",
			"Requests with events that got 503: too many events were waiting, or the disk could not store them.").WithLabelValues(),
		visible: m.histograms("savedq_ingest_visible_seconds", "Time from the commit of events until saved queries could read them.",
			prometheus.ExponentialBuckets(0.01, 2, 13)).WithLabelValues(), // to 41 s
	}
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
	gaugeFunc(i.metrics, "savedq_ingest_waiting_bytes", "Memory that all events would take that are durable or being committed, and not stored yet. Most of them wait in the write-ahead log only.", writer.WaitingBytes)
	gaugeFunc(i.metrics, "savedq_ingest_log_bytes", "Size of the write-ahead log in ingest-log.", writer.LogBytes)
	gaugeFunc(i.metrics, "savedq_ingest_deduplication_seconds", "How far back duplicates are recognized. It is less than --deduplicate if there are more ids than --ingest-memory holds.",
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
