package logevent

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"
)

// IsMessage reports whether a field can hold the message of an event (D35, D41).
func IsMessage(field string) bool {
	return field == "event_message" || messageAlias(field) >= 0
}

// messageAlias returns the rank of a field among those that senders use instead of
// event_message, or -1.
func messageAlias(field string) int {
	switch field {
	case "message":
		return 0
	case "log_entry":
		return 1
	case "msg":
		return 2
	case "log":
		return 3
	}
	return -1
}

// timeAlias returns the rank of a field among those that senders use instead of timestamp, or
// -1.
func timeAlias(field string) int {
	switch field {
	case "@timestamp":
		return 0
	case "time":
		return 1
	case "ts":
		return 2
	case "date":
		return 3
	}
	return -1
}

// named is a field with its value.
type named struct {
	name string
	raw  value
}

// aliases are the fields of an event that can stand for others (D41), by rank.
type aliases struct {
	messages, times [4]named
	hasTimestamp    bool
}

// take keeps the value of a field, and reports whether the field is an alias.
func (a *aliases) take(name []byte, raw value) bool {
	if rank := messageAlias(string(name)); rank >= 0 {
		a.messages[rank] = named{string(name), raw}
		return true
	}
	if rank := timeAlias(string(name)); rank >= 0 {
		a.times[rank] = named{string(name), raw}
		return true
	}
	return false
}

// apply sets the message and the timestamp of an event that lacks them. It adds the aliases that
// are not used to the ignored fields. Those that are used stay in metadata, except for message and
// log_entry, which are event_message under another name (D35).
func (a *aliases) apply(decoder *Decoder, event *Event, ignored []string) ([]string, error) {
	for rank, alias := range a.messages {
		switch {
		case alias.raw == nil:
		case event.EventMessage != nil:
			ignored = append(ignored, alias.name)
		default:
			message, err := decoder.readPointer(alias.raw)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", alias.name, err)
			}
			event.EventMessage = message
			if rank >= messageAlias("msg") {
				event.keep(alias.name, alias.raw)
			}
		}
	}
	for _, alias := range a.times {
		switch {
		case alias.raw == nil:
		case a.hasTimestamp:
			ignored = append(ignored, alias.name)
		default:
			var err error
			if event.Timestamp, err = readTimestamp(alias.raw); err != nil {
				return nil, fmt.Errorf("%s: %w", alias.name, err)
			}
			a.hasTimestamp = true
			event.keep(alias.name, alias.raw)
		}
	}
	return ignored, nil
}

// keep adds a field to the metadata, unless it has a field of this name.
func (e *Event) keep(name string, raw value) {
	encoded := []byte(raw)
	if raw[0] == '"' {
		encoded, _ = json.Marshal(unquote(raw)) // cannot fail
	}
	member := append([]byte(`"`+name+`":`), encoded...)
	switch first := gjson.GetBytes(e.Metadata, "0"); {
	case e.Metadata == nil || string(e.Metadata) == "[]":
		e.Metadata = append(append([]byte("[{"), member...), "}]"...)
	case first.Map()[name].Exists():
	case first.Raw == "{}":
		e.Metadata = append(append([]byte("[{"), member...), e.Metadata[len("[{"):]...)
	default:
		e.Metadata = append(append(append([]byte("[{"), member...), ','), e.Metadata[len("[{"):]...)
	}
}
