package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/logs/logevent"
)

func TestWindowForgetsTheOldestIDs(t *testing.T) {
	start := time.UnixMicro(0)
	window := newWindow(time.Hour, 1000*idBytes)
	for i := range uint64(5000) {
		window.add(logevent.Fingerprint{Low: i}, start)
	}
	assert.LessOrEqual(t, window.count, 1000)
	assert.False(t, window.has(logevent.Fingerprint{Low: 0}))
	for i := range uint64(900) {
		assert.True(t, window.has(logevent.Fingerprint{Low: 4999 - i}))
	}
}

// The window knows the time of the newest id that it has forgotten early.
func TestWindowKnowsWhatItForgot(t *testing.T) {
	start := time.UnixMicro(0)
	window := newWindow(time.Hour, 12*idBytes)
	for i := range 12 {
		window.add(logevent.Fingerprint{Low: uint64(i)}, start.Add(time.Duration(i)*time.Minute))
	}
	assert.Zero(t, window.forgotten, "there is room for all")
	for i := range 12 {
		window.add(logevent.Fingerprint{Low: uint64(12 + i)}, start.Add(time.Duration(12+i)*time.Minute))
	}
	assert.Equal(t, start.Add(11*time.Minute), window.forgotten)
}

// Within its length and its memory, the window knows exactly the ids that were added.
func TestWindowIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const length = time.Hour
		window, added := newWindow(length, 1<<20), make(map[uint64]time.Time)
		now := time.UnixMicro(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, int(10*time.Minute)).Draw(t, "pause")))
			window.expire(now)
			id := rapid.Uint64Range(0, 50).Draw(t, "id")
			last, known := added[id]
			has := window.has(logevent.Fingerprint{Low: id})
			if known && now.Sub(last) <= length {
				require.True(t, has)
			}
			if !known || now.Sub(last) > length+length/generations {
				require.False(t, has)
			}
			if !has {
				window.add(logevent.Fingerprint{Low: id}, now)
				added[id] = now
			}
		}
	})
}
