package runner

import (
	"context"
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// job is a saved query with bound arguments, and its key in the cache; a stream has none.
type job struct {
	query *sqlq.SavedQuery
	args  []sqlq.Arg
	key   string
	// at is the moment that the run takes for now; the zero time means the current one.
	at time.Time
	// emit receives the rows of a stream; nil for all others.
	emit func(batch *sqlq.Batch) error
}

// call is an in-flight run of the engine, for all callers with the same request.
type call struct {
	job
	waiter *waiter
	// reservation belongs to the caller that started the call. Callers that join it pay nothing.
	reservation Reservation
	// callers is how many wait for the call. The mutex of inFlight guards it.
	callers int
	// whole reports whether the call must not reuse rows of earlier runs, reuses whether it
	// does, and replaced whether a later call for the same rows was started. The mutex of
	// inFlight guards them, too.
	whole, reuses, replaced bool
	cancel                  context.CancelFunc
	// ended is closed when the call's time is over, or the call was cancelled.
	ended <-chan struct{}

	// done is closed once entry or err is set. All callers share both.
	done  chan struct{}
	entry *cache.Entry
	err   error
}

// inFlight holds the calls that are in flight, at most one per key.
type inFlight struct {
	mutex sync.Mutex
	byKey map[string]*call
}

// remove removes a call, unless another one has taken its place.
func (f *inFlight) remove(removed *call) {
	if f.byKey[removed.key] == removed {
		delete(f.byKey, removed.key)
	}
}

// allowReuse reports whether a call may reuse rows, and notes that it does.
func (f *inFlight) allowReuse(c *call) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	c.reuses = !c.whole
	return c.reuses
}

// lookupOrStart returns the cached response; or it joins or starts the call that will give
// one, and returns it with the status that the response will have. The caller is counted
// as a waiter of the call. If the account that pays for a new call refuses it, its error is
// returned.
func (r *Runner) lookupOrStart(ctx context.Context, j job, request Request) (*Response, *call, CacheStatus, error) {
	r.inFlight.mutex.Lock()
	defer r.inFlight.mutex.Unlock()
	if c := r.inFlight.byKey[j.key]; c != nil && (!request.NoCache || !c.reuses) {
		c.whole = c.whole || request.NoCache
		c.callers++
		if !request.Background {
			r.queue.promote(c.waiter)
		}
		return nil, c, Joined, nil
	}
	// A call may have ended since the caller looked into the cache.
	response, status := r.cached(j.key), Miss
	switch {
	case response != nil && request.NoCache && r.cache.AllowRefresh(j.key, r.config.Clock()):
		status = Refreshed
	case response != nil:
		return response, nil, "", nil
	case j.query.Cache == 0:
		status = Off
	}
	reservation, err := reserve(request.Account, j.query)
	switch {
	case err != nil && response != nil:
		return response, nil, "", nil // the entry is free
	case err != nil:
		return nil, nil, "", sqlq.AsError(err)
	}
	return nil, r.start(ctx, j, reservation, request), status, nil
}

// timeout returns the longest that a run may take, its wait included.
func (r *Runner) timeout(query *sqlq.SavedQuery) time.Duration {
	if query.Stream {
		return r.config.StreamTimeout
	}
	if query.Callers != nil {
		return r.config.SandboxTimeout
	}
	return r.config.QueryTimeout
}

// start starts the call of a request, with one caller. The mutex of inFlight must be held. The call keeps
// the values of the context, but does not end with it.
func (r *Runner) start(ctx context.Context, j job, reservation Reservation, request Request) *call {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.timeout(j.query))
	c := &call{
		job: j, waiter: newWaiter(j.query, reservation.Payer(), request.Background), reservation: reservation, whole: request.NoCache, callers: 1,
		cancel: cancel, ended: ctx.Done(), done: make(chan struct{}),
	}
	if earlier := r.inFlight.byKey[j.key]; earlier != nil {
		earlier.replaced = true
	}
	r.inFlight.byKey[j.key] = c
	go func() {
		defer cancel()
		r.execute(ctx, c)
	}()
	return c
}

// wait waits for a call. The caller must have been counted. A caller that leaves does not
// cancel the call for the others; the last one does.
func (r *Runner) wait(ctx context.Context, c *call) (*cache.Entry, error) {
	select {
	case <-c.done:
		return c.entry, c.err
	case <-c.ended:
		return r.waitPastDeadline(c)
	case <-ctx.Done():
	}
	r.inFlight.mutex.Lock()
	defer r.inFlight.mutex.Unlock()
	c.callers--
	if c.callers == 0 {
		c.cancel()
		r.inFlight.remove(c) // a new caller must not join what was cancelled
	}
	return nil, sqlq.ContextError(ctx)
}

// waitPastDeadline returns the outcome of a call that has just ended. An engine that has
// not stopped at the deadline is not waited for.
func (r *Runner) waitPastDeadline(c *call) (*cache.Entry, error) {
	select {
	case <-c.done: // which is closed before the context is cancelled
		return c.entry, c.err
	default:
	}
	r.inFlight.mutex.Lock()
	defer r.inFlight.mutex.Unlock()
	r.inFlight.remove(c)
	return nil, r.deadlineError(c.query, context.DeadlineExceeded)
}
