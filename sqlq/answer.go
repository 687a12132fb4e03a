package sqlq

import (
	"sync"
	"time"
)

// Answer is what a run of a saved query gives: the rows, of which query, and as of
// when. It is immutable, and all who ask the same share it.
type Answer struct {
	Query *SavedQuery
	// Args holds a value for each declared parameter, in declared order.
	Args   []Arg
	Result *Result
	// AsOf is the "now" that the rows were computed with (D1).
	AsOf time.Time

	// made is when the engine was done, and expires the end of the caching time.
	made, expires time.Time
	// entry is the cache's entry for the answer; nil if the answer was never put in it.
	entry *entry

	deriving sync.Mutex
	derived  map[string]any
}

// Derived returns what is made of the rows, such as their encoding for an interface,
// at the first call with its name, with how many bytes of memory it takes. It is
// kept as long as the answer, and counts as the answer does.
func (a *Answer) Derived(name string, derive func(*Result) (value any, bytes int)) any {
	a.deriving.Lock()
	defer a.deriving.Unlock()
	if value, ok := a.derived[name]; ok {
		return value
	}
	value, bytes := derive(a.Result)
	if a.derived == nil {
		a.derived = make(map[string]any)
	}
	a.derived[name] = value
	if a.entry != nil {
		a.entry.grow(int64(bytes))
	}
	return value
}

// request records that a caller requested the answer and did not find it in the cache.
func (a *Answer) request(now time.Time) {
	if a.entry != nil {
		a.entry.usage.request(now)
	}
}

// hit records that a caller was served the answer from the cache.
func (a *Answer) hit(now time.Time) { a.entry.usage.hit(now) }

// fresh says whether the answer is within its caching time.
func (a *Answer) fresh(now time.Time) bool { return now.Before(a.expires) }

// reply is the answer for one caller.
func (a *Answer) reply(status CacheStatus, now time.Time) *Reply {
	reply := &Reply{Answer: a, Cache: status, Age: max(0, now.Sub(a.made))}
	if left := a.expires.Sub(now); status != Stale && left > 0 {
		reply.Left, reply.Expires = left, a.expires
	}
	return reply
}
