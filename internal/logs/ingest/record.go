package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// A record of the write-ahead log is recordFormat and then a sequence of values: when its events were accepted,
// whether they are demo logs, the number of events and these, the number of rejected events and these. A number is a
// varint, a time the microseconds since 1970, and a text its length and its bytes. An optional text begins with 1, and
// is only a 0 if there is none.
//
// A version that stores anything else must use another format, and read this one, too: an older version may have
// written the log.
const recordFormat = 1

// encode returns the record of a part.
func encode(p *part) []byte {
	record := appendTime(append(make([]byte, 0, p.bytes), recordFormat), p.accepted)
	record = append(record, 0)
	if p.generated {
		record[len(record)-1] = 1
	}
	record = binary.AppendUvarint(record, uint64(len(p.events)))
	for i := range p.events {
		event := &p.events[i]
		record = appendText(appendText(record, event.Source.Name), event.ID)
		record = appendTime(record, event.Timestamp)
		record = appendOptional(appendOptional(record, event.EventMessage), event.Project)
		if event.Metadata == nil {
			record = append(record, 0)
		} else {
			record = appendText(append(record, 1), event.Metadata)
		}
	}
	record = binary.AppendUvarint(record, uint64(len(p.rejected)))
	for i := range p.rejected {
		rejected := &p.rejected[i]
		record = appendText(appendText(appendTime(record, rejected.Received), rejected.RequestID), rejected.Source)
		record = binary.AppendUvarint(record, uint64(rejected.Position)) //nolint:gosec // It is not negative.
		record = appendText(appendText(record, rejected.Reason), rejected.Event)
	}
	return record
}

func appendTime(record []byte, value time.Time) []byte {
	return binary.AppendVarint(record, value.UnixMicro())
}

func appendText[T ~string | ~[]byte](record []byte, value T) []byte {
	return append(binary.AppendUvarint(record, uint64(len(value))), value...)
}

func appendOptional(record []byte, value *string) []byte {
	if value == nil {
		return append(record, 0)
	}
	return appendText(append(record, 1), *value)
}

// decodePart decodes a record. It does not refer to the content afterwards.
func decodePart(sequence uint64, content []byte, tables sqlq.Tables) (*part, error) {
	decoded, err := decodeRecord(content, tables)
	if err != nil {
		return nil, fmt.Errorf("decode record %d of the write-ahead log: %w", sequence, err)
	}
	decoded.sequence = sequence
	return decoded, nil
}

func decodeRecord(content []byte, tables sqlq.Tables) (*part, error) {
	if len(content) == 0 {
		return nil, errors.New("it is empty")
	}
	if content[0] != recordFormat {
		return nil, errors.New("a build before 0.1.0 or a later savedq wrote it; store its events with that one, or move the log away and send them again")
	}
	d := newDecoder(content[1:])
	p := &part{accepted: d.time(), generated: d.number() == 1}
	for range d.count() {
		table := d.text()
		event := &logevent.Sourced{Event: logevent.Event{ID: d.text(), Timestamp: d.time(), EventMessage: d.optional(), Project: d.optional()}}
		if d.number() != 0 {
			event.Metadata = d.bytes()
		}
		if d.failed {
			break
		}
		var found bool
		if event.Source, found = tables.FindSource(table); !found {
			return nil, fmt.Errorf("it has events of %q, which is not a log source of the store", table)
		}
		p.add(unknownSender, event, event.Fingerprint())
	}
	for range d.count() {
		p.reject(unknownSender, logevent.Rejected{
			Received: d.time(), RequestID: d.text(), Source: d.text(), Position: int(d.number()), Reason: d.text(), Event: d.text(), //nolint:gosec // As encode.
		})
	}
	if d.failed || len(d.rest) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return p, nil
}

// decoder reads the values of a record. Once one of them is invalid, it returns zero values. The values share two copies of the
// record, because a copy of each text would take longer than all else.
type decoder struct {
	// rest is what was not read yet, and texts is the same as a string.
	rest   []byte
	texts  string
	failed bool
}

// newDecoder returns a decoder of a copy of the content.
func newDecoder(content []byte) *decoder {
	return &decoder{rest: bytes.Clone(content), texts: string(content)}
}

// skip removes the first bytes of the rest. A number that is not positive is how package binary reports an invalid
// varint.
func (d *decoder) skip(bytes int) {
	if bytes <= 0 || d.failed {
		d.rest, d.texts, d.failed = nil, "", true
		return
	}
	d.rest, d.texts = d.rest[bytes:], d.texts[bytes:]
}

func (d *decoder) number() uint64 {
	number, bytes := binary.Uvarint(d.rest)
	d.skip(bytes)
	return number
}

// count returns a number of values, each of which has at least a byte.
func (d *decoder) count() uint64 {
	if count := d.number(); count <= uint64(len(d.rest)) {
		return count
	}
	d.skip(-1)
	return 0
}

func (d *decoder) time() time.Time {
	microseconds, bytes := binary.Varint(d.rest)
	d.skip(bytes)
	return time.UnixMicro(microseconds).UTC()
}

func (d *decoder) text() string {
	length := d.count()
	text := d.texts[:length]
	d.rest, d.texts = d.rest[length:], d.texts[length:]
	return text
}

func (d *decoder) bytes() []byte {
	length := d.count()
	value := d.rest[:length:length]
	d.rest, d.texts = d.rest[length:], d.texts[length:]
	return value
}

func (d *decoder) optional() *string {
	if d.number() == 0 {
		return nil
	}
	return new(d.text())
}
