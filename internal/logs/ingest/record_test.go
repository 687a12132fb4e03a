package ingest

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
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
	var records encoder
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawPart(t), drawPart(t)
		encoded := records.encode([]*part{first, second})
		require.Len(t, encoded, 2)
		for i, want := range []*part{first, second} {
			decoded, err := decodePart(7, encoded[i], shippedTables())
			require.NoError(t, err)
			require.Equal(t, want, decoded)
		}
	})
}

// A record of a later version can have further fields, of any kind.
func TestFurtherFieldsOfARecordAreIgnored(t *testing.T) {
	t.Parallel()
	p := &part{sequence: 7, accepted: time.UnixMicro(1).UTC(), generated: true}
	var records encoder
	record := records.encode([]*part{p})[0]
	record = appendText(record, 100, "text")
	record = appendVarint(record, 101, 1)
	record = protowire.AppendFixed32(protowire.AppendTag(record, 102, protowire.Fixed32Type), 1)
	decoded, err := decodePart(7, record, shippedTables())
	require.NoError(t, err)
	assert.Equal(t, p, decoded)
}

func TestRecordsThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	var records encoder
	other := records.encode([]*part{{events: []logevent.Sourced{{Source: &sqlq.Table{Name: "other_logs"}}}}})[0]
	// record returns a record that ends after the tag of a field.
	record := func(field protowire.Number, kind protowire.Type, rest ...byte) []byte {
		return append(protowire.AppendTag([]byte{recordFormat}, field, kind), rest...)
	}
	event := appendBytes([]byte{recordFormat}, recordEvent, protowire.AppendTag(nil, eventID, protowire.BytesType))
	for name, test := range map[string]struct {
		record []byte
		want   string
	}{
		"an unknown source":             {other, `decode record 1 of the write-ahead log: it has events of "other_logs", which is not a log source`},
		"no content":                    {nil, "decode record 1 of the write-ahead log: it is empty"},
		"another format":                {[]byte("no record"), "decode record 1 of the write-ahead log: a build before 0.1.0 or a later savedq wrote it"},
		"a field without its value":     {record(recordAccepted, protowire.VarintType), "unexpected EOF"},
		"an event that ends too early":  {event, "unexpected EOF"},
		"a field with the number 0":     {[]byte{recordFormat, 0}, "invalid field number"},
		"a group that does not end":     {record(recordAccepted, protowire.StartGroupType), "unexpected EOF"},
		"a varint that is too long":     {record(recordAccepted, protowire.VarintType, bytes.Repeat([]byte{0xff}, 11)...), "variable length integer overflow"},
		"a text longer than the record": {record(recordEvent, protowire.BytesType, 0xff, 0xff, 0x7f), "unexpected EOF"},
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
	var records encoder
	f.Add(records.encode([]*part{p})[0])
	f.Fuzz(func(t *testing.T, record []byte) {
		if decoded, err := decodePart(7, record, shippedTables()); err == nil {
			var records encoder
			again, err := decodePart(7, records.encode([]*part{decoded})[0], shippedTables())
			require.NoError(t, err)
			require.Equal(t, decoded.ids, again.ids)
		}
	})
}
