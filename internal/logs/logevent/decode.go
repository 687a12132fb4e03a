package logevent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Defaults are the values of fields that the sender left out.
type Defaults struct {
	// Now is the timestamp of an event without one.
	Now time.Time
	// ID returns the id of an event without one.
	ID func() string
}

// Decode reads one event as senders post it: a JSON object with the fields
//
//	id             string; absent, null or empty becomes defaults.ID()
//	timestamp      ISO 8601 text (D11), or an integer since the epoch in seconds,
//	               milliseconds, microseconds or nanoseconds (D35), in the years 0001
//	               to 9999; absent or null becomes defaults.Now
//	event_message  string; without it message, or else log_entry (D35)
//	project        string
//	metadata       object or list of objects, or a string that holds the JSON
//	               text of either, as Parquet exports have it
//
// One of event_message and metadata is required. The event does not refer to raw. The
// second result names unknown fields, which are ignored. Errors name the field, the
// mistake and what is allowed, and quote at most a few bytes of the event.
func Decode(raw []byte, defaults Defaults) (Event, []string, error) {
	object, err := checkObject(raw)
	if err != nil {
		return Event{}, nil, err
	}
	event := Event{Timestamp: defaults.Now.UTC().Truncate(time.Microsecond)}
	var ignored []string
	aliases := messageAliases{}
	object.ForEach(func(key, value gjson.Result) bool {
		if value.Type == gjson.Null {
			return true
		}
		name := text(key)
		if aliases.take(name, value) {
			return true
		}
		known, setErr := event.set(name, value)
		if setErr != nil {
			err = fmt.Errorf("%s: %w", name, setErr)
		} else if !known {
			ignored = append(ignored, strings.Clone(name))
		}
		return err == nil
	})
	if err == nil {
		ignored, err = aliases.apply(&event, ignored)
	}
	if err != nil {
		return Event{}, nil, err
	}
	if event.EventMessage == nil && event.Metadata == nil {
		return Event{}, nil, errors.New("event: has neither event_message nor metadata; one of them is required")
	}
	if event.ID == "" {
		event.ID = defaults.ID()
	}
	return event, ignored, nil
}

// checkObject returns the JSON object that raw is.
func checkObject(raw []byte) (object gjson.Result, err error) {
	if !utf8.Valid(raw) {
		return object, fmt.Errorf("event: byte %d is not valid UTF-8", invalidByte(raw)+1)
	}
	if err := checkJSON(raw); err != nil {
		return object, fmt.Errorf("event: %w", err)
	}
	object = gjson.ParseBytes(raw)
	if !object.IsObject() {
		return object, fmt.Errorf("event: is %s; an event is a JSON object", kindOf(object))
	}
	return object, nil
}

// invalidByte returns the offset of the first byte that is not UTF-8.
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

// checkJSON returns an error with the position of the first mistake in JSON.
func checkJSON(text []byte) error {
	// gjson is several times as fast as encoding/json, but does not limit its recursion.
	const safeBrackets = 10_000
	brackets := bytes.Count(text, []byte{'['}) + bytes.Count(text, []byte{'{'})
	if brackets <= safeBrackets && gjson.ValidBytes(text) {
		return nil
	}
	var ignored json.RawMessage
	err := json.Unmarshal(text, &ignored)
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not valid JSON at byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("is not valid JSON: %w", err)
}

// set reads one field. It reports whether the event has a field of that name.
func (e *Event) set(name string, value gjson.Result) (known bool, err error) {
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

func readString(value gjson.Result) (*string, error) {
	if value.Type != gjson.String {
		return nil, fmt.Errorf("is %s; it must be a string", kindOf(value))
	}
	own := strings.Clone(text(value)) // and not a part of the whole event
	return &own, nil
}

func readMetadata(value gjson.Result) (json.RawMessage, error) {
	if value.Type == gjson.String {
		inner := text(value)
		if err := checkJSON([]byte(inner)); err != nil {
			return nil, fmt.Errorf("is a string whose text %w; it must be the JSON of an object or of a list of objects", err)
		}
		value = gjson.Parse(inner)
	}
	return shapeMetadata(value)
}
