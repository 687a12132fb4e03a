package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

func TestWindowForgetsTheOldestIDs(t *testing.T) {
	start := time.UnixMicro(0)
	window := newWindow(time.Hour, 1000*idBytes)
	for i := range uint64(5000) {
		window.add(fingerprint{low: i}, start)
	}
	assert.LessOrEqual(t, window.count, 1000)
	assert.False(t, window.has(fingerprint{low: 0}))
	for i := range uint64(900) {
		assert.True(t, window.has(fingerprint{low: 4999 - i}))
	}
}

// newWindowOf returns a window of an hour that is full.
func newWindowOf(start time.Time, ids int) *window {
	window := newWindow(time.Hour, int64(ids)*idBytes)
	for i := range uint64(ids) {
		window.add(fingerprint{low: i}, start)
	}
	return window
}

func TestWindowKnowsItsReach(t *testing.T) {
	start := time.UnixMicro(0)
	window := newWindow(time.Hour, 12*idBytes)
	assert.Equal(t, time.Hour, window.reach(start))
	for i := range 24 {
		window.add(fingerprint{low: uint64(i)}, start.Add(time.Duration(i)*time.Minute))
	}
	assert.Equal(t, time.Hour, newWindowOf(start, 12).reach(start), "a window with room for all")
	reach := window.reach(start.Add(24 * time.Minute))
	assert.Less(t, reach, 24*time.Minute)
	assert.Greater(t, reach, 10*time.Minute)
	assert.Equal(t, time.Hour, window.reach(start.Add(3*time.Hour)), "long after that")
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
			has := window.has(fingerprint{low: id})
			if known && now.Sub(last) <= length {
				require.True(t, has)
			}
			if !known || now.Sub(last) > length+length/generations {
				require.False(t, has)
			}
			if !has {
				window.add(fingerprint{low: id}, now)
				added[id] = now
			}
		}
	})
}

func TestRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Ptr(rapid.String(), true)
		p := &part{sequence: 7, accepted: time.UnixMicro(rapid.Int64Range(0, 1<<50).Draw(t, "accepted")).UTC(), generated: rapid.Bool().Draw(t, "generated")}
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			event := Event{Source: rapid.SampledFrom(logstore.Sources()).Draw(t, "source"), Event: logevent.Event{
				ID: rapid.String().Draw(t, "id"), Timestamp: time.UnixMicro(rapid.Int64Range(-1<<55, 1<<55).Draw(t, "timestamp")).UTC(),
				EventMessage: text.Draw(t, "message"), Project: text.Draw(t, "project"),
			}}
			if rapid.Bool().Draw(t, "has metadata") {
				event.Metadata = []byte(`[{"a":1}]`)
			}
			p.add(&event, fingerprintOf(&event))
		}
		if rapid.Bool().Draw(t, "rejects") {
			p.reject([]logstore.RejectedEvent{{Received: p.accepted, Source: "edge_logs", Position: 3, Reason: "reason", Event: "event"}})
		}
		encoded, err := p.encode()
		require.NoError(t, err)
		decoded, err := decodePart(7, encoded)
		require.NoError(t, err)
		require.Equal(t, p, decoded)
	})
}

func TestARecordOfAnUnknownSource(t *testing.T) {
	p := &part{events: []Event{{Source: logstore.Source{Table: "other_logs"}}}}
	encoded, err := p.encode()
	require.NoError(t, err)
	_, err = decodePart(1, encoded)
	require.ErrorContains(t, err, `record 1 of the write-ahead log has events of "other_logs", which is not a log source`)
	_, err = decodePart(2, []byte("no record"))
	require.ErrorContains(t, err, "decode record 2 of the write-ahead log")
}
