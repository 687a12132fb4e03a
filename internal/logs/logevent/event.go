// Package logevent knows what a log event is: the shape in which senders post
// it, the shape in which the warehouse stores it (D14), and the way from the one
// to the other.
package logevent

import (
	"encoding/json"
	"time"
)

// Event is a log event as a source table stores it (D23).
type Event struct {
	// ID is unique within its source.
	ID string
	// Timestamp is in UTC and cut to microseconds.
	Timestamp time.Time
	// EventMessage is nil where the sender gave none.
	EventMessage *string
	// Project is nil where the sender gave none.
	Project *string
	// Metadata is nil (NULL) or a JSON list of objects in the warehouse's
	// storage shape: every nested object is a list of one object (D14).
	Metadata json.RawMessage
}
