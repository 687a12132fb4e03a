package cache

import (
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/series"
)

// Entry is the result of a run of a saved query with some arguments: what the cache stores,
// and what every caller with the same request shares. Its exported fields must not change
// once it is created.
type Entry struct {
	Query *sqlq.SavedQuery
	// Args holds a value for each declared parameter, in declared order.
	Args   []sqlq.Arg
	Result *sqlq.Result
	// Series says which rows later runs can reuse; nil for none.
	Series *series.State
	// AsOf is the "now" that the rows were computed with (D1).
	AsOf time.Time
	// ComputedAt is when the engine had finished, and FreshUntil the end of the caching time.
	ComputedAt, FreshUntil time.Time

	// item is the entry's place in the cache; nil if the entry was never stored.
	item *item

	deriving sync.Mutex
	derived  map[string]any
}

// Fresh reports whether the entry is within its caching time.
func (e *Entry) Fresh(now time.Time) bool { return now.Before(e.FreshUntil) }

// Derived returns what derive makes of the rows, such as their encoding for an interface,
// and how many bytes of memory that takes. It is computed in the first call with a name,
// and lives as long as the entry. Its bytes count as bytes of the entry.
func (e *Entry) Derived(name string, derive func(*sqlq.Result) (value any, bytes int)) any {
	e.deriving.Lock()
	defer e.deriving.Unlock()
	if value, ok := e.derived[name]; ok {
		return value
	}
	value, bytes := derive(e.Result)
	if e.derived == nil {
		e.derived = make(map[string]any)
	}
	e.derived[name] = value
	if e.item != nil {
		e.item.grow(int64(bytes))
	}
	return value
}

// Requested records that a caller requested the entry and did not find it in the cache.
func (e *Entry) Requested(now time.Time) {
	if e.item != nil {
		e.item.usage.request(now)
	}
}

// Hit records that a caller was served the entry from the cache.
func (e *Entry) Hit(now time.Time) { e.item.usage.hit(now) }
