package faults_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/api/rest"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/health"
	"savedq/internal/observe/metrics"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// The limits of the server are small, so that a crowd exceeds each of them.
const (
	queryTimeout      = 2 * time.Second
	queueTimeout      = time.Second
	queueLength       = 16
	engineConcurrency = 4
	cacheBytes        = 4 << 20
	// trialPause is the time between trials of an engine that fails.
	trialPause = time.Second
)

// server is the whole server over an engine that a test breaks.
type server struct {
	http.Handler
	engine   *engine
	runner   *runner.Runner
	registry *prometheus.Registry
}

// newServer returns a server at the bubble's time, without authentication.
func newServer(t *testing.T, change ...func(*runner.Config)) *server {
	t.Helper()
	engine := &engine{}
	s := newServerOver(t, engine, change...)
	s.engine = engine
	return s
}

// patient disables time limits, for tests in real time of anything else: a busy machine can take any time.
func patient(config *runner.Config) {
	config.QueryTimeout, config.QueueTimeout, config.QueueTarget = time.Hour, time.Hour, time.Hour
}

// newServerOver returns a server over an engine.
func newServerOver(t *testing.T, engine sqlq.Engine, change ...func(*runner.Config)) *server {
	t.Helper()
	catalog, err := graph.ReadCatalog(duckdbsql.Dialect{})
	require.NoError(t, err)
	s := &server{registry: prometheus.NewRegistry()}
	logger, counted := slog.New(slog.DiscardHandler), metrics.New(s.registry, catalog)
	config := sqlqtest.Config(catalog, engine, time.Now)
	config.Observer = counted
	config.QueryTimeout, config.QueueTimeout, config.QueueLength = queryTimeout, queueTimeout, queueLength
	config.QueueTarget = queueTimeout // how the queue rejects is tested in sqlq/runner
	config.EngineConcurrency, config.CacheBytes = engineConcurrency, cacheBytes
	for _, change := range change {
		change(&config)
	}
	s.runner = runner.New(config)
	s.Handler = toLocalhost(httpserver.NewHandler(httpserver.Config{
		REST:         rest.NewHandler(s.runner, nil, logger),
		GraphQL:      graphqlhttp.NewHandler(graphqlhttp.Config{Runner: s.runner, Schema: graphtest.SchemaOf(t, catalog), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()}),
		SDL:          func(context.Context) string { return graphtest.SchemaOf(t, catalog).SDL() },
		Ingest:       &ingesthttp.Handlers{},
		Alive:        health.Alive(),
		Ready:        health.Alive(),
		Errors:       httperror.NewWriter(logger),
		GraphQLError: graphqlhttp.ErrorWriter(logger),
		MaxRequests:  10 * callers,
		Served:       counted.Served,
		Logger:       logger,
		Clock:        time.Now,
	}))
	return s
}

// toLocalhost sets the host that a server without tokens requires.
func toLocalhost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "localhost"
		next.ServeHTTP(w, r)
	})
}

// maintain refreshes cache entries until the returned function is called.
func (s *server) maintain(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var maintaining sync.WaitGroup
	maintaining.Go(func() { s.runner.Maintain(ctx) })
	return func() {
		cancel()
		maintaining.Wait()
	}
}

// count adds up the counts of a metric, by the values of a label.
func (s *server) count(t *testing.T, metric, label string) map[string]int {
	t.Helper()
	families, err := s.registry.Gather()
	require.NoError(t, err)
	counts := make(map[string]int)
	for _, family := range families {
		if family.GetName() != metric {
			continue
		}
		for _, one := range family.GetMetric() {
			for _, pair := range one.GetLabel() {
				if pair.GetName() == label {
					counts[pair.GetValue()] += int(one.GetCounter().GetValue()) + int(one.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	require.NotEmpty(t, counts, metric)
	return counts
}

// sum is the sum of all counts.
func sum(counts map[string]int) int {
	total := 0
	for _, count := range counts {
		total += count
	}
	return total
}
