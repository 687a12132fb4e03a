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
	permit, err := r.admit(ctx, f)
	if err != nil {
		if AsError(err).Code != Cancelled { // else all who waited for it have left
			r.config.Observer.Refused(f.question.query, err)
		}
		return nil, err
	}
	began := r.config.Clock()
	statement := Statement{Query: f.question.query, Args: f.question.args, Now: began.UTC().Truncate(time.Microsecond)}
	result, err := r.runEngine(ctx, statement)
	if err != nil {
		err = r.tooLong(ctx, err)
	}
	permit.done(err)
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

// admit waits until the run may be given to the engine, which then has to leave the
// gate. The breaker is asked before the gate, so that nobody waits in vain, and again
// behind it. The error is an [*Error].
func (r *Runner) admit(ctx context.Context, f *flight) (*permit, error) {
	permit, err := r.breakers[f.question.query].enter()
	if err != nil {
		return nil, err
	}
	if err := r.gate.enter(ctx, f.ticket); err != nil {
		permit.unused()
		return nil, r.tooLong(ctx, err)
	}
	if err := permit.renew(); err != nil {
		r.gate.leave()
		permit.unused()
		return nil, err
	}
	return permit, nil
}

// runEngine runs a statement that was admitted, for no longer than the context lasts.
// An engine that does not stop then is left to itself, but its place at the gate
// stays taken until it does: there are never more runs than the engine may be given,
// whether or not somebody waits for them.
func (r *Runner) runEngine(ctx context.Context, statement Statement) (*Result, error) {
	var result *Result
	var err error
	ended := make(chan struct{})
	go func() {
		defer r.gate.leave()
		defer close(ended)
		result, err = r.callEngine(ctx, statement)
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

// tooLong names the failure of a run. What fails after the context has ended is the
// context's doing, not the engine's.
func (r *Runner) tooLong(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Errorf(DeadlineExceeded, "the query took longer than %s; ask for a shorter time range or try again later", r.config.QueryTimeout).Because(err)
	case ctx.Err() != nil:
		return AsError(ctx.Err()).Because(err)
	}
	return AsError(err)
}
