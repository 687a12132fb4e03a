package logevent

import (
	"bytes"
	"fmt"
	"slices"

	"savedq/internal/text/jsontext"
)

// IsMessage reports whether a field can hold the message of an event (D35, D41).
func IsMessage(field string) bool {
	return field == "event_message" || slices.Contains(messageAliases(), field)
}

// messageAliases are the fields that senders use instead of event_message, by rank.
func messageAliases() []string { return []string{"message", "log_entry", "msg", "log"} }

// timeAliases are the fields that senders use instead of timestamp, by rank.
func timeAliases() []string { return []string{"@timestamp", "time", "ts", "date"} }

// named is a field with its value.
type named struct {
	name string
	raw  jsontext.Value
}

// aliases are the fields of an event that can stand for others (D41), by rank.
type aliases struct {
	messages, times [4]named
	hasTimestamp    bool
}

// take keeps the value of a field, and reports whether the field is an alias.
func (a *aliases) take(name []byte, raw jsontext.Value) bool {
	if rank := slices.Index(messageAliases(), string(name)); rank >= 0 {
		a.messages[rank] = named{string(name), raw}
		return true
	}
	if rank := slices.Index(timeAliases(), string(name)); rank >= 0 {
		a.times[rank] = named{string(name), raw}
		return true
	}
	return false
}

// apply sets the message and the timestamp of an event that lacks them from its aliases, which stay in
// metadata. It adds those that are not used to the ignored fields.
func (a *aliases) apply(decoder *Decoder, event *Event, ignored []string) ([]string, error) {
	for _, alias := range a.messages {
		switch {
		case alias.raw == nil:
		case event.EventMessage != nil:
			ignored = decoder.leaveOut(alias, ignored)
		default:
			message, err := readPointer(alias.raw)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", alias.name, err)
			}
			event.EventMessage = message
			decoder.keep(event, alias)
		}
	}
	hasContent := event.EventMessage != nil || event.Metadata != nil || decoder.rows
	for _, alias := range a.times {
		switch {
		case alias.raw == nil:
		case a.hasTimestamp, !hasContent:
			ignored = decoder.leaveOut(alias, ignored)
		default:
			var err error
			if event.Timestamp, err = ReadTimestamp(alias.raw); err != nil {
				return nil, fmt.Errorf("%s: %w", alias.name, err)
			}
			a.hasTimestamp = true
			decoder.keep(event, alias)
		}
	}
	return ignored, nil
}

// leaveOut adds an alias that is not used to the ignored fields, or to the members of a row.
func (d *Decoder) leaveOut(alias named, ignored []string) []string {
	if d.rows {
		d.members = append(d.members, named{`"` + alias.name + `"`, alias.raw})
		return ignored
	}
	return append(ignored, alias.name)
}

// keep adds a field, which is no object or list, to the metadata, unless that has one of its name.
func (d *Decoder) keep(event *Event, field named) {
	first := jsontext.NewScanner(event.Metadata)
	first.Take('[')
	object, _ := first.Value(0)
	if object.Get(field.name) != nil {
		return
	}
	member := jsontext.AppendPaired([]byte(`"`+field.name+`":`), field.raw)
	d.shaper.output = appendMembers(d.shaper.output[:0], event.Metadata, member)
	event.Metadata = bytes.Clone(d.shaper.output)
}
