// Package server is savedq without its command line: it opens, builds, serves, reloads and
// closes everything that a running server consists of.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/engines"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/http/origins"
	"savedq/internal/logs/demo/queries"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/tail"
	"savedq/internal/logs/upkeep"
	"savedq/internal/observe/health"
	"savedq/internal/observe/metrics"
	"savedq/internal/observe/requestlog"
	"savedq/internal/observe/tracing"
	"savedq/internal/operations/alert"
	"savedq/internal/operations/runlog"
	"savedq/internal/operations/usage"
	"savedq/resolvers"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// Config configures a server. The configurations of its parts hold their limits; the server sets
// what it opens.
type Config struct {
	// Address is the address to listen on. MetricsAddress serves the metrics and the probes
	// without a token; if it is empty, Address serves the metrics.
	Address, MetricsAddress string
	// BasePath begins all paths of the server, such as /savedq; empty for none.
	BasePath    string
	MaxRequests int
	Limits      httpserver.Limits
	Connections httpserver.ConnectionLimits
	// Origins are the origins whose pages may send requests.
	Origins origins.Set

	// Tokens is the file of access tokens, and JWT the file of issuers of signed ones; empty for
	// none. NoAuth means that no token is required.
	Tokens, JWT string
	NoAuth      bool
	// Dev shows the causes of errors to callers without limits, and creates the first directory of saved
	// queries, which Explore writes to.
	Dev bool

	// Data is the data directory.
	Data   string
	Engine engines.Engine
	// Queries are the saved queries, and Watch reloads them when their directories change.
	Queries engines.Folders
	Watch   bool
	// FollowInterval is how often a standby looks for changes of the store that it follows.
	FollowInterval time.Duration
	// Demo fills an empty store with demo logs and keeps adding live ones. It has a saved query with alerts on them.
	Demo bool

	Runner  runner.Config
	GraphQL graphqlhttp.Config
	// TrustedDocuments is the folder of the only documents that are run; empty for any.
	TrustedDocuments string
	Ingest           ingest.Config
	IngestHTTP       ingesthttp.Config
	// Retention is how long the store keeps events. ReadRetention reads it again; nil if it
	// cannot change.
	Retention     *upkeep.RetentionPolicy
	ReadRetention func() (*upkeep.RetentionPolicy, error)

	Alerts AlertConfig
	// Version names the program.
	Version  string
	Registry *prometheus.Registry
	Logger   *slog.Logger
	// DroppedLogLines returns how many lines of the log were lost.
	DroppedLogLines func() int64
	// Output receives the welcome.
	Output io.Writer
	Clock  func() time.Time
	Getenv func(name string) string
	// RunMore lets more threads run Go at the same time than there are processors.
	RunMore func(threads int)
}

// Server is a savedq server. Open opens its parts in the order of the fields, and Close closes
// them in reverse.
type Server struct {
	config    Config
	errors    *httperror.Writer
	limiter   *requestlog.Limiter
	hub       *tail.Hub
	persisted *graphqlhttp.PersistedDocuments
	// checker checks the SQL of saved queries offline; nil if the engine cannot.
	checker engines.Checker
	// compiling bounds what compiles SQL of callers.
	compiling *compiling
	// editing is held while query.yaml of a saved query is changed.
	editing sync.Mutex
	// read identifies the files of saved queries that were read last, with and without mistakes.
	read     catalog.Fingerprint
	listener net.Listener
	access   access
	engine   *engines.Opened
	ledger   *usage.Ledger
	metrics  *metrics.Metrics
	// runs is nil if the engine has no store of its own.
	runs *runlog.Log
	// writer is nil if the engine has no store of its own.
	writer *ingest.Writer
	// settled is closed when the store holds every acknowledged event; nil without a store.
	settled chan struct{}
	// declared is sent to when the store got other tables.
	declared  chan struct{}
	tracing   *tracing.Tracing
	runner    *runner.Runner
	retention atomic.Pointer[upkeep.RetentionPolicy]
	streams   graphqlhttp.Streams
	// stopStreams ends subscriptions.
	stopStreams func()
	readiness   *health.Readiness
	// targets receive the messages of alerts.
	targets atomic.Pointer[alert.Targets]
	alerts  alerts

	// current are the interfaces of the saved queries in use; before they are built, only these.
	current atomic.Pointer[interfaces]
	// built counts the interfaces, to keep their cached GraphQL responses apart.
	built int
	// state is what callers see of reloads.
	state atomic.Pointer[resolvers.CatalogState]

	// served means that nothing can fail any more before requests are served.
	served  bool
	closers []func() error
}

// New returns a server that is not open. The caller must call Close.
func New(config Config) *Server {
	if config.Demo {
		config.Queries.Embedded = append(config.Queries.Embedded, catalog.Directory{FS: queries.FS, Path: "demo"})
	}
	s := &Server{
		config: config, errors: httperror.NewWriter(config.Logger), limiter: requestlog.NewLimiter(config.Logger),
		hub: tail.NewHub(tail.DefaultLimits()), persisted: graphqlhttp.NewPersistedDocuments(), declared: make(chan struct{}, 1),
		compiling: newCompiling(),
	}
	s.onClose(func() error { s.limiter.Close(); return nil })
	return s
}

// errStopped means that the server was stopped before it started to serve.
var errStopped = errors.New("stopped")

// Run opens the server, serves until the context ends, and closes it.
func (s *Server) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.Open(ctx)
	switch {
	case errors.Is(err, errStopped):
		return nil
	case err != nil:
		return err
	}
	return s.Serve(ctx)
}

// Open opens the server, without serving requests. What runs in the background ends with the
// context.
func (s *Server) Open(ctx context.Context) error {
	for _, open := range []func(context.Context) error{
		s.createQueries, s.readQueries, s.openTargets, s.listen, s.openAccess, s.openEngine, s.openLedger, s.openRuns, s.openWriter, s.openTracing, s.openRunner, s.startFollowing,
		s.startUpkeep, s.buildFirst, s.openAlerts,
	} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Serve serves until the context ends, and reloads on SIGHUP.
func (s *Server) Serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	if s.writer != nil {
		defer inBackground(ctx, func(ctx context.Context) {
			if s.writer.WaitRecovered(ctx) != nil {
				end() // Close returns why
			}
		})()
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	defer inBackground(ctx, func(ctx context.Context) { s.keepReloading(ctx, hangups) })()
	config := s.handlers()
	if s.config.MetricsAddress != "" {
		stop, err := s.serveMetrics(ctx, config)
		if err != nil {
			return err
		}
		defer stop()
		config.Metrics = nil
	}
	s.served = true
	_, _ = fmt.Fprint(s.config.Output, s.welcome())
	listener := httpserver.LimitConnections(s.listener, s.config.Connections, s.metrics, s.config.Logger)
	limits := s.config.Limits
	limits.OnDrain = s.stopStreams
	return httpserver.Serve(ctx, listener, s.tracing.Handler(s.showWritten(httpserver.NewHandler(config))), limits, s.config.Logger)
}

// Close closes what was opened, in reverse order.
func (s *Server) Close() error {
	var failed []error
	for _, closePart := range slices.Backward(s.closers) {
		failed = append(failed, closePart())
	}
	s.closers = nil
	return errors.Join(failed...)
}

// onClose makes Close call a function.
func (s *Server) onClose(closePart func() error) { s.closers = append(s.closers, closePart) }

// background runs a function until the context ends or the server is closed.
func (s *Server) background(ctx context.Context, run func(context.Context)) {
	stop := inBackground(ctx, run)
	s.onClose(func() error { stop(); return nil })
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
