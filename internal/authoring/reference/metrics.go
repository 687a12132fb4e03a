package reference

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"time"

	"savedq/internal/engines/worker"
	"savedq/internal/observe/metrics"
	"savedq/internal/operations/alert"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
)

//go:embed metrics.md
var metricsIntroduction string

// A Metric is a metric of a server.
type Metric struct {
	Name, Kind, Help string
	Labels           []string
}

// Metrics returns the metrics of a server with an embedded store, of the process and
// of Go included, in the order of their names.
func Metrics() ([]Metric, error) {
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	if err != nil {
		return nil, err
	}
	registry := metrics.NewRegistry("0.1.0", "abc123", "go1.26.0")
	count(metrics.New(registry, catalog), catalog)
	families, err := registry.Gather()
	if err != nil {
		return nil, err
	}
	var found []Metric
	for _, family := range families {
		metric := Metric{Name: family.GetName(), Kind: strings.ToLower(family.GetType().String()), Help: family.GetHelp()}
		for _, label := range family.GetMetric()[0].GetLabel() {
			metric.Labels = append(metric.Labels, label.GetName())
		}
		found = append(found, metric)
	}
	return found, nil
}

// count registers all metrics and counts each once, because a registry does not show those
// that never counted.
func count(counted *metrics.Metrics, catalog *catalog.Catalog) {
	zero := func() int64 { return 0 }
	counted.GaugeCacheBytes(zero)
	counted.GaugeEngineReachable(func() bool { return true })
	counted.CountUsage(zero, zero)
	counted.CountDroppedLogLines(zero, zero)
	counted.CountDroppedRuns(zero)
	counted.CallersProcess(func() bool { return true }, worker.Reasons(), func(string) int64 { return 0 })
	const table = "edge_logs"
	counted.NewIngest([]string{table}).Gauge(idle{})
	store := counted.NewStore([]string{table}, zero, func() int { return 0 }, zero)
	store.OldestEvent(table, time.Unix(1, 0))
	store.PartsMerged(1)
	counted.NewStandby(func() time.Time { return time.Unix(1, 0) }, func() bool { return false }).Refreshed(true, nil)
	query := catalog.Queries()[0]
	alerts := counted.NewAlerts(func() alert.Counts { return alert.Counts{} })
	alerts.AlertChecked(query.Name, sqlq.Met)
	alerts.AlertMessage("ops", alert.DeliveryOutcomes()[0])
	counted.Responded(query, runner.Hit, nil)
	counted.EngineRan(context.Background(), query, runner.EngineRun{Duration: time.Second}, nil)
	counted.Refreshed(&cache.Entry{Query: query}, nil)
	counted.Served("rest", http.StatusOK, time.Second)
}

// idle is an ingest writer without work.
type idle struct{}

func (idle) WaitingBytes() int64  { return 0 }
func (idle) LogBytes() int64      { return 0 }
func (idle) Reach() time.Duration { return 0 }

// MetricsPage returns the page of savedq's own metrics.
func MetricsPage() (string, error) {
	all, err := Metrics()
	if err != nil {
		return "", err
	}
	var page strings.Builder
	page.WriteString(metricsIntroduction)
	for _, metric := range all {
		if !strings.HasPrefix(metric.Name, "savedq_") {
			continue
		}
		_, _ = fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", metric.Name, metric.Kind, codes(metric.Labels), escapeCell(metric.Help))
	}
	return page.String(), nil
}
