package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"savedq/graph"
	"savedq/internal/httpserver"
	"savedq/internal/logging"
	"savedq/internal/metrics"
	"savedq/internal/requestid"
	"savedq/internal/rest"
	"savedq/resolvers"
	"savedq/sqlq"
)

// serveCommand is "savedq serve".
type serveCommand struct {
	Addr         string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one. Default: ${default}."`
	QueryTimeout time.Duration `default:"30s" placeholder:"DURATION" help:"Longest time that one query may take. Default: ${default}."`
	Demo         bool          `help:"Fill an empty store with a week of demo logs and keep adding live ones."`
	cacheFlags
	engineFlags
	catalogFlags
}

// Validate is called by kong before anything is opened.
func (c *serveCommand) Validate() error {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return fmt.Errorf("--addr: %q is not an address such as 127.0.0.1:8080", c.Addr)
	}
	if c.QueryTimeout <= 0 {
		return fmt.Errorf("--query-timeout: %s is not a positive duration such as 30s", c.QueryTimeout)
	}
	if c.dialect() == sqlq.BigQuery {
		if c.Demo {
			return errors.New("--demo: demo logs are for the embedded store, not for --engine bigquery")
		}
		if c.QueryTimeout <= c.BigQueryJobTimeout {
			return fmt.Errorf("--query-timeout: %s must be longer than --bigquery-job-timeout, %s", c.QueryTimeout, c.BigQueryJobTimeout)
		}
	}
	return errors.Join(c.cacheFlags.Validate(), c.engineFlags.Validate(), c.catalogFlags.Validate())
}

// Run serves until the context ends.
func (c *serveCommand) Run(ctx context.Context, term *terminal) (err error) {
	log := logging.New(term.stderr, slog.LevelInfo, requestid.LogHandler)
	defer log.Close()
	logger := log.Logger
	catalog, err := c.read(ctx, c.dialect())
	if err != nil {
		return err
	}
	listener, err := httpserver.Listen(ctx, c.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	engine, err := c.open(ctx, catalog, openOrMake, term, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.close()) }()
	if c.Demo {
		stop, err := startDemo(ctx, engine.store, c.Data, term, logger)
		if err != nil {
			if ctx.Err() != nil {
				return nil // Whoever ends the server while it fills its store gets what was asked for.
			}
			return err
		}
		defer stop()
	}
	counted := metrics.New(newRegistry(), catalog)
	runner := c.newRunner(catalog, engine, counted, term, logger)
	defer maintain(ctx, runner)()
	handler := httpserver.NewHandler(httpserver.Config{
		REST:    rest.NewHandler(runner, logger),
		GraphQL: resolvers.NewHandler(runner, logger),
		SDL:     graph.SDL(),
		Metrics: counted.Handler(),
		Served:  counted.Served,
		Logger:  logger,
		Clock:   term.clock,
	})
	_, _ = fmt.Fprint(term.stdout, welcome(listener.Addr().String()))
	return httpserver.Serve(ctx, listener, handler, c.QueryTimeout, logger)
}

// newRunner returns the runner that both interfaces ask.
func (c *serveCommand) newRunner(catalog *sqlq.Catalog, engine sqlq.Engine, counted *metrics.Metrics, term *terminal, logger *slog.Logger) *sqlq.Runner {
	runner := sqlq.NewRunner(sqlq.Config{
		Catalog: catalog, Engine: engine, Clock: term.clock, Logger: logger, Observer: counted, Random: rand.Float64,
		QueryTimeout:      c.QueryTimeout,
		EngineConcurrency: c.EngineConcurrency,
		QueueTimeout:      c.QueueTimeout,
		CacheBytes:        int64(c.CacheBytes),
		StaleIfError:      c.StaleIfError,
		WarmConcurrency:   c.WarmConcurrency,
	})
	counted.GaugeCacheBytes(runner.CacheBytes)
	return runner
}

// newRegistry returns a registry of metrics that holds those of the process.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// maintain lets the runner keep its answers warm until stop is called.
func maintain(ctx context.Context, runner *sqlq.Runner) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var maintaining sync.WaitGroup
	maintaining.Go(func() { runner.Maintain(ctx) })
	return func() {
		cancel()
		maintaining.Wait()
	}
}

// welcome says where everything is, and gives a command that works when pasted.
func welcome(address string) string {
	base := "http://" + address
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "savedq is ready on %s\n", base)
	_, _ = fmt.Fprintf(&text, "  GraphQL  %s%s\n", base, httpserver.GraphQLPath)
	_, _ = fmt.Fprintf(&text, "  Schema   %s%s\n", base, httpserver.SchemaPath)
	_, _ = fmt.Fprintf(&text, "  REST     %s%s<name>\n", base, httpserver.RESTPath)
	_, _ = fmt.Fprintf(&text, "Try it:\n  curl '%s%susage.api-counts?project=default&interval=daily'\n", base, httpserver.RESTPath)
	return text.String()
}
