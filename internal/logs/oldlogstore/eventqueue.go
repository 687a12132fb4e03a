package logstore

import (
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// eventSize is a number of events and about how much memory they take.
type eventSize struct{ events, bytes int }

func (s *eventSize) add(event *logevent.Event) {
	s.events++
	s.bytes += len(event.Metadata)
	if event.EventMessage != nil {
		s.bytes += len(*event.EventMessage)
	}
}

// eventQueue holds events by source.
type eventQueue struct {
	eventSize

	sources []sourceEvents
	// last is the index of the source that got the last event.
	last int
}

type sourceEvents struct {
	source *sqlq.Table
	events []logevent.Event
}

func (q *eventQueue) add(source *sqlq.Table, event *logevent.Event) {
	if q.last >= len(q.sources) || q.sources[q.last].source.Name != source.Name {
		q.last = q.find(source)
	}
	events := &q.sources[q.last].events
	*events = append(*events, *event)
	q.eventSize.add(event)
}

// find returns the index of a source, which it adds if necessary.
func (q *eventQueue) find(source *sqlq.Table) int {
	for i := range q.sources {
		if q.sources[i].source.Name == source.Name {
			return i
		}
	}
	q.sources = append(q.sources, sourceEvents{source: source})
	return len(q.sources) - 1
}

// reset removes the events, and keeps the memory for the next ones.
func (q *eventQueue) reset() {
	for i := range q.sources {
		clear(q.sources[i].events)
		q.sources[i].events = q.sources[i].events[:0]
	}
	q.eventSize = eventSize{}
}
