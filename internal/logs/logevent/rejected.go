package logevent

import "time"

// MaxRejectedBytes is the length to which rejected events are cut.
const MaxRejectedBytes = 64 << 10

// Rejected is an event that cannot be stored as an event. It is kept for repair and resending.
type Rejected struct {
	// Received is when its request arrived, and RequestID is the request's id in the log of
	// requests. Events of files have neither.
	Received  time.Time `json:"received"`
	RequestID string    `json:"request_id"`
	// Source is the table of the source that the event was sent to, or what the sender
	// named instead of a source.
	Source string `json:"source"`
	// Position is the event's place in its request, counted from 0, or its line in a file,
	// counted from 1.
	Position int `json:"position"`
	// Reason is a sentence for the sender.
	Reason string `json:"reason"`
	// Event is the event as it was sent, cut to [MaxRejectedBytes]. It may be no valid JSON.
	Event string `json:"event"`
}
