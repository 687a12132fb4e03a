// Package cache stores the results of saved queries, and responses encoded from them, in
// bounded memory (D29 to D34).
package cache

import (
	"container/list"
	"slices"
	"sync"
	"time"

	gocache "github.com/patrickmn/go-cache"

	"savedq/sqlq"
)

// NoCacheInterval is the least time between two runs that bypass the cache for the same
// request, however many callers send no-cache.
const NoCacheInterval = 10 * time.Second

// Cache stores entries, and responses that were encoded from them, up to a number of
// bytes. When it is full, [eviction] chooses what is evicted. It is safe for concurrent use.
type Cache struct {
	clock func() time.Time
	// bound is the most bytes that are stored.
	bound int64
	// staleFor is how long an entry stays after it has expired, to be served if the
	// engine fails.
	staleFor time.Duration
	// items has no janitor: whatever is removed must also be removed from the schedules
	// and the eviction's queues.
	items *gocache.Cache

	// mutex guards all that follows, and the fields of items that say so.
	mutex    sync.Mutex
	eviction *eviction
	// expiries holds every item, by the time at which it expires, or at which it is
	// removed after it has expired. refreshes holds the entries that are to be refreshed.
	expiries, refreshes schedule[*item]
	// changed receives a value when the first time of the schedules may have changed.
	changed chan struct{}
}

// item is an entry or a response with all that the cache notes about it.
type item struct {
	cache *Cache
	key   string
	// entry is set for an entry, response for a response.
	entry    *Entry
	response *response
	usage    *usage
	// expires is when the item must not be served as fresh any more, and removed when it
	// is of no use at all.
	expires, removed time.Time

	// The cache's mutex guards all that follows. stored is false before the item is put
	// in the cache and after it was removed.
	stored          bool
	bytes           int64
	expiry, refresh timer[*item]
	// failures counts the refreshes that have failed since the last success.
	failures int
	// bypassed is when a no-cache request last bypassed the item.
	bypassed time.Time
	// dependents are the responses that were encoded from this entry.
	dependents map[*item]struct{}

	// queue and element are where eviction holds the item. main reports whether it
	// belongs to the main queue once it is not expired.
	queue   *queue
	element *list.Element
	main    bool
}

// response is what an interface encoded from entries.
type response struct {
	value   any
	entries []*Entry
}

// New returns a cache of at most so many bytes; 0 stores nothing. Expired entries stay for
// staleFor while there is room.
func New(clock func() time.Time, bound int64, staleFor time.Duration) *Cache {
	return &Cache{
		clock: clock, bound: bound, staleFor: staleFor,
		items:    gocache.New(gocache.NoExpiration, 0),
		eviction: newEviction(bound),
		changed:  make(chan struct{}, 1),
	}
}

// get returns the item of a key; nil if there is none.
func (c *Cache) get(key string) *item {
	found, ok := c.items.Get(key)
	if !ok {
		return nil
	}
	return found.(*item) // add stores nothing else
}

// Entry returns the entry of a key, fresh or stale; nil if there is none.
func (c *Cache) Entry(key string) *Entry {
	found := c.get(key)
	if found == nil {
		return nil
	}
	return found.entry
}

// Response returns the response of a key, and the entries that it was encoded from; nil if
// there is none.
func (c *Cache) Response(key string) (value any, entries []*Entry) {
	found := c.get(key)
	if found == nil || found.response == nil {
		return nil, nil
	}
	return found.response.value, found.response.entries
}

// Put stores an entry and replaces an older one with the same key. It is to be refreshed at
// the time of refresh; the zero time means never.
func (c *Cache) Put(key string, entry *Entry, refresh time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	added := c.newItem(key, sizeOf(entry), entry.FreshUntil, entry.FreshUntil.Add(c.staleFor))
	added.entry = entry
	entry.item = added
	c.add(added)
	if !refresh.IsZero() && added.stored {
		c.refreshes.set(&added.refresh, refresh)
	}
}

// PutResponse stores a response for as long as every entry that it was encoded from is
// stored and fresh. It is not stored if one of them is not. No key may be that of an entry.
func (c *Cache) PutResponse(key string, value any, bytes int64, entries []*Entry) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	expires := entries[0].FreshUntil
	for _, entry := range entries {
		if entry.item == nil || !entry.item.stored {
			return
		}
		if entry.FreshUntil.Before(expires) {
			expires = entry.FreshUntil
		}
	}
	added := c.newItem(key, bytes, expires, expires)
	added.response = &response{value, entries}
	if added.bytes <= c.bound {
		for _, entry := range entries {
			if entry.item.dependents == nil {
				entry.item.dependents = make(map[*item]struct{})
			}
			entry.item.dependents[added] = struct{}{}
		}
	}
	c.add(added) // may evict an entry, and the response with it
}

// newItem returns an item that is not stored yet.
func (c *Cache) newItem(key string, bytes int64, expires, removed time.Time) *item {
	added := &item{
		cache: c, key: key, usage: new(usage), expires: expires, removed: removed,
		bytes: itemOverhead + int64(len(key)) + bytes,
	}
	added.expiry.value, added.refresh.value = added, added
	return added
}

