// Package metrics exposes the server's metrics to Prometheus.
package metrics

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// Metrics are the counters of one server. It observes its runner and its
// connections.
type Metrics struct {
	registry      *prometheus.Registry
	engineQueries *prometheus.CounterVec
	engineSeconds *prometheus.HistogramVec
	rows, bytes   *prometheus.CounterVec
	cacheRequests *prometheus.CounterVec
	engineRefused *prometheus.CounterVec
	untranslated  prometheus.Counter
	warmRefreshes *prometheus.CounterVec
	requests      *prometheus.HistogramVec

	connections        prometheus.Gauge
	connectionsRefused *prometheus.CounterVec

	reloadFailures prometheus.Counter
	reloaded       prometheus.Gauge
	reloadedAt     prometheus.Gauge
	// endpoints are the saved queries whose metrics are there from the start.
	endpoints map[string]bool
	// alerts is nil if the server checks no alerts.
	alerts *Alerts
}

var _ runner.Observer = (*Metrics)(nil)

// endpointLabel has the name of a saved query, in every metric that is about one.
const endpointLabel = "endpoint"

// ok is the outcome of success. Other outcomes are codes (D15), in lower case.
const ok = "ok"

// The results of requests without rows: failures of the server, mistakes of the caller,
// and cancelled requests. Other results are cache statuses, in lower case.
const (
	failed    = "failed"
	rejected  = "rejected"
	cancelled = "cancelled"
)

// The origins of rows and bytes.
const (
	fromEngine  = "read"
	fromEarlier = "reused"
)

// New registers the metrics. Those of each saved query, and of each limit of
// connections, are there from the start, so that a rate over them has a beginning.
func New(registry *prometheus.Registry, catalog *catalog.Catalog) *Metrics {
	m := &Metrics{registry: registry}
	m.engineQueries = m.counters("savedq_engine_queries_total",
		"Runs of saved queries on the engine, by outcome: ok or the error code in lower case.", endpointLabel, "outcome")
	m.untranslated = promauto.With(registry).NewCounter(prometheus.CounterOpts{
		Name: "savedq_engine_untranslated_total",
		Help: "Runs of SQL of callers that passed the translation to the engine's dialect, and that the engine could not run. Each is a fault of savedq.",
	})
	m.engineSeconds = m.histograms("savedq_engine_seconds",
		"How long runs of saved queries on the engine took, without the wait in the queue.",
		prometheus.ExponentialBuckets(0.001, 2, 16), endpointLabel) // to 33 s
	m.rows = m.counters("savedq_engine_rows_total",
		"Rows of runs of saved queries, by origin: read by the engine, or reused from an earlier run.", endpointLabel, "origin")
	m.bytes = m.counters("savedq_engine_bytes_total",
		"Bytes of tables, where the engine counts them, by origin: read by the engine, or reused, which were not read because rows of an earlier run were.", endpointLabel, "origin")
	m.cacheRequests = m.counters("savedq_cache_requests_total",
		"Requests for saved queries, by result: hit, miss, joined, stale, refreshed or off; or failed through the server's fault, rejected through the caller's, or cancelled because the caller left. GraphQL fields that fail are counted here, because the status of their request is 200.", endpointLabel, "result")
	m.engineRefused = m.counters("savedq_engine_refused_total",
		"Runs of saved queries that were rejected before they reached the engine: it failed five times in a row, or the queue was full or too slow.", endpointLabel)
	m.warmRefreshes = m.counters("savedq_warm_refreshes_total",
		"Background refreshes, by outcome: ok or the error code in lower case.", endpointLabel, "outcome")
	m.requests = m.histograms("savedq_request_seconds",
		"How long HTTP requests took, by interface and status. The interface is graphql, rest, mcp, schema, metrics, health, pages, ingest, store, usage, stream (subscriptions, which last as long as the client wants) or none. The status of a GraphQL request whose fields fail is 200.",
		prometheus.ExponentialBuckets(0.0001, 2.5, 15), "interface", "status") // to 37 s
	m.connections = m.gauges("savedq_connections", "Open connections on --addr.").WithLabelValues()
	m.connectionsRefused = m.counters("savedq_connections_refused_total",
		"Connections that were closed at once, by the limit that they exceeded: total (--max-connections) or per_client (--max-connections-per-client).", "limit")
	m.reloadFailures = m.counters("savedq_catalog_reload_failures_total",
		"How often the folders of saved queries were read again and had a mistake.").WithLabelValues()
	m.reloaded = m.gauges("savedq_catalog_last_reload_successful",
		"Whether the folders of saved queries are in use as they were last read: 1 if they are, 0 if a mistake keeps an older version in use.").WithLabelValues()
	m.reloadedAt = m.gauges("savedq_catalog_last_reload_success_timestamp_seconds",
		"When the folders of saved queries were last read without a mistake.").WithLabelValues()
	for _, limit := range []string{"total", "per_client"} {
		m.connectionsRefused.WithLabelValues(limit)
	}
	m.Use(catalog)
	return m
}

