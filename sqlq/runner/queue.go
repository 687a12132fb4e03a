package runner

import (
	"container/list"
	"context"
	"sync"
	"time"

	"savedq/sqlq"
)

const (
	// burstTargets is the maximum wait in a burst, in multiples of the target.
	burstTargets = 3
	// In a burst, a query waits up to standstills × the time since the last start.
	standstills = 2
	// runWeight is the weight of the latest run in the mean, as in TCP's estimate of the
	// round-trip time.
	runWeight = 1.0 / 8
	// One in othersShare runs, and places in the queue, is left for other payers.
	othersShare = 4
)

// queueLimits bound what waits in a [runQueue].
type queueLimits struct {
	// length is how many queries wait at most.
	length int
	// target is how long a query waits under a lasting overload, unless runs take longer
	// on average.
	target time.Duration
	// timeout is the longest that any query waits.
	timeout time.Duration
}

// runQueue gives the engine a bounded number of runs at a time. Further ones wait in order,
// and refreshes wait behind all callers.
//
// How long a caller waits depends on whether the overload lasts, as in CoDel (RFC 8289)
// and its use for requests in "Fail at Scale" (ACM Queue 13:8). A burst on an idle
// server waits for up to three targets. If the queue has not been empty for that long,
// waiting in it no longer helps anybody: it only makes all callers late. Then a query
// waits for one target, and the rest is rejected. The engine is kept busy either way.
// If runs are slow, the target is their average duration. A burst also waits longer if no run has
// started for a while, because then runs have just become slower.
//
// One payer takes at most three quarters of the runs and of the queue, so that its slow
// queries do not keep all others from the engine.
type runQueue struct {
	clock  func() time.Time
	limits queueLimits

	mutex sync.Mutex
	// free is how many more runs may start.
	free               int
	callers, refreshes *list.List
	// mostRuns and mostWaiting are how many runs and places in the queue one payer may have,
	// and running and waiting how many each payer has.
	mostRuns, mostWaiting int
	running, waiting      map[string]int
	// empty is when the queue of callers was last found empty, and started when a run last
	// started.
	empty, started time.Time
	// meanRun is the moving average of the time that runs take; zero before the first has
	// ended.
	meanRun time.Duration
}

// waiter is the place of a run in the queue.
type waiter struct {
	// payer identifies who pays for the run; empty for nobody.
	payer string
	// refresh says that no caller waits for the run.
	refresh bool
	// lasting says that the queue was overloaded when the waiter joined it.
	lasting bool
	// started is closed when the run may start.
	started chan struct{}
	// promoted receives a value when a refresh becomes the run of a caller.
	promoted chan struct{}
	// list is where the waiter waits, as element; nil where it does not.
	list    *list.List
	element *list.Element
}

func newWaiter(refresh bool, payer string) *waiter {
	return &waiter{payer: payer, refresh: refresh, started: make(chan struct{}), promoted: make(chan struct{}, 1)}
}

func newRunQueue(clock func() time.Time, concurrency int, limits queueLimits) *runQueue {
	return &runQueue{
		clock: clock, limits: limits, free: concurrency, callers: list.New(), refreshes: list.New(),
		mostRuns: concurrency - concurrency/othersShare, mostWaiting: limits.length - limits.length/othersShare,
		running: make(map[string]int), waiting: make(map[string]int),
	}
}

// enter waits until the run may start. Callers must call leave after enter succeeds. The
// error is an UNAVAILABLE [*Error] if the queue is full or the wait was too long, or the
// context's.
func (q *runQueue) enter(ctx context.Context, w *waiter) error {
	started, err := q.join(w)
	if started || err != nil {
		return err
	}
	err = q.wait(ctx, w)
	if err != nil && !q.remove(w) {
		q.leave(w) // it was started at the last moment
	}
	return err
}

// join starts a run at once, or puts it in the queue.
func (q *runQueue) join(w *waiter) (started bool, err error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	switch {
	case q.free > 0 && q.mayStart(w):
		q.free--
		q.start(w)
		return true, nil
	case q.ahead(w) >= q.limits.length:
		return false, q.busy("%d queries are in the queue", q.limits.length)
	case w.payer != "" && q.waiting[w.payer] >= q.mostWaiting:
		return false, q.busy("%d queries of this caller are in the queue", q.mostWaiting)
	}
	q.push(w)
	return false, nil
}

