package logevent

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// IsMessage reports whether a field can hold the message of an event (D35).
func IsMessage(field string) bool {
	return field == "event_message" || field == "message" || field == "log_entry"
}

// messageAliases are the fields that some senders use instead of event_message, in the order
// in which they are preferred.
type messageAliases struct {
	message, logEntry gjson.Result
}

// take keeps the value of a field, and reports whether the field is an alias.
func (a *messageAliases) take(name string, value gjson.Result) bool {
	switch name {
	case "message":
		a.message = value
	case "log_entry":
		a.logEntry = value
	default:
		return false
	}
	return true
}

// apply sets the message of an event that has no event_message. It adds the aliases that are
// not used to the ignored fields.
func (a *messageAliases) apply(event *Event, ignored []string) ([]string, error) {
	for _, alias := range []struct {
		name  string
		value gjson.Result
	}{{"message", a.message}, {"log_entry", a.logEntry}} {
		switch {
		case !alias.value.Exists():
		case event.EventMessage != nil:
			ignored = append(ignored, alias.name)
		default:
			message, err := readString(alias.value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", alias.name, err)
			}
			event.EventMessage = message
		}
	}
	return ignored, nil
}
