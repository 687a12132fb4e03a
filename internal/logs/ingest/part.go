package ingest

import (
	"time"

	"savedq/internal/logs/logstore"
)

const (
	// recordEvents and recordBytes limit a record of the write-ahead log, so that it fits
	// into one transaction of the store.
	recordEvents = 20_000
	recordBytes  = 4 << 20
)

// part is a record of the write-ahead log that is not stored yet.
type part struct {
	sequence  uint64
	accepted  time.Time
	generated bool
	events    []Event
	ids       []fingerprint
	rejected  []logstore.RejectedEvent
	bytes     int64
	// held divides bytes among the senders of the events.
	held map[string]int64
}

// newPart returns a part with room for a number of events, or for as many as it can have.
func newPart(accepted time.Time, generated bool, events int) *part {
	events = min(events, recordEvents)
	return &part{
		accepted: accepted, generated: generated, held: make(map[string]int64),
		events: make([]Event, 0, events), ids: make([]fingerprint, 0, events),
	}
}

// add adds an event.
func (p *part) add(event *Event, id fingerprint) {
	p.events = append(p.events, *event)
	p.ids = append(p.ids, id)
	p.bytes += eventBytes(event)
}

// reject adds rejected events.
func (p *part) reject(events ...logstore.RejectedEvent) {
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
