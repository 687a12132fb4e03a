// Package tail passes committed events on to callers that follow the logs as they arrive.
//
// The writer must never wait for a reader: it hands its events to a [Hub], which drops the
// oldest ones of a reader that is too slow, and counts them.
package tail

import (
	"slices"
	"sync"
	"sync/atomic"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// Limits bound the memory of a hub.
type Limits struct {
	// Subscriptions is how many there can be at the same time, and CallerSubscriptions how many
	// one caller can have.
	Subscriptions, CallerSubscriptions int
	// HubEvents and HubBytes bound the events that were published and not yet compared with
	// the filters.
	HubEvents, HubBytes int
	// Events bounds those that wait for the reader of one subscription.
	Events int
	// Bytes bounds those that wait for all readers. Each subscription has an equal share, at
	// least MinBytes and at most HubBytes: a few readers can receive a large commit whole.
	Bytes, MinBytes int
}

// share returns how many bytes can wait for each of a number of readers.
func (l *Limits) share(subscriptions int) int {
	return min(max(l.Bytes/max(subscriptions, 1), l.MinBytes), l.HubBytes)
}

// DefaultLimits returns limits for a server.
func DefaultLimits() Limits {
	return Limits{
		Subscriptions: 500, CallerSubscriptions: 100,
		HubEvents: 100_000, HubBytes: 32 << 20, Events: 100_000, Bytes: 64 << 20, MinBytes: 2 << 20,
	}
}

// Hub passes events to its subscriptions. It does no work while there are none. It is safe
// for concurrent use.
type Hub struct {
	limits Limits
	// listening reports whether there is a subscription, without the mutex.
	listening atomic.Bool

	mutex         sync.Mutex
	subscriptions map[*Subscription]struct{}
	// callers counts the subscriptions of each caller.
	callers map[string]int
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
		callers:       make(map[string]int),
		published:     newBuffer(limits.HubEvents, limits.HubBytes),
	}
}

// Publish passes committed events on. It does not wait for readers, and keeps no reference to
// the slice. Callers must not change the events afterwards.
func (h *Hub) Publish(events []logevent.Sourced) {
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

// Subscribe returns a subscription to the events that pass the filter from now on. It must be
// closed. The error is RESOURCE_EXHAUSTED if there are too many, or too many of the caller. An
// empty caller has no limit of its own.
func (h *Hub) Subscribe(caller string, filter Filter) (*Subscription, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if len(h.subscriptions) >= h.limits.Subscriptions {
		return nil, sqlq.Errorf(sqlq.ResourceExhausted, "%d callers follow the logs already, the most that this server allows; try again later", h.limits.Subscriptions)
	}
	if caller != "" && h.callers[caller] >= h.limits.CallerSubscriptions {
		return nil, sqlq.Errorf(sqlq.ResourceExhausted, "the token follows the logs %d times already, the most that it can; end a subscription and try again", h.limits.CallerSubscriptions)
	}
	added := &Subscription{
		hub: h, caller: caller, filter: filter, ready: make(chan struct{}, 1),
		pending: newBuffer(h.limits.Events, h.limits.MinBytes),
	}
	if len(h.subscriptions) == 0 {
		h.arrived = make(chan struct{}, 1)
		go h.distribute(h.arrived)
		h.listening.Store(true)
	}
	h.subscriptions[added] = struct{}{}
	h.callers[caller]++
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
	if h.callers[ended.caller]--; h.callers[ended.caller] == 0 {
		delete(h.callers, ended.caller)
	}
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
			subscription.prepare(h.limits.share(len(subscriptions)), dropped)
		}
		for chunk := range slices.Chunk(events, chunkEvents) {
			distributeChunk(chunk, subscriptions)
		}
	}
}

// chunkEvents is after how many events readers are woken, so that they read the first events of a
// large commit while the last ones are compared with the filters.
const chunkEvents = 500

func distributeChunk(events []logevent.Sourced, subscriptions []*Subscription) {
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

// take returns what was published since the last call, how many earlier events were dropped,
// and the subscriptions.
func (h *Hub) take() (events []logevent.Sourced, dropped int, subscriptions []*Subscription) {
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
