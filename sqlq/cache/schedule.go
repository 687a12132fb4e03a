package cache

import (
	"container/heap"
	"time"
)

// timer is the time at which something is to be done with a value.
type timer[T any] struct {
	value T
	at    time.Time
	// place is the timer's place in the heap, counted from 1; zero if it is in none.
	place int
}

// schedule holds timers, and finds the earliest.
type schedule[T any] struct {
	timers timerHeap[T]
}

// set adds a timer, or moves it to another time.
func (s *schedule[T]) set(t *timer[T], at time.Time) {
	t.at = at
	if t.place > 0 {
		heap.Fix(&s.timers, t.place-1)
		return
	}
	heap.Push(&s.timers, t)
}

// remove removes a timer, if the schedule holds it.
func (s *schedule[T]) remove(t *timer[T]) {
	if t.place > 0 {
		heap.Remove(&s.timers, t.place-1)
	}
}

// first returns the earliest timer; nil if there is none.
func (s *schedule[T]) first() *timer[T] {
	if len(s.timers) == 0 {
		return nil
	}
	return s.timers[0]
}

type timerHeap[T any] []*timer[T]

func (h timerHeap[T]) Len() int           { return len(h) }
func (h timerHeap[T]) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

func (h timerHeap[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

// Push is called by heap alone.
func (h *timerHeap[T]) Push(pushed any) {
	added := pushed.(*timer[T]) // only set pushes
	*h = append(*h, added)
	added.place = len(*h)
}

// Pop is called by heap alone.
func (h *timerHeap[T]) Pop() any {
	last := len(*h) - 1
	popped := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	popped.place = 0
	return popped
}
