package ingest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A sender that floods the server leaves room for others, and gets it all back.
func TestSendersShareMemory(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit, assured, multiple int64
		flood, other, third      int64
	}{
		{limit: 1600, multiple: 1, flood: 800, other: 400, third: 200},
		{limit: 1600, multiple: 3, flood: 1200, other: 300, third: 75},
		{limit: 1600, multiple: 1, assured: 400, flood: 800, other: 400, third: 400},
		{limit: 1600, multiple: 1, assured: 1600, flood: 1600}, // no more than one request
	} {
		memory := NewMemory(test.limit, test.assured, test.multiple)
		fill := func(sender string) (held int64) {
			for memory.Reserve(sender, 1) {
				held++
			}
			return held
		}
		assert.Equal(t, test.flood, fill("flood"))
		assert.Equal(t, test.other, fill("other"))
		assert.Equal(t, test.third, fill("third"))
		assert.Zero(t, fill("flood"))
		memory.Release("flood", test.flood)
		memory.Release("other", test.other)
		memory.Release("third", test.third)
		assert.Zero(t, memory.Used())
		assert.Empty(t, memory.held)
	}
}

// The largest request fits into the least memory, and nothing exceeds it but what is taken anyway.
func TestMemoryOfOneRequest(t *testing.T) {
	t.Parallel()
	memory := NewMemory(100, 100, 1)
	assert.True(t, memory.Reserve("a", 99))
	assert.False(t, memory.Reserve("a", 2))
	assert.False(t, memory.Reserve("b", 2))
	assert.True(t, memory.Reserve("b", 1))
	memory.Take("b", 100)
	assert.EqualValues(t, 200, memory.Used())
	assert.False(t, memory.Reserve("c", 1))
}
