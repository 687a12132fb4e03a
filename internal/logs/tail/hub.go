// Package tail passes committed events on to callers who follow the logs as they arrive.
//
// The writer must never wait for a reader: it hands its events to a [Hub], which drops the
// oldest ones of a reader who is too slow and counts them.
package tail

import (
	"sync"
	"sync/atomic"

	"savedq/internal/logs/ingest"
	"savedq/sqlq"
)

// Limits bound the memory of a hub.
type Limits struct {
	// Subscriptions is how many there can be at the same time.
	Subscriptions int
	// HubEvents and HubBytes bound the events that were published and not yet compared with
	// the filters.
	HubEvents, HubBytes int
	// Events and Bytes bound those that wait for the reader of one subscription.
	Events, Bytes int
}

// DefaultLimits returns limits for a server.
func DefaultLimits() Limits {
	return Limits{Subscriptions: 500, HubEvents: 100_000, HubBytes: 32 << 20, Events: 2_000, Bytes: 2 << 20}
}

// Hub passes events to its subscriptions. It does no work while there are none. It is safe
// for concurrent use.
type Hub struct {
	limits Limits
	// listening reports whether there is a subscription, without the mutex.
	listening atomic.Bool

	mutex         sync.Mutex
	subscriptions map[*Subscription]struct{}
	// published waits for the goroutine that compares events with the filters. It runs while
	// there are subscriptions.
	published buffer
	arrived   chan struct{}
}

// NewHub returns a hub without subscriptions.
func NewHub(limits Limits) *Hub {
	return &Hub{
		limits:        limits,
		subscriptions: make(map[*Subscription]struct{}),
		published:     newBuffer(limits.HubEvents, limits.HubBytes),
	}
}

// Publish passes committed events on. It does not wait for readers, and keeps no reference to
// the slice. Callers must not change the events afterwards.
func (h *Hub) Publish(events []ingest.Event) {
	if !h.listening.Load() {
		return
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if len(h.subscriptions) == 0 {
		return
	}
	for i := range events {
		h.published.push(events[i])
	}
	signal(h.arrived)
}

// Subscribe returns a subscription to the events that pass the filter from now on. Callers
// must close it. The error is RESOURCE_EXHAUSTED if there are too many.
func (h *Hub) Subscribe(filter Filter) (*Subscription, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if len(h.subscriptions) >= h.limits.Subscriptions {
		return nil, sqlq.Errorf(sqlq.ResourceExhausted, "%d callers follow the logs already, the most that this server allows; try again later", h.limits.Subscriptions)
	}
	added := &Subscription{
		hub: h, filter: filter, ready: make(chan struct{}, 1),
		pending: newBuffer(h.limits.Events, h.limits.Bytes),
	}
	if len(h.subscriptions) == 0 {
		h.arrived = make(chan struct{}, 1)
		go h.distribute(h.arrived)
		h.listening.Store(true)
	}
	h.subscriptions[added] = struct{}{}
	return added, nil
}

// remove removes a subscription. It ends the goroutine of the hub with the last one.
func (h *Hub) remove(ended *Subscription) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if _, found := h.subscriptions[ended]; !found {
		return
	}
	delete(h.subscriptions, ended)
	if len(h.subscriptions) == 0 {
		h.listening.Store(false)
		close(h.arrived)
		h.published = newBuffer(h.limits.HubEvents, h.limits.HubBytes)
	}
}

// distribute compares events with the filters until arrived is closed.
func (h *Hub) distribute(arrived <-chan struct{}) {
	for range arrived {
		events, dropped, subscriptions := h.take()
		for _, subscription := range subscriptions {
			subscription.drop(dropped)
		}
		for i := range events {
			arrival := newArrival(&events[i])
			for _, subscription := range subscriptions {
				if subscription.filter.matches(arrival) {
					subscription.add(events[i])
				}
			}
		}
		for _, subscription := range subscriptions {
			subscription.wake()
		}
	}
}

// take returns what was published since the last call, how many earlier events were dropped,
// and the subscriptions.
func (h *Hub) take() (events []ingest.Event, dropped int, subscriptions []*Subscription) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	subscriptions = make([]*Subscription, 0, len(h.subscriptions))
	for subscription := range h.subscriptions {
		subscriptions = append(subscriptions, subscription)
	}
	events, dropped = h.published.take(h.limits.HubEvents)
	return events, dropped, subscriptions
}

// signal wakes the receiver of a channel of capacity 1.
func signal(channel chan<- struct{}) {
	select {
	case channel <- struct{}{}:
	default: // it is awake already
	}
}
