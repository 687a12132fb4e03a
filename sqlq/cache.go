package sqlq

import (
	"sync"
	"sync/atomic"
	"time"

	gocache "github.com/patrickmn/go-cache"
)

// cache keeps answers, and what was made from them, up to a number of bytes. What
// is closest to its expiry leaves first.
type cache struct {
	clock func() time.Time
	// bound is the most bytes that are kept.
	bound int64
	// staleFor is how long an answer is kept beyond its expiry, for the case that
	// the engine fails.
	staleFor time.Duration
	// items has no janitor: whatever leaves is taken off the timelines, too.
	items *gocache.Cache

	// mutex guards all that follows, and the items' own fields.
	mutex sync.Mutex
	bytes int64
	// expiries and removals hold everything that is kept: what is closest to its expiry
	// makes room for others, and what is of no use any more is taken out. refreshes
	// holds the answers that are to be made anew.
	expiries, removals, refreshes timeline[*item]
	// changed wakes whoever waits for the first time of the timelines.
	changed chan struct{}
}

// item is what the cache knows of something that it keeps.
type item struct {
	cache *cache
	key   string
	// answer is set for an answer, and made for what was made from others.
	answer *Answer
	made   *made
	// asked is when somebody last asked for the answer, in nanoseconds since the
	// epoch. An answer takes it over from the one that it replaces.
	asked *atomic.Int64

	// kept, and what follows, is guarded by the cache's mutex. It is false before the
	// item is put in the cache and after it has left.
	kept                     bool
	bytes                    int64
	expiry, removal, refresh mark[*item]
	// failures counts the refreshes that failed since one did not.
	failures int
	// noCache is when a caller who did not want a kept answer last had it made
	// anew.
	noCache time.Time
	// dependents are the items that were made from this one.
	dependents map[*item]struct{}
}

// made is something that was made from answers.
type made struct {
	value any
	from  []*Answer
}

func newCache(clock func() time.Time, bound int64, staleFor time.Duration) *cache {
	return &cache{
		clock: clock, bound: bound, staleFor: staleFor,
		items:   gocache.New(gocache.NoExpiration, 0),
		changed: make(chan struct{}, 1),
	}
}

// get returns the item of a key; nil where there is none.
func (c *cache) get(key string) *item {
	found, ok := c.items.Get(key)
	if !ok {
		return nil
	}
	return found.(*item) // put and keep put nothing else
}

// put keeps an answer, in the place of an older one to the same question. It is to
// be made anew at the time of refresh; the zero time means never.
func (c *cache) put(key string, answer *Answer, refresh time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	added := &item{cache: c, key: key, answer: answer, asked: new(atomic.Int64), bytes: itemOverhead + int64(len(key)) + sizeOf(answer)}
	if old := c.get(key); old != nil {
		added.asked, added.noCache = old.asked, old.noCache
		c.drop(old)
	}
	answer.item = added
	c.add(added, answer.expires, answer.expires.Add(c.staleFor))
	if !refresh.IsZero() && added.kept {
		c.refreshes.set(&added.refresh, refresh)
	}
}

// keep keeps something that was made from answers as long as each of them is kept
// and fresh. It is not kept where one of them is not.
func (c *cache) keep(key string, value any, bytes int64, from []*Answer) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	added := &item{cache: c, key: key, made: &made{value, from}, bytes: itemOverhead + int64(len(key)) + bytes}
	expires := from[0].expires
	for _, answer := range from {
		if answer.item == nil || !answer.item.kept {
			return
		}
		if answer.expires.Before(expires) {
			expires = answer.expires
		}
	}
	if old := c.get(key); old != nil {
		c.drop(old)
	}
	if added.bytes > c.bound {
		return
	}
	for _, answer := range from {
		if answer.item.dependents == nil {
			answer.item.dependents = make(map[*item]struct{})
		}
		answer.item.dependents[added] = struct{}{}
	}
	c.add(added, expires, expires) // may drive out what it was made from, and goes with that
}

// add puts an item in, and takes out what is too much. An item that is larger than
// the whole cache is left out.
func (c *cache) add(added *item, expires, leaves time.Time) {
	if added.bytes > c.bound {
		return
	}
	added.expiry.value, added.removal.value, added.refresh.value = added, added, added
	c.items.Set(added.key, added, gocache.NoExpiration)
	added.kept = true
	c.bytes += added.bytes
	c.expiries.set(&added.expiry, expires)
	c.removals.set(&added.removal, leaves)
	c.shrink()
	c.wake()
}

// shrink takes out items, those closest to their expiry first, until what is left
// is within the bound.
func (c *cache) shrink() {
	for c.bytes > c.bound {
		c.drop(c.expiries.first().value)
	}
}

// drop takes an item out, and all that was made from it.
func (c *cache) drop(dropped *item) {
	if !dropped.kept {
		return
	}
	dropped.kept = false
	c.items.Delete(dropped.key)
	c.expiries.remove(&dropped.expiry)
	c.removals.remove(&dropped.removal)
	c.refreshes.remove(&dropped.refresh)
	c.bytes -= dropped.bytes
	for dependent := range dropped.dependents {
		c.drop(dependent)
	}
	if dropped.made == nil {
		return
	}
	for _, answer := range dropped.made.from {
		delete(answer.item.dependents, dropped)
	}
}

// expire takes out what is of no use any more.
func (c *cache) expire(now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for first := c.removals.first(); first != nil && !now.Before(first.at); first = c.removals.first() {
		c.drop(first.value)
	}
}

// due returns an answer that is to be made anew now, and takes it off the timeline; nil
// where there is none. For one that nobody asked for within its caching time, later is
// when it is looked at again.
func (c *cache) due(now time.Time, later func(query *SavedQuery, now time.Time) time.Time) *item {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for {
		first := c.refreshes.first()
		if first == nil || first.at.After(now) {
			return nil
		}
		held := first.value
		query := held.answer.Query
		if now.UnixNano()-held.asked.Load() < int64(query.Cache) {
			c.refreshes.remove(first)
			return held
		}
		c.refreshes.set(first, later(query, now))
	}
}

// retry has an answer that could not be made anew tried again, at a time that follows
// from how often that failed before.
func (c *cache) retry(held *item, at func(failures int) time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !held.kept {
		return
	}
	c.refreshes.set(&held.refresh, at(held.failures))
	held.failures++
	c.wake()
}

// next is the time at which something is to be done; the zero time where nothing
// is. Refreshes count where there is room for one.
func (c *cache) next(refreshes bool) time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var next time.Time
	if first := c.removals.first(); first != nil {
		next = first.at
	}
	if first := c.refreshes.first(); refreshes && first != nil && (next.IsZero() || first.at.Before(next)) {
		next = first.at
	}
	return next
}

// anew says whether a kept answer may be made anew for a caller who does not want
// it as it is, and notes that this happens now.
func (c *cache) anew(key string, now time.Time) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	held := c.get(key)
	if held == nil || now.Sub(held.answer.made) < NoCachePause || now.Sub(held.noCache) < NoCachePause {
		return held == nil
	}
	held.noCache = now
	return true
}

// size returns how many bytes are kept.
func (c *cache) size() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.bytes
}

// wake wakes whoever waits for the timelines. One waking is enough for many.
func (c *cache) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// grow counts bytes that were added to an item.
func (i *item) grow(bytes int64) {
	i.cache.mutex.Lock()
	defer i.cache.mutex.Unlock()
	if !i.kept {
		return
	}
	i.bytes += bytes
	i.cache.bytes += bytes
	if i.bytes > i.cache.bound {
		i.cache.drop(i)
	}
	i.cache.shrink()
}
