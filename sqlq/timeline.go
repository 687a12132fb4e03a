package sqlq

import (
	"container/heap"
	"time"
)

// mark puts something on a [timeline].
type mark[T any] struct {
	value T
	at    time.Time
	// place is where the mark stands in the timeline, counted from 1; zero means
	// that it is not in one.
	place int
}

// timeline holds marks in the order of their times, earliest first.
type timeline[T any] struct {
	marks marks[T]
}

// set puts a mark on the timeline, or moves it there.
func (t *timeline[T]) set(m *mark[T], at time.Time) {
	m.at = at
	if m.place > 0 {
		heap.Fix(&t.marks, m.place-1)
		return
	}
	heap.Push(&t.marks, m)
}

// remove takes a mark off the timeline, if it is on it.
func (t *timeline[T]) remove(m *mark[T]) {
	if m.place > 0 {
		heap.Remove(&t.marks, m.place-1)
	}
}

// first returns the earliest mark; nil where there is none.
func (t *timeline[T]) first() *mark[T] {
	if len(t.marks) == 0 {
		return nil
	}
	return t.marks[0]
}

// marks is a heap.
type marks[T any] []*mark[T]

func (m marks[T]) Len() int           { return len(m) }
func (m marks[T]) Less(i, j int) bool { return m[i].at.Before(m[j].at) }

func (m marks[T]) Swap(i, j int) {
	m[i], m[j] = m[j], m[i]
	m[i].place, m[j].place = i+1, j+1
}

// Push is called by heap alone.
func (m *marks[T]) Push(pushed any) {
	added := pushed.(*mark[T]) // only set pushes
	*m = append(*m, added)
	added.place = len(*m)
}

// Pop is called by heap alone.
func (m *marks[T]) Pop() any {
	last := len(*m) - 1
	popped := (*m)[last]
	(*m)[last] = nil
	*m = (*m)[:last]
	popped.place = 0
	return popped
}
