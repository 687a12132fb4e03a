package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"savedq/internal/auth"
	"savedq/internal/graphqlhttp"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/tail"
	"savedq/internal/observe/health"
	"savedq/internal/observe/metrics"
	"savedq/internal/observe/requestlog"
	"savedq/internal/observe/tracing"
	"savedq/internal/openapi"
	"savedq/internal/usage"
	"savedq/internal/usagehttp"
	"savedq/internal/viewerhttp"
	"savedq/internal/watch"
	"savedq/internal/web"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// serveCommand is "savedq serve".
type serveCommand struct {
	Addr          string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one. Default: ${default}."`
	BasePath      basePath      `placeholder:"/PATH" help:"Path that begins all paths of the server, such as /savedq, for a proxy that publishes it there. /healthz and /readyz are served without it, too. Default: none."`
	MetricsAddr   string        `placeholder:"HOST:PORT" help:"Address to serve /metrics, /healthz and /readyz on, without a token. Default: /metrics is behind a token on --addr."`
	QueryTimeout  time.Duration `default:"30s" placeholder:"DURATION" help:"Longest time that one query may take. Default: ${default}."`
	ShutdownDelay time.Duration `default:"0s" placeholder:"DURATION" help:"How long new requests are still accepted after SIGTERM, while /readyz returns 503, so that load balancers stop sending them. Default: ${default}."`
	Drain         time.Duration `default:"35s" placeholder:"DURATION" help:"Longest time that in-flight requests may take after that. Default: ${default}."`
	MaxRequests   int           `default:"10000" placeholder:"N" help:"How many requests are served at the same time; further ones get 503. Default: ${default}."`
	Watch         bool          `help:"Reload the saved queries of --queries when their files change. Without it they are reloaded on SIGHUP."`
	Demo          bool          `help:"Fill an empty store with a week of demo logs and keep adding live ones until it receives the first other event."`
	connectionFlags
	logFlags
	accessFlags
	graphqlFlags
	cacheFlags
	ingestFlags
	retentionFlags
	engineFlags
	catalogFlags
}

// Validate implements kong's validation, which runs before anything is opened.
func (c *serveCommand) Validate() error {
	for flag, address := range map[string]string{"--addr": c.Addr, "--metrics-addr": c.MetricsAddr} {
		if _, _, err := net.SplitHostPort(address); err != nil && (address != "" || flag == "--addr") {
			return fmt.Errorf("%s: %q is not an address such as 127.0.0.1:8080", flag, address)
		}
		if err := checkPort(address); err != nil {
			return fmt.Errorf("%s: %s: %w", flag, address, err)
		}
	}
	switch {
	case c.MetricsAddr != "" && c.MetricsAddr == c.Addr && !strings.HasSuffix(c.Addr, ":0"):
		return fmt.Errorf("--metrics-addr: %s is the address of --addr, which serves the metrics behind a token without this flag; choose another port", c.MetricsAddr)
	case c.QueryTimeout <= 0:
		return fmt.Errorf("--query-timeout: %s is not a positive duration such as 30s", c.QueryTimeout)
	case c.ShutdownDelay < 0:
		return fmt.Errorf("--shutdown-delay: %s is negative; use 0 for none", c.ShutdownDelay)
	case c.Drain <= 0:
		return fmt.Errorf("--drain: %s is not a positive duration such as 35s", c.Drain)
	case c.Watch && len(c.Queries) == 0:
		return errors.New("--watch: there is nothing to watch; add --queries DIR")
	case c.MaxRequests < 1:
		return fmt.Errorf("--max-requests: must be at least 1, not %d", c.MaxRequests)
	}
	return errors.Join(c.connectionFlags.Validate(), c.accessFlags.Validate(), c.graphqlFlags.Validate(), c.cacheFlags.Validate(), c.ingestFlags.Validate(), c.retentionFlags.Validate(),
		c.setup().ValidateServe(c), c.engineFlags.Validate(), c.catalogFlags.Validate())
}

