package requestlog

import (
	"context"
	"log/slog"

	"savedq/sqlq"
)

// Runner notes which saved queries a request asked, for the line of [Handler]. The
// values of arguments are in the log at the level DEBUG alone.
type Runner struct {
	sqlq.QueryRunner
	logger *slog.Logger
}

// NewRunner returns a runner that notes what another one answers.
func NewRunner(next sqlq.QueryRunner, logger *slog.Logger) *Runner {
	return &Runner{QueryRunner: next, logger: logger}
}

// Run runs a saved query.
func (r *Runner) Run(ctx context.Context, request sqlq.Request) (*sqlq.Reply, error) {
	reply, err := r.QueryRunner.Run(ctx, request)
	if err == nil {
		r.note(ctx, reply)
	}
	return reply, err
}

// Kept returns what was made from answers.
func (r *Runner) Kept(ctx context.Context, key string, noCache bool) (value any, replies []*sqlq.Reply) {
	value, replies = r.QueryRunner.Kept(ctx, key, noCache)
	for _, reply := range replies {
		r.note(ctx, reply)
	}
	return value, replies
}

func (r *Runner) note(ctx context.Context, reply *sqlq.Reply) {
	if e := of(ctx); e != nil {
		e.note(reply)
	}
	if !r.logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	values := make([]slog.Attr, len(reply.Args))
	for i, arg := range reply.Args {
		values[i] = slog.Any(arg.Name, arg.Value)
	}
	r.logger.LogAttrs(ctx, slog.LevelDebug, "saved query answered", slog.String("endpoint", reply.Query.Name),
		slog.String("cache", string(reply.Cache)), slog.GroupAttrs("args", values...))
}
