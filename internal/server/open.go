package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"time"

	"savedq/internal/auth"
	"savedq/internal/engines"
	"savedq/internal/engines/worker"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/health"
	"savedq/internal/observe/metrics"
	"savedq/internal/observe/tracing"
	"savedq/internal/operations/runlog"
	"savedq/internal/operations/usage"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// createQueries creates the directory that Explore writes saved queries to. Close removes it if the server did not come to serve.
func (s *Server) createQueries(ctx context.Context) error {
	if !s.config.Dev || len(s.config.Queries.Directories) == 0 {
		return nil
	}
	const mode = 0o755
	directory := s.config.Queries.Directories[0]
	switch err := os.Mkdir(directory, mode); {
	case err == nil:
		s.config.Logger.InfoContext(ctx, "the directory of saved queries was created", slog.String("directory", directory))
		s.onClose(func() error {
			if !s.served {
				_ = os.Remove(directory) // unless something is in it
			}
			return nil
		})
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("--queries: %w", err)
	}
	return nil
}

// readQueries reads the saved queries, before anything is opened for them.
func (s *Server) readQueries(ctx context.Context) error {
	dialect := s.config.Engine.Dialect()
	s.read = s.config.Queries.Fingerprint()
	if s.checker = s.config.Engine.OfflineChecker(); s.checker != nil {
		s.onClose(s.checker.Close)
	}
	read, err := s.config.Queries.ReadChecked(ctx, dialect, s.checker)
	switch {
	case err != nil && ctx.Err() != nil:
		return errStopped
	case err != nil:
		return err
	}
	s.current.Store(&interfaces{catalog: read})
	return s.restChecker()
}

func (s *Server) listen(ctx context.Context) (err error) {
	if s.listener, err = httpserver.Listen(ctx, "--addr", s.config.Address); err != nil {
		return err
	}
	s.onClose(func() error { _ = s.listener.Close(); return nil })
	return nil
}

func (s *Server) openAccess(context.Context) (err error) {
	s.access, err = s.config.openAccess(isLoopback(s.listener.Addr()), s.known) //nolint:contextcheck // Keys are fetched for all callers.
	s.onClose(s.access.close)
	return err
}

// known returns the names that a tokens file may use.
func (s *Server) known() auth.Known {
	known := auth.KnownOf(s.current.Load().catalog.Queries())
	known.Sources = s.tables().Sources()
	return known
}

func (s *Server) openEngine(ctx context.Context) (err error) {
	s.engine, err = s.config.Engine.Open(ctx, engines.Opening{
		Data:        s.config.Data,
		Environment: engines.Environment{Clock: s.config.Clock, Getenv: s.config.Getenv, Logger: s.config.Logger},
		Queries:     s.current.Load().catalog.Queries(), Tables: s.tables(), TableDirectories: s.config.Queries.Tables, Serving: true,
	})
	if err == nil {
		s.onClose(s.engine.Close)
	}
	return err
}

// openLedger opens the ledger of usage, which every engine needs, also those without a store, and
// the metrics.
func (s *Server) openLedger(ctx context.Context) (err error) {
	directory := filepath.Join(s.config.Data, usageDirectory)
	s.ledger, err = usage.Open(usage.Config{Directory: directory, Clock: s.config.Clock, Logger: s.config.Logger})
	if err != nil {
		return fmt.Errorf("--data: usage and budgets cannot be stored in %s: %w", directory, err)
	}
	s.onClose(s.ledger.Close)
	s.background(ctx, s.ledger.Maintain)
	s.metrics = metrics.New(s.config.Registry, s.current.Load().catalog)
	s.metrics.CountUsage(s.ledger.Rejected, s.ledger.WriteFailures)
	s.metrics.CountDroppedLogLines(s.limiter.Omitted, s.config.DroppedLogLines)
	return nil
}

func (s *Server) openTracing(ctx context.Context) (err error) {
	if s.tracing, err = tracing.New(ctx, s.config.Getenv, s.config.Version); err != nil {
		return err
	}
	s.onClose(func() error { s.closeTracing(ctx); return nil })
	return nil
}

// closeTracing sends the pending spans, with a timeout.
func (s *Server) closeTracing(ctx context.Context) {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	if err := s.tracing.Close(ctx); err != nil {
		s.config.Logger.WarnContext(ctx, "the last traces could not be sent", slog.Any("error", err))
	}
}

// openRunner opens the runner that all interfaces use, and what depends on it.
func (s *Server) openRunner(ctx context.Context) error {
	config := s.config.Runner
	config.Catalog, config.Engine, config.Changes, config.Settled = s.current.Load().catalog, s.tracing.Engine(s.engine), s.engine.Changes, s.settled
	config.Files = s.engine.Files
	config.Clock, config.Logger, config.Observer, config.Random = s.config.Clock, s.config.Logger, observer{s.metrics, s.runs}, rand.Float64
	config.Refreshes = s.ledger.Caller(usage.Server(), usage.Budget{})
	s.runner = runner.New(config)
	s.metrics.GaugeCacheBytes(s.runner.CacheBytes)
	s.background(ctx, s.runner.Maintain)
	s.readiness = health.NewReadiness(ctx, s.engine.Ping, s.runner.CanServeWithoutEngine, s.config.Clock, s.config.Logger)
	s.metrics.GaugeEngineReachable(s.readiness.EngineReachable)
	if callers := s.engine.Callers; callers != nil {
		s.metrics.CallersProcess(callers.IsRunning, worker.Reasons(), callers.Ends)
	}
	return nil
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// openRuns opens the log of runs, which only the store of the server can keep.
func (s *Server) openRuns(ctx context.Context) error {
	if s.engine.Store == nil {
		return nil
	}
	s.runs = runlog.New(s.engine.Store, s.config.Clock, s.config.Logger)
	s.metrics.CountDroppedRuns(s.runs.Dropped)
	s.background(ctx, s.runs.Maintain)
	return nil
}

// observer counts what a runner does, and notes refreshes in the log of runs.
type observer struct {
	*metrics.Metrics

	runs *runlog.Log
}

var _ runner.Observer = observer{}

// Refreshed implements [runner.Observer].
func (o observer) Refreshed(entry *cache.Entry, err error) {
	o.Metrics.Refreshed(entry, err)
	o.runs.Refreshed(entry, err)
}

// alertRunner notes the runs of alerts in the log of runs.
type alertRunner struct {
	runner.QueryRunner

	runs *runlog.Log
}

// Run implements [runner.QueryRunner].
func (r alertRunner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	return r.runs.Run(ctx, runlog.Caller{Interface: runlog.Alert}, r.QueryRunner, request)
}
