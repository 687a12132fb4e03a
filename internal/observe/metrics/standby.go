package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Standby are the metrics of a server that follows the store of another one.
type Standby struct {
	changes, failures prometheus.Counter
}

// NewStandby registers the metrics of a standby: when the manifest that it serves was written, and whether it waits for files
// of a newer one. See also [Metrics.WatchStore].
func (m *Metrics) NewStandby(written func() time.Time, waiting func() bool) *Standby {
	gaugeFunc(m, "savedq_standby_written_timestamp_seconds", "Time when the manifest that a standby serves was written.", func() float64 {
		return float64(written().UnixMilli()) / float64(time.Second/time.Millisecond)
	})
	gaugeFunc(m, "savedq_standby_waiting", "Whether a standby serves an earlier manifest because the copy lacks files of the newer one: 1 or 0.", func() int {
		if waiting() {
			return 1
		}
		return 0
	})
	return &Standby{
		changes:  m.counters("savedq_standby_changes_total", "Times that a standby has taken up a change of the store that it follows.").WithLabelValues(),
		failures: m.counters("savedq_standby_failures_total", "Times that a standby could not read the store that it follows.").WithLabelValues(),
	}
}

// Refreshed counts a look for changes.
func (s *Standby) Refreshed(changed bool, err error) {
	if changed {
		s.changes.Inc()
	}
	if err != nil {
		s.failures.Inc()
	}
}
