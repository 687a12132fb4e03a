package runner

import (
	"context"
	"slices"
	"sync"
	"time"

	"savedq/sqlq"
)

const (
	// burstTargets is the maximum wait in a burst, in multiples of the target.
	burstTargets = 3
	// In a burst, a query waits up to standstills × the time since the last start.
	standstills = 2
	// One in othersShare runs, and places in the queue, is left for other payers. As many more runs may start of fast
	// queries.
	othersShare = 4
	// A query is fast beside runs that take fastBeside times as long.
	fastBeside = 4
)

// queueLimits bound what runs and waits in a [runQueue].
type queueLimits struct {
	// runs is the maximum number of runs at a time, and kinds that of each kind but ordinary ones.
	runs  int
	kinds [kinds]int
	// length is how many queries wait at most.
	length int
	// target is how long a query waits under a lasting overload, unless it usually takes longer itself.
	target time.Duration
	// timeout is the longest that any query waits.
	timeout time.Duration
}

// runQueue gives the engine a bounded number of runs at a time. Further ones wait.
//
// Order: each payer has its share of the engine's time, as in fair queueing. The payer whose runs
// have had the least time is next; a new payer begins with the least of the others. So one with a query in a while goes
// before one with hundreds. The runs of a payer keep their order, and refreshes wait behind all
// callers.
//
// Shares: a run starts if fewer run than may, of all runs, of its payer (three quarters) and of its kind. While slow
// queries run there may be a quarter more, which they cannot take: a fast query cannot wait until one of them has ended.
// A query is fast if it usually takes up to the target, or a quarter of what the longest of the runs takes, because
// contention makes all of them longer. A run that may not start lets later ones pass.
//
// Waits: how long a caller waits depends on whether the overload lasts, as in CoDel (RFC 8289) and its use for
// requests in "Fail at Scale" (ACM Queue 13:8). A burst on an idle server waits for up to three targets. If the queue
// has not been empty for that long, waiting in it no longer helps anybody: it only makes all callers late. Then a
// query waits for one target, and the rest is rejected. A query that usually takes longer than the target waits for
// as long as that. One that would not start in time, judged by what is before it, is rejected at once. A burst also
// waits longer if no run has started for a while, because then runs have just become slower.
type runQueue struct {
	clock  func() time.Time
	limits queueLimits

	mutex     sync.Mutex
	durations durations
	// waiting is in the order in which the waiters joined.
	waiting, running []*waiter
	payers           map[string]*payer
	lanes            [2]lane
}

// lane is when the queue of fast or of slow queries was last found empty, and when one of them last started.
type lane struct{ empty, started time.Time }

// payer is what pays for runs.
type payer struct {
	// time is how much time of the engine its runs have had, beyond the least of the others when the payer came.
	time time.Duration
	// runs is how many run or wait.
	runs int
}

// kind is a kind of runs with a limit of its own.
type kind int

const (
	ordinary kind = iota
	callersSQL
	streams
	kinds
)

// kindOf returns the kind of a saved query's runs.
func kindOf(query *sqlq.SavedQuery) kind {
	switch {
	case query.Stream:
		return streams
	case query.Callers != nil:
		return callersSQL
	}
	return ordinary
}

func (k kind) String() string {
	return [...]string{"queries", "queries with SQL of callers", "streams"}[k]
}

// waiter is a run that waits for the engine, or has it.
type waiter struct {
	// payer identifies who pays for the run; empty for nobody.
	payer string
	// query is the name of the saved query.
	query string
	kind  kind
	// refresh reports that no caller waits for the run.
	refresh bool
	// slow reports that the query was not fast when it joined.
	slow bool
	// cost is how much time the run is expected to take.
	cost time.Duration
	// lasting reports that the queue was overloaded when the waiter joined it.
	lasting bool
	// started is closed when the run may start, at startedAt.
	started   chan struct{}
	startedAt time.Time
	// promoted receives a value when a refresh becomes the run of a caller.
	promoted chan struct{}
}

func newWaiter(query *sqlq.SavedQuery, payer string, refresh bool) *waiter {
	return &waiter{
		payer: payer, query: query.Name, kind: kindOf(query), refresh: refresh,
		started: make(chan struct{}), promoted: make(chan struct{}, 1),
	}
}

func newRunQueue(clock func() time.Time, limits queueLimits) *runQueue {
	return &runQueue{clock: clock, limits: limits, durations: newDurations(), payers: make(map[string]*payer)}
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
	running := q.count()
	w.slow = !q.fast(w, running)
	if q.mayStart(w, running) {
		q.enroll(w)
		q.start(w)
		return true, nil
	}
	if err := q.full(w); err != nil {
		return false, err
	}
	q.enroll(w)
	q.push(w)
	if wait := q.expectedWait(w); wait > q.patienceOf(w) {
		q.pull(w)
		q.dismiss(w)
		return false, q.busy(w, "the query would wait about %s in the queue", wait.Round(time.Millisecond))
	}
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
			return q.busy(w, "the query waited %s in the queue", waited.Round(time.Millisecond))
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

// remove takes a waiter out of the queue. It reports false if the waiter has already started.
func (q *runQueue) remove(w *waiter) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if !q.pull(w) {
		return false
	}
	q.dismiss(w)
	return true
}

// promote gives a waiter the priority of a caller, because one waits for the run now.
func (q *runQueue) promote(w *waiter) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if !w.refresh {
		return
	}
	waits := q.pull(w)
	w.refresh = false
	if waits {
		q.push(w)
		w.promoted <- struct{}{}
	}
}

// record records how long a run took, which tells how long the next ones take.
func (q *runQueue) record(w *waiter, took time.Duration, err error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if usual, _ := q.durations.usual(w); w.kind == streams || err != nil && took < usual {
		return // the caller decides how long a stream takes, and the run ended early
	}
	q.durations.record(w, took)
}

// leave ends a run, and lets the next ones start.
func (q *runQueue) leave(ended *waiter) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.running = slices.DeleteFunc(q.running, func(w *waiter) bool { return w == ended })
	q.payers[ended.payer].time += q.clock().Sub(ended.startedAt) - ended.cost
	q.dismiss(ended)
	for next := q.next(); next != nil; next = q.next() {
		q.pull(next)
		q.start(next)
	}
}

// start must be called with the mutex held.
func (q *runQueue) start(w *waiter) {
	w.startedAt = q.clock()
	q.lane(w).started = w.startedAt
	if w.cost, _ = q.durations.usual(w); w.cost == 0 {
		w.cost = q.limits.target
	}
	q.payers[w.payer].time += w.cost
	q.running = append(q.running, w)
	close(w.started)
}

// lane must be called with the mutex held.
func (q *runQueue) lane(w *waiter) *lane {
	if w.slow {
		return &q.lanes[1]
	}
	return &q.lanes[0]
}
