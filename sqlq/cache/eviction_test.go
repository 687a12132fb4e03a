package cache

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// evictionWorld is a cache in which each entry takes as much, with a clock that a test
// moves.
type evictionWorld struct {
	*Cache
	now time.Time
}

// newEvictionWorld returns a cache with room for the entries, of which a tenth may be
// on probation.
func newEvictionWorld(entries int64, staleFor time.Duration) *evictionWorld {
	w := &evictionWorld{now: time.Unix(0, 0)}
	const longestKey = 3
	each := itemOverhead + longestKey + w.entry("", 0).size()
	w.Cache = New(func() time.Time { return w.now }, entries*each, staleFor)
	return w
}

func (w *evictionWorld) entry(key string, lifetime time.Duration) *Entry {
	return &Entry{Key: key, Result: &sqlq.Result{}, ComputedAt: w.now, FreshUntil: w.now.Add(lifetime)}
}

// store stores an entry for each letter.
func (w *evictionWorld) store(lifetime time.Duration, keys string) {
	for _, key := range keys {
		w.Put(w.entry(string(key), lifetime), time.Time{})
	}
}

// use uses the entry of each letter.
func (w *evictionWorld) use(keys string) {
	for _, key := range keys {
		w.Hit(string(key))
	}
}

// stored returns the keys that have an entry, of some.
func (w *evictionWorld) stored(keys string) string {
	return strings.Map(func(key rune) rune {
		if w.Entry(string(key)) == nil {
			return -1
		}
		return key
	}, keys)
}

// Used entries stay; unused ones are evicted in the order of their insertion.
func TestEvictionKeepsItemsInUse(t *testing.T) {
	t.Parallel()
	w := newEvictionWorld(10, 0)
	w.store(time.Hour, "abcdefghij")
	w.use("adf")
	w.store(time.Hour, "klmno")
	assert.Equal(t, "adfijklmno", w.stored("abcdefghijklmno"))
	w.store(time.Hour, "pqrstuvwxyz")
	assert.Equal(t, "adf", w.stored("abcdefghijklmno"), "a scan displaces nothing that was used")
}

// An entry that is not used any more is evicted, however often it was used before.
func TestEvictionForgetsUses(t *testing.T) {
	t.Parallel()
	w := newEvictionWorld(10, 0)
	w.store(time.Hour, "a")
	for range 100 {
		w.use("a")
	}
	for i := range 50 {
		key := strconv.Itoa(i)
		w.Put(w.entry(key, time.Hour), time.Time{})
		w.Hit(key)
	}
	assert.Empty(t, w.stored("a"))
}

// An entry that returns soon after its eviction counts as used.
func TestEvictionPromotesItemsThatReturn(t *testing.T) {
	t.Parallel()
	w := newEvictionWorld(10, 0)
	w.store(time.Hour, "abcdefghijk")
	assert.Empty(t, w.stored("a"))
	w.store(time.Hour, "a")
	w.store(time.Hour, "lmnopqrstuvwxyz")
	assert.Equal(t, "a", w.stored("abcdefghijklmn"))
}

// An expired entry leaves before all others, however much it was used, and is served
// until then if the engine fails.
func TestEvictionEvictsExpiredItemsFirst(t *testing.T) {
	t.Parallel()
	w := newEvictionWorld(4, time.Hour)
	w.store(time.Second, "ab")
	w.use("aaabbb")
	w.store(time.Minute, "cd")
	w.now = w.now.Add(2 * time.Second)
	assert.Equal(t, "abcd", w.stored("abcd"))
	w.store(time.Minute, "e")
	assert.Equal(t, "bcde", w.stored("abcde"))
	w.store(time.Second, "b")
	w.store(time.Minute, "f")
	assert.Equal(t, "bdef", w.stored("abcdef"), "b is fresh again, and was used")
	w.now = w.now.Add(2 * time.Hour)
	w.Expire(w.now)
	assert.Empty(t, w.stored("abcdef"))
	assert.Zero(t, w.Bytes())
}

// A refresh keeps the place and the uses of an entry.
func TestEvictionKeepsThePlaceOfRefreshedItems(t *testing.T) {
	t.Parallel()
	w := newEvictionWorld(10, 0)
	w.store(time.Hour, "abcdefghij")
	w.use("b")
	w.store(time.Hour, "abc")
	w.store(time.Hour, "klm")
	assert.Equal(t, "befghijklm", w.stored("abcdefghijklm"))
}

// Keys are remembered for a while: at least as many as asked for, and at most twice as many.
func TestRecentKeys(t *testing.T) {
	t.Parallel()
	keys := newRecentKeys()
	for i := range 1000 {
		keys.add(strconv.Itoa(i), 10)
		assert.LessOrEqual(t, len(keys.newer)+len(keys.older), 20)
		for last := max(0, i-9); last <= i; last++ {
			assert.True(t, keys.contain(strconv.Itoa(last)))
		}
		assert.False(t, keys.contain(strconv.Itoa(i-20)))
	}
	keys.add("a", 0)
	assert.True(t, keys.contain("a"), "even if nothing is stored")
}
