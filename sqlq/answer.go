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
	// item is what the cache knows of the answer; nil for one that is not to be
	// kept.
	item *item

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
	if a.item != nil {
		a.item.grow(int64(bytes))
	}
	return value
}

// ask notes that somebody asked for the answer.
func (a *Answer) ask(now time.Time) {
	if a.item != nil {
		a.item.asked.Store(now.UnixNano())
	}
}

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
