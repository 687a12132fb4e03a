package logevent

import "fmt"

// IsMessage reports whether a field can hold the message of an event (D35).
func IsMessage(field string) bool {
	return field == "event_message" || field == "message" || field == "log_entry"
}

// messageAliases are the fields that some senders use instead of event_message, in the order
// in which they are preferred.
type messageAliases struct {
	message, logEntry value
}

// take keeps the value of a field, and reports whether the field is an alias.
func (a *messageAliases) take(name []byte, raw value) bool {
	switch string(name) {
	case "message":
		a.message = raw
	case "log_entry":
		a.logEntry = raw
	default:
		return false
	}
	return true
}

// apply sets the message of an event that has no event_message. It adds the aliases that are
// not used to the ignored fields.
func (a *messageAliases) apply(decoder *Decoder, event *Event, ignored []string) ([]string, error) {
	for _, alias := range []struct {
		name string
		raw  value
	}{{"message", a.message}, {"log_entry", a.logEntry}} {
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
		}
	}
	return ignored, nil
}
