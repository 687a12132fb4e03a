package cache

import gocache "github.com/patrickmn/go-cache"

// Store keeps values under their keys. Another cache, such as one that several servers share,
// implements it. [Cache] decides what is stored, and for how long. The methods must be safe for
// concurrent use and must not block, because they are called on each request.
type Store interface {
	// Get returns the value of a key; nil if there is none.
	Get(key string) Value
	// Put stores a value, and replaces an older one with the same key.
	Put(key string, value Value)
	Delete(key string)
}

// memory keeps values in the memory of the process.
type memory struct{ items *gocache.Cache }

var _ Store = memory{}

// NewMemory returns a store in the memory of the process.
func NewMemory() Store { return memory{gocache.New(gocache.NoExpiration, 0)} }

func (m memory) Get(key string) Value {
	found, _ := m.items.Get(key)
	value, _ := found.(Value)
	return value
}

func (m memory) Put(key string, value Value) { m.items.Set(key, value, gocache.NoExpiration) }
func (m memory) Delete(key string)           { m.items.Delete(key) }
