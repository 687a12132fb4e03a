package cache

import (
	"container/heap"
	"time"
)

// timer is the time at which something is to be done with an item.
type timer struct {
	item *item
	at   time.Time
	// place is the timer's place in the heap, counted from 1; zero if it is in none.
	place int
}

// schedule holds timers, and finds the earliest.
type schedule struct{ timers timerHeap }

// set adds a timer, or moves it to another time.
func (s *schedule) set(t *timer, at time.Time) {
	t.at = at
	if t.place > 0 {
		heap.Fix(&s.timers, t.place-1)
		return
	}
	heap.Push(&s.timers, t)
}

// remove removes a timer, if the schedule holds it.
func (s *schedule) remove(t *timer) {
	if t.place > 0 {
		heap.Remove(&s.timers, t.place-1)
	}
}

// first returns the earliest timer; nil if there is none.
func (s *schedule) first() *timer {
	if len(s.timers) == 0 {
		return nil
	}
	return s.timers[0]
}

type timerHeap []*timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

// Push is called by heap alone.
func (h *timerHeap) Push(pushed any) {
	added := pushed.(*timer) // only set pushes
	*h = append(*h, added)
	added.place = len(*h)
}

// Pop is called by heap alone.
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	popped := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	popped.place = 0
	return popped
}
