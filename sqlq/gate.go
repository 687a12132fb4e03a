package sqlq

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// gate lets a bounded number of runs through to the engine at a time. The others
// wait in order, and those that keep answers warm wait behind all callers.
type gate struct {
	// patience is how long a run waits, and length how many wait at most.
	patience time.Duration
	length   int

	mutex sync.Mutex
	// free is how many more runs may pass.
	free             int
	callers, warming *list.List
}

// ticket is a run's place at the gate.
type ticket struct {
	// warming says that nobody waits for the run.
	warming bool
	// passed is closed when the run may pass.
	passed chan struct{}
	// queue is where the ticket waits, as place; nil where it does not.
	queue *list.List
	place *list.Element
}

func newTicket(warming bool) *ticket {
	return &ticket{warming: warming, passed: make(chan struct{})}
}

func newGate(concurrency, length int, patience time.Duration) *gate {
	return &gate{patience: patience, length: length, free: concurrency, callers: list.New(), warming: list.New()}
}

// enter waits until the run may pass. Who has passed has to leave. The error is an
// UNAVAILABLE [*Error] for one who finds too many waiting or waited too long, or the
// context's.
func (g *gate) enter(ctx context.Context, t *ticket) error {
	passed, err := g.pass(t)
	if passed || err != nil {
		return err
	}
	patience := time.NewTimer(g.patience)
	defer patience.Stop()
	select {
	case <-t.passed:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
		err = g.busy("the query waited %s for its turn", g.patience)
	}
	if !g.giveUp(t) {
		g.leave() // it was let through at the last moment
	}
	return err
}

// busy is the error of one who is turned away. Whoever waits now will have passed,
// or left, by the time at which it says to come again.
func (g *gate) busy(reason string, args ...any) error {
	return TurnAway(Unavailable, g.patience, "the server is busy: "+reason+"; try again later", args...)
}

// pass lets a run through, or puts it in its queue.
func (g *gate) pass(t *ticket) (passed bool, err error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	switch {
	case g.free > 0:
		g.free--
		close(t.passed)
		return true, nil
	case g.ahead(t) >= g.length:
		return false, g.busy("%d queries wait for their turn", g.length)
	}
	g.queue(t)
	return false, nil
}

// ahead is how many would pass before a run that came now.
func (g *gate) ahead(t *ticket) int {
	if t.warming {
		return g.callers.Len() + g.warming.Len()
	}
	return g.callers.Len()
}

func (g *gate) queue(t *ticket) {
	t.queue = g.callers
	if t.warming {
		t.queue = g.warming
	}
	t.place = t.queue.PushBack(t)
}

// giveUp takes a ticket out of its queue. It is false for one that has passed.
func (g *gate) giveUp(t *ticket) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if t.queue == nil {
		return false
	}
	t.queue.Remove(t.place)
	t.queue = nil
	return true
}

// promote makes a ticket that of a caller, who waits for the run now.
func (g *gate) promote(t *ticket) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	t.warming = false
	if t.queue == g.warming {
		g.warming.Remove(t.place)
		g.queue(t)
	}
}

// leave makes room for the next.
func (g *gate) leave() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for _, queue := range []*list.List{g.callers, g.warming} {
		if first := queue.Front(); first != nil {
			next := queue.Remove(first).(*ticket) // only tickets are queued
			next.queue = nil
			close(next.passed)
			return
		}
	}
	g.free++
}
