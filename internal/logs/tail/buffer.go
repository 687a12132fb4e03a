package tail

import (
	"savedq/internal/logs/logevent"
)

// buffer holds the newest events, up to a number and a size.
type buffer struct {
	maxEvents, maxBytes int
	events              []logevent.Sourced
	bytes               int
	// dropped counts the events that were dropped since the last take.
	dropped int
}

func newBuffer(maxEvents, maxBytes int) buffer {
	return buffer{maxEvents: maxEvents, maxBytes: maxBytes}
}

// push appends an event, and drops the oldest ones if there are too many. An event that is
// larger than the buffer is dropped itself.
func (b *buffer) push(event logevent.Sourced) {
	size := event.MemoryBytes()
	if size > b.maxBytes {
		b.dropped++
		return
	}
	for len(b.events) > 0 && (len(b.events) >= b.maxEvents || b.bytes+size > b.maxBytes) {
		b.bytes -= b.events[0].MemoryBytes()
		b.events[0] = logevent.Sourced{} // the memory of its texts can be freed
		b.events = b.events[1:]
		b.dropped++
	}
	b.events = append(b.events, event)
	b.bytes += size
}

// take removes the oldest events, at most a number of them. It returns them, and how many
// events were dropped before them.
func (b *buffer) take(most int) (events []logevent.Sourced, dropped int) {
	events, dropped = b.events, b.dropped
	b.dropped = 0
	if len(events) <= most {
		b.events, b.bytes = nil, 0
		return events, dropped
	}
	events, b.events = events[:most:most], events[most:]
	for i := range events {
		b.bytes -= events[i].MemoryBytes()
	}
	return events, dropped
}
