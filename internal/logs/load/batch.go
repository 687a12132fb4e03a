package load

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // UUIDs of version 5 use it.
	"encoding/json"
	"fmt"
	"hash"
	"time"

	"github.com/google/uuid"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

const (
	// batchEvents and batchBytes bound a batch that is loaded into a store.
	batchEvents = 512
	batchBytes  = 256 << 10
	// batchesAhead and bytesAhead bound the batches that are decoded while the store is busy.
	batchesAhead = 64
	bytesAhead   = 8 << 20
	// maxDecoders limits the goroutines that decode. The store takes longer than decoding.
	maxDecoders = 4
)

// batch is some events in a row.
type batch struct {
	// number counts the batches of a file from 0.
	number int
	// text holds the raw events that items refer to.
	text  []byte
	items []item
	// offset is how much of the file was read.
	offset int64

	// decoded is closed when the fields below are set.
	decoded chan struct{}
	// events are those that are not rejected, and lines are theirs.
	events   []logevent.Event
	lines    []int
	rejected []logevent.Rejected
	// ignored are the fields of all events, one after the other.
	ignored []string
	// body holds the events as they are sent, if they are, and ends are the ends of each.
	// mistyped are their mistyped fields.
	body     []byte
	ends     []int
	mistyped []eventrow.MistypedField
}

// item is an event of a file, or a part of the file that is not an event.
type item struct {
	// start and end are its place in the text of the batch.
	start, end int
	line       int
	// id is for an event that has none.
	id uuid.UUID
	// malformed is the reason why it is not an event, or empty.
	malformed string
}

// batchLimits bound a batch. One event can have more bytes.
type batchLimits struct{ events, bytes int }

func (l batchLimits) newBatch(number int) *batch {
	return &batch{number: number, text: make([]byte, 0, l.bytes), items: make([]item, 0, l.events), decoded: make(chan struct{})}
}

func (l batchLimits) reached(b *batch) bool {
	return len(b.items) >= l.events || len(b.text) >= l.bytes
}

func (b *batch) add(raw []byte, line int, id uuid.UUID, malformed string) {
	start := len(b.text)
	b.text = append(b.text, raw...)
	b.items = append(b.items, item{start: start, end: len(b.text), line: line, id: id, malformed: malformed})
}

// weight is the batch's part of bytesAhead.
func (b *batch) weight() int64 { return int64(min(len(b.text), bytesAhead)) }

// eventIDs generates ids for events without one. An id is a hash of the source and of the
// file up to and including the event. So loading a file again, under another name or
// compression, or after appending to it, adds nothing twice, while two equal events in one
// file stay two.
type eventIDs struct {
	last uuid.UUID
	hash hash.Hash
	sum  []byte
}

func newEventIDs(source *sqlq.Table) *eventIDs {
	return &eventIDs{
		last: uuid.NewSHA1(uuid.NameSpaceURL, []byte("savedq:"+source.Name)),
		hash: sha1.New(), //nolint:gosec // UUIDs of version 5 use it; nothing is secret.
	}
}

// next hashes the next event of the file, even if it has an id or is malformed. The result
// is the id for the event if it has none.
//
// It is [uuid.NewSHA1] of the previous id and the event, without allocations.
func (e *eventIDs) next(raw []byte) uuid.UUID {
	e.hash.Reset()
	_, _ = e.hash.Write(e.last[:])
	_, _ = e.hash.Write(raw)
	e.sum = e.hash.Sum(e.sum[:0])
	copy(e.last[:], e.sum)
	const version, variant = 5 << 4, 0x80
	e.last[6] = e.last[6]&0x0f | version
	e.last[8] = e.last[8]&0x3f | variant
	return e.last
}

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
	types := eventrow.NewTypeCheck(s.source)
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
				Position: batch.lines[i],
				Reason:   fmt.Sprintf("event: has %d bytes; a request to a server has at most %s", size, sqlq.FormatBytes(logbody.MaxBytes)),
				Event:    logevent.Cut(body.Bytes()[start:], logevent.MaxRejectedBytes),
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
