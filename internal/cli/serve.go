package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"savedq/internal/http/httpserver"
	"savedq/internal/logs/upkeep"
	"savedq/internal/observe/metrics"
	"savedq/internal/server"
	"savedq/sqlq/googlesql"
)

// serveCommand is "savedq serve".
type serveCommand struct {
	Addr                    string        `default:"127.0.0.1:8080" is:"address" called:"port,listen,host,bind,http,p" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one. Default: ${default}."`
	BasePath                basePath      `placeholder:"/PATH" help:"Path that begins all paths of the server, such as /savedq, for a proxy that publishes it there. /healthz, /readyz and /health are served without it, too. Default: none."`
	MetricsAddr             string        `is:"address" placeholder:"HOST:PORT" help:"Address to serve /metrics, /healthz and /readyz on, without a token. Default: /metrics is behind a token on --addr."`
	QueryTimeout            time.Duration `default:"30s" min:"1ms" placeholder:"DURATION" help:"Longest time that one query may take. Default: ${default}."`
	ShutdownDelay           time.Duration `default:"0s" min:"0s" placeholder:"DURATION" help:"How long new requests are still accepted after SIGTERM, while /readyz returns 503, so that load balancers stop sending them. Default: ${default}."`
	Drain                   time.Duration `default:"35s" min:"1ms" placeholder:"DURATION" help:"Longest time that in-flight requests may take after that. Default: ${default}."`
	MaxRequests             int           `default:"10000" min:"1" placeholder:"N" help:"How many requests are served at the same time; further ones get 503. Default: ${default}."`
	MaxConnections          int           `default:"16384" min:"0" placeholder:"N" help:"How many connections are open at the same time; further ones are closed at once. 0 is no limit. Default: ${default}."`
	MaxConnectionsPerClient int           `default:"512" min:"0" placeholder:"N" help:"How many of them one client may have: an IPv4 address, or a /64 network of IPv6. Loopback is not limited. Behind a proxy on another machine all callers are one client, so give 0, which is no limit. Default: ${default}."`
	Watch                   bool          `help:"Reload the saved queries of --queries when their files change. Without it they are reloaded on SIGHUP."`
	Demo                    bool          `help:"Fill an empty store with a week of demo logs and keep adding live ones until it receives the first other event."`
	followFlags
	logFlags
	accessFlags
	graphqlFlags
	cacheFlags
	ingestFlags
	retentionFlags
	alertFlags
	engineFlags
	catalogFlags
	// sandboxRowBytes follows from the memory.
	sandboxRowBytes int
}

// sandboxShare divides DuckDB's memory: callers' SQL may make texts and arrays in half of it.
const sandboxShare = 2

// Validate implements kong's validation, which runs before anything is opened.
func (c *serveCommand) Validate() error {
	switch {
	case c.MetricsAddr != "" && c.MetricsAddr == c.Addr && !strings.HasSuffix(c.Addr, ":0"):
		return fmt.Errorf("--metrics-addr: %s is the address of --addr, which serves the metrics behind a token without this flag; choose another port", c.MetricsAddr)
	case c.Watch && len(c.Queries) == 0:
		return errors.New("--watch: there is nothing to watch; add --queries DIR")
	}
	return errors.Join(c.accessFlags.Validate(), c.graphqlFlags.Validate(), c.ingestFlags.Validate(), c.retentionFlags.Validate(), c.alertFlags.Validate(), c.checkFollow(),
		c.setup().ValidateServe(c))
}

// watching reports whether the directories of saved queries are watched.
func (c *serveCommand) watching() bool { return (c.Watch || c.Dev) && len(c.folders().Watched()) > 0 }

// Run serves until the context ends.
func (c *serveCommand) Run(ctx context.Context, term *terminal) error {
	log := c.log(term)
	defer log.Close()
	if err := c.allocateMemory(ctx, term, log.Logger); err != nil {
		return err
	}
	policy, err := c.readRetention()
	if err != nil {
		return err
	}
	config := c.config(term)
	config.Retention, config.Logger, config.DroppedLogLines = policy, log.Logger, log.Dropped
	return server.New(config).Run(ctx)
}

// readRetention returns how long events are kept.
func (c *serveCommand) readRetention() (*upkeep.RetentionPolicy, error) {
	if c.RetentionFile == "" {
		return c.policy(nil)
	}
	tables, err := c.readSources()
	if err != nil {
		return nil, err
	}
	return c.policy(tables)
}

// config returns the configuration of the server that the flags describe.
func (c *serveCommand) config(term *terminal) server.Config {
	folders := c.folders()
	folders.AllowEmpty = c.Dev
	config := server.Config{
		Address: c.Addr, MetricsAddress: c.MetricsAddr, BasePath: string(c.BasePath), MaxRequests: c.MaxRequests,
		Limits:      httpserver.Limits{QueryTimeout: c.QueryTimeout, ShutdownDelay: c.ShutdownDelay, Drain: c.Drain},
		Connections: httpserver.ConnectionLimits{Total: c.MaxConnections, PerClient: c.MaxConnectionsPerClient},
		Origins:     c.origins(),
		Tokens:      c.Tokens, JWT: c.JWT, NoAuth: c.NoAuth, Dev: c.Dev,
		Data: c.Data, Engine: c.followed(c.engine()), FollowInterval: c.FollowInterval, Queries: folders, Watch: c.watching(), Demo: c.Demo,
		Runner:  c.runnerConfig(c.QueryTimeout, c.setup().concurrency()),
		GraphQL: c.graphQLConfig(), TrustedDocuments: c.TrustedDocuments,
		Ingest: c.ingestConfig(), IngestHTTP: c.ingestHTTPConfig(),
		Alerts:  c.alertConfig(),
		Version: version(), Registry: metrics.NewRegistry(release, commitOf(buildInfo()), cmp.Or(buildInfo().GoVersion, unknown)), Output: term.stdout, Clock: term.clock, Getenv: term.getenv, RunMore: term.runMore,
	}
	config.Runner.SandboxRowBytes = c.sandboxRowBytes
	if c.RetentionFile != "" {
		config.ReadRetention = c.readRetention
	}
	return config
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
	c.chooseSandboxConcurrency(budget)
	c.sandboxRowBytes = googlesql.RowBytes(budget.duckDB/sandboxShare, runtime.NumCPU())
	budget.log(ctx, logger)
	return nil
}
