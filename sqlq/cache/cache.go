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

// Cache keeps entries, and what was encoded from them, in the memory of the process, up to a number of bytes.
// When it is full, [eviction] chooses what is evicted. It is safe for concurrent use.
type Cache struct {
	values *gocache.Cache
	clock  func() time.Time
	// bound is the most bytes that are stored.
	bound int64
	// staleFor is how long an entry stays after it has expired, to be served if the
	// engine fails.
	staleFor time.Duration

	// mutex guards all that follows, with the items.
	mutex sync.Mutex
	// items has an item for each value.
	items    map[string]*item
	eviction *eviction
	// expiries holds every item, by the time at which it expires, or at which it is
	// removed after it has expired. refreshes holds the entries that are to be refreshed.
	expiries, refreshes schedule
	// changed receives a value when the first time of the schedules may have changed.
	changed chan struct{}
}

// item is what the cache notes about a value.
type item struct {
	key string
	// entry is set for an entry, entries for what was encoded from entries.
	entry   *Entry
	entries []*Entry
	usage   usage
	// expires is when the value must not be served as fresh any more, and removed when it
	// cannot be served at all.
	expires, removed time.Time
	bytes            int64
	expiry, refresh  timer
	// failures counts the refreshes that have failed since the last success.
	failures int
	// bypassed is when a no-cache request last bypassed the entry.
	bypassed time.Time
	// dependents are what was encoded from this entry.
	dependents map[*item]struct{}

	// queue and element are where eviction holds the item. main reports whether it
	// belongs to the main queue once it is not expired.
	queue   *queue
	element *list.Element
	main    bool
}

// New returns a cache of at most bound bytes; 0 stores nothing. Expired entries stay for staleFor
// while there is room.
func New(clock func() time.Time, bound int64, staleFor time.Duration) *Cache {
	return &Cache{
		values: gocache.New(gocache.NoExpiration, 0), clock: clock, bound: bound, staleFor: staleFor,
		items:    make(map[string]*item),
		eviction: newEviction(bound),
		changed:  make(chan struct{}, 1),
	}
}

// Entry returns the entry of a key, fresh or stale; nil if there is none.
func (c *Cache) Entry(key string) *Entry {
	found, _ := c.values.Get(key)
	entry, _ := found.(*Entry)
	return entry
}

// Encoded returns what was encoded under a key; nil if there is none.
func (c *Cache) Encoded(key string) *Encoded {
	found, _ := c.values.Get(key)
	encoded, _ := found.(*Encoded)
	return encoded
}

// Put stores an entry and replaces an older one with the same key. It is to be refreshed at
// the time of refresh; the zero time means never.
func (c *Cache) Put(entry *Entry, refresh time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	added := newItem(entry.Key, entry, entry.FreshUntil, entry.FreshUntil.Add(c.staleFor))
	added.entry = entry
	c.add(added, entry)
	if !refresh.IsZero() && c.items[entry.Key] == added {
		c.refreshes.set(&added.refresh, refresh)
	}
}

// PutEncoded stores what was encoded from entries, unless one of them is not stored. It stays
// until the first of the entries expires, or as long as the entries do if stale is true.
func (c *Cache) PutEncoded(encoded *Encoded, stale bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, entry := range encoded.Entries {
		if found := c.items[entry.Key]; found == nil || found.entry != entry {
			return
		}
	}
	expires := encoded.freshUntil()
	removed := expires
	if stale {
		removed = removed.Add(c.staleFor)
	}
	added := newItem(encoded.Key, encoded, expires, removed)
	added.entries = encoded.Entries
	if added.bytes <= c.bound {
		for _, entry := range encoded.Entries {
			found := c.items[entry.Key]
			if found.dependents == nil {
				found.dependents = make(map[*item]struct{})
			}
			found.dependents[added] = struct{}{}
		}
	}
	c.add(added, encoded) // may evict an entry, and the item with it
}

// newItem returns an item that is not stored yet.
func newItem(key string, value value, expires, removed time.Time) *item {
	added := &item{key: key, expires: expires, removed: removed, bytes: itemOverhead + int64(len(key)) + value.size()}
	added.expiry.item, added.refresh.item = added, added
	return added
}

