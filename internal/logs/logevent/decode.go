package logevent

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// Defaults are what an event gets for the fields that its sender left out.
type Defaults struct {
	// Now is the timestamp of an event without one.
	Now time.Time
	// ID returns the id of an event without one.
	ID func() string
}

// Decode reads one event as senders post it: a JSON object with the fields
//
//	id             string; absent, null or empty becomes defaults.ID()
//	timestamp      ISO 8601 text (D11) or integer microseconds since the epoch,
//	               in the years 0001 to 9999; absent or null becomes defaults.Now
//	event_message  string
//	project        string
//	metadata       object or list of objects, or a string that holds the JSON
//	               text of either, as Parquet exports have it
//
// Of event_message and metadata one must be present. The event owns its memory:
// raw may be used again. The second result names the fields that are none of
// the five and were left out. An error names the field, what was wrong and what
// is allowed, and quotes no more than a few bytes of the event.
func Decode(raw []byte, defaults Defaults) (Event, []string, error) {
	object, err := checkObject(raw)
	if err != nil {
		return Event{}, nil, err
	}
	event := Event{Timestamp: defaults.Now.UTC().Truncate(time.Microsecond)}
	var ignored []string
	for name, value := range fields(object) {
		if isNull(value) {
			continue
		}
		known, err := event.set(name, value)
		if err != nil {
			return Event{}, nil, fmt.Errorf("%s: %w", name, err)
		}
		if !known {
			ignored = append(ignored, name)
		}
	}
	if event.EventMessage == nil && event.Metadata == nil {
		return Event{}, nil, errors.New("event: has neither event_message nor metadata; one of them is required")
	}
	if event.ID == "" {
		event.ID = defaults.ID()
	}
	return event, ignored, nil
}

// checkObject returns raw from its opening brace if it is a JSON object.
func checkObject(raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("event: byte %d is not valid UTF-8", invalidByte(raw)+1)
	}
	if err := checkJSON(raw); err != nil {
		return nil, fmt.Errorf("event: %w", err)
	}
	object := skipSpace(raw)
	if object[0] != '{' {
		return nil, fmt.Errorf("event: is %s; an event is a JSON object", kindOf(object))
	}
	return object, nil
}

// invalidByte is the offset of the first byte that is not UTF-8.
func invalidByte(text []byte) int {
	offset := 0
	for offset < len(text) {
		char, size := utf8.DecodeRune(text[offset:])
		if char == utf8.RuneError && size == 1 {
			break
		}
		offset += size
	}
	return offset
}

// checkJSON says where JSON is broken. The happy path does not allocate.
func checkJSON(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var ignored json.RawMessage
	err := json.Unmarshal(text, &ignored)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not valid JSON at byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("is not valid JSON: %w", err)
}

// set reads one field. It reports whether the event has a field of that name.
func (e *Event) set(name string, value []byte) (known bool, err error) {
	switch name {
	case "id":
		var id *string
		if id, err = readString(value); err == nil {
			e.ID = *id
		}
	case "timestamp":
		e.Timestamp, err = readTimestamp(value)
	case "event_message":
		e.EventMessage, err = readString(value)
	case "project":
		e.Project, err = readString(value)
	case "metadata":
		e.Metadata, err = readMetadata(value)
	default:
		return false, nil
	}
	return true, err
}

func readString(value []byte) (*string, error) {
	if value[0] != '"' {
		return nil, fmt.Errorf("is %s; allowed is a string", kindOf(value))
	}
	text := unquote(value)
	return &text, nil
}

func readMetadata(value []byte) (json.RawMessage, error) {
	if value[0] == '"' {
		inner := skipSpace([]byte(unquote(value)))
		if err := checkJSON(inner); err != nil {
			return nil, fmt.Errorf("is a string whose text %w; allowed is the JSON text of an object or of a list of objects", err)
		}
		value = inner
	}
	return shapeMetadata(value)
}
