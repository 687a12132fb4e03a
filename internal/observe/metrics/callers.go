package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// CallersProcess registers whether there is a process for SQL of callers, and how many have ended, by one of some reasons.
func (m *Metrics) CallersProcess(isRunning func() bool, reasons []string, ends func(reason string) int64) {
	gaugeFunc(m, "savedq_callers_process_running", "Whether there is a process for SQL of callers: 1 if there is, 0 if nobody sent SQL for some minutes.", func() int {
		if isRunning() {
			return 1
		}
		return 0
	})
	for _, reason := range reasons {
		promauto.With(m.registry).NewCounterFunc(prometheus.CounterOpts{
			Name: "savedq_callers_process_ends_total",
			Help: "Ends of processes for SQL of callers, by reason: idle if nobody sent SQL for some minutes, memory if SQL took too much, fault after an error of DuckDB itself, crash for any other. " +
				"The next SQL starts another process.",
			ConstLabels: prometheus.Labels{"reason": reason},
		}, func() float64 { return float64(ends(reason)) })
	}
}
