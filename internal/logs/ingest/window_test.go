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

// The window knows the time of the newest id that it has forgotten early.
func TestWindowKnowsWhatItForgot(t *testing.T) {
	start := time.UnixMicro(0)
	window := newWindow(time.Hour, 12*idBytes)
	for i := range 12 {
		window.add(fingerprint{low: uint64(i)}, start.Add(time.Duration(i)*time.Minute))
	}
	assert.Zero(t, window.forgotten, "there is room for all")
	for i := range 12 {
		window.add(fingerprint{low: uint64(12 + i)}, start.Add(time.Duration(12+i)*time.Minute))
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
