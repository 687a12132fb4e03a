package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// execute executes a call and stores its entry, before a new call with the same key can
// start. The entry of a saved query that was changed or removed meanwhile is not stored.
func (r *Runner) execute(ctx context.Context, c *call) {
	defer close(c.done)
	c.entry, c.err = r.compute(ctx, c)
	r.inFlight.mutex.Lock()
	defer r.inFlight.mutex.Unlock()
	if c.err == nil && c.entry.FreshUntil.After(c.entry.ComputedAt) && !c.replaced && r.served.Load().successor(c.key, c.query) != nil {
		r.cache.Put(c.entry, r.nextRefresh(c.query, c.entry.ComputedAt))
	}
	r.inFlight.remove(c)
}

// compute passes the breaker and the queue, and runs the engine. The breaker is checked
// before the queue, so that nobody waits in vain, and again after it. The error is an
// [*sqlq.Error].
//
// If the engine does not stop at the deadline, the callers stop waiting for it, but the
// call keeps its place in the queue: there are never more runs than the engine may have.
func (r *Runner) compute(ctx context.Context, c *call) (*cache.Entry, error) {
	if err := errors.Join(r.culprits.check(c.waiter.payer, c.query), r.breaker.check()); err != nil {
		return nil, r.rejected(c, sqlq.AsError(err))
	}
	lifetime := c.query.Cache
	if !r.settling.wait(ctx) {
		lifetime = 0
	}
	if err := r.awaitFiles(ctx, c.query); err != nil {
		return nil, r.rejected(c, r.runError(ctx, c.query, err))
	}
	if err := r.queue.enter(ctx, c.waiter); err != nil {
		return nil, r.rejected(c, r.runError(ctx, c.query, err))
	}
	defer r.queue.leave(c.waiter)
	if err := r.breaker.admit(); err != nil {
		return nil, r.rejected(c, err)
	}
	started := r.config.Clock()
	now := started
	if !c.at.IsZero() {
		now, lifetime = c.at, 0
	}
	statement := sqlq.NewStatement(c.query, c.args, now)
	statement.Emit = c.emit
	filesVersion := r.filesVersion(c.query) // before the run: rows of later files are computed once more
	var run EngineRun
	result, state, err := r.runStatement(ctx, c, statement, &run)
	if err != nil {
		err = r.runError(ctx, c.query, err)
		r.logArgumentError(ctx, statement, err)
	}
	r.breaker.record(err)
	r.culprits.record(c.waiter.payer, c.query, err)
	ended := r.config.Clock()
	run.Duration = ended.Sub(started)
	r.queue.record(c.waiter, run.Duration, err)
	r.runEnded(ctx, c.query, c.reservation, run, err)
	if err != nil {
		return nil, err
	}
	entry := &cache.Entry{
		Key: c.key, Query: c.query, Args: c.args, Result: result, Series: state, FilesVersion: filesVersion,
		AsOf: statement.Now, ComputedAt: ended, FreshUntil: ended.Add(lifetime),
	}
	entry.Measure()
	return entry, nil
}

// awaitFiles waits for files that are being read for the first time, before the call takes a place in a queue. It ends before
// the time of the call does, so that callers learn what takes so long.
func (r *Runner) awaitFiles(ctx context.Context, query *sqlq.SavedQuery) error {
	if r.config.Files == nil || !readsFiles(query) {
		return nil
	}
	const share = 10
	timeout := r.timeout(query)
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-timeout/share))
		defer cancel()
	}
	return r.config.Files.AwaitFiles(ctx, query)
}

// runEnded charges the reservation for a run, and reports the run to the observer.
func (r *Runner) runEnded(ctx context.Context, query *sqlq.SavedQuery, reservation Reservation, run EngineRun, err error) {
	reservation.Charge(run)
	r.config.Observer.EngineRan(ctx, query, run, err)
}

// rejected releases the reservation of a call that did not reach the engine, observes the
// call, and returns the error. If all callers left, it was not rejected.
func (r *Runner) rejected(c *call, err error) error {
	c.reservation.Release()
	if sqlq.AsError(err).Code != sqlq.Cancelled {
		r.config.Observer.Rejected(c.query, err)
	}
	return err
}

// runEngine runs the engine, on the call's own goroutine: a panic becomes an error, and so does
// a result that contradicts itself, which must not be cached. Rows and bytes are added to the
// run, which can have several parts.
func (r *Runner) runEngine(ctx context.Context, statement sqlq.Statement, run *EngineRun) (result *sqlq.Result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	if emit := statement.Emit; emit != nil {
		statement.Emit = func(batch *sqlq.Batch) error {
			run.Rows += batch.Len() // also of a run that fails later
			return emit(batch)
		}
	}
	result, err = r.config.Engine.Run(ctx, statement)
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, errors.New("the engine returned neither rows nor an error")
	}
	run.Rows += len(result.Rows)
	run.BytesProcessed += result.BytesProcessed
	if ctx.Err() != nil { // nobody waits for the result any more
		return nil, ctx.Err()
	}
	if err := result.Check(); err != nil {
		return nil, err
	}
	return withNext(statement, result)
}

// logArgumentError logs the engine's own message about an argument, which the caller does
// not receive. Interfaces log server faults when they respond.
func (r *Runner) logArgumentError(ctx context.Context, statement sqlq.Statement, err error) {
	if failure := sqlq.AsError(err); failure.Code == sqlq.InvalidArgument {
		r.config.Logger.InfoContext(ctx, "the engine rejected an argument", slog.String("endpoint", statement.Query.Name),
			slog.String("param", failure.Param), slog.Any("error", err))
	}
}

// runError returns the failure of a run as an [*sqlq.Error]. An error that occurs after the
// context has ended was caused by the context, not by the engine.
func (r *Runner) runError(ctx context.Context, query *sqlq.SavedQuery, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return r.deadlineError(query, err)
	case ctx.Err() != nil:
		return sqlq.AsError(ctx.Err()).WithCause(err)
	}
	return sqlq.AsError(err)
}

func (r *Runner) deadlineError(query *sqlq.SavedQuery, cause error) error {
	return sqlq.Errorf(sqlq.DeadlineExceeded, "the query took longer than %s; ask for a shorter time range or try again later", r.timeout(query)).WithCause(cause)
}
