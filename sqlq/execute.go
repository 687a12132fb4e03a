package sqlq

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// execute runs a flight's statement when it is its turn. The error is an [*Error].
func (r *Runner) execute(ctx context.Context, f *flight) (*Answer, error) {
	if err := r.gate.enter(ctx, f.ticket); err != nil {
		return nil, r.tooLong(ctx, err)
	}
	defer r.gate.leave()
	began := r.config.Clock()
	statement := Statement{Query: f.question.query, Args: f.question.args, Now: began.UTC().Truncate(time.Microsecond)}
	result, err := r.runEngine(ctx, statement)
	if err != nil {
		err = r.tooLong(ctx, err)
	}
	ended := r.config.Clock()
	r.config.Observer.EngineRan(statement.Query, ended.Sub(began), err)
	if err != nil {
		return nil, err
	}
	return &Answer{
		Query: statement.Query, Result: result, AsOf: statement.Now,
		args: statement.Args, made: ended, expires: ended.Add(statement.Query.Cache),
	}, nil
}

// runEngine makes a panic of the engine an error: it runs for many callers, on a
// goroutine of none of them.
func (r *Runner) runEngine(ctx context.Context, statement Statement) (result *Result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	result, err = r.config.Engine.Run(ctx, statement)
	if err == nil && result == nil {
		err = errors.New("the engine gave neither rows nor an error")
	}
	return result, err
}

// tooLong names the failure of a run. What the engine says after the context has
// ended is the context's doing, not the engine's.
func (r *Runner) tooLong(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Errorf(DeadlineExceeded, "the query took longer than %s; ask for a shorter time range or try again later", r.config.QueryTimeout).Because(err)
	case ctx.Err() != nil:
		return AsError(ctx.Err()).Because(err)
	}
	return AsError(err)
}
