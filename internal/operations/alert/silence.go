package alert

import (
	"errors"
	"time"
)

// Silence keeps the messages of an alert back. What begins meanwhile is announced only if it lasts beyond the silence;
// the end of what was announced before is sent when the silence is over.
type Silence struct {
	Until  time.Time `json:"until" doc:"Until when no messages are sent."`
	Reason string    `json:"reason" doc:"Why. It can be empty."`
	By     string    `json:"by" doc:"Name of the token. Empty for tokens with limits."`
	At     time.Time `json:"at" doc:"Since when."`
}

// Acknowledgement says that somebody knows of a state. It ends with the state.
type Acknowledgement struct {
	Reason string    `json:"reason" doc:"A note. It can be empty."`
	By     string    `json:"by" doc:"Name of the token. Empty for tokens with limits."`
	At     time.Time `json:"at" doc:"Since when."`
}

var (
	// ErrUnknown means that no alert of the name is declared.
	ErrUnknown = errors.New("there is no such alert")
	// ErrNothingToAcknowledge means that the alert is in no announced state.
	ErrNothingToAcknowledge = errors.New("the alert is neither firing nor failing nor without data")
)

// silenced reports whether messages of the alert are kept back.
func (r *Record) silenced(now time.Time) bool { return r.Silence != nil && now.Before(r.Silence.Until) }

// Find returns the alert of a saved query.
func (b *Book) Find(query, name string) (Definition, bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, definition := range b.definitions {
		if definition.Query.Name == query && definition.Alert.Name == name {
			return definition, true
		}
	}
	return Definition{}, false
}

// Silence keeps the messages of an alert back; nil ends that.
func (b *Book) Silence(d *Definition, silence *Silence) error {
	return b.note(d, func(next *Record) error {
		next.Silence = silence
		return nil
	})
}

// Acknowledge notes that somebody knows of the state of an alert; nil takes it back.
func (b *Book) Acknowledge(d *Definition, acknowledged *Acknowledgement) error {
	return b.note(d, func(next *Record) error {
		if next.Episode == nil {
			return ErrNothingToAcknowledge
		}
		episode := *next.Episode
		episode.Acknowledged = acknowledged
		next.Episode = &episode
		return nil
	})
}

// note stores what a person says about an alert.
func (b *Book) note(d *Definition, change func(next *Record) error) error {
	defer b.change(d.Key())()
	record := b.declared(d)
	if record == nil {
		return ErrUnknown
	}
	next := *record
	if err := change(&next); err != nil {
		return err
	}
	defer b.wake() // messages can be due at another time
	return b.replace(&next)
}

// Flush stores the values of checks that are only in memory.
func (b *Book) Flush() error {
	b.mutex.Lock()
	var unstored []string
	for key, record := range b.records {
		if record.hasUnstored() {
			unstored = append(unstored, key)
		}
	}
	b.mutex.Unlock()
	var failures []error
	for _, key := range unstored {
		failures = append(failures, b.flush(key))
	}
	return errors.Join(failures...)
}

func (b *Book) flush(key string) error {
	defer b.change(key)()
	b.mutex.Lock()
	record := b.records[key]
	b.mutex.Unlock()
	if record == nil {
		return nil
	}
	return b.replace(record)
}
