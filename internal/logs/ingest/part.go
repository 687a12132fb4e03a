package ingest

import (
	"time"

	"savedq/internal/logs/logevent"
)

const (
	// recordEvents and recordBytes limit a record of the write-ahead log, so that it fits
	// into one transaction of the store.
	recordEvents = 20_000
	recordBytes  = 4 << 20
)

// unknownSender stands for the senders of recovered events, which the log does not have.
const unknownSender = ""

// part is a record of the write-ahead log that is not stored yet.
type part struct {
	sequence  uint64
	accepted  time.Time
	generated bool
	// count is the number of the events. Once the part is unloaded, only the write-ahead log has them.
	count    int
	unloaded bool
	events   []logevent.Sourced
	ids      []logevent.Fingerprint
	rejected []logevent.Rejected
	bytes    int64
	// held divides bytes among the senders of the events.
	held map[string]int64
}

// newPart returns a part with room for a number of events, or for as many as it can have.
func newPart(accepted time.Time, generated bool, events int) *part {
	events = min(events, recordEvents)
	return &part{accepted: accepted, generated: generated, events: make([]logevent.Sourced, 0, events), ids: make([]logevent.Fingerprint, 0, events)}
}

// add adds an event of a sender.
func (p *part) add(sender string, event *logevent.Sourced, id logevent.Fingerprint) {
	p.count++
	p.events = append(p.events, *event)
	p.ids = append(p.ids, id)
	p.hold(sender, int64(event.MemoryBytes()))
}

// reject adds rejected events of a sender.
func (p *part) reject(sender string, events ...logevent.Rejected) {
	p.rejected = append(p.rejected, events...)
	for i := range events {
		p.hold(sender, rejectedBytes(&events[i]))
	}
}

func (p *part) hold(sender string, bytes int64) {
	if p.held == nil {
		p.held = make(map[string]int64)
	}
	p.held[sender] += bytes
	p.bytes += bytes
}

// isFull reports whether the next event belongs to another record.
func (p *part) isFull() bool { return len(p.events) >= recordEvents || p.bytes >= recordBytes }

// rejectedBytes returns about how much memory a rejected event takes.
func rejectedBytes(event *logevent.Rejected) int64 {
	const fixed = 200
	return int64(fixed + len(event.Reason) + len(event.Event))
}
