package soak

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const (
	// mostWait is what 99 of 100 successful responses must not exceed.
	mostWait = time.Second
	// leastShare is the share of the capacity that must still succeed.
	leastShare = 0.8
)

// At twice the rate that a server with default limits can handle, of queries that no cache
// can serve, it rejects some at once. The rest succeeds within a second, and about as many
// as without the overload.
func TestSoakOverload(t *testing.T) { // It is not parallel, since it measures.
	duration := soakTime(t) / 3
	s := start(t)
	misses := func() *load {
		l := newLoad(s)
		l.kinds = []kind{{name: "not cached", share: 100, statuses: []int{200}, make: uncached}}
		return l
	}
	const enough = 16 // connections keep the engine busy
	calm := misses()
	calm.full(t.Context(), enough, max(3*time.Second, duration/2))
	capacity := float64(len(calm.succeeded)) / max(3*time.Second, duration/2).Seconds()
	t.Logf("capacity: %.0f/s, p99 %s", capacity, round(percentile(calm.succeeded, 99)))
	for _, callers := range []int{300, 800} {
		loaded := misses()
		notSent := loaded.paced(t.Context(), 2*capacity, callers, duration)
		rate := float64(len(loaded.succeeded)) / duration.Seconds()
		t.Logf("%d connections: sent %d (%d found no connection free), %.0f/s succeeded, p50 %s, p99 %s, max %s; %s", callers, loaded.sent, notSent,
			rate, round(percentile(loaded.succeeded, 50)), round(percentile(loaded.succeeded, 99)), round(percentile(loaded.succeeded, 100)),
			outcomes(loaded.outcomes["not cached"]))
		assert.Empty(t, loaded.mistakes)
		assert.LessOrEqual(t, percentile(loaded.succeeded, 99), mostWait)
		assert.GreaterOrEqual(t, rate, leastShare*capacity)
	}
}

// uncached returns a request that is hardly ever repeated.
func uncached(address string, random *rand.Rand) *http.Request {
	if random.IntN(4) > 0 {
		return logsByREST(address, random)
	}
	return get(address, fmt.Sprintf("/api/endpoints/usage.api-counts?interval=hourly&project=p%d", random.Int64()))
}

// percentile sorts the durations and returns one of them; zero where there is none.
func percentile(durations []time.Duration, percent int) time.Duration {
	if len(durations) == 0 {
		return 0
	}
	slices.Sort(durations)
	return durations[(len(durations)-1)*percent/100]
}