// counters registers counters with labels.
func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return promauto.With(m.registry).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// gauges registers gauges with labels.
func (m *Metrics) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return promauto.With(m.registry).NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

// histograms registers histograms with labels.
func (m *Metrics) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return promauto.With(m.registry).NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// countFunc registers a counter that is read from a function.
func (m *Metrics) countFunc(name, help string, read func() int64) {
	promauto.With(m.registry).NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read()) })
}

// gaugeFunc registers a gauge that is read from a function.
func gaugeFunc[N int | int64 | float64](m *Metrics, name, help string, read func() N) {
	promauto.With(m.registry).NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(read()) })
}

// Use adds the metrics of the saved queries of a catalog, and removes those of saved queries
// that it no longer has. It must not be called concurrently.
func (m *Metrics) Use(catalog *catalog.Catalog) {
	endpoints := make(map[string]bool)
	for _, query := range catalog.Queries() {
		endpoints[query.Name] = true
		m.addEndpoint(query)
	}
	for name := range m.endpoints {
		if !endpoints[name] {
			m.removeEndpoint(name)
		}
	}
	m.endpoints = endpoints
}

// addEndpoint adds the metrics of a saved query, unless they are there already.
func (m *Metrics) addEndpoint(query *sqlq.SavedQuery) {
	m.engineQueries.WithLabelValues(query.Name, ok)
	m.engineSeconds.WithLabelValues(query.Name)
	m.engineRefused.WithLabelValues(query.Name)
	for _, origin := range []string{fromEngine, fromEarlier} {
		m.rows.WithLabelValues(query.Name, origin)
		m.bytes.WithLabelValues(query.Name, origin)
	}
	if query.Warm > 0 {
		m.warmRefreshes.WithLabelValues(query.Name, ok)
	}
	m.cacheRequests.WithLabelValues(query.Name, failed)
	if query.Cache > 0 {
		m.cacheRequests.WithLabelValues(query.Name, resultOf(runner.Hit, nil))
		m.cacheRequests.WithLabelValues(query.Name, resultOf(runner.Miss, nil))
	}
}

// removeEndpoint removes the metrics of a saved query.
func (m *Metrics) removeEndpoint(name string) {
	label := prometheus.Labels{endpointLabel: name}
	for _, counters := range []*prometheus.CounterVec{m.engineQueries, m.engineRefused, m.cacheRequests, m.warmRefreshes, m.rows, m.bytes} {
		counters.DeletePartialMatch(label)
	}
	m.engineSeconds.DeletePartialMatch(label)
	if m.alerts != nil {
		m.alerts.checks.DeletePartialMatch(label)
	}
}

// CatalogReloaded records that the folders of saved queries are in use as they were read.
func (m *Metrics) CatalogReloaded(at time.Time) {
	m.reloaded.Set(1)
	m.reloadedAt.Set(float64(at.UnixNano()) / float64(time.Second))
}

// CatalogReloadFailed records that the folders of saved queries had a mistake.
func (m *Metrics) CatalogReloadFailed() {
	m.reloaded.Set(0)
	m.reloadFailures.Inc()
}

// GaugeEngineReachable registers whether the engine can be reached.
func (m *Metrics) GaugeEngineReachable(reachable func() bool) {
	gaugeFunc(m, "savedq_engine_reachable", "Whether the engine can be reached: 1 if it can, 0 if only cached responses are served.", func() int {
		if reachable() {
			return 1
		}
		return 0
	})
}

// GaugeCacheBytes registers the size of the cache.
func (m *Metrics) GaugeCacheBytes(bytes func() int64) {
	gaugeFunc(m, "savedq_cache_bytes", "Bytes of rows and encoded responses in the cache, at most --cache-bytes.", bytes)
}

// CountUsage registers how many requests were over a budget, and how often usage could not be
// written.
func (m *Metrics) CountUsage(rejected, failures func() int64) {
	m.countFunc("savedq_budget_rejected_total", "Requests that were rejected because the budget of their token was used up.", rejected)
	m.countFunc("savedq_usage_write_failures_total",
		"How often usage and budgets could not be written. They are in memory only until a later attempt succeeds.", failures)
}

// CountDroppedRuns registers how many runs the table savedq_runs does not have.
func (m *Metrics) CountDroppedRuns(dropped func() int64) {
	m.countFunc("savedq_dropped_runs_total", "Runs that savedq_runs does not have, because too many waited to be written, or the store failed.", dropped)
}

