package requestlog

import (
	"context"
	"log/slog"

	"savedq/sqlq/runner"
)

// Runner records the saved queries that a request runs, for the line of [Handler].
// Arguments are logged only at the level DEBUG.
type Runner struct {
	runner.QueryRunner
	logger *slog.Logger
}

// NewRunner returns a runner that records the responses of another one.
func NewRunner(next runner.QueryRunner, logger *slog.Logger) *Runner {
	return &Runner{QueryRunner: next, logger: logger}
}

// Run runs a saved query.
func (r *Runner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	response, err := r.QueryRunner.Run(ctx, request)
	if err == nil {
		r.note(ctx, response)
	}
	return response, err
}

// CachedResponse returns a cached GraphQL response with its saved-query responses.
func (r *Runner) CachedResponse(ctx context.Context, key string, noCache bool) (value any, responses []*runner.Response) {
	value, responses = r.QueryRunner.CachedResponse(ctx, key, noCache)
	for _, response := range responses {
		r.note(ctx, response)
	}
	return value, responses
}

func (r *Runner) note(ctx context.Context, response *runner.Response) {
	if e := exchangeFrom(ctx); e != nil {
		e.note(response)
	}
	if !r.logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	values := make([]slog.Attr, len(response.Args))
	for i, arg := range response.Args {
		values[i] = slog.Any(arg.Name, arg.Value)
	}
	r.logger.LogAttrs(ctx, slog.LevelDebug, "saved query served", slog.String("endpoint", response.Query.Name),
		slog.String("cache", string(response.Cache)), slog.GroupAttrs("args", values...))
}
