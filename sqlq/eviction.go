package sqlq

import "container/list"

// eviction orders entries by use and chooses which leave when there are too many
// bytes. It is S3-FIFO (Yang et al., "FIFO queues are all you need for cache
// eviction", SOSP 2023), with a third queue for what has expired:
//
//   - A new entry is on probation, in a queue that may take a tenth of the bytes. If it
//     is used there it moves to the main queue; otherwise it leaves when it is the
//     oldest. A scan of requests that are never repeated displaces nothing else.
//   - An entry of the main queue that was used since it was last the oldest stays for
//     another round.
//   - If an entry returns soon after it left, it left too early: it joins the main queue.
//   - An expired entry can only be served while the engine fails, so it leaves first.
//
// A use is one atomic operation (see [usage]). Choosing a victim takes a constant
// number of steps on average. The caller must hold the cache's mutex.
type eviction struct {
	// probationBytes is how many bytes the entries on probation may have.
	probationBytes           int64
	expired, probation, main queue
	// left holds the keys of entries that left not long ago.
	left recentKeys
}

// probationShare is the part of the bytes that is for entries on probation.
const probationShare = 0.1

func newEviction(bound int64) *eviction {
	return &eviction{probationBytes: int64(float64(bound) * probationShare), left: newRecentKeys()}
}

// bytes returns how many bytes the entries have.
func (e *eviction) bytes() int64 { return e.expired.bytes + e.probation.bytes + e.main.bytes }

// add adds an entry that replaces none.
func (e *eviction) add(added *entry) {
	added.main = e.left.contain(added.key)
	e.home(added).push(added)
}

// replace puts an entry in the place of an older one with the same key.
func (e *eviction) replace(old, added *entry) {
	added.main = old.main
	if old.queue == &e.expired {
		e.expired.remove(old)
		e.home(added).push(added)
		return
	}
	old.queue.replace(old, added)
}

// remove removes an entry and remembers its key.
func (e *eviction) remove(removed *entry) {
	removed.queue.remove(removed)
	e.left.add(removed.key, e.expired.entries.Len()+e.probation.entries.Len()+e.main.entries.Len())
}

// expire makes an entry one of the first to leave.
func (e *eviction) expire(expired *entry) {
	expired.queue.remove(expired)
	e.expired.push(expired)
}

// resize changes how many bytes an entry has.
func (e *eviction) resize(resized *entry, bytes int64) {
	resized.queue.bytes += bytes - resized.bytes
	resized.bytes = bytes
}

// victim returns the entry that should leave next. There must be one.
func (e *eviction) victim() *entry {
	for {
		if oldest := e.expired.oldest(); oldest != nil {
			return oldest
		}
		oldest := e.main.oldest()
		if oldest == nil || e.probation.bytes > e.probationBytes {
			oldest = e.probation.oldest()
		}
		if !oldest.usage.spend() {
			return oldest
		}
		oldest.queue.remove(oldest)
		oldest.main = true
		e.main.push(oldest)
	}
}

// home returns the queue of an entry that has not expired.
func (e *eviction) home(of *entry) *queue {
	if of.main {
		return &e.main
	}
	return &e.probation
}

// queue holds entries in the order in which they joined, and counts their bytes.
type queue struct {
	entries list.List
	bytes   int64
}

// oldest returns the entry that joined first; nil if there is none.
func (q *queue) oldest() *entry {
	if front := q.entries.Front(); front != nil {
		return front.Value.(*entry) // nothing else is pushed
	}
	return nil
}

func (q *queue) push(pushed *entry) {
	pushed.queue, pushed.element = q, q.entries.PushBack(pushed)
	q.bytes += pushed.bytes
}

func (q *queue) remove(removed *entry) {
	q.entries.Remove(removed.element)
	q.bytes -= removed.bytes
	removed.queue, removed.element = nil, nil
}

// replace puts an entry in the place of another one.
func (q *queue) replace(old, added *entry) {
	added.queue, added.element = q, old.element
	added.element.Value = added
	q.bytes += added.bytes - old.bytes
	old.queue, old.element = nil, nil
}