// add stores an item in the place of an older one with the same key, and evicts others
// as needed. An item that is larger than the whole cache is not stored.
func (c *Cache) add(added *item) {
	old := c.get(added.key)
	if old != nil {
		added.usage, added.bypassed = old.usage, old.bypassed
		c.detach(old)
	}
	if added.bytes > c.bound {
		if old != nil {
			c.items.Delete(old.key)
			c.eviction.remove(old)
		}
		return
	}
	c.items.Set(added.key, added, gocache.NoExpiration)
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

// shrink evicts items until the rest is within the bound.
func (c *Cache) shrink() {
	if c.eviction.bytes() <= c.bound {
		return
	}
	c.advance(c.clock())
	for c.eviction.bytes() > c.bound {
		c.remove(c.eviction.victim())
	}
}

// remove removes an item, and the responses that were encoded from it.
func (c *Cache) remove(removed *item) {
	if !removed.stored {
		return
	}
	c.items.Delete(removed.key)
	c.eviction.remove(removed)
	c.detach(removed)
}

// detach takes an item off everything but the map and the eviction's queues,
// and removes the responses that were encoded from it.
func (c *Cache) detach(detached *item) {
	detached.stored = false
	c.expiries.remove(&detached.expiry)
	c.refreshes.remove(&detached.refresh)
	for dependent := range detached.dependents {
		c.remove(dependent)
	}
	if detached.response == nil {
		return
	}
	for _, entry := range detached.response.entries {
		delete(entry.item.dependents, detached)
	}
}

// Expire removes items that are of no use any more.
func (c *Cache) Expire(now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.advance(now)
}

// advance brings the items to a time: those that have expired become the first to be
// evicted, and those that cannot even be served stale are removed.
func (c *Cache) advance(now time.Time) {
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

// Retain removes the entries for which keep returns false, and the responses that were
// encoded from them. keep must not use the cache.
func (c *Cache) Retain(keep func(key string, entry *Entry) bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var removed []*item
	for _, timer := range c.expiries.timers {
		if found := timer.value; found.entry != nil && !keep(found.key, found.entry) {
			removed = append(removed, found)
		}
	}
	for _, found := range removed {
		c.remove(found)
	}
}

// Due is an entry that is to be refreshed.
type Due struct {
	Key   string
	Entry *Entry
	item  *item
}

// Due returns an entry that is to be refreshed now, and takes it off the schedule. It
// reports whether there is one. An entry that no caller requested within its caching time
// is looked at again at the time that later returns.
func (c *Cache) Due(now time.Time, later func(query *sqlq.SavedQuery, now time.Time) time.Time) (due Due, ok bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for {
		first := c.refreshes.first()
		if first == nil || first.at.After(now) {
			return Due{}, false
		}
		found := first.value
		if found.usage.requestedWithin(found.entry.Query.Cache, now) {
			c.refreshes.remove(first)
			return Due{Key: found.key, Entry: found.entry, item: found}, true
		}
		c.refreshes.set(first, later(found.entry.Query, now))
	}
}

// Retry schedules the next refresh of an entry whose refresh has failed. The time depends
// on how often that happened before.
func (c *Cache) Retry(failed Due, at func(failures int) time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !failed.item.stored {
		return
	}
	c.refreshes.set(&failed.item.refresh, at(failed.item.failures))
	failed.item.failures++
	c.wake()
}

// Next returns the time of the next expiry or, if refreshes is true, refresh; the zero time
// if there is none.
func (c *Cache) Next(refreshes bool) time.Time {
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

// Changed receives a value when [Cache.Next] may have changed.
func (c *Cache) Changed() <-chan struct{} { return c.changed }

// AllowRefresh reports whether a no-cache request may bypass the entry of a key, and
// records that it does.
func (c *Cache) AllowRefresh(key string, now time.Time) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := c.get(key)
	if found == nil {
		return true
	}
	allowed := found.allowsRefresh(now)
	if allowed {
		found.bypassed = now
	}
	return allowed
}

// MayRefresh reports whether a no-cache request may bypass one of the entries, which are
// those of a response, or whether other reports true for the key of one of them.
func (c *Cache) MayRefresh(entries []*Entry, now time.Time, other func(key string) bool) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.ContainsFunc(entries, func(entry *Entry) bool {
		return entry.item.allowsRefresh(now) || other(entry.item.key)
	})
}

// allowsRefresh reports whether a no-cache request may bypass the item of an entry. The
// cache's mutex must be held.
func (i *item) allowsRefresh(now time.Time) bool {
	return now.Sub(i.entry.ComputedAt) >= NoCacheInterval && now.Sub(i.bypassed) >= NoCacheInterval
}

// CanServe reports whether an entry is stored that could be served without the engine,
// fresh or stale. It does not look through the cache.
func (c *Cache) CanServe(now time.Time) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.advance(now) // what is left has its time
	return c.expiries.first() != nil
}

// Bytes returns how many bytes are stored.
func (c *Cache) Bytes() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.eviction.bytes()
}

// wake sends to changed. One value is enough for many changes.
func (c *Cache) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// grow counts bytes that were added to an item.
func (i *item) grow(bytes int64) {
	c := i.cache
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !i.stored {
		return
	}
	c.eviction.resize(i, i.bytes+bytes)
	if i.bytes > c.bound {
		c.remove(i)
	}
	c.shrink()
}
