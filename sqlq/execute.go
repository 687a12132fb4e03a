package sqlq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// execute runs a flight's statement when it is its turn. The error is an [*Error].
func (r *Runner) execute(ctx context.Context, f *flight) (*Answer, error) {
	if err := r.admit(ctx, f); err != nil {
		if AsError(err).Code != Cancelled { // else all who waited for it have left
			r.config.Observer.Refused(f.question.query, err)
		}
		return nil, err
	}
	began := r.config.Clock()
	statement := Statement{Query: f.question.query, Args: f.question.args, Now: began.UTC().Truncate(time.Microsecond)}
	result, err := r.runEngine(ctx, statement)
	if err != nil {
		err = r.runError(ctx, err)
		r.logArgumentError(ctx, statement, err)
	}
	r.breaker.record(err)
	ended := r.config.Clock()
	r.config.Observer.EngineRan(statement.Query, ended.Sub(began), err)
	if err != nil {
		return nil, err
	}
	return &Answer{
		Query: statement.Query, Result: result, AsOf: statement.Now,
		Args: statement.Args, made: ended, expires: ended.Add(statement.Query.Cache),
	}, nil
}

// admit waits until the run may start. The caller must leave the queue after admit
// succeeds. The breaker is checked before the queue, so that nobody waits in vain, and
// again after it. The error is an [*Error].
func (r *Runner) admit(ctx context.Context, f *flight) error {
	if err := r.breaker.check(); err != nil {
		return err
	}
	if err := r.queue.enter(ctx, f.waiter); err != nil {
		return r.runError(ctx, err)
	}
	if err := r.breaker.admit(); err != nil {
		r.queue.leave()
		return err
	}
	return nil
}

// runEngine runs a statement that was admitted, for no longer than the context lasts.
// An engine that does not stop then is left to itself, but its place
// stays taken until it does: there are never more runs than the engine may be given,
// whether or not somebody waits for them.
func (r *Runner) runEngine(ctx context.Context, statement Statement) (*Result, error) {
	var result *Result
	var err error
	ended := make(chan struct{})
	go func() {
		defer r.queue.leave()
		defer close(ended)
		began := r.config.Clock()
		result, err = r.callEngine(ctx, statement)
		r.queue.ran(r.config.Clock().Sub(began))
	}()
	select {
	case <-ended:
		return result, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// callEngine makes a panic of the engine an error, since it runs for many callers, on
// a goroutine of none of them. An answer that makes no sense is an error, too: it
// would be kept.
func (r *Runner) callEngine(ctx context.Context, statement Statement) (result *Result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	result, err = r.config.Engine.Run(ctx, statement)
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, errors.New("the engine gave neither rows nor an error")
	}
	return result, result.check()
}

// logArgumentError logs the engine's own message about arguments that it could not
// use, because the caller is not sent it. Server faults are logged by whoever answers
// the caller.
func (r *Runner) logArgumentError(ctx context.Context, statement Statement, err error) {
	if failure := AsError(err); failure.Code == InvalidArgument {
		r.config.Logger.InfoContext(ctx, "the engine rejected an argument", slog.String("endpoint", statement.Query.Name),
			slog.String("param", failure.Param), slog.Any("error", err))
	}
}

// runError gives the failure of a run its code. An error that occurs after the context
// has ended was caused by the context, not by the engine.
func (r *Runner) runError(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Errorf(DeadlineExceeded, "the query took longer than %s; ask for a shorter time range or try again later", r.config.QueryTimeout).Because(err)
	case ctx.Err() != nil:
		return AsError(ctx.Err()).Because(err)
	}
	return AsError(err)
}
