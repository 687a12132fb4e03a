package server

import (
	"context"

	"savedq/internal/observe/metrics"
	"savedq/internal/runlog"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

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
