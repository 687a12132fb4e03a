package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/httpserver"
	"savedq/internal/observe/metrics"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

var _ httpserver.ConnectionObserver = (*metrics.Metrics)(nil)

func newMetrics(t *testing.T) (*metrics.Metrics, *prometheus.Registry, *sqlq.SavedQuery) {
	t.Helper()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	query, found := catalog.Find("usage.api-counts")
	require.True(t, found)
	registry := prometheus.NewRegistry()
	return metrics.New(registry, catalog), registry, query
}

// Dashboards and alerts depend on the names and labels.
func TestMetrics(t *testing.T) {
	t.Parallel()
	counted, registry, query := newMetrics(t)
	counted.GaugeCacheBytes(func() int64 { return 42 })
	counted.GaugeEngineReachable(func() bool { return true })
	failure := sqlq.Errorf(sqlq.Unavailable, "no")
	for _, status := range []runner.CacheStatus{runner.Hit, runner.Hit, runner.Miss, runner.Joined, runner.Stale, runner.Refreshed, runner.Off} {
		counted.Responded(query, status, nil)
	}
	for _, code := range sqlq.Codes() {
		counted.Responded(query, "", sqlq.Errorf(code, "no"))
	}
	counted.Responded(query, "", errors.New("without a code"))
	counted.EngineRan(t.Context(), query, runner.EngineRun{Duration: 3 * time.Millisecond}, nil)
	counted.EngineRan(t.Context(), query, runner.EngineRun{Duration: 40 * time.Second}, failure)
	counted.EngineRan(t.Context(), query, runner.EngineRun{Duration: time.Second}, errors.New("without a code"))
	counted.EngineRan(t.Context(), query, runner.EngineRun{Duration: time.Second}, sqlq.CallersMistake(sqlq.Place{}, "x").WithCause(fmt.Errorf("run x: %w", sqlq.ErrUntranslated)))
	counted.Refreshed(&cache.Entry{Query: query}, nil)
	counted.Refreshed(&cache.Entry{Query: query}, failure)
	counted.Served("rest", http.StatusOK, time.Millisecond)
	counted.ConnectionOpened()
	counted.ConnectionOpened()
	counted.ConnectionClosed()
	counted.ConnectionRefused(string(httpserver.BeyondTotal))

	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP savedq_cache_bytes Bytes of rows and encoded responses in the cache, at most --cache-bytes.
# TYPE savedq_cache_bytes gauge
savedq_cache_bytes 42
# HELP savedq_engine_reachable Whether the engine can be reached: 1 if it can, 0 if only cached responses are served.
# TYPE savedq_engine_reachable gauge
savedq_engine_reachable 1
# HELP savedq_engine_untranslated_total Runs of SQL of callers that passed the translation to the engine's dialect, and that the engine could not run. Each is a fault of savedq.
# TYPE savedq_engine_untranslated_total counter
savedq_engine_untranslated_total 1
# HELP savedq_cache_requests_total Requests for saved queries, by result: hit, miss, joined, stale, refreshed or off; or failed through the server's fault, rejected through the caller's, or cancelled because the caller left. GraphQL fields that fail are counted here, because the status of their request is 200.
# TYPE savedq_cache_requests_total counter
savedq_cache_requests_total{endpoint="functions.invocation-stats",result="failed"} 0
savedq_cache_requests_total{endpoint="functions.list",result="failed"} 0
savedq_cache_requests_total{endpoint="projects.list",result="failed"} 0
savedq_cache_requests_total{endpoint="functions.invocation-stats",result="hit"} 0
savedq_cache_requests_total{endpoint="functions.list",result="hit"} 0
savedq_cache_requests_total{endpoint="projects.list",result="hit"} 0
savedq_cache_requests_total{endpoint="functions.invocation-stats",result="miss"} 0
savedq_cache_requests_total{endpoint="functions.list",result="miss"} 0
savedq_cache_requests_total{endpoint="projects.list",result="miss"} 0
savedq_cache_requests_total{endpoint="logs.all",result="failed"} 0
savedq_cache_requests_total{endpoint="logs.facets",result="failed"} 0
savedq_cache_requests_total{endpoint="logs.histogram",result="failed"} 0
savedq_cache_requests_total{endpoint="logs.search",result="failed"} 0
savedq_cache_requests_total{endpoint="usage.api-counts",result="cancelled"} 1
savedq_cache_requests_total{endpoint="usage.api-counts",result="failed"} 4
savedq_cache_requests_total{endpoint="usage.api-counts",result="hit"} 2
savedq_cache_requests_total{endpoint="usage.api-counts",result="joined"} 1
savedq_cache_requests_total{endpoint="usage.api-counts",result="miss"} 1
savedq_cache_requests_total{endpoint="usage.api-counts",result="off"} 1
savedq_cache_requests_total{endpoint="usage.api-counts",result="refreshed"} 1
savedq_cache_requests_total{endpoint="usage.api-counts",result="rejected"} 6
savedq_cache_requests_total{endpoint="usage.api-counts",result="stale"} 1
# HELP savedq_connections Open connections on --addr.
# TYPE savedq_connections gauge
savedq_connections 1
# HELP savedq_connections_refused_total Connections that were closed at once, by the limit that they exceeded: total (--max-connections) or per_client (--max-connections-per-client).
# TYPE savedq_connections_refused_total counter
savedq_connections_refused_total{limit="per_client"} 0
savedq_connections_refused_total{limit="total"} 1
# HELP savedq_engine_queries_total Runs of saved queries on the engine, by outcome: ok or the error code in lower case.
# TYPE savedq_engine_queries_total counter
savedq_engine_queries_total{endpoint="functions.invocation-stats",outcome="ok"} 0
savedq_engine_queries_total{endpoint="functions.list",outcome="ok"} 0
savedq_engine_queries_total{endpoint="projects.list",outcome="ok"} 0
savedq_engine_queries_total{endpoint="logs.all",outcome="ok"} 0
savedq_engine_queries_total{endpoint="logs.facets",outcome="ok"} 0
savedq_engine_queries_total{endpoint="logs.histogram",outcome="ok"} 0
savedq_engine_queries_total{endpoint="logs.search",outcome="ok"} 0
savedq_engine_queries_total{endpoint="usage.api-counts",outcome="internal"} 1
savedq_engine_queries_total{endpoint="usage.api-counts",outcome="invalid_argument"} 1
savedq_engine_queries_total{endpoint="usage.api-counts",outcome="ok"} 1
savedq_engine_queries_total{endpoint="usage.api-counts",outcome="unavailable"} 1
# HELP savedq_warm_refreshes_total Background refreshes, by outcome: ok or the error code in lower case.
# TYPE savedq_warm_refreshes_total counter
savedq_warm_refreshes_total{endpoint="functions.invocation-stats",outcome="ok"} 0
savedq_warm_refreshes_total{endpoint="functions.list",outcome="ok"} 0
savedq_warm_refreshes_total{endpoint="projects.list",outcome="ok"} 0
savedq_warm_refreshes_total{endpoint="usage.api-counts",outcome="ok"} 1
savedq_warm_refreshes_total{endpoint="usage.api-counts",outcome="unavailable"} 1
`), "savedq_cache_bytes", "savedq_engine_reachable", "savedq_cache_requests_total", "savedq_connections", "savedq_connections_refused_total", "savedq_engine_queries_total", "savedq_engine_untranslated_total", "savedq_warm_refreshes_total"))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// A caller's mistake must not trigger an alert.
func TestRespondedByCode(t *testing.T) {
	t.Parallel()
	results := map[sqlq.Code]string{
		sqlq.Internal: "failed", sqlq.Unavailable: "failed", sqlq.DeadlineExceeded: "failed", sqlq.Cancelled: "cancelled",
	}
	for _, code := range sqlq.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			result, known := results[code]
			if !known {
				result = "rejected"
			}
			counted, _, query := newMetrics(t)
			counted.Responded(query, "", sqlq.Errorf(code, "no"))
			recorder := httptest.NewRecorder()
			counted.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
			assert.Contains(t, recorder.Body.String(), `savedq_cache_requests_total{endpoint="usage.api-counts",result="`+result+`"} 1`)
		})
	}
}

// A limited token cannot read metrics of other endpoints or of the process.
func TestScopedHandler(t *testing.T) {
	t.Parallel()
	counted, registry, query := newMetrics(t)
	registry.MustRegister(collectors.NewGoCollector())
	counted.GaugeCacheBytes(func() int64 { return 42 })
	counted.CountDroppedLogLines(func() int64 { return 1 }, func() int64 { return 2 })
	counted.EngineRan(t.Context(), query, runner.EngineRun{Duration: 3 * time.Millisecond}, nil)
	counted.Served("rest", http.StatusOK, time.Millisecond)
	for name, test := range map[string]struct {
		endpoints []string
		all       bool
		// endpointsSeen are the saved queries that the response names.
		endpointsSeen []string
	}{
		"all":     {nil, true, []string{"functions.invocation-stats", "functions.list", "logs.all", "logs.facets", "logs.histogram", "logs.search", "projects.list", "usage.api-counts"}},
		"one":     {[]string{"usage.api-counts"}, false, []string{"usage.api-counts"}},
		"two":     {[]string{"usage.api-counts", "logs.all"}, false, []string{"logs.all", "usage.api-counts"}},
		"none":    {nil, false, nil},
		"unknown": {[]string{"usage"}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder := httptest.NewRecorder()
			handler := counted.ScopedHandler(func(context.Context) ([]string, bool) { return test.endpoints, test.all })
			handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
			assert.Equal(t, http.StatusOK, recorder.Code)
			body := recorder.Body.String()
			var seen []string
			for _, match := range regexp.MustCompile(`endpoint="([^"]*)"`).FindAllStringSubmatch(body, -1) {
				seen = append(seen, match[1])
			}
			slices.Sort(seen)
			assert.Equal(t, test.endpointsSeen, slices.Compact(seen))
			for _, metric := range []string{"savedq_request_seconds", "savedq_cache_bytes", "savedq_connections", "savedq_log_lines_dropped_total", "go_goroutines"} {
				assert.Equal(t, test.all, strings.Contains(body, "\n"+metric), metric)
			}
			assert.Equal(t, len(test.endpointsSeen) > 0, strings.Contains(body, "# TYPE savedq_engine_seconds histogram\n"))
			assert.Equal(t, len(test.endpointsSeen) > 0, strings.Contains(body, `savedq_engine_queries_total{endpoint="usage.api-counts",outcome="ok"} 1`))
		})
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	counted, _, query := newMetrics(t)
	counted.EngineRan(t.Context(), query, runner.EngineRun{Duration: 3 * time.Millisecond}, nil)
	counted.Served("graphql", http.StatusOK, 200*time.Microsecond)
	recorder := httptest.NewRecorder()
	counted.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	assert.Equal(t, http.StatusOK, recorder.Code)
	for _, line := range []string{
		`savedq_engine_seconds_bucket{endpoint="usage.api-counts",le="0.002"} 0`,
		`savedq_engine_seconds_bucket{endpoint="usage.api-counts",le="0.004"} 1`,
		`savedq_engine_seconds_sum{endpoint="usage.api-counts"} 0.003`,
		`savedq_request_seconds_bucket{interface="graphql",status="200",le="0.0001"} 0`,
		`savedq_request_seconds_bucket{interface="graphql",status="200",le="0.00025"} 1`,
	} {
		assert.Regexp(t, "(?m)^"+regexp.QuoteMeta(line)+"$", recorder.Body.String())
	}
}
