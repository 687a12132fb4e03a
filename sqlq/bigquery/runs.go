package bigquery

import (
	"context"
	"errors"
	"sync"
)

// errClosed is the reason of a run whose engine was closed.
var errClosed = errors.New("the engine is closed")

// runs holds the current runs of an engine, so that closing the engine can end them. The
// zero value is ready to use.
type runs struct {
	mutex   sync.Mutex
	closed  bool
	next    int
	cancels map[int]context.CancelCauseFunc
	going   sync.WaitGroup
}

// begin adds a run. Its context ends with the engine; end must be called after
// the run.
func (r *runs) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		return nil, nil, errClosed
	}
	bounded, cancel := context.WithCancelCause(ctx)
	id := r.next
	r.next++
	if r.cancels == nil {
		r.cancels = make(map[int]context.CancelCauseFunc)
	}
	r.cancels[id] = cancel
	r.going.Add(1)
	return bounded, func() {
		r.mutex.Lock()
		delete(r.cancels, id)
		r.mutex.Unlock()
		cancel(nil)
		r.going.Done()
	}, nil
}

// close ends all runs and waits for them.
func (r *runs) close() {
	r.mutex.Lock()
	r.closed = true
	for _, cancel := range r.cancels {
		cancel(errClosed)
	}
	r.mutex.Unlock()
	r.going.Wait()
}
