package cache

import (
	"sync/atomic"
	"time"
)

// usage records how an item is used. An item takes it over from the one that it
// replaces. It is safe for concurrent use.
type usage struct {
	// requested is when a caller last requested the item, in nanoseconds since the epoch.
	requested atomic.Int64
	// uses counts cache hits up to mostUses, less those that eviction has spent.
	uses atomic.Int32
}

// mostUses is how many uses count. More would keep an item that nobody uses any more
// for too long.
const mostUses = 3

// request records that a caller requested the item.
func (u *usage) request(now time.Time) { u.requested.Store(now.UnixNano()) }

// hit records that the item was served from the cache. Concurrent hits may count as one.
func (u *usage) hit(now time.Time) {
	u.request(now)
	if uses := u.uses.Load(); uses < mostUses {
		u.uses.Store(uses + 1)
	}
}

// requestedWithin reports whether a caller requested the item in the given time before now.
func (u *usage) requestedWithin(duration time.Duration, now time.Time) bool {
	return now.UnixNano()-u.requested.Load() < int64(duration)
}

// spend takes one use away; it returns false if there is none.
func (u *usage) spend() bool {
	uses := u.uses.Load()
	if uses == 0 {
		return false
	}
	u.uses.Store(uses - 1)
	return true
}
