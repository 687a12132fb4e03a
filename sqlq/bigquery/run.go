package bigquery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"savedq/sqlq"
)

// errJobTimeout is the reason of a run that took longer than the job timeout.
var errJobTimeout = errors.New("the job timeout has passed")

// errStreamed means that a run failed whose caller has a part of the rows.
var errStreamed = errors.New("a part of the rows was passed on")

// Run runs a statement, as a job if the service creates one, and reads at most one row more than the result
// may have, which shows that a result is truncated (D24). Cancelling ctx, the job timeout and
// [Engine.Close] cancel the job on the service.
func (e *Engine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	within, end, err := e.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", statement.Query.Name, err)
	}
	defer end()
	bounded := within
	if statement.Emit == nil { // the caller of a stream decides how long it reads; the service ends the job in time
		var stop context.CancelFunc
		bounded, stop = context.WithTimeoutCause(within, e.config.JobTimeout, errJobTimeout)
		defer stop()
	}
	result, err := e.runPatiently(bounded, statement)
	switch {
	case err == nil:
		return result, nil
	case within.Err() != nil: // the caller or Close ended the run; it did not fail
		return nil, fmt.Errorf("run %s: %w", statement.Query.Name, within.Err())
	default:
		return nil, e.codedError(statement.Query, err)
	}
}

// runPatiently runs a statement, and repeats it as another query while the service fails. It
// gives up well before the deadline, so that the caller receives the reason.
func (e *Engine) runPatiently(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	patience, stop := context.WithTimeout(ctx, e.patience())
	defer stop()
	backoff := newBackoff()
	for {
		result, err := e.runOnce(ctx, patience, statement)
		if err == nil || ctx.Err() != nil || !isTransient(err) || errors.Is(err, errStreamed) {
			return result, err
		}
		if pause(patience, backoff.Pause()) != nil {
			return nil, err
		}
	}
}

// patience returns for how long failures of the service are retried: three fifths of the
// time of a run.
func (e *Engine) patience() time.Duration {
	const parts, of = 3, 5
	return e.config.JobTimeout * parts / of
}

// runOnce runs a statement as one query. None is started after patience has ended.
func (e *Engine) runOnce(ctx, patience context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if err := patience.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotAccepted, err) // nothing has started that would have to be cancelled
	}
	response, err := e.submit(patience, e.queryRequest(statement))
	if err != nil {
		return nil, err
	}
	started := jobOf(response)
	result := newCollector(statement)
	if err := e.read(ctx, started, response, statement.Query.MaxRows, result.take); err != nil {
		if started.id != "" && (ctx.Err() != nil || result.Streamed > 0) {
			e.cancel(ctx, started)
		}
		if result.Streamed > 0 { // the rows cannot be taken back, so it must not run again
			err = errors.Join(errStreamed, err)
		}
		return nil, fmt.Errorf("%s: %w", nameOf(response), err)
	}
	return &result.Result, nil
}
