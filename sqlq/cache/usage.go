package cache

import "time"

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
