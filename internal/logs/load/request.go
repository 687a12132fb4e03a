package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

const (
	// requestEvents is the largest number of events of a request, so that the response lists
	// all that are rejected.
	requestEvents = logbody.MaxListedErrors
	// requestBytes bounds the size of a request, except for a long event.
	requestBytes = 2 << 20
)

// request is the body of a request: some events in a row.
type request struct {
	// first is the position in the file of the first event, and next the one after the last.
	first, next int
	// offset is how much of the file was read.
	offset int64
	body   []byte
	// ends are the ends of the events in the body, and lines their lines in the file.
	ends, lines []int
}

func (r *request) add(batch *batch, i int) {
	r.body = append(r.body, eventAt(batch.body, batch.ends, i)...)
	r.ends = append(r.ends, len(r.body))
	r.lines = append(r.lines, batch.lines[i])
	r.next = batch.positions[i] + 1
	r.offset = batch.offset
}

// event returns the event at a position in the request.
func (r *request) event(position int) []byte {
	return bytes.TrimSuffix(eventAt(r.body, r.ends, position), []byte("\n"))
}

// requestBuilder builds requests of the events of a file, in their order.
type requestBuilder struct {
	requests chan<- *request
	next     request
}

// add adds an event of a batch.
func (b *requestBuilder) add(ctx context.Context, batch *batch, i int) error {
	if len(b.next.body)+len(eventAt(batch.body, batch.ends, i)) > logbody.MaxBytes {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	b.next.add(batch, i)
	if len(b.next.lines) < requestEvents && len(b.next.body) < requestBytes {
		return nil
	}
	return b.flush(ctx)
}

// skip skips an event that was acknowledged earlier, so that the ranges of positions of
// different requests do not overlap.
func (b *requestBuilder) skip(ctx context.Context, position int) error {
	if err := b.flush(ctx); err != nil {
		return err
	}
	b.next.first = position + 1
	return nil
}

// flush passes on the events that were added, if there are any.
func (b *requestBuilder) flush(ctx context.Context) error {
	if len(b.next.lines) == 0 {
		return nil
	}
	full := b.next
	select {
	case b.requests <- &full:
	case <-ctx.Done():
		return ctx.Err()
	}
	b.next = request{first: full.next}
	return nil
}

// sentEvent is an event as it is sent: complete, so that sending it again is the same.
type sentEvent struct {
	ID           string          `json:"id"`
	Timestamp    string          `json:"timestamp"`
	EventMessage *string         `json:"event_message,omitempty"`
	Project      *string         `json:"project,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
}

// timestampLayout is RFC 3339 in UTC with microseconds. The unit of an integer would depend on
// its magnitude (D35).
const timestampLayout = "2006-01-02T15:04:05.000000Z"

// newEncoder returns a function that decodes batches, and encodes their events for requests.
// It is not safe for concurrent use.
func (s *sending) newEncoder() func(*batch) {
	decode := s.newDecoder()
	types := logstore.NewTypeCheck(s.source)
	return func(batch *batch) {
		decode(batch)
		var body bytes.Buffer
		encoder := json.NewEncoder(&body)
		encoder.SetEscapeHTML(false)
		kept := 0
		for i := range batch.events {
			start := body.Len()
			_ = encoder.Encode(encodable(&batch.events[i])) // cannot fail: the metadata is valid
			if size := body.Len() - start; size > logbody.MaxBytes {
				batch.rejected = append(batch.rejected, logevent.Rejected{
					Position: batch.lines[i], Reason: fmt.Sprintf("event: has %d bytes; a request to a server has at most %s", size, sqlq.FormatBytes(logbody.MaxBytes)),
					Event: logevent.Cut(body.Bytes()[start:], logevent.MaxRejectedBytes),
				})
				body.Truncate(start)
				continue
			}
			batch.events[kept], batch.lines[kept], batch.positions[kept] = batch.events[i], batch.lines[i], batch.positions[i]
			batch.ends = append(batch.ends, body.Len())
			batch.mistyped = append(batch.mistyped, types.Mistyped(&batch.events[i])...)
			kept++
		}
		batch.events, batch.lines, batch.positions = batch.events[:kept], batch.lines[:kept], batch.positions[:kept]
		batch.body = body.Bytes()
	}
}

func encodable(event *logevent.Event) sentEvent {
	return sentEvent{
		ID: event.ID, Timestamp: event.Timestamp.In(time.UTC).Format(timestampLayout),
		EventMessage: event.EventMessage, Project: event.Project, Metadata: event.Metadata,
	}
}
