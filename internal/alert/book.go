// Package alert checks conditions on the rows of saved queries, and sends messages when they begin
// and end. Its parts know little of each other: the state machine of an alert, the book that stores
// states together with the messages that follow from them, the keeper that checks alerts in time, and
// the deliverer that sends messages to targets.
package alert

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// Book holds the records of all alerts. What it changes is stored first, so that nothing is sent
// that a crash would undo. It is safe for concurrent use.
type Book struct {
	store Store
	// changed receives a value when there can be a message to deliver.
	changed chan struct{}

	mutex       sync.Mutex
	definitions map[string]Definition
	records     map[string]*Record
	lanes       map[laneKey]*lane
	// known reports whether a target can get messages.
	known func(target string) bool
}

// OpenBook returns the book of a store. known reports whether a target can get messages.
func OpenBook(store Store, known func(target string) bool) (*Book, error) {
	records, err := store.Load()
	if err != nil {
		return nil, err
	}
	book := &Book{store: store, changed: make(chan struct{}, 1), records: make(map[string]*Record), lanes: make(map[laneKey]*lane), known: known}
	for _, record := range records {
		book.records[record.Key] = record
	}
	return book, nil
}

// Use replaces the alerts. Those that are no longer declared end.
func (b *Book) Use(definitions []Definition, now time.Time) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	defer b.wake()
	b.definitions = make(map[string]Definition, len(definitions))
	for _, definition := range definitions {
		b.definitions[definition.Key()] = definition
	}
	for _, key := range slices.Sorted(maps.Keys(b.records)) {
		if _, declared := b.definitions[key]; declared {
			continue
		}
		if err := b.replace(b.records[key].removed(now)); err != nil {
			return err
		}
	}
	return nil
}

// Checked records a check of an alert, and the messages that follow from it. A check of an alert
// that is no longer declared changes nothing.
func (b *Book) Checked(d *Definition, check Check) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	declared, ok := b.definitions[d.Key()]
	if !ok || declared.Query != d.Query {
		return nil
	}
	record := b.record(d)
	next := record.checked(d, check, b.known)
	if record.needsStore(next) {
		return b.replace(next)
	}
	b.records[next.Key] = next
	return nil
}

// Same records a check that showed the rows of the check before, which count once.
func (b *Book) Same(d *Definition, at time.Time) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if declared, ok := b.definitions[d.Key()]; !ok || declared.Query != d.Query {
		return
	}
	next := *b.record(d)
	next.Status.Checked = at
	b.records[next.Key] = &next
}

// record returns the record of an alert. The mutex must be held.
func (b *Book) record(d *Definition) *Record {
	if record := b.records[d.Key()]; record != nil {
		return record
	}
	return newRecord(d)
}

// replace stores a record, and then uses it. The record of an alert that is not declared is removed
// once its messages are delivered. The mutex must be held.
func (b *Book) replace(next *Record) error {
	_, declared := b.definitions[next.Key]
	if !declared && len(next.Outbox) == 0 {
		if err := b.store.Remove(next.Key); err != nil {
			return err
		}
		delete(b.records, next.Key)
		maps.DeleteFunc(b.lanes, func(key laneKey, _ *lane) bool { return key.key == next.Key })
		return nil
	}
	if err := b.store.Save(next); err != nil {
		return err
	}
	before := b.records[next.Key]
	b.records[next.Key] = next
	if before == nil || len(next.Outbox) > len(before.Outbox) {
		b.wake()
	}
	return nil
}

func (b *Book) wake() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// lane returns a lane. The mutex must be held.
func (b *Book) lane(key laneKey) *lane {
	found := b.lanes[key]
	if found == nil {
		found = &lane{}
		b.lanes[key] = found
	}
	return found
}

// Repeat sends the message of the begin of an episode again, if the alert is in one, to a target that
// forgets it otherwise. It is not stored, because the next check sends it again.
func (b *Book) Repeat(key, target string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	record := b.records[key]
	if record == nil || record.Episode == nil || !slices.Contains(record.Episode.Targets, target) {
		return
	}
	b.lane(laneKey{key, target}).repeat = &Entry{Target: target, Message: record.Episode.Begin}
	b.wake()
}

// Delivery is a message that is due.
type Delivery struct {
	Key string
	Entry
	// Repeated reports whether the target received the message before.
	Repeated bool
}

// Due returns a message that is due for each target, of the lane that began to wait first.
func (b *Book) Due(now time.Time) map[string]Delivery {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	due := make(map[string]Delivery)
	add := func(delivery Delivery, began time.Time) {
		if earlier, found := due[delivery.Target]; !found || began.Before(earlier.Message.Began) {
			due[delivery.Target] = delivery
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.records)) {
		for _, entry := range b.records[key].heads() {
			if of := b.lanes[laneKey{key, entry.Target}]; of == nil || of.due(now) {
				add(Delivery{Key: key, Entry: entry}, entry.Message.Began)
			}
		}
	}
	for key, of := range b.lanes {
		if of.repeat != nil && !b.waiting(key) {
			add(Delivery{Key: key.key, Entry: *of.repeat, Repeated: true}, of.repeat.Message.Began)
		}
	}
	return due
}