// wait waits in the queue until the run may start, or has waited for too long.
func (q *runQueue) wait(ctx context.Context, w *waiter) error {
	var waited time.Duration
	for {
		patience := q.patience(w)
		if patience <= waited {
			q.mutex.Lock()
			defer q.mutex.Unlock()
			return q.busy("the query waited %s in the queue", waited.Round(time.Millisecond))
		}
		timer := time.NewTimer(patience - waited)
		select {
		case <-w.started:
			timer.Stop()
			return nil
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-w.promoted:
			timer.Stop()
			waited = 0
		case <-timer.C:
			waited = patience // which may be longer by now
		}
	}
}

// patience returns how long a waiter may wait in all.
func (q *runQueue) patience(w *waiter) time.Duration {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	switch {
	case w.refresh:
		return q.limits.timeout
	case w.lasting:
		return min(q.target(), q.limits.timeout)
	}
	return q.burst()
}

// target must be called with the mutex held.
func (q *runQueue) target() time.Duration { return max(q.limits.target, q.meanRun) }

// burst returns how long callers wait in a burst. It must be called with the mutex held.
func (q *runQueue) burst() time.Duration {
	return min(max(burstTargets*q.target(), standstills*q.clock().Sub(q.started)), q.limits.timeout)
}

// busy is the error of a query that is rejected. Whatever waits now will have started or
// left at the time at which it says to retry. It must be called with the mutex held.
func (q *runQueue) busy(reason string, args ...any) error {
	return sqlq.Rejectf(sqlq.Unavailable, q.burst(), "the server is busy: "+reason+"; try again later", args...)
}

// ahead returns how many runs would start before one that joined the queue now. It must
// be called with the mutex held.
func (q *runQueue) ahead(w *waiter) int {
	if w.refresh {
		return q.callers.Len() + q.refreshes.Len()
	}
	return q.callers.Len()
}

// push must be called with the mutex held.
func (q *runQueue) push(w *waiter) {
	w.list = q.refreshes
	if !w.refresh {
		w.list = q.callers
		now := q.clock()
		if q.callers.Len() == 0 {
			q.empty = now
		}
		w.lasting = now.Sub(q.empty) >= q.burst()
	}
	w.element = w.list.PushBack(w)
	count(q.waiting, w.payer, 1)
}

// pull takes a waiter out of its list. It must be called with the mutex held.
func (q *runQueue) pull(w *waiter) {
	w.list.Remove(w.element)
	w.list = nil
	count(q.waiting, w.payer, -1)
}

// count adds to what a payer has, and forgets a payer that has nothing.
func count(of map[string]int, payer string, more int) {
	if of[payer] += more; of[payer] == 0 {
		delete(of, payer)
	}
}

// remove takes a waiter out of the queue. It is false for one that has started.
func (q *runQueue) remove(w *waiter) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if w.list == nil {
		return false
	}
	q.pull(w)
	return true
}

// promote gives a waiter the priority of a caller, because one waits for the run now.
func (q *runQueue) promote(w *waiter) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if !w.refresh {
		return
	}
	w.refresh = false
	if w.list != nil {
		q.pull(w)
		q.push(w)
		w.promoted <- struct{}{}
	}
}

// mayStart reports whether the payer of a run has not reached its most. It must be called with
// the mutex held.
func (q *runQueue) mayStart(w *waiter) bool {
	return w.payer == "" || q.running[w.payer] < q.mostRuns
}

// start must be called with the mutex held.
func (q *runQueue) start(w *waiter) {
	count(q.running, w.payer, 1)
	q.started = q.clock()
	close(w.started)
}

// record records how long a run took.
func (q *runQueue) record(duration time.Duration) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.meanRun == 0 {
		q.meanRun = duration
		return
	}
	q.meanRun += time.Duration(runWeight * float64(duration-q.meanRun))
}

// leave ends a run, and lets the next one start.
func (q *runQueue) leave(ended *waiter) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	count(q.running, ended.payer, -1)
	for _, waiting := range []*list.List{q.callers, q.refreshes} {
		for element := waiting.Front(); element != nil; element = element.Next() {
			if next := element.Value.(*waiter); q.mayStart(next) { // only waiters are queued
				q.pull(next)
				q.start(next)
				return
			}
		}
	}
	q.free++
}
