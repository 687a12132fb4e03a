package runner

import (
	"time"

	"savedq/sqlq/cache"
)

// CacheStatus is the part that the cache had in a response.
type CacheStatus string

// They are the values of the header X-Cache.
const (
	// Hit is a response from the cache, within its caching time.
	Hit CacheStatus = "HIT"
	// Miss is a response that the engine computed for this caller.
	Miss CacheStatus = "MISS"
	// Joined is a response that the engine computed for another caller, whose call was in
	// flight.
	Joined CacheStatus = "JOINED"
	// Stale is a response from the cache, beyond its caching time, because the engine failed.
	Stale CacheStatus = "STALE"
	// Refreshed is a response that the engine computed because of no-cache, although one
	// was cached.
	Refreshed CacheStatus = "REFRESHED"
	// Off is a response of a saved query whose caching is disabled.
	Off CacheStatus = "OFF"
)

// Response is a cache entry as one caller receives it.
type Response struct {
	*cache.Entry
	Cache CacheStatus
	// Age is the time since the entry was computed.
	Age time.Duration
	// Left is for how long the caller may reuse the response: what is left of its caching
	// time, or zero. Age and Left add up to the caching time.
	Left time.Duration
	// Expires is the end of the caching time; the zero time if Left is zero.
	Expires time.Time

	// encodings caches what is encoded from the entry; nil if nothing is cached.
	encodings *encodings
}

func (r *Runner) newResponse(entry *cache.Entry, status CacheStatus, now time.Time) *Response {
	response := &Response{Entry: entry, Cache: status, Age: max(0, now.Sub(entry.ComputedAt)), encodings: &r.encodings}
	if left := entry.FreshUntil.Sub(now); status != Stale && left > 0 {
		response.Left, response.Expires = left, entry.FreshUntil
	}
	return response
}