// checkPort returns an error if the port of an address is a number that no port has.
func checkPort(address string) error {
	const maxPort = 65535
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil //nolint:nilerr // It has no port.
	}
	if number, err := strconv.Atoi(port); err == nil && (number < 0 || number > maxPort) {
		return fmt.Errorf("the port must be 0 to %d", maxPort)
	}
	return nil
}

// watching reports whether the directories of saved queries are watched.
func (c *serveCommand) watching() bool { return (c.Watch || c.Dev) && len(c.Queries) > 0 }

// Run serves until the context ends.
func (c *serveCommand) Run(ctx context.Context, term *terminal) (err error) {
	log := c.log(term)
	defer log.Close()
	logger := log.Logger
	limiter := requestlog.NewLimiter(logger)
	defer limiter.Close()
	if err := c.allocateMemory(ctx, term, logger); err != nil {
		return err
	}
	policy, err := c.policy()
	if err != nil {
		return err
	}
	checker := c.setup().OfflineChecker()
	if checker != nil {
		defer func() { err = errors.Join(err, checker.Close()) }()
	}
	fingerprint := c.fingerprint(c.setup().Dialect())
	catalog, err := c.readWith(ctx, c.setup().Dialect(), checker)
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped before it started to serve
		}
		return err
	}
	serving := &live{causes: c.Dev}
	serving.current.Store(&interfaces{catalog: catalog})
	listener, err := httpserver.Listen(ctx, "--addr", c.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	allowed, err := c.openAccess(c.Addr, isLoopback(listener.Addr()), c.Data, serving.known, term, logger)
	if err != nil {
		return err
	}
	if err := c.openSigned(&allowed, serving.known, term.clock, logger); err != nil { //nolint:contextcheck // Keys are fetched for all callers.
		return err
	}
	defer allowed.close()
	engine, err := c.setup().Open(ctx, engineOpening{catalog: catalog, openStore: openForServing, term: term, logger: logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.close()) }()
	ledger, err := openLedger(c.Data, term, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	defer inBackground(ctx, ledger.Maintain)()
	counted := metrics.New(newRegistry(), catalog)
	counted.CountUsage(ledger.Rejected, ledger.WriteFailures)
	hub := tail.NewHub(tail.DefaultLimits())
	ctx, end := context.WithCancel(ctx)
	defer end()
	var writer *ingest.Writer
	var settled chan struct{}
	if engine.store != nil {
		settled = make(chan struct{})
		allowIngestThreads(term)
		if writer, err = c.openWriter(ctx, engine.store, c.Data, hub.Publish, counted, term, logger); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeWriter(ctx, writer)) }()
		defer inBackground(ctx, func(ctx context.Context) {
			if writer.WaitRecovered(ctx) != nil {
				end() // closeWriter returns why
			} else if writer.WaitStored(ctx) == nil {
				close(settled)
			}
		})()
	}
	if c.Demo {
		if writer.WaitRecovered(ctx) != nil {
			return nil // closeWriter returns why
		}
		stop, err := startDemo(ctx, engine.store, writer, c.Data, term, logger)
		if err != nil {
			if ctx.Err() != nil {
				return nil // stopped while it filled the store
			}
			return err
		}
		defer stop()
	}
	engine.warnOfNoLogs(ctx, c.Data, logger)
	var storeMetrics *metrics.Store
	if engine.store != nil {
		storeMetrics = counted.NewStore(sourceTables(), engine.store.FileBytes)
		defer startClustering(ctx, engine.store, storeMetrics, term, logger)()
	}
	traced, err := tracing.New(ctx, term.getenv, version())
	if err != nil {
		return err
	}
	defer closeTracing(ctx, traced, logger)
	counted.CountDroppedLogLines(limiter.Omitted, log.Dropped)
	runner := c.newRunner(catalog, traced.Engine(engine), engine.changes, settled, ledger, counted, term, logger)
	if engine.store != nil {
		defer c.startRetention(ctx, engine.store, policy, func() { _, _ = runner.Purge("", "") }, storeMetrics, term, logger)()
	}
	defer inBackground(ctx, runner.Maintain)()
	errorWriter := httperror.NewWriter(logger)
	reloader := &reloader{
		catalogFlags: c.catalogFlags, live: serving, runner: runner, setup: c.setup(), engine: engine,
		access: &allowed, counted: counted, clock: term.clock, logger: logger, read: fingerprint,
	}
	streams, stopStreams := c.streams(&allowed, term.clock, logger)
	streams.Current = serving.graphQL
	reloader.builder = &interfaceBuilder{
		runner: runner, streams: streams, signed: allowed.signed != nil,
		graphql: &c.graphqlFlags, traced: traced, persisted: graphqlhttp.NewPersistedDocuments(),
		state: reloader.catalogState, errors: errorWriter, logger: logger,
		described: func(ctx context.Context) openapi.Caller {
			return openapi.Caller{
				Ingest: writer != nil && auth.Ingests(ctx), Usage: auth.HasFullAccess(ctx), Bound: auth.BoundValues(ctx), BasePath: string(c.BasePath),
			}
		},
		ledger: ledger,
	}
	if engine.store != nil {
		reloader.builder.tail = (&follower{hub}).follow
	}
	first, err := reloader.builder.build(catalog)
	if err != nil {
		return err
	}
	serving.current.Store(first)
	reloader.succeed()
	stop, err := c.reload(ctx, reloader, checker)
	if err != nil {
		return err
	}
	defer stop()
	config := c.server(serving, allowed, errorWriter, counted, term, logger)
	config.LogLimiter = limiter
	config.Store = storeHandler(engine.store, writer, runner.Purge, ledger, errorWriter, term, logger)
	serving.tails = engine.store != nil
	config.Viewer = viewerhttp.NewHandler(serving.viewer, errorWriter)
	config.Usage = usagehttp.NewHandler(usagehttp.Config{Report: ledger.Report, Clock: term.clock, Errors: errorWriter})
	config.Ingest = c.handlers(writer, errorWriter, term, logger)
	readiness := health.NewReadiness(ctx, engine.ping, runner.CanServeWithoutEngine, term.clock, logger)
	counted.GaugeEngineReachable(readiness.EngineReachable)
	config.Ready = readiness
	if c.MetricsAddr != "" {
		stop, err := c.serveMetrics(ctx, config, counted, logger)
		if err != nil {
			return err
		}
		defer stop()
		config.Metrics = nil
	}
	_, _ = fmt.Fprint(term.stdout, welcome(baseURL(listener.Addr())+string(c.BasePath), allowed, exampleRequest(catalog.Queries(), allowed.shown(term.clock())), writer != nil))
	listener = httpserver.LimitConnections(listener, c.connectionLimits(), counted, logger)
	limits := c.limits()
	limits.OnDrain = stopStreams
	return httpserver.Serve(ctx, listener, traced.Handler(httpserver.NewHandler(config)), limits, logger)
}