// waiting reports whether a lane has messages in the outbox.
func (b *Book) waiting(key laneKey) bool {
	record := b.records[key.key]
	return record != nil && slices.ContainsFunc(record.Outbox, func(entry Entry) bool { return entry.Target == key.target })
}

// heads returns the first message of each lane of a record.
func (r *Record) heads() []Entry {
	var heads []Entry
	for _, entry := range r.Outbox {
		if !slices.ContainsFunc(heads, func(head Entry) bool { return head.Target == entry.Target }) {
			heads = append(heads, entry)
		}
	}
	return heads
}

// Delivered records that a message was delivered.
func (b *Book) Delivered(delivery Delivery, now time.Time) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	of := b.lane(laneKey{delivery.Key, delivery.Target})
	of.failures, of.err, of.retryAt, of.repeat = 0, "", time.Time{}, nil
	if delivery.Repeated {
		return nil
	}
	return b.take(delivery, now.UTC())
}

// take removes a message from the outbox. If that cannot be stored it is removed all the same, so
// that only a crash sends it again. The mutex must be held.
func (b *Book) take(delivery Delivery, delivered time.Time) error {
	record := b.records[delivery.Key]
	if record == nil || !b.waiting(laneKey{delivery.Key, delivery.Target}) {
		return nil
	}
	next := record.without(delivery.Target, delivered)
	err := b.replace(next)
	if err != nil {
		b.records[next.Key] = next
	}
	return err
}

// Failed records that a message could not be delivered, and when to try again. It reports whether the
// message was given up.
func (b *Book) Failed(delivery Delivery, reason string, asked time.Duration, random float64, now time.Time) (givenUp bool, err error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	of := b.lane(laneKey{delivery.Key, delivery.Target})
	of.err, of.repeat = reason, nil
	if delivery.Repeated {
		return false, nil
	}
	of.failures++
	of.retryAt = now.Add(pause(of.failures, asked, random))
	if of.failures < mostFailures {
		return false, nil
	}
	of.failures = 0
	return true, b.take(delivery, time.Time{})
}

// GiveUp removes a message that cannot be delivered.
func (b *Book) GiveUp(delivery Delivery) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.take(delivery, time.Time{})
}

// NextRetry returns when the first message that is not due yet will be; the zero time if none waits.
func (b *Book) NextRetry(now time.Time) time.Time {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var next time.Time
	for key, of := range b.lanes {
		if !of.due(now) && b.waiting(key) && (next.IsZero() || of.retryAt.Before(next)) {
			next = of.retryAt
		}
	}
	return next
}

// Counts are the numbers of alerts by state, and of messages that are not delivered yet.
func (b *Book) Counts() (states map[State]int, pending int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	states = make(map[State]int)
	for key := range b.definitions {
		state := Unknown
		if record := b.records[key]; record != nil {
			state = record.Status.State
		}
		states[state]++
	}
	for _, record := range b.records {
		pending += len(record.Outbox)
	}
	return states, pending
}

// sortedDefinitions returns the alerts by saved query and name. The mutex must be held.
func (b *Book) sortedDefinitions() []Definition {
	return slices.SortedFunc(maps.Values(b.definitions), func(x, y Definition) int {
		return cmp.Or(cmp.Compare(x.Query.Name, y.Query.Name), cmp.Compare(x.Alert.Name, y.Alert.Name))
	})
}

// laneKey names the messages of one alert to one target, which are delivered in their order.
type laneKey struct{ key, target string }

// lane is what a server knows of a lane besides the outbox. It is not stored.
type lane struct {
	// failures is how often in a row the first message could not be delivered, err why, and retryAt when to try again.
	failures int
	err      string
	retryAt  time.Time
	// repeat is a message to send again; nil for none.
	repeat *Entry
}

const (
	firstPause = time.Second
	// longestPause also limits how long a target can ask to wait.
	longestPause = 10 * time.Minute
	// mostFailures take about a day.
	mostFailures = 150
)

// pause returns how long to wait after a number of failures: twice as long each time, and at least
// as long as the target asked for. random is in [0, 1).
func pause(failures int, asked time.Duration, random float64) time.Duration {
	doubled := longestPause
	if failures < 10 {
		doubled = firstPause << max(0, failures-1)
	}
	jittered := time.Duration(float64(min(doubled, longestPause)) * (0.75 + 0.5*random))
	return max(jittered, min(asked, longestPause))
}

// due reports whether a lane can be tried. After the clock went back it can.
func (l *lane) due(now time.Time) bool {
	return !now.Before(l.retryAt) || l.retryAt.Sub(now) > 2*longestPause
}
