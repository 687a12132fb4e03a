package ingest

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// drawPart draws a part with events of all sources.
func drawPart(t *rapid.T) *part {
	text := rapid.Ptr(rapid.String(), true)
	p := &part{sequence: 7, accepted: time.UnixMicro(rapid.Int64Range(0, 1<<50).Draw(t, "accepted")).UTC(), generated: rapid.Bool().Draw(t, "generated")}
	for range rapid.IntRange(0, 5).Draw(t, "events") {
		event := logevent.Sourced{Source: rapid.SampledFrom(shippedTables()).Draw(t, "source"), Event: logevent.Event{
			ID: rapid.String().Draw(t, "id"), Timestamp: time.UnixMicro(rapid.Int64Range(-1<<55, 1<<55).Draw(t, "timestamp")).UTC(),
			EventMessage: text.Draw(t, "message"), Project: text.Draw(t, "project"),
		}}
		if rapid.Bool().Draw(t, "has metadata") {
			event.Metadata = []byte(`[{"a":1}]`)
		}
		p.add(unknownSender, &event, event.Fingerprint())
	}
	for range rapid.IntRange(0, 2).Draw(t, "rejected") {
		p.reject(unknownSender, logevent.Rejected{
			Received: p.accepted, RequestID: "request", Source: "edge_logs", Position: rapid.IntRange(0, 100_000).Draw(t, "position"), Reason: "reason", Event: "event",
		})
	}
	return p
}

func TestRecordsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawPart(t)
		encoded := encode(want)
		decoded, err := decodePart(7, encoded, shippedTables())
		require.NoError(t, err)
		require.Equal(t, want, decoded)
		for length := range encoded {
			_, err = decodePart(7, encoded[:length], shippedTables())
			require.Error(t, err, "cut to %d bytes", length)
		}
	})
}

func TestRecordsThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	other := encode(&part{events: []logevent.Sourced{{Source: &sqlq.Table{Name: "other_logs"}}}})
	for name, test := range map[string]struct {
		record []byte
		want   string
	}{
		"an unknown source":         {other, `decode record 1 of the write-ahead log: it has events of "other_logs", which is not a log source`},
		"no content":                {nil, "decode record 1 of the write-ahead log: it is empty"},
		"another format":            {[]byte("no record"), "decode record 1 of the write-ahead log: a build before 0.1.0 or a later savedq wrote it"},
		"a number that is too long": {append([]byte{recordFormat}, bytes.Repeat([]byte{0xff}, 11)...), "unexpected EOF"},
		"more events than bytes":    {[]byte{recordFormat, 0, 0, 0xff, 0xff, 0x7f}, "unexpected EOF"},
		"bytes after its end":       {append(encode(&part{}), 0), "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decodePart(1, test.record, shippedTables())
			require.ErrorContains(t, err, test.want)
		})
	}
}

// Whatever a record holds, decoding it does not panic, and what it gives can be encoded again.
func FuzzDecodeRecord(f *testing.F) {
	message, project := "message", "acme"
	p := &part{accepted: time.UnixMicro(1).UTC(), generated: true}
	p.add(unknownSender, &logevent.Sourced{Source: shippedTables()[0], Event: logevent.Event{ID: "1", Timestamp: p.accepted, EventMessage: &message, Project: &project, Metadata: []byte("[]")}}, logevent.Fingerprint{})
	p.reject(unknownSender, logevent.Rejected{Received: p.accepted, Source: "edge_logs", Reason: "reason", Event: "event"})
	f.Add(encode(p))
	f.Fuzz(func(t *testing.T, record []byte) {
		if decoded, err := decodePart(7, record, shippedTables()); err == nil {
			again, err := decodePart(7, encode(decoded), shippedTables())
			require.NoError(t, err)
			require.Equal(t, decoded.ids, again.ids)
		}
	})
}