// add stores a value in the place of an older one with the same key, and evicts others
// as needed. A value that is larger than the whole cache is not stored.
func (c *Cache) add(added *item, value value) {
	old := c.items[added.key]
	if old != nil {
		added.usage, added.bypassed = old.usage, old.bypassed
		c.detach(old)
	}
	if added.bytes > c.bound {
		if old != nil {
			c.forget(old)
		}
		return
	}
	c.items[added.key] = added
	c.values.Set(added.key, value, gocache.NoExpiration)
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

// remove removes an item, unless it was removed before, and what was encoded from it.
func (c *Cache) remove(removed *item) {
	if c.items[removed.key] == removed {
		c.forget(removed)
		c.detach(removed)
	}
}

// forget takes an item, and its value, out of the cache and of the eviction's queues.
func (c *Cache) forget(forgotten *item) {
	delete(c.items, forgotten.key)
	c.values.Delete(forgotten.key)
	c.eviction.remove(forgotten)
}

// detach takes an item off the schedules and the items that it depends on, and removes what
// was encoded from it.
func (c *Cache) detach(detached *item) {
	c.expiries.remove(&detached.expiry)
	c.refreshes.remove(&detached.refresh)
	for dependent := range detached.dependents {
		c.remove(dependent)
	}
	for _, entry := range detached.entries {
		if found := c.items[entry.Key]; found != nil {
			delete(found.dependents, detached)
		}
	}
}

// Hit records that a caller was served the value of a key from the cache, and with it the entries
// that it was encoded from, if any.
func (c *Cache) Hit(key string, entries ...*Entry) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	now := c.clock()
	c.hit(key, now)
	for _, entry := range entries {
		c.hit(entry.Key, now)
	}
}

func (c *Cache) hit(key string, now time.Time) {
	if found := c.items[key]; found != nil {
		found.usage.hit(now)
	}
}

// Requested records that a caller requested the entry of a key and did not find it.
func (c *Cache) Requested(key string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if found := c.items[key]; found != nil {
		found.usage.requested = c.clock()
	}
}

// Expire removes items that cannot be served any more.
func (c *Cache) Expire(now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.advance(now)
}

// advance brings the items to a time: those that have expired become the first to be
// evicted, and those that cannot even be served stale are removed.
func (c *Cache) advance(now time.Time) {
	for first := c.expiries.first(); first != nil && !now.Before(first.at); first = c.expiries.first() {
		expired := first.item
		if !now.Before(expired.removed) {
			c.remove(expired)
			continue
		}
		c.eviction.expire(expired)
		c.expiries.set(first, expired.removed)
	}
}

// Purge removes the entries that match, and what was encoded from them, and returns how many
// there were. matches must not use the cache.
func (c *Cache) Purge(matches func(*Entry) bool) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var purged []*item
	for _, found := range c.items {
		if found.entry != nil && matches(found.entry) {
			purged = append(purged, found)
		}
	}
	for _, found := range purged {
		c.remove(found)
	}
	return len(purged)
}

// Due returns an entry that is to be refreshed now, and takes it off the schedule; nil if there
// is none. An entry that no caller requested within its caching time is looked at again at the
// time that later returns.
func (c *Cache) Due(now time.Time, later func(query *sqlq.SavedQuery, now time.Time) time.Time) *Entry {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for {
		first := c.refreshes.first()
		if first == nil || first.at.After(now) {
			return nil
		}
		found := first.item
		if now.Sub(found.usage.requested) < found.entry.Query.Cache {
			c.refreshes.remove(first)
			return found.entry
		}
		c.refreshes.set(first, later(found.entry.Query, now))
	}
}

// Retry schedules the next refresh of an entry whose refresh has failed. The time depends
// on how often that happened before.
func (c *Cache) Retry(failed *Entry, at func(failures int) time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := c.items[failed.Key]
	if found == nil || found.entry != failed {
		return
	}
	c.refreshes.set(&found.refresh, at(found.failures))
	found.failures++
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
	found := c.items[key]
	allowed := found.allowsRefresh(now)
	if allowed && found != nil {
		found.bypassed = now
	}
	return allowed
}

// MayRefresh reports whether a no-cache request may bypass one of the entries, or whether
// other reports true for the key of one of them.
func (c *Cache) MayRefresh(entries []*Entry, now time.Time, other func(key string) bool) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.ContainsFunc(entries, func(entry *Entry) bool {
		return c.items[entry.Key].allowsRefresh(now) || other(entry.Key)
	})
}

// allowsRefresh reports whether a no-cache request may bypass the item of an entry, which is
// nil if none is stored.
func (i *item) allowsRefresh(now time.Time) bool {
	return i == nil || now.Sub(i.entry.ComputedAt) >= NoCacheInterval && now.Sub(i.bypassed) >= NoCacheInterval
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
