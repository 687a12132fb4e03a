package ingest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"syscall"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// groupBytes limits the batches that are committed together. A single batch may be larger.
const groupBytes = 8 << 20

// commitGroups commits the waiting requests, all that have arrived during one commit together
// in the next one, until the writer closes.
func (w *Writer) commitGroups(ctx context.Context) {
	for {
		group := w.takeGroup()
		if group == nil {
			select {
			case <-w.requested:
				continue
			case <-w.ending:
			}
			if group = w.takeGroup(); group == nil {
				return
			}
		}
		w.commitGroup(ctx, group)
	}
}

// takeGroup removes the oldest requests from the queue.
func (w *Writer) takeGroup() []*request {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	count, bytes := 0, int64(0)
	for count < len(w.requests) && (count == 0 || bytes+w.requests[count].bytes <= groupBytes) {
		bytes += w.requests[count].bytes
		count++
	}
	group := slices.Clone(w.requests[:count])
	w.requests = slices.Delete(w.requests, 0, count)
	if count == 0 {
		return nil
	}
	return group
}

// commitGroup makes requests durable, all or none, and notifies their callers.
func (w *Writer) commitGroup(ctx context.Context, group []*request) {
	now := w.config.Clock().UTC().Truncate(time.Microsecond)
	w.window.expire(now)
	events := 0
	for _, request := range group {
		events += len(request.batch.Events)
	}
	sorting := sorting{writer: w, now: now, events: events, seen: make(map[logevent.Fingerprint]struct{}, events)}
	outcomes := make([]outcome, len(group))
	for i, request := range group {
		outcomes[i] = sorting.sort(request)
	}
	err := w.appendParts(sorting.parts)
	if err != nil {
		w.config.Logger.ErrorContext(ctx, "events cannot be stored", slog.Any("error", err), slog.Int("batches", len(group)))
		failed := outcome{err: sqlq.Rejectf(sqlq.Unavailable, retryAfter, "%s; send the events again later", reasonOf(err)).WithCause(err)}
		w.release(group, nil)
		for _, request := range group {
			request.done <- failed
		}
		return
	}
	w.publish(sorting.parts)
	w.release(group, sorting.parts)
	for i, request := range group {
		w.observe(request.batch, sorting.bySource[i])
		request.done <- outcomes[i]
	}
}

// reasonOf describes an error of the disk or the store to senders, without paths.
func reasonOf(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "the server's disk is full"
	}
	return "the server cannot store events now"
}

// sorting sorts the events of a group into new ones and duplicates.
type sorting struct {
	writer *Writer
	now    time.Time
	// events is the number of events of the group, and seen holds their ids.
	events int
	seen   map[logevent.Fingerprint]struct{}
	parts  []*part
	// bySource are the counts of each batch.
	bySource []map[string]Counts
}

// sort adds the new events of a batch to the parts.
func (s *sorting) sort(request *request) outcome {
	batch := request.batch
	counts := make(map[string]Counts)
	s.bySource = append(s.bySource, counts)
	if batch.Generated && s.writer.otherLogs {
		return outcome{err: logstore.ErrHoldsOtherLogs}
	}
	var total Counts
	for i := range batch.Events {
		event := &batch.Events[i]
		id := event.Fingerprint()
		count := counts[event.Source.Name]
		if s.isDuplicate(id) {
			total.Duplicates++
			count.Duplicates++
		} else {
			total.Accepted++
			count.Accepted++
			s.part(batch.Generated).add(batch.Sender, event, id)
		}
		counts[event.Source.Name] = count
	}
	if len(request.rejected) > 0 {
		s.part(batch.Generated).reject(batch.Sender, request.rejected...)
	}
	return outcome{counts: total}
}

func (s *sorting) isDuplicate(id logevent.Fingerprint) bool {
	if s.writer.window.length == 0 {
		return false
	}
	if _, repeated := s.seen[id]; repeated {
		return true
	}
	s.seen[id] = struct{}{}
	return s.writer.window.has(id)
}

// part returns the part that takes the next event.
func (s *sorting) part(generated bool) *part {
	if last := len(s.parts) - 1; last >= 0 && s.parts[last].generated == generated && !s.parts[last].isFull() {
		return s.parts[last]
	}
	s.parts = append(s.parts, newPart(s.now, generated, s.events))
	return s.parts[len(s.parts)-1]
}

// appendParts appends parts to the write-ahead log.
func (w *Writer) appendParts(parts []*part) error {
	if len(parts) == 0 {
		return nil // duplicates of what is durable
	}
	records := make([][]byte, len(parts))
	for i, part := range parts {
		records[i] = encode(part)
	}
	last, err := w.log.Append(records...)
	if err != nil {
		return err
	}
	for i, part := range parts {
		part.sequence = last - uint64(len(parts)-1-i) //nolint:gosec // There are at least as many sequence numbers.
	}
	return nil
}

// publish passes durable parts on to readers that need not wait until they are stored.
func (w *Writer) publish(parts []*part) {
	for _, part := range parts {
		w.remember(part)
		w.otherLogs = w.otherLogs || !part.generated && len(part.events) > 0
		if w.config.Committed != nil && len(part.events) > 0 {
			w.config.Committed(part.events)
		}
	}
}

// remember adds the ids of a durable part to the window.
func (w *Writer) remember(durable *part) {
	for _, id := range durable.ids {
		w.window.add(id, durable.accepted)
	}
}

// release passes durable parts on to be stored. It releases the memory of their requests that
// the parts do not need.
func (w *Writer) release(group []*request, parts []*part) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, request := range group {
		w.memory.Release(request.batch.Sender, request.bytes)
	}
	for _, part := range parts {
		for sender, bytes := range part.held {
			w.memory.Take(sender, bytes)
		}
		w.committed = part.sequence
	}
	w.wait(parts...)
	w.forgotten = w.window.forgotten
}

// observe reports a committed batch.
func (w *Writer) observe(batch *Batch, bySource map[string]Counts) {
	for source, counts := range bySource {
		w.config.Observer.EventsCommitted(source, counts)
	}
	rejected := make(map[string]int)
	for i := range batch.Rejected {
		rejected[w.knownSource(batch.Rejected[i].Source)]++
	}
	for source, count := range rejected {
		w.config.Observer.EventsRejected(source, count)
	}
}

// knownSource returns the table of a source, or "unknown" for anything else that a sender
// names, of which there are too many for a metric.
func (w *Writer) knownSource(name string) string {
	if source, ok := w.config.Store.Tables().FindSource(name); ok {
		return source.Name
	}
	return "unknown"
}
