// Package logevent decodes log events as senders post them and brings them into the shape
// in which the warehouse stores them (D14).
package logevent

import (
	"encoding/json"
	"time"

	"savedq/sqlq"
)

// Event is a log event as a source table stores it (D23).
type Event struct {
	// ID is unique within its source.
	ID string
	// Timestamp is in UTC and cut to microseconds.
	Timestamp time.Time
	// EventMessage is nil if the sender did not set it.
	EventMessage *string
	// Project is nil if the sender did not set it.
	Project *string
	// Metadata is nil (NULL) or a JSON list of objects in the warehouse's
	// storage shape: every nested object is a list of one object (D14).
	Metadata json.RawMessage
}

// MemoryBytes returns about how much memory the event takes.
func (e *Event) MemoryBytes() int {
	const fixed = 200
	bytes := fixed + len(e.ID) + len(e.Metadata)
	if e.EventMessage != nil {
		bytes += len(*e.EventMessage)
	}
	if e.Project != nil {
		bytes += len(*e.Project)
	}
	return bytes
}

// Sourced is an event of a source.
type Sourced struct {
	Source *sqlq.Table
	Event
}

// Fingerprint returns the fingerprint of the event's id.
func (s *Sourced) Fingerprint() Fingerprint { return FingerprintOf(s.Source, s.ID) }