// reload starts to reload the saved queries until stop is called. The checker is only kept
// while their directories are watched.
func (c *serveCommand) reload(ctx context.Context, reloader *reloader, checker queryChecker) (stop func(), err error) {
	if !c.watching() {
		if checker != nil {
			err = checker.Close()
		}
		return reloader.run(ctx, nil), err
	}
	reloader.checker = checker
	watching, end := context.WithCancel(ctx)
	watcher := watch.New(watching, c.Queries, reloader.logger)
	stopReloads := reloader.run(ctx, watcher.Changes())
	return func() {
		stopReloads()
		end()
		watcher.Wait()
	}, nil
}

// server returns the configuration of the server.
func (c *serveCommand) server(serving *live, allowed access, errors *httperror.Writer, counted *metrics.Metrics, term *terminal, logger *slog.Logger) httpserver.Config {
	return httpserver.Config{
		REST:         serving.handler(func(i *interfaces) http.Handler { return i.rest }),
		GraphQL:      serving.handler(func(i *interfaces) http.Handler { return i.graphQL }),
		SDL:          serving.sdl,
		OpenAPI:      serving.handler(func(i *interfaces) http.Handler { return i.openAPI }),
		BasePath:     string(c.BasePath),
		Pages:        web.Handler(string(c.BasePath)),
		PagePaths:    web.Paths(),
		NotFoundPage: web.NotFound(string(c.BasePath)),
		Metrics:      counted.ScopedHandler(serving.visibleMetrics),
		Alive:        health.Alive(),
		Keyring:      allowed.keyring,
		Errors:       errors,
		GraphQLError: graphqlhttp.NewErrorWriter(logger).Write,
		Origins:      c.origins(),
		MaxRequests:  c.MaxRequests,
		Served:       counted.Served,
		Logger:       logger,
		Clock:        term.clock,
	}
}

