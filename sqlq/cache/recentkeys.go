package cache

import "hash/maphash"

// recentKeys remembers the latest keys, as hashes: at least as many as add is told, and at most
// twice as many.
type recentKeys struct {
	seed maphash.Seed
	// newer takes keys until it is full and then becomes older.
	newer, older map[uint64]struct{}
}

func newRecentKeys() recentKeys {
	return recentKeys{seed: maphash.MakeSeed(), newer: make(map[uint64]struct{}), older: make(map[uint64]struct{})}
}

// add remembers a key, and forgets the oldest ones beyond most.
func (k *recentKeys) add(key string, most int) {
	k.newer[maphash.String(k.seed, key)] = struct{}{}
	if len(k.newer) >= most {
		clear(k.older)
		k.newer, k.older = k.older, k.newer
	}
}

// contain reports whether a key is remembered.
func (k *recentKeys) contain(key string) bool {
	hash := maphash.String(k.seed, key)
	if _, found := k.newer[hash]; found {
		return true
	}
	_, found := k.older[hash]
	return found
}
