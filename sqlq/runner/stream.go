package runner

import (
	"context"
	"errors"

	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// stream runs a saved query with stream, and passes its rows to the Emit of the request, on the
// goroutine of the caller. The run is for this caller alone: nothing is cached or shared, and it
// ends with ctx. The error is an [*sqlq.Error]; Emit may have received rows before it.
func (r *Runner) stream(ctx context.Context, j job, request Request) (*Response, error) {
	if request.Emit == nil {
		return nil, sqlq.StreamRefused(j.query)
	}
	if request.HeadersOnly {
		entry := &cache.Entry{Query: j.query, Args: j.args, Result: &sqlq.Result{Columns: j.query.Columns}}
		return r.newResponse(entry, Off, r.config.Clock()), nil
	}
	reservation, err := reserve(request.Account, j.query)
	if err != nil {
		return nil, sqlq.AsError(err)
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(caller, r.timeout(j.query))
	defer cancel()
	emitted := 0
	j.emit = func(batch *sqlq.Batch) error {
		if err := batch.Check(); err != nil {
			return err
		}
		emitted += batch.Len()
		return emitError(request.Emit(batch))
	}
	entry, err := r.compute(ctx, &call{job: j, waiter: newWaiter(j.query, reservation.Payer(), false), reservation: reservation})
	if err == nil && emitted < entry.Result.RowCount() { // the engine does not stream
		err = emitError(request.Emit(sqlq.BatchOf(j.query.Columns, entry.Result.Rows)))
	}
	if err != nil {
		return nil, sqlq.AsError(sqlq.ErrorIn(caller, err))
	}
	return r.newResponse(entry, Off, r.config.Clock()), nil
}

// emitError returns the error of a caller's Emit. One without a code means that the caller cannot
// receive more rows.
func emitError(err error) error {
	if coded := new(sqlq.Error); err == nil || errors.As(err, &coded) {
		return err
	}
	return sqlq.Errorf(sqlq.Cancelled, "the caller does not receive the rows").WithCause(err)
}
