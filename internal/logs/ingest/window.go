package ingest

import (
	"time"

	"savedq/internal/logs/bloom"
	"savedq/internal/logs/logevent"
)

const (
	// generations is the number of slices of the window; ids expire a slice at a time.
	generations = 12
	// idBytes is the memory for one id, of which filterBytes are in the filter.
	idBytes     = 40
	filterBytes = 1
)

// window holds the ids that were accepted recently (D30). It is not safe for concurrent
// use.
type window struct {
	length time.Duration
	// most limits the number of ids. If there are more, the oldest ones are forgotten early.
	most int
	// parts are in the order of their time.
	parts []generation
	count int
	// forgotten is the time of the newest id that was forgotten early.
	forgotten time.Time
}

// generation is the part of a window that began at a time.
type generation struct {
	began, ended time.Time
	ids          map[logevent.Fingerprint]struct{}
	filter       *bloom.Filter
}

// has reports whether the generation has an id. It asks the filter first, because most ids are new, and a
// lookup in a large map waits for memory.
func (g *generation) has(id logevent.Fingerprint) bool {
	if !g.filter.MayHave(id.High) {
		return false
	}
	_, ok := g.ids[id]
	return ok
}

func newWindow(length time.Duration, bytes int64) *window {
	return &window{length: length, most: int(bytes / idBytes)}
}

func (w *window) has(id logevent.Fingerprint) bool {
	for i := range w.parts {
		if w.parts[i].has(id) {
			return true
		}
	}
	return false
}

// add adds an id that was accepted at a time. Times must not decrease by much.
func (w *window) add(id logevent.Fingerprint, accepted time.Time) {
	if w.length == 0 {
		return
	}
	last := len(w.parts) - 1
	most := max(w.most/generations, 1)
	if last < 0 || accepted.Sub(w.parts[last].began) >= w.length/generations || len(w.parts[last].ids) >= most {
		w.parts = append(w.parts, generation{began: accepted, ids: make(map[logevent.Fingerprint]struct{}), filter: bloom.New(most * filterBytes)})
		last++
	}
	newest := &w.parts[last]
	known := len(newest.ids)
	newest.ids[id] = struct{}{}
	newest.filter.Add(id.High)
	newest.ended = accepted
	w.count += len(newest.ids) - known
	w.forgetExcess()
}

// join adds the ids of a later window, which must not be used any more.
func (w *window) join(later *window) {
	w.parts = append(w.parts, later.parts...)
	w.count += later.count
	if w.forgotten.Before(later.forgotten) {
		w.forgotten = later.forgotten
	}
	w.forgetExcess()
}

// forgetExcess forgets the oldest ids if there are too many.
func (w *window) forgetExcess() {
	for w.count > w.most {
		w.forgotten = w.parts[0].ended
		w.forgetOldest()
	}
}

// expire forgets ids that are older than the window.
func (w *window) expire(now time.Time) {
	start := now.Add(-w.length)
	for len(w.parts) > 0 && w.parts[0].ended.Before(start) {
		w.forgetOldest()
	}
}

func (w *window) forgetOldest() {
	w.count -= len(w.parts[0].ids)
	w.parts[0] = generation{}
	w.parts = w.parts[1:]
}
