package sqlq

import (
	"context"
	"sync"
)

// question is a saved query with bound arguments.
type question struct {
	query *SavedQuery
	args  []Arg
	key   string
}

// flight is one run of the engine, for all who ask the same at that time.
type flight struct {
	question question
	waiter   *waiter
	cancel   context.CancelFunc
	// waiting is how many wait for the answer, guarded by the flights' mutex.
	waiting int

	// done is closed when the answer or the error is there. Both are the same for
	// all who waited.
	done   chan struct{}
	answer *Answer
	err    error
}

// flights are the runs of the engine that go on, at most one per key.
type flights struct {
	mutex sync.Mutex
	byKey map[string]*flight
}

// join waits for a flight, which the caller has been counted in. Who leaves does
// not stop it for others; when all have left, it is cancelled.
func (r *Runner) join(ctx context.Context, f *flight) (*Answer, error) {
	select {
	case <-f.done:
		return f.answer, f.err
	case <-ctx.Done():
	}
	r.flights.mutex.Lock()
	defer r.flights.mutex.Unlock()
	f.waiting--
	if f.waiting == 0 {
		f.cancel()
		r.flights.remove(f) // who asks now must not join what was cancelled
	}
	return nil, ContextError(ctx)
}

// start starts a flight with one who waits. The flights' mutex must be held. The
// run keeps what the context holds, but does not end with it.
func (r *Runner) start(ctx context.Context, q question, warming bool) *flight {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.config.QueryTimeout)
	f := &flight{question: q, waiter: newWaiter(warming), cancel: cancel, waiting: 1, done: make(chan struct{})}
	r.flights.byKey[q.key] = f
	go r.fly(ctx, f)
	return f
}

// fly runs the engine and keeps the answer before anybody could ask again.
func (r *Runner) fly(ctx context.Context, f *flight) {
	defer f.cancel()
	defer close(f.done)
	f.answer, f.err = r.execute(ctx, f)
	r.flights.mutex.Lock()
	defer r.flights.mutex.Unlock()
	if f.err == nil && f.question.query.Cache > 0 {
		r.cache.put(f.question.key, f.answer, r.nextRefresh(f.question.query, f.answer.made))
	}
	r.flights.remove(f)
}

// remove takes a flight out, unless another has its place by now.
func (f *flights) remove(removed *flight) {
	if f.byKey[removed.question.key] == removed {
		delete(f.byKey, removed.question.key)
	}
}
