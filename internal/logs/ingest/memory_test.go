package ingest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A sender that floods the server leaves room for others, however little memory there is, and gets it all back.
func TestSendersShareMemory(t *testing.T) {
	t.Parallel()
	for _, limit := range []int64{64, 1600, 6400} {
		memory := NewMemory(limit)
		fill := func(sender string) (held int64) {
			for memory.Reserve(sender, 1) {
				held++
			}
			assert.Equal(t, held, memory.Held(sender))
			return held
		}
		assert.Equal(t, limit*3/4, fill("flood"))
		assert.Equal(t, limit*3/16, fill("other"))
		assert.Equal(t, limit*3/64, fill("third"))
		assert.False(t, memory.Reserve("flood", 1))
		memory.Release("flood", memory.Held("flood"))
		memory.Release("other", memory.Held("other"))
		memory.Release("third", memory.Held("third"))
		assert.Zero(t, memory.Used())
		assert.Empty(t, memory.held)
	}
}

// Requests of many senders leave room for one more.
func TestManySendersShareMemory(t *testing.T) {
	t.Parallel()
	memory := NewMemory(1 << 20)
	for sender := range 20 {
		for range 400 {
			memory.Reserve(strconv.Itoa(sender), 4<<10)
		}
	}
	assert.True(t, memory.Reserve("other", 1<<10))
}

// The least memory holds the largest request of a sender that is alone, and nothing exceeds it but what is taken anyway.
func TestMemoryOfOneRequest(t *testing.T) {
	t.Parallel()
	memory := NewMemory(100)
	assert.True(t, memory.Reserve("a", 75))
	assert.False(t, memory.Reserve("a", 1))
	assert.False(t, memory.Reserve("b", 19))
	assert.True(t, memory.Reserve("b", 18))
	memory.Take("b", 100)
	assert.EqualValues(t, 193, memory.Used())
	assert.False(t, memory.Reserve("c", 1))
}
