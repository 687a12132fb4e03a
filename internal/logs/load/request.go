package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// requestLimits bound a batch that is sent. The response to a request lists all of its rejected events.
func requestLimits() batchLimits { return batchLimits{events: logbody.MaxListedErrors, bytes: 2 << 20} }

// eventAt returns the event at an index of the body.
func (b *batch) eventAt(i int) []byte { return b.body[b.start(i):b.ends[i]] }

// start returns the start of the event at an index of the body.
func (b *batch) start(i int) int {
	if i == 0 {
		return 0
	}
	return b.ends[i-1]
}

// fit returns the index after the last of the events, from a first one on, that fit into a request.
func (b *batch) fit(first int) (end int) {
	for end = first; end < len(b.ends) && b.ends[end]-b.start(first) <= logbody.MaxBytes; {
		end++
	}
	return end
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

// encode decodes a batch, and encodes its events for requests. It is safe for concurrent use.
func (s *sending) encode(batch *batch) {
	s.decode(batch)
	types := logstore.NewTypeCheck(s.source)
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	for i := range batch.events {
		event, start := &batch.events[i], body.Len()
		_ = encoder.Encode(sentEvent{ // cannot fail: the metadata is valid
			ID: event.ID, Timestamp: event.Timestamp.In(time.UTC).Format(timestampLayout),
			EventMessage: event.EventMessage, Project: event.Project, Metadata: event.Metadata,
		})
		if size := body.Len() - start; size > logbody.MaxBytes {
			batch.rejected = append(batch.rejected, logevent.Rejected{
				Position: batch.lines[i], Reason: fmt.Sprintf("event: has %d bytes; a request to a server has at most %s", size, sqlq.FormatBytes(logbody.MaxBytes)),
				Event: logevent.Cut(body.Bytes()[start:], logevent.MaxRejectedBytes),
			})
			body.Truncate(start)
			continue
		}
		batch.lines[len(batch.ends)] = batch.lines[i]
		batch.ends = append(batch.ends, body.Len())
		batch.mistyped = append(batch.mistyped, types.Mistyped(event)...)
	}
	batch.body, batch.events = body.Bytes(), nil
}
