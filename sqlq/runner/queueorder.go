package runner

import (
	"slices"
	"time"

	"savedq/sqlq"
)

// runCount counts runs.
type runCount struct {
	all    runs
	kinds  [kinds]int
	payers map[string]runs
	// longest is how long the longest of them takes.
	longest time.Duration
}

// runs is how many runs there are, and how many of them are slow.
type runs struct{ all, slow int }

func (r runs) with(slow bool) runs {
	r.all++
	if slow {
		r.slow++
	}
	return r
}

// count counts what runs now. It must be called with the mutex held.
func (q *runQueue) count() runCount {
	counted := runCount{payers: make(map[string]runs)}
	now := q.clock()
	for _, w := range q.running {
		usual, known := q.durations.usual(w)
		takes := max(usual, now.Sub(w.startedAt))
		slow := !known || takes > q.limits.target
		counted.all = counted.all.with(slow)
		counted.payers[w.payer] = counted.payers[w.payer].with(slow)
		counted.kinds[w.kind]++
		counted.longest = max(counted.longest, takes)
	}
	return counted
}

// fast reports whether a query is fast beside what runs. It must be called with the mutex held.
func (q *runQueue) fast(w *waiter, running runCount) bool {
	usual, known := q.durations.usual(w)
	return known && (usual <= q.limits.target || usual*fastBeside <= running.longest)
}

// mayStart reports whether a run may start beside those that run. It must be called with the mutex held.
func (q *runQueue) mayStart(w *waiter, running runCount) bool {
	fast := !w.refresh && q.fast(w, running)
	free := func(limit int, of runs) bool {
		return of.all < limit+min(of.slow, max(1, limit/othersShare)) && (fast || of.slow < limit)
	}
	limit := q.limits.runs
	return (w.kind == ordinary || running.kinds[w.kind] < q.limits.kinds[w.kind]) && free(limit, running.all) &&
		(w.payer == "" || free(limit-limit/othersShare, running.payers[w.payer]))
}

// full returns the error of a run for which the queue has no place; nil if it has one. It must be called with the
// mutex held.
func (q *runQueue) full(w *waiter) error {
	var all, ofKind, ofPayer int
	for _, other := range q.waiting {
		if !w.refresh && other.refresh {
			continue // waits behind callers
		}
		all++
		if other.kind == w.kind {
			ofKind++
		}
		if other.payer == w.payer {
			ofPayer++
		}
	}
	length := q.limits.length
	share := max(1, length-length/othersShare)
	switch {
	case all >= length:
		return q.busy(w, "%d queries are in the queue", length)
	case w.payer != "" && ofPayer >= share:
		return q.busy(w, "%d queries of this caller are in the queue", share)
	case w.kind != ordinary && ofKind >= share:
		return q.busy(w, "%d %s are in the queue", share, w.kind)
	}
	return nil
}

// enroll adds a run to those of its payer. It must be called with the mutex held.
func (q *runQueue) enroll(w *waiter) {
	of := q.payers[w.payer]
	if of == nil {
		of = new(payer)
		first := true
		for _, other := range q.payers {
			if first || other.time < of.time {
				of.time, first = other.time, false
			}
		}
		q.payers[w.payer] = of
	}
	of.runs++
}

// dismiss takes a run from its payer, which is forgotten without runs. It must be called with the mutex held.
func (q *runQueue) dismiss(w *waiter) {
	of := q.payers[w.payer]
	if of.runs--; of.runs == 0 {
		delete(q.payers, w.payer)
	}
}

// push adds a waiter to the queue. It must be called with the mutex held.
func (q *runQueue) push(w *waiter) {
	now, lane := q.clock(), q.lane(w)
	if !slices.ContainsFunc(q.waiting, func(other *waiter) bool { return !other.refresh && other.slow == w.slow }) {
		lane.empty = now
	}
	w.lasting = !w.refresh && now.Sub(lane.empty) >= q.burst(w)
	q.waiting = append(q.waiting, w)
}

// pull takes a waiter out of the queue. It reports false if the waiter is not there. It must be called with the mutex
// held.
func (q *runQueue) pull(w *waiter) bool {
	place := slices.Index(q.waiting, w)
	if place < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, place, place+1)
	return true
}

// next returns the waiter that starts next; nil if none may start. It must be called with the mutex held.
func (q *runQueue) next() *waiter {
	var next *waiter
	running := q.count()
	for _, w := range q.waiting {
		first := next == nil || next.refresh && !w.refresh || next.refresh == w.refresh && q.payers[w.payer].time < q.payers[next.payer].time
		if first && q.mayStart(w, running) {
			next = w
		}
	}
	return next
}

// expectedWait returns how long the runs that start before the last waiter are expected to take: those of its payer,
// and of each other payer as many as have their turn before it. It is zero for a payer's only waiter. It must be called
// with the mutex held.
func (q *runQueue) expectedWait(last *waiter) time.Duration {
	waiting := make(map[string]time.Duration)
	for _, w := range q.waiting {
		if w != last && (last.refresh || !w.refresh) {
			waiting[w.payer] += q.usual(w)
		}
	}
	before, others := waiting[last.payer]
	if !others {
		return 0
	}
	turn := q.payers[last.payer].time + before
	for name, of := range waiting {
		if name != last.payer {
			before += min(of, max(0, turn-q.payers[name].time))
		}
	}
	return before / time.Duration(q.limits.runs)
}

// patience returns how long a waiter may wait in all.
func (q *runQueue) patience(w *waiter) time.Duration {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.patienceOf(w)
}

// patienceOf is patience with the mutex held.
func (q *runQueue) patienceOf(w *waiter) time.Duration {
	switch {
	case w.refresh:
		return q.limits.timeout
	case w.lasting:
		return min(q.target(w), q.limits.timeout)
	}
	return q.burst(w)
}

// target returns how long a waiter waits under a lasting overload. It must be called with the mutex held.
func (q *runQueue) target(w *waiter) time.Duration { return max(q.limits.target, q.usual(w)) }

// usual returns how long such a run usually takes; zero if that is not known. It must be called with the mutex held.
func (q *runQueue) usual(w *waiter) time.Duration {
	took, _ := q.durations.usual(w)
	return took
}

// burst returns how long a waiter waits in a burst. It must be called with the mutex held.
func (q *runQueue) burst(w *waiter) time.Duration {
	standstill := standstills * q.clock().Sub(q.lane(w).started)
	return min(max(burstTargets*q.target(w), standstill), q.limits.timeout)
}

// busy is the error of a query that is rejected. Whatever waits now will have started or
// left at the time at which it says to retry. It must be called with the mutex held.
func (q *runQueue) busy(w *waiter, reason string, args ...any) error {
	return sqlq.Rejectf(sqlq.Unavailable, q.burst(w), "the server is busy: "+reason+"; try again later", args...)
}
