// Package logevent decodes log events as senders post them and brings them into the shape
// in which the warehouse stores them (D14).
package logevent

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"savedq/internal/text/jsontext"
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

// Cut returns at most limit bytes of a text, without cutting a character in half. The text
// may be no valid UTF-8.
func Cut(text []byte, limit int) string {
	if len(text) <= limit {
		return string(text)
	}
	for back := range utf8.UTFMax {
		if utf8.RuneStart(text[limit-back]) {
			return string(text[:limit-back])
		}
	}
	return string(text[:limit])
}

// Fingerprint identifies the source and the id of an event. It is long enough that two events
// never share one by accident, and nobody can make up a pair that does.
type Fingerprint struct{ High, Low uint64 }

// FingerprintOf returns the fingerprint of an id of a source. Stores hold fingerprints, so it
// must not change.
func FingerprintOf(source *sqlq.Table, id string) Fingerprint {
	const separator = "\x00" // in no name of a source
	var buffer [128]byte
	text := append(append(append(buffer[:0], source.Name...), separator...), id...)
	sum := sha256.Sum256(text)
	return Fingerprint{High: binary.BigEndian.Uint64(sum[:8]), Low: binary.BigEndian.Uint64(sum[8:16])}
}

// PlaceProject copies the project of an event into its metadata, if the source has the project there
// (D23) and the metadata names none. It is for projects that are not fields of the event as its sender
// wrote it, such as the project of a request: queries of the project would not find the event otherwise.
func PlaceProject(source *sqlq.Table, event *Event) {
	key := source.ProjectMember
	if key == "" || event.Project == nil || *event.Project == "" {
		return
	}
	for element := range jsontext.Value(event.Metadata).Elements() {
		if element.Get(key).Text() != "" {
			return
		}
	}
	project, err := json.Marshal(*event.Project)
	if err != nil { // no string has an error
		return
	}
	input := jsontext.NewScanner(event.Metadata)
	for more := input.Enter('[') && input.Enter('{'); more; more, _ = input.More('}') {
		name, _, _ := input.Key()
		start := input.Position
		if input.Value(0); string(name) == key {
			event.Metadata = slices.Concat(event.Metadata[:start], project, event.Metadata[input.Position:])
			return
		}
	}
	event.Metadata = appendMembers(nil, event.Metadata, slices.Concat([]byte(`"`+key+`":`), project))
}

// appendMembers appends metadata whose first object has further members, the JSON of which has commas between them.
// Metadata that is nil becomes an object.
func appendMembers(output, metadata, members []byte) []byte {
	rest, hasObject := bytes.CutPrefix(metadata, []byte("[{"))
	if !hasObject {
		rest = []byte("}]")
	}
	output = append(append(output, "[{"...), members...)
	if rest[0] != '}' {
		output = append(output, ',')
	}
	return append(output, rest...)
}
