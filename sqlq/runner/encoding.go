package runner

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"savedq/sqlq/cache"
)

// encodings caches what interfaces encode from entries.
type encodings struct {
	cache *cache.Cache
	// flight lets callers that need the same encoding at the same time share the work.
	flight singleflight.Group
}

// Encode returns what encode encodes from responses. It is cached under a key, for as long as
// all of the responses' entries are; one that is cached is only used if fits reports true for it,
// and nil means that each is. The key must hold everything else that the encoding depends on, and
// begin with the rows of an entry or of an encoding from the same entries. If encode returns nil, so does
// Encode, and nothing is cached.
func Encode(key string, responses []*Response, fits func(*cache.Encoded) bool, encode func() *cache.Encoded) *cache.Encoded {
	e := responses[0].encodings
	if e == nil {
		return encode()
	}
	usable := func(found *cache.Encoded) bool {
		return found != nil && (fits == nil || fits(found)) &&
			slices.EqualFunc(found.Entries, responses, func(entry *cache.Entry, response *Response) bool { return entry == response.Entry })
	}
	if found := e.cache.Encoded(key); usable(found) {
		e.cache.Hit(key)
		return found
	}
	shared, _, _ := e.flight.Do(key, func() (any, error) {
		encoded := encode()
		if encoded == nil {
			return (*cache.Encoded)(nil), nil
		}
		encoded.Key = key
		encoded.Entries = entriesOf(responses)
		e.cache.PutEncoded(encoded, true)
		return encoded, nil
	})
	if found := shared.(*cache.Encoded); usable(found) {
		return found
	}
	return encode() // the shared one was encoded from other entries
}

func entriesOf(responses []*Response) []*cache.Entry {
	entries := make([]*cache.Entry, len(responses))
	for i, response := range responses {
		entries[i] = response.Entry
	}
	return entries
}

// PutEncoded caches what an interface encoded from responses, for [Runner.Encoded]. It is removed
// as soon as one of the responses' entries is, and not cached at all unless all of them are. The
// key must hold everything else that it depends on, and must not begin with an id, as the keys
// of entries do.
func (r *Runner) PutEncoded(_ context.Context, encoded *cache.Encoded, responses []*Response) {
	encoded.Entries = entriesOf(responses)
	r.cache.PutEncoded(encoded, false)
}

// Encoded returns what was cached under a key, with a response for each of the entries that it
// was encoded from; nil if nothing is cached, or an entry has expired. A no-cache request gets
// it only if [Runner.Run] would give it all entries from the cache.
func (r *Runner) Encoded(_ context.Context, key string, noCache bool) (*cache.Encoded, []*Response) {
	encoded, now := r.cache.Encoded(key), r.config.Clock()
	if encoded == nil || noCache && r.mayRefresh(encoded.Entries, now) {
		return nil, nil
	}
	responses := make([]*Response, len(encoded.Entries))
	for i, entry := range encoded.Entries {
		if !r.fresh(entry, now) {
			return nil, nil
		}
		responses[i] = r.newResponse(entry, Hit, now)
	}
	r.cache.Hit(key, encoded.Entries...)
	for _, entry := range encoded.Entries {
		r.config.Observer.Responded(entry.Query, Hit, nil)
	}
	return encoded, responses
}

// mayRefresh reports whether the engine would compute one of the entries for a no-cache
// request, or is computing it.
func (r *Runner) mayRefresh(entries []*cache.Entry, now time.Time) bool {
	r.inFlight.mutex.Lock()
	defer r.inFlight.mutex.Unlock()
	return r.cache.MayRefresh(entries, now, func(key string) bool { return r.inFlight.byKey[key] != nil })
}
