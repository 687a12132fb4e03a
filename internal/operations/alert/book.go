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
// that a crash would undo. It is safe for concurrent use. Reading never waits for the store.
type Book struct {
	store Store
	// changed receives a value when there can be a message to deliver.
	changed chan struct{}
	// known reports whether a target can get messages.
	known func(target string) bool
	// dropped is called with the target of each message that is dropped; see [Record.bounded].
	dropped func(target string)

	// mutex is not held while a record is stored.
	mutex       sync.Mutex
	definitions map[string]Definition
	records     map[string]*Record
	lanes       map[laneKey]*lane
	// changes has a channel for each alert, which holds a value during a change. So changes are stored in their order.
	changes map[string]chan struct{}
}

// OpenBook returns the book of a store. known reports whether a target can get messages.
func OpenBook(store Store, known func(target string) bool) (*Book, error) {
	records, err := store.Load()
	if err != nil {
		return nil, err
	}
	book := &Book{
		store: store, changed: make(chan struct{}, 1), known: known, dropped: func(string) {},
		records: make(map[string]*Record), lanes: make(map[laneKey]*lane), changes: make(map[string]chan struct{}),
	}
	for _, record := range records {
		if len(record.Points) > 0 {
			record.stored = record.Points[len(record.Points)-1].At
		}
		book.records[record.Key] = record
	}
	return book, nil
}

// Observe calls an observer for each message that is dropped. It must be called before the book is used.
func (b *Book) Observe(observer Observer) {
	b.dropped = func(target string) { observer.AlertMessage(target, dropped) }
}

// change waits for other changes of an alert to end. Callers must call end once theirs is stored.
func (b *Book) change(key string) (end func()) {
	b.mutex.Lock()
	turn := b.changes[key]
	if turn == nil {
		turn = make(chan struct{}, 1)
		b.changes[key] = turn
	}
	b.mutex.Unlock()
	turn <- struct{}{}
	return func() { <-turn }
}

// Use replaces the alerts. Those that are no longer declared end.
func (b *Book) Use(definitions []Definition, now time.Time) error {
	b.mutex.Lock()
	before := b.definitions
	b.definitions = make(map[string]Definition, len(definitions))
	for _, definition := range definitions {
		b.definitions[definition.Key()] = definition
	}
	// An alert of before can be changing, and have its first record after that.
	keys := slices.Sorted(maps.Keys(before))
	keys = slices.AppendSeq(keys, maps.Keys(b.records))
	keys = slices.DeleteFunc(keys, func(key string) bool { _, declared := b.definitions[key]; return declared })
	b.mutex.Unlock()
	defer b.wake()
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if err := b.remove(key, now); err != nil {
			return err
		}
	}
	return nil
}

// remove ends an alert that is no longer declared.
func (b *Book) remove(key string, now time.Time) error {
	defer b.change(key)()
	b.mutex.Lock()
	record := b.records[key]
	_, declared := b.definitions[key]
	b.mutex.Unlock()
	if record == nil || declared {
		return nil
	}
	return b.replace(record.removed(now))
}

// Checked records a check of an alert, and the messages that follow from it. A check of an alert
// that is no longer declared changes nothing.
func (b *Book) Checked(d *Definition, check Check) error {
	defer b.change(d.Key())()
	record := b.declared(d)
	if record == nil {
		return nil
	}
	next := record.checked(d, check, b.known)
	if record.needsStore(next) {
		return b.replace(next)
	}
	b.use(next)
	return nil
}

// Same records a check that showed the rows of the check before, which count once.
func (b *Book) Same(d *Definition, at time.Time) {
	defer b.change(d.Key())()
	record := b.declared(d)
	if record == nil {
		return
	}
	next := *record
	next.Status.Checked = at
	b.use(&next)
}

// declared returns the record of an alert; nil if the alert is no longer declared.
func (b *Book) declared(d *Definition) *Record {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if declared, ok := b.definitions[d.Key()]; !ok || declared.Query != d.Query {
		return nil
	}
	return b.record(d)
}

// record returns the record of an alert. The mutex must be held.
func (b *Book) record(d *Definition) *Record {
	if record := b.records[d.Key()]; record != nil {
		return record
	}
	return newRecord(d)
}

// use uses a record from now on.
func (b *Book) use(next *Record) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.records[next.Key] = next
}

