package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// NewRegistry returns a registry with the metrics of Go, of the process and of the build.
func NewRegistry(version, revision, goVersion string) *prometheus.Registry {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "savedq_build_info",
		Help:        "The running build: the release, the commit and the version of Go. The value is always 1.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "goversion": goVersion},
	})
	build.Set(1)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build)
	return registry
}