// CountDroppedLogLines registers how many lines the log does not have, by what they were
// dropped for: limit for those about requests that were not let in, writer for those
// that could not be written in time.
func (m *Metrics) CountDroppedLogLines(limit, writer func() int64) {
	for reason, count := range map[string]func() int64{"limit": limit, "writer": writer} {
		promauto.With(m.registry).NewCounterFunc(prometheus.CounterOpts{
			Name:        "savedq_log_lines_dropped_total",
			Help:        "Lines missing from the log, by reason: limit for lines about unauthenticated requests above the limit, writer for lines that could not be written in time.",
			ConstLabels: prometheus.Labels{"reason": reason},
		}, func() float64 { return float64(count()) })
	}
}

// Responded counts a request for a saved query.
func (m *Metrics) Responded(query *sqlq.SavedQuery, status runner.CacheStatus, err error) {
	m.cacheRequests.WithLabelValues(query.Name, resultOf(status, err)).Inc()
}

// EngineRan counts a run of the engine and its duration.
func (m *Metrics) EngineRan(_ context.Context, query *sqlq.SavedQuery, run runner.EngineRun, err error) {
	m.engineQueries.WithLabelValues(query.Name, outcomeOf(err)).Inc()
	if errors.Is(err, sqlq.ErrUntranslated) {
		m.untranslated.Inc()
	}
	m.engineSeconds.WithLabelValues(query.Name).Observe(run.Duration.Seconds())
	for _, counted := range []struct {
		counter *prometheus.CounterVec
		origin  string
		value   int64
	}{
		{m.rows, fromEngine, int64(run.Rows)},
		{m.rows, fromEarlier, int64(run.ReusedRows)},
		{m.bytes, fromEngine, run.BytesProcessed},
		{m.bytes, fromEarlier, run.ReusedBytes},
	} {
		counted.counter.WithLabelValues(query.Name, counted.origin).Add(float64(counted.value))
	}
}

// Rejected counts a run that the breaker or the queue rejected.
func (m *Metrics) Rejected(query *sqlq.SavedQuery, _ error) {
	m.engineRefused.WithLabelValues(query.Name).Inc()
}

// Refreshed counts a background refresh.
func (m *Metrics) Refreshed(entry *cache.Entry, err error) {
	m.warmRefreshes.WithLabelValues(entry.Query.Name, outcomeOf(err)).Inc()
}

// Served counts a request to an interface. The interface must be one of a few fixed names.
func (m *Metrics) Served(servedBy string, status int, duration time.Duration) {
	m.requests.WithLabelValues(servedBy, strconv.Itoa(status)).Observe(duration.Seconds())
}

// ConnectionOpened increments the number of open connections.
func (m *Metrics) ConnectionOpened() { m.connections.Inc() }

// ConnectionClosed decrements the number of open connections.
func (m *Metrics) ConnectionClosed() { m.connections.Dec() }

// ConnectionRefused counts a connection that was over a limit.
func (m *Metrics) ConnectionRefused(limit string) {
	m.connectionsRefused.WithLabelValues(limit).Inc()
}

// Handler serves all metrics in the formats of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// ScopedHandler serves the metrics that visible allows a request: all of them, or metrics of
// the named endpoints. Other metrics, such as the memory of the process, would reveal the
// activity of other callers.
func (m *Metrics) ScopedHandler(visible func(context.Context) (endpoints []string, all bool)) http.Handler {
	everything := m.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		endpoints, all := visible(r.Context())
		if all {
			everything.ServeHTTP(w, r)
			return
		}
		gathered := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
			families, err := m.registry.Gather()
			return ofEndpoints(families, endpoints), err
		})
		promhttp.HandlerFor(gathered, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	})
}

// ofEndpoints returns the metrics that have one of the endpoints as a label.
func ofEndpoints(families []*dto.MetricFamily, endpoints []string) []*dto.MetricFamily {
	var some []*dto.MetricFamily
	for _, family := range families {
		var metrics []*dto.Metric
		for _, metric := range family.GetMetric() {
			if slices.ContainsFunc(metric.GetLabel(), func(label *dto.LabelPair) bool {
				return label.GetName() == endpointLabel && slices.Contains(endpoints, label.GetValue())
			}) {
				metrics = append(metrics, metric)
			}
		}
		if metrics != nil {
			some = append(some, &dto.MetricFamily{Name: family.Name, Help: family.Help, Type: family.Type, Unit: family.Unit, Metric: metrics})
		}
	}
	return some
}

func outcomeOf(err error) string {
	if err == nil {
		return ok
	}
	return strings.ToLower(string(sqlq.AsError(err).Code))
}

func resultOf(status runner.CacheStatus, err error) string {
	if err == nil {
		return strings.ToLower(string(status))
	}
	switch code := sqlq.AsError(err).Code; {
	case code.IsServerFault():
		return failed
	case code == sqlq.Cancelled:
		return cancelled
	}
	return rejected
}

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
