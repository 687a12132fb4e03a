package ingesthttp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A sender that floods the server leaves room for others, and gets it all back.
func TestSendersShareMemory(t *testing.T) {
	t.Parallel()
	const request = 64 << 10
	m := &memory{limit: 4 * MinMemoryBytes}
	fill := func(sender string) (held int64) {
		for m.reserve(sender, request) {
			held += request
		}
		return held
	}
	flood := fill("flood")
	assert.InDelta(t, m.limit/2, flood, request, "one sender gets a half")
	other := fill("other")
	assert.GreaterOrEqual(t, other, int64(MinMemoryBytes)-request)
	assert.False(t, m.reserve("flood", request))
	assert.True(t, m.reserve("third", request), "there is room for another one")
	m.release("third", request)
	m.release("flood", flood)
	m.release("other", other)
	assert.Zero(t, m.used)
	assert.Empty(t, m.held)
}

// The largest request fits into the least memory, and nothing exceeds it.
func TestMemoryOfOneRequest(t *testing.T) {
	t.Parallel()
	m := &memory{limit: MinMemoryBytes}
	assert.True(t, m.reserve("a", MinMemoryBytes-1))
	assert.False(t, m.reserve("a", 2))
	assert.False(t, m.reserve("b", 2))
	assert.True(t, m.reserve("b", 1))
}