// closeTracing sends the pending spans, with a timeout.
func closeTracing(ctx context.Context, traced *tracing.Tracing, logger *slog.Logger) {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	if err := traced.Close(ctx); err != nil {
		logger.WarnContext(ctx, "the last traces could not be sent", slog.Any("error", err))
	}
}

func (c *serveCommand) limits() httpserver.Limits {
	return httpserver.Limits{QueryTimeout: c.QueryTimeout, ShutdownDelay: c.ShutdownDelay, Drain: c.Drain}
}

// serveMetrics serves the metrics and the probes on a separate address until stop is
// called, so that they are available while the server drains.
func (c *serveCommand) serveMetrics(ctx context.Context, config httpserver.Config, counted *metrics.Metrics, logger *slog.Logger) (stop func(), err error) {
	listener, err := httpserver.Listen(ctx, "--metrics-addr", c.MetricsAddr)
	if err != nil {
		return nil, err
	}
	logger.InfoContext(ctx, "metrics and probes are served", slog.String("address", listener.Addr().String()))
	config.Metrics = counted.Handler()
	limits := c.limits()
	limits.ShutdownDelay = 0 // it has already passed on --addr when stop is called
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	var served sync.WaitGroup
	served.Go(func() {
		if err := httpserver.Serve(serving, listener, httpserver.NewMetricsHandler(config, isLoopback(listener.Addr())), limits, logger); err != nil {
			logger.ErrorContext(ctx, "metrics are no longer served", slog.Any("error", err))
		}
	})
	return func() {
		end()
		served.Wait()
	}, nil
}

// allocateMemory splits the memory between the cache, Go and DuckDB.
func (c *serveCommand) allocateMemory(ctx context.Context, term *terminal, logger *slog.Logger) error {
	if c.Demo {
		c.mostByDefault = demoMemory
	}
	budget, err := c.splitMemory(c.CacheBytes, c.IngestMemory, term)
	if err != nil {
		return err
	}
	c.CacheBytes = new(byteSize(budget.cache))
	c.chooseMemory(budget)
	budget.log(ctx, logger)
	return nil
}

// newRunner returns the runner that both interfaces use.
func (c *serveCommand) newRunner(catalog *catalog.Catalog, engine sqlq.Engine, changes sqlq.Changes, settled <-chan struct{}, ledger *usage.Ledger, counted *metrics.Metrics, term *terminal, logger *slog.Logger) *runner.Runner {
	runner := runner.New(runner.Config{
		Catalog: catalog, Engine: engine, Changes: changes, Settled: settled, Clock: term.clock, Logger: logger, Observer: counted, Random: rand.Float64,
		Refreshes:         ledger.Caller(usage.Server(), usage.Budget{}),
		QueryTimeout:      c.QueryTimeout,
		EngineConcurrency: c.EngineConcurrency,
		QueueTarget:       c.QueueTarget,
		QueueTimeout:      c.QueueTimeout,
		QueueLength:       c.QueueLength,
		CacheBytes:        int64(*c.CacheBytes),
		StaleIfError:      c.StaleIfError,
		WarmConcurrency:   c.WarmConcurrency,
	})
	counted.GaugeCacheBytes(runner.CacheBytes)
	return runner
}

// newRegistry returns a registry with the metrics of Go and the process.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// inBackground runs a function until stop is called, which waits for its end.
func inBackground(ctx context.Context, run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
