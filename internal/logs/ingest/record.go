package ingest

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

const (
	// recordEvents and recordBytes limit a record of the write-ahead log, so that it fits
	// into one transaction of the store.
	recordEvents = 20_000
	recordBytes  = 4 << 20
)

// record is what a record of the write-ahead log holds, in the encoding of gob. Fields may
// be added, but not changed: an older version may have written the log.
type record struct {
	// Accepted is when the events were accepted.
	Accepted  time.Time
	Generated bool
	Events    []recordEvent
	Rejected  []logstore.RejectedEvent
}

// recordEvent is an event in a record.
type recordEvent struct {
	// Source is the table of the source.
	Source    string
	ID        string
	Timestamp int64 // microseconds since 1970
	// Absent fields have no text.
	EventMessage, Project string
	HasMessage            bool
	HasProject            bool
	Metadata              []byte
}

// part is a record of the write-ahead log that is not stored yet.
type part struct {
	sequence  uint64
	accepted  time.Time
	generated bool
	events    []Event
	ids       []fingerprint
	rejected  []logstore.RejectedEvent
	bytes     int64
}

func (p *part) encode() ([]byte, error) {
	encoded := record{Accepted: p.accepted, Generated: p.generated, Rejected: p.rejected, Events: make([]recordEvent, len(p.events))}
	for i := range p.events {
		event := &p.events[i]
		to := recordEvent{Source: event.Source.Table, ID: event.ID, Timestamp: event.Timestamp.UnixMicro(), Metadata: event.Metadata}
		if event.EventMessage != nil {
			to.EventMessage, to.HasMessage = *event.EventMessage, true
		}
		if event.Project != nil {
			to.Project, to.HasProject = *event.Project, true
		}
		encoded.Events[i] = to
	}
	var buffer bytes.Buffer
	if err := gob.NewEncoder(&buffer).Encode(encoded); err != nil {
		return nil, fmt.Errorf("encode events for the write-ahead log: %w", err)
	}
	return buffer.Bytes(), nil
}

func decodePart(sequence uint64, content []byte) (*part, error) {
	var decoded record
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(&decoded); err != nil {
		return nil, fmt.Errorf("decode record %d of the write-ahead log: %w", sequence, err)
	}
	p := &part{sequence: sequence, accepted: decoded.Accepted, generated: decoded.Generated}
	p.reject(decoded.Rejected)
	for i := range decoded.Events {
		from := &decoded.Events[i]
		source, ok := logstore.FindSource(from.Source)
		if !ok {
			return nil, fmt.Errorf("record %d of the write-ahead log has events of %q, which is not a log source", sequence, from.Source)
		}
		event := Event{Source: source, Event: logevent.Event{ID: from.ID, Timestamp: time.UnixMicro(from.Timestamp).UTC(), Metadata: from.Metadata}}
		if from.HasMessage {
			event.EventMessage = &from.EventMessage
		}
		if from.HasProject {
			event.Project = &from.Project
		}
		p.add(&event, fingerprintOf(&event))
	}
	return p, nil
}

// add adds an event.
func (p *part) add(event *Event, id fingerprint) {
	p.events = append(p.events, *event)
	p.ids = append(p.ids, id)
	p.bytes += eventBytes(event)
}

// reject adds rejected events.
func (p *part) reject(events []logstore.RejectedEvent) {
	p.rejected = append(p.rejected, events...)
	for i := range events {
		p.bytes += rejectedBytes(&events[i])
	}
}

// isFull reports whether the next event belongs to another record.
func (p *part) isFull() bool { return len(p.events) >= recordEvents || p.bytes >= recordBytes }

// eventBytes returns about how much memory an event takes.
func eventBytes(event *Event) int64 {
	const fixed = 200
	bytes := fixed + len(event.ID) + len(event.Metadata)
	if event.EventMessage != nil {
		bytes += len(*event.EventMessage)
	}
	if event.Project != nil {
		bytes += len(*event.Project)
	}
	return int64(bytes)
}

// rejectedBytes returns about how much memory a rejected event takes.
func rejectedBytes(event *logstore.RejectedEvent) int64 {
	const fixed = 200
	return int64(fixed + len(event.Reason) + len(event.Event))
}