// replace stores a record, and then uses it. The record of an alert that is not declared is removed
// once its messages are delivered. It must be called within a change of the alert.
func (b *Book) replace(next *Record) error {
	next, crowdedOut := next.bounded()
	if b.isOver(next) {
		if err := b.store.Remove(next.Key); err != nil {
			return err
		}
		b.forget(next.Key)
	} else {
		if err := b.store.Save(next); err != nil {
			return err
		}
		stored := *next
		if len(next.Points) > 0 {
			stored.stored = next.Points[len(next.Points)-1].At
		}
		b.use(&stored)
	}
	for _, target := range crowdedOut {
		b.dropped(target)
	}
	if len(next.Outbox) > 0 {
		b.wake()
	}
	return nil
}

// isOver reports whether a record need not be kept.
func (b *Book) isOver(record *Record) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	_, declared := b.definitions[record.Key]
	return !declared && len(record.Outbox) == 0
}

// forget removes what is known of an alert.
func (b *Book) forget(key string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	delete(b.records, key)
	maps.DeleteFunc(b.lanes, func(lane laneKey, _ *lane) bool { return lane.key == key })
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
		if b.records[key].silenced(now) {
			continue
		}
		for _, entry := range b.records[key].heads() {
			if of := b.lanes[laneKey{key, entry.Target}]; of == nil || of.due(now) {
				add(Delivery{Key: key, Entry: entry}, entry.Message.Began)
			}
		}
	}
	for key, of := range b.lanes {
		if of.repeat != nil && !b.waiting(key) && !b.records[key.key].silenced(now) {
			add(Delivery{Key: key.key, Entry: *of.repeat, Repeated: true}, of.repeat.Message.Began)
		}
	}
	return due
}

// waiting reports whether a lane has messages in the outbox. The mutex must be held.
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
	defer b.change(delivery.Key)()
	b.mutex.Lock()
	of := b.lane(laneKey{delivery.Key, delivery.Target})
	of.failures, of.err, of.retryAt, of.repeat = 0, "", time.Time{}, nil
	b.mutex.Unlock()
	if delivery.Repeated {
		return nil
	}
	return b.take(delivery, now.UTC())
}

// take removes a message from the outbox. If that cannot be stored it is removed all the same, so
// that only a crash sends it again. It must be called within a change of the alert.
func (b *Book) take(delivery Delivery, delivered time.Time) error {
	b.mutex.Lock()
	record := b.records[delivery.Key]
	waiting := b.waiting(laneKey{delivery.Key, delivery.Target})
	b.mutex.Unlock()
	if !waiting {
		return nil
	}
	next := record.without(delivery.Target, delivered)
	err := b.replace(next)
	if err != nil {
		b.use(next)
	}
	return err
}

// Failed records that a message could not be delivered, and when to try again. It reports whether the
// message was given up.
func (b *Book) Failed(delivery Delivery, reason string, asked time.Duration, random float64, now time.Time) (givenUp bool, err error) {
	defer b.change(delivery.Key)()
	if !b.failed(delivery, reason, asked, random, now) {
		return false, nil
	}
	return true, b.take(delivery, time.Time{})
}

// failed counts a failure, and reports whether it was the last one.
func (b *Book) failed(delivery Delivery, reason string, asked time.Duration, random float64, now time.Time) (last bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	of := b.lane(laneKey{delivery.Key, delivery.Target})
	of.err, of.repeat = reason, nil
	if delivery.Repeated {
		return false
	}
	of.failures++
	of.retryAt = now.Add(pause(of.failures, asked, random))
	if of.failures < mostFailures {
		return false
	}
	of.failures = 0
	return true
}

// GiveUp removes a message that cannot be delivered.
func (b *Book) GiveUp(delivery Delivery) error {
	defer b.change(delivery.Key)()
	return b.take(delivery, time.Time{})
}

// NextRetry returns when the first message that is not due yet will be; the zero time if none waits.
func (b *Book) NextRetry(now time.Time) time.Time {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var next time.Time
	sooner := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	for key, of := range b.lanes {
		if record := b.records[key.key]; !of.due(now) && b.waiting(key) && !record.silenced(now) {
			sooner(of.retryAt)
		}
	}
	for _, record := range b.records {
		if len(record.Outbox) > 0 && record.silenced(now) {
			sooner(record.Silence.Until)
		}
	}
	return next
}

// Counts are numbers of alerts and of messages.
type Counts struct {
	States map[State]int
	// Silenced are alerts whose messages are kept back, in any state.
	Silenced int
	// Pending are messages that are not delivered yet.
	Pending int
}

// Counts counts alerts and messages.
func (b *Book) Counts(now time.Time) Counts {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	counts := Counts{States: make(map[State]int)}
	for key := range b.definitions {
		state := Unknown
		if record := b.records[key]; record != nil {
			state = record.Status.State
			if record.silenced(now) {
				counts.Silenced++
			}
		}
		counts.States[state]++
	}
	for _, record := range b.records {
		counts.Pending += len(record.Outbox)
	}
	return counts
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
