package load

import (
	"github.com/google/uuid"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
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
	mistyped []logstore.MistypedField
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
