package sqlq

import (
	"container/list"
	"sync"
	"time"

	gocache "github.com/patrickmn/go-cache"
)

// cache stores answers, and responses that were encoded from them, up to a number of
// bytes. When it is full, [eviction] chooses what leaves. It is safe for concurrent use.
type cache struct {
	clock func() time.Time
	// bound is the most bytes that are stored.
	bound int64
	// staleFor is how long an answer stays after it has expired, to be served if the
	// engine fails.
	staleFor time.Duration
	// entries has no janitor: whatever leaves must also leave the timelines and the
	// eviction's queues.
	entries *gocache.Cache

	// mutex guards all that follows, and the fields of entries that say so.
	mutex    sync.Mutex
	eviction *eviction
	// expiries holds every entry, by the time at which it expires, or at which it is
	// removed after it has expired. refreshes holds the answers that are to be refreshed.
	expiries, refreshes timeline[*entry]
	// changed wakes whoever waits for the first time of the timelines.
	changed chan struct{}
}

// entry is something that the cache stores: an answer or a response.
type entry struct {
	cache *cache
	key   string
	// answer is set for an answer, response for a response.
	answer   *Answer
	response *response
	usage    *usage
	// expires is when the entry must not be served any more as fresh, and removed when it
	// is of no use at all.
	expires, removed time.Time

	// The cache's mutex guards all that follows. stored is false before the entry is put
	// in the cache and after it has left.
	stored          bool
	bytes           int64
	expiry, refresh mark[*entry]
	// failures counts the refreshes that have failed since the last success.
	failures int
	// noCache is when a no-cache request last bypassed the entry.
	noCache time.Time
	// dependents are the responses that were encoded from this answer.
	dependents map[*entry]struct{}

	// queue and element are where eviction holds the entry. main reports whether it
	// belongs to the main queue once it is not expired.
	queue   *queue
	element *list.Element
	main    bool
}

// response is what an interface encoded from answers.
type response struct {
	value   any
	answers []*Answer
}

func newCache(clock func() time.Time, bound int64, staleFor time.Duration) *cache {
	return &cache{
		clock: clock, bound: bound, staleFor: staleFor,
		entries:  gocache.New(gocache.NoExpiration, 0),
		eviction: newEviction(bound),
		changed:  make(chan struct{}, 1),
	}
}

// get returns the entry of a key; nil if there is none.
func (c *cache) get(key string) *entry {
	found, ok := c.entries.Get(key)
	if !ok {
		return nil
	}
	return found.(*entry) // add stores nothing else
}

// put stores an answer and replaces an older one with the same key. The answer is to be
// refreshed at the time of refresh; the zero time means never.
func (c *cache) put(key string, answer *Answer, refresh time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	added := c.newEntry(key, sizeOf(answer), answer.expires, answer.expires.Add(c.staleFor))
	added.answer = answer
	answer.entry = added
	c.add(added)
	if !refresh.IsZero() && added.stored {
		c.refreshes.set(&added.refresh, refresh)
	}
}

// putResponse stores a response for as long as every answer that it was encoded from is
// stored and fresh. It is not stored if one of them is not.
func (c *cache) putResponse(key string, value any, bytes int64, answers []*Answer) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	expires := answers[0].expires
	for _, answer := range answers {
		if answer.entry == nil || !answer.entry.stored {
			return
		}
		if answer.expires.Before(expires) {
			expires = answer.expires
		}
	}
	added := c.newEntry(key, bytes, expires, expires)
	added.response = &response{value, answers}
	if added.bytes <= c.bound {
		for _, answer := range answers {
			if answer.entry.dependents == nil {
				answer.entry.dependents = make(map[*entry]struct{})
			}
			answer.entry.dependents[added] = struct{}{}
		}
	}
	c.add(added) // may evict an answer, and the response with it
}

// newEntry returns an entry that is not stored yet.
func (c *cache) newEntry(key string, bytes int64, expires, removed time.Time) *entry {
	added := &entry{
		cache: c, key: key, usage: new(usage), expires: expires, removed: removed,
		bytes: entryOverhead + int64(len(key)) + bytes,
	}
	added.expiry.value, added.refresh.value = added, added
	return added
}

