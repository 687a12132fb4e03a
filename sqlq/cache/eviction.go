package cache

import (
	"container/list"
	"hash/maphash"
	"time"
)

// eviction orders items by use and chooses which leave when there are too many
// bytes. It is S3-FIFO (Yang et al., "FIFO queues are all you need for cache
// eviction", SOSP 2023), with a third queue for what has expired:
//
//   - A new item is on probation, in a queue that may take a tenth of the bytes. If it
//     is used there it moves to the main queue; otherwise it leaves when it is the
//     oldest. A scan of requests that are never repeated displaces nothing else.
//   - An item of the main queue that was used since it was last the oldest stays for
//     another round.
//   - If an item returns soon after it left, it left too early: it joins the main queue.
//   - An expired item can only be served while the engine fails, so it leaves first.
//
// Choosing a victim takes a constant number of steps on average. The caller must hold the
// cache's mutex.
type eviction struct {
	// probationBytes is how many bytes the items on probation may have.
	probationBytes           int64
	expired, probation, main queue
	// left holds the keys of items that left not long ago.
	left recentKeys
}

// probationShare is the part of the bytes that is for items on probation.
const probationShare = 0.1

func newEviction(bound int64) *eviction {
	return &eviction{probationBytes: int64(float64(bound) * probationShare), left: newRecentKeys()}
}

// bytes returns how many bytes the items have.
func (e *eviction) bytes() int64 { return e.expired.bytes + e.probation.bytes + e.main.bytes }

// add adds an item that replaces none.
func (e *eviction) add(added *item) {
	added.main = e.left.contain(added.key)
	e.home(added).push(added)
}

// replace puts an item in the place of an older one with the same key.
func (e *eviction) replace(old, added *item) {
	added.main = old.main
	if old.queue == &e.expired {
		e.expired.remove(old)
		e.home(added).push(added)
		return
	}
	old.queue.replace(old, added)
}

// remove removes an item and remembers its key.
func (e *eviction) remove(removed *item) {
	removed.queue.remove(removed)
	e.left.add(removed.key, e.expired.items.Len()+e.probation.items.Len()+e.main.items.Len())
}

// expire makes an item one of the first to leave.
func (e *eviction) expire(expired *item) {
	expired.queue.remove(expired)
	e.expired.push(expired)
}

// victim returns the item that should leave next. There must be one.
func (e *eviction) victim() *item {
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

// home returns the queue of an item that has not expired.
func (e *eviction) home(of *item) *queue {
	if of.main {
		return &e.main
	}
	return &e.probation
}

// queue holds items in the order in which they joined, and counts their bytes.
type queue struct {
	items list.List
	bytes int64
}

// oldest returns the item that joined first; nil if there is none.
func (q *queue) oldest() *item {
	if front := q.items.Front(); front != nil {
		return front.Value.(*item) // nothing else is pushed
	}
	return nil
}

func (q *queue) push(pushed *item) {
	pushed.queue, pushed.element = q, q.items.PushBack(pushed)
	q.bytes += pushed.bytes
}

func (q *queue) remove(removed *item) {
	q.items.Remove(removed.element)
	q.bytes -= removed.bytes
	removed.queue, removed.element = nil, nil
}

// replace puts an item in the place of another one.
func (q *queue) replace(old, added *item) {
	added.queue, added.element = q, old.element
	added.element.Value = added
	q.bytes += added.bytes - old.bytes
	old.queue, old.element = nil, nil
}

// recentKeys remembers the latest keys, as hashes: at least as many as add is told, and at most
// twice as many.
type recentKeys struct {
	seed maphash.Seed
	// newer takes keys until it is full and then becomes older.
	newer, older map[uint64]struct{}
}

func newRecentKeys() recentKeys {
	return recentKeys{seed: maphash.MakeSeed(), newer: make(map[uint64]struct{}), older: make(map[uint64]struct{})}
}

// add remembers a key, and forgets the oldest ones beyond most.
func (k *recentKeys) add(key string, most int) {
	k.newer[maphash.String(k.seed, key)] = struct{}{}
	if len(k.newer) >= most {
		clear(k.older)
		k.newer, k.older = k.older, k.newer
	}
}

// contain reports whether a key is remembered.
func (k *recentKeys) contain(key string) bool {
	hash := maphash.String(k.seed, key)
	if _, found := k.newer[hash]; found {
		return true
	}
	_, found := k.older[hash]
	return found
}

// usage records how an item is used. An item takes it over from the one that it replaces.
type usage struct {
	// requested is when a caller last requested the item.
	requested time.Time
	// uses counts cache hits up to mostUses, less those that eviction has spent.
	uses int
}

// mostUses is how many uses count. More would keep an item that nobody uses any more
// for too long.
const mostUses = 3

// hit records that the item was served from the cache.
func (u *usage) hit(now time.Time) {
	u.requested = now
	u.uses = min(u.uses+1, mostUses)
}

// spend takes one use away; it returns false if there is none.
func (u *usage) spend() bool {
	if u.uses == 0 {
		return false
	}
	u.uses--
	return true
}
