package cache

import (
	"container/list"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// access is a request for a key at a time. The entry may be cached for its lifetime.
type access struct {
	key      string
	content  string
	lifetime time.Duration
	at       time.Time
}

// traceShape describes a trace of requests.
type traceShape struct {
	// keys are requested by a Zipf law with this exponent.
	keys     int
	exponent float64
	// scanned is the part of the requests that are in scans: runs of 500 keys that are
	// never requested again.
	scanned float64
	// lifetimes and sizes are those of the keys, chosen independently.
	lifetimes []time.Duration
	sizes     []int
	// interval is the time between two requests.
	interval time.Duration
	// shift is how many requests pass until other keys are the most requested.
	shift int
}

const scanLength = 500

// trace returns a trace of requests. The same shape gives the same trace.
func trace(shape traceShape, length int) []access {
	random := rand.New(rand.NewPCG(1, 2))
	cumulated := make([]float64, shape.keys)
	sum := 0.0
	for i := range cumulated {
		sum += math.Pow(float64(i+1), -shape.exponent)
		cumulated[i] = sum
	}
	contents := make([]string, len(shape.sizes))
	for i, size := range shape.sizes {
		contents[i] = strings.Repeat("x", size)
	}
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	accesses, scanned, scanning := make([]access, 0, length), 0, 0
	for i := range length {
		var key int
		switch {
		case scanning > 0:
			scanning--
			scanned++
			key = shape.keys + scanned
		case random.Float64() < shape.scanned/(1-shape.scanned)/scanLength:
			scanning = scanLength
			fallthrough
		default:
			key = sort.SearchFloat64s(cumulated, random.Float64()*sum)
			if shape.shift > 0 {
				key = (key + i/shape.shift*shape.keys/20) % shape.keys
			}
		}
		of := rand.New(rand.NewPCG(uint64(key), 3))
		accesses = append(accesses, access{
			key: fmt.Sprint("question", key), content: contents[of.IntN(len(contents))],
			lifetime: shape.lifetimes[of.IntN(len(shape.lifetimes))], at: at,
		})
		at = at.Add(shape.interval)
	}
	return accesses
}

// policy is a cache that a trace is put through.
type policy func(accesses []access, bound int64) (hits int)

// ours is savedq's cache.
func ours(accesses []access, bound int64) (hits int) {
	var now time.Time
	c := New(NewMemory(), func() time.Time { return now }, bound, 0)
	for _, access := range accesses {
		now = access.at
		c.Expire(now)
		if found := c.Entry(access.key); found != nil && found.Fresh(now) {
			c.Hit(access.key)
			hits++
			continue
		}
		c.Put(entryOf(access), time.Time{})
	}
	return hits
}

// entryOf returns the entry to a request.
func entryOf(access access) *Entry {
	return &Entry{Key: access.key, Result: &sqlq.Result{Rows: [][]any{{access.content}}}, FreshUntil: access.at.Add(access.lifetime)}
}

// weigh is what an entry counts in every policy.
func weigh(access access) int64 {
	return itemOverhead + int64(len(access.key)) + entryOf(access).size()
}

// fixedClock is otter's clock in the time of the trace.
type fixedClock struct{ now *time.Time }

func (c fixedClock) NowNano() int64                    { return c.now.UnixNano() }
func (fixedClock) Tick(time.Duration) <-chan time.Time { return nil }

// otterCache is otter, with the same bytes and lifetimes.
func otterCache(accesses []access, bound int64) (hits int) {
	now := accesses[0].at
	c := otter.Must(&otter.Options[string, access]{
		MaximumWeight: uint64(bound),
		Weigher:       func(_ string, value access) uint32 { return uint32(weigh(value)) },
		ExpiryCalculator: otter.ExpiryWritingFunc(func(entry otter.Entry[string, access]) time.Duration {
			return entry.Value.lifetime
		}),
		Executor: func(run func()) { run() },
		Clock:    fixedClock{&now},
	})
	defer c.StopAllGoroutines()
	for _, access := range accesses {
		now = access.at
		if _, found := c.GetIfPresent(access.key); found {
			hits++
			continue
		}
		c.Set(access.key, access)
		c.CleanUp()
	}
	return hits
}

// leastRecentlyUsed is an LRU cache.
func leastRecentlyUsed(accesses []access, bound int64) (hits int) {
	order, places, bytes := list.New(), map[string]*list.Element{}, int64(0)
	remove := func(place *list.Element) {
		removed := order.Remove(place).(access)
		delete(places, removed.key)
		bytes -= weigh(removed)
	}
	for _, requested := range accesses {
		if place, found := places[requested.key]; found {
			if stored := place.Value.(access); requested.at.Before(stored.at.Add(stored.lifetime)) {
				order.MoveToBack(place)
				hits++
				continue
			}
			remove(place)
		}
		places[requested.key] = order.PushBack(requested)
		for bytes += weigh(requested); bytes > bound; {
			remove(order.Front())
		}
	}
	return hits
}

// soonestExpiry evicts what expires first, as savedq once did.
func soonestExpiry(accesses []access, bound int64) (hits int) {
	type stored struct {
		access
		mark timer[string]
	}
	var order schedule[string]
	entries, bytes := map[string]*stored{}, int64(0)
	remove := func(key string) {
		order.remove(&entries[key].mark)
		bytes -= weigh(entries[key].access)
		delete(entries, key)
	}
	for _, requested := range accesses {
		if found := entries[requested.key]; found != nil {
			if requested.at.Before(found.mark.at) {
				hits++
				continue
			}
			remove(requested.key)
		}
		added := &stored{access: requested, mark: timer[string]{value: requested.key}}
		entries[requested.key] = added
		order.set(&added.mark, requested.at.Add(requested.lifetime))
		for bytes += weigh(requested); bytes > bound; {
			remove(order.first().value)
		}
	}
	return hits
}

// mixed is a trace of everything at once: scans, lifetimes and sizes.
func mixed() traceShape {
	return traceShape{
		keys: 20_000, exponent: 0.9, scanned: 0.2,
		lifetimes: []time.Duration{30 * time.Second, 5 * time.Minute, 15 * time.Minute, time.Hour},
		sizes:     []int{500, 2_000, 8_000, 32_000, 100_000},
		interval:  10 * time.Millisecond,
	}
}

// working returns how many bytes all keys of a trace have that are not of scans.
func working(shape traceShape, accesses []access) (bytes int64) {
	seen := map[string]int64{}
	for _, access := range accesses {
		seen[access.key] = weigh(access)
	}
	for i := range shape.keys {
		bytes += seen[fmt.Sprint("question", i)]
	}
	return bytes
}

// hitRatio is the part of the requests that are hits, in percent.
func hitRatio(run policy, accesses []access, bound int64) float64 {
	return 100 * float64(run(accesses, bound)) / float64(len(accesses))
}

// The hit ratio is within two points of otter's (W-TinyLFU), at equal bytes.
// [BenchmarkEviction] does the same with more and longer traces.
func TestEvictionComesCloseToOtter(t *testing.T) {
	t.Parallel()
	shape := mixed()
	accesses := trace(shape, 60_000)
	bound := working(shape, accesses) / 10
	savedq, other := hitRatio(ours, accesses, bound), hitRatio(otterCache, accesses, bound)
	assert.Greater(t, savedq, other-2)
	assert.Greater(t, savedq, hitRatio(leastRecentlyUsed, accesses, bound))
}

// BenchmarkEviction reports hit ratios side by side, for caches that hold a part of what
// is requested more than once: savedq's, otter's, that of an LRU cache, and that of a
// cache which evicts what expires first.
func BenchmarkEviction(b *testing.B) {
	shapes := []struct {
		name   string
		change func(*traceShape)
	}{
		{"mixed", func(*traceShape) {}},
		{"no scans", func(s *traceShape) { s.scanned = 0 }},
		{"half scans", func(s *traceShape) { s.scanned = 0.5 }},
		{"flat", func(s *traceShape) { s.exponent = 0.7 }},
		{"steep", func(s *traceShape) { s.exponent = 1.2 }},
		{"shifting", func(s *traceShape) { s.shift = 30_000 }},
		{"one lifetime", func(s *traceShape) { s.lifetimes = []time.Duration{15 * time.Minute} }},
		{"one size", func(s *traceShape) { s.sizes = []int{20_000} }},
	}
	for _, test := range shapes {
		shape := mixed()
		test.change(&shape)
		accesses := trace(shape, 300_000)
		for _, percent := range []int64{2, 10, 30} {
			b.Run(fmt.Sprintf("%s/%d%%", test.name, percent), func(b *testing.B) {
				bound := working(shape, accesses) * percent / 100
				for b.Loop() {
					b.ReportMetric(hitRatio(ours, accesses, bound), "savedq-%")
					b.ReportMetric(hitRatio(otterCache, accesses, bound), "otter-%")
					b.ReportMetric(hitRatio(leastRecentlyUsed, accesses, bound), "lru-%")
					b.ReportMetric(hitRatio(soonestExpiry, accesses, bound), "expiry-%")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