// add stores an entry, in the place of an older one with the same key, and evicts others
// as needed. An entry that is larger than the whole cache is not stored.
func (c *cache) add(added *entry) {
	old := c.get(added.key)
	if old != nil {
		added.usage, added.noCache = old.usage, old.noCache
		c.detach(old)
	}
	if added.bytes > c.bound {
		if old != nil {
			c.entries.Delete(old.key)
			c.eviction.remove(old)
		}
		return
	}
	c.entries.Set(added.key, added, gocache.NoExpiration)
	added.stored = true
	c.expiries.set(&added.expiry, added.expires)
	if old != nil {
		c.eviction.replace(old, added)
	} else {
		c.eviction.add(added)
	}
	c.shrink()
	c.wake()
}

// shrink evicts entries until the rest is within the bound.
func (c *cache) shrink() {
	if c.eviction.bytes() <= c.bound {
		return
	}
	c.advance(c.clock())
	for c.eviction.bytes() > c.bound {
		c.remove(c.eviction.victim())
	}
}

// remove removes an entry, and the responses that were encoded from it.
func (c *cache) remove(removed *entry) {
	if !removed.stored {
		return
	}
	c.entries.Delete(removed.key)
	c.eviction.remove(removed)
	c.detach(removed)
}

// detach takes an entry off everything but the store itself and the eviction's queues,
// and removes the responses that were encoded from it.
func (c *cache) detach(detached *entry) {
	detached.stored = false
	c.expiries.remove(&detached.expiry)
	c.refreshes.remove(&detached.refresh)
	for dependent := range detached.dependents {
		c.remove(dependent)
	}
	if detached.response == nil {
		return
	}
	for _, answer := range detached.response.answers {
		delete(answer.entry.dependents, detached)
	}
}

// expire removes entries that are of no use any more.
func (c *cache) expire(now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.advance(now)
}

// advance brings the entries to a time: those that have expired become the first to be
// evicted, and those that not even a failure of the engine could serve are removed.
func (c *cache) advance(now time.Time) {
	for first := c.expiries.first(); first != nil && !now.Before(first.at); first = c.expiries.first() {
		expired := first.value
		if !now.Before(expired.removed) {
			c.remove(expired)
			continue
		}
		c.eviction.expire(expired)
		c.expiries.set(first, expired.removed)
	}
}

// due returns an answer that is to be refreshed now, and takes it off the timeline; nil
// if there is none. An answer that no caller requested within its caching time is looked
// at again at the time that later returns.
func (c *cache) due(now time.Time, later func(query *SavedQuery, now time.Time) time.Time) *entry {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for {
		first := c.refreshes.first()
		if first == nil || first.at.After(now) {
			return nil
		}
		query := first.value.answer.Query
		if first.value.usage.requestedWithin(query.Cache, now) {
			c.refreshes.remove(first)
			return first.value
		}
		c.refreshes.set(first, later(query, now))
	}
}

// retry schedules the next refresh of an answer whose refresh has failed. The time follows
// from how often that happened before.
func (c *cache) retry(failed *entry, at func(failures int) time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !failed.stored {
		return
	}
	c.refreshes.set(&failed.refresh, at(failed.failures))
	failed.failures++
	c.wake()
}

// next returns the time at which something is to be done; the zero time if nothing is.
// Refreshes count if there is room for one.
func (c *cache) next(refreshes bool) time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var next time.Time
	if first := c.expiries.first(); first != nil {
		next = first.at
	}
	if first := c.refreshes.first(); refreshes && first != nil && (next.IsZero() || first.at.Before(next)) {
		next = first.at
	}
	return next
}

// allowRefresh reports whether a no-cache request may bypass the entry of a key, and
// records that it does.
func (c *cache) allowRefresh(key string, now time.Time) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := c.get(key)
	if found == nil {
		return true
	}
	allowed := found.allowsRefresh(now)
	if allowed {
		found.noCache = now
	}
	return allowed
}

// allowsRefresh reports whether a no-cache request may bypass the entry of an answer. The
// cache's mutex must be held.
func (e *entry) allowsRefresh(now time.Time) bool {
	return now.Sub(e.answer.made) >= NoCachePause && now.Sub(e.noCache) >= NoCachePause
}

// servable reports whether an entry is stored that could be served without the engine,
// fresh or stale.
func (c *cache) servable(now time.Time) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.advance(now) // what is left has its time
	return c.expiries.first() != nil
}

// size returns how many bytes are stored.
func (c *cache) size() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.eviction.bytes()
}

// wake wakes whoever waits for the timelines. One waking is enough for many.
func (c *cache) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// grow counts bytes that were added to an entry.
func (e *entry) grow(bytes int64) {
	c := e.cache
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !e.stored {
		return
	}
	c.eviction.resize(e, e.bytes+bytes)
	if e.bytes > c.bound {
		c.remove(e)
	}
	c.shrink()
}
