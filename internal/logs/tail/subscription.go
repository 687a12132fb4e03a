package tail

import (
	"context"
	"sync"

	"savedq/internal/logs/logevent"
)

// Subscription receives the events that pass a filter. One goroutine at a time may read it.
type Subscription struct {
	hub    *Hub
	caller string
	filter Filter
	ready  chan struct{}

	mutex   sync.Mutex
	pending buffer
}

// Batch is what a reader receives at once.
type Batch struct {
	// Events are in the order of their commits.
	Events []logevent.Sourced
	// Dropped is how many events were dropped before these, because the reader was too slow.
	// It may include events that do not pass the filter, if the server itself was too slow.
	Dropped int
}

// Next waits for events, and returns at most a number of them. It returns the error of the
// context.
func (s *Subscription) Next(ctx context.Context, most int) (Batch, error) {
	for {
		if batch := s.take(most); len(batch.Events) > 0 || batch.Dropped > 0 {
			return batch, nil
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Batch{}, context.Cause(ctx)
		}
	}
}

// Close ends the subscription. It can be called several times.
func (s *Subscription) Close() { s.hub.remove(s) }

func (s *Subscription) take(most int) (batch Batch) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	batch.Events, batch.Dropped = s.pending.take(most)
	return batch
}

func (s *Subscription) add(event logevent.Sourced) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pending.push(event)
}

// prepare sets how many bytes can wait for the reader, and notes that events were dropped
// before they were compared with the filter. They come before those that are added next.
func (s *Subscription) prepare(maxBytes, dropped int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pending.maxBytes = maxBytes
	s.pending.dropped += dropped
	if dropped > 0 {
		signal(s.ready)
	}
}

// wake wakes the reader if there is something new.
func (s *Subscription) wake() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.pending.events) > 0 || s.pending.dropped > 0 {
		signal(s.ready)
	}
}
