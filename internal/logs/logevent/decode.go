package logevent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"savedq/internal/text/jsontext"
)

// Defaults are the values of fields that the sender left out.
type Defaults struct {
	// Now is the timestamp of an event without one.
	Now time.Time
	// ID returns the id of an event without one.
	ID func() string
	// Rows means that unknown fields are a part of the metadata, and that an event can have others alone.
	Rows bool
}

// Decode decodes one event; see [Decoder.Decode].
func Decode(raw []byte, defaults Defaults) (Event, []string, error) {
	return new(Decoder).Decode(raw, defaults)
}

// Decoder decodes many events with the same buffers. It is not safe for concurrent use.
type Decoder struct {
	shaper shaper
	// rows is Defaults.Rows. members holds the unknown fields of the event, with quoted names.
	rows    bool
	members []named
	// hasField reports whether the event has a field that is not null.
	hasField bool
}

// Decode reads one event as senders post it: a JSON object with the fields
//
//	id             string; absent, null or empty becomes defaults.ID()
//	timestamp      ISO 8601 text (D11), or an integer since the epoch in seconds,
//	               milliseconds, microseconds or nanoseconds (D35), in the years 0001
//	               to 9999; without it @timestamp, time, ts or date (D41); absent or
//	               null becomes defaults.Now
//	event_message  string; without it message, log_entry, msg or log (D35, D41)
//	project        string of at most 256 characters (D9)
//	metadata       object or list of objects, or a string that holds the JSON
//	               text of either, as Parquet exports have it
//
// One of event_message and metadata is required. The event does not refer to raw. The
// second result names unknown fields, which are ignored, unless the events are rows. Errors name the field, the
// mistake and what is allowed, and quote at most a few bytes of the event.
func (d *Decoder) Decode(raw []byte, defaults Defaults) (Event, []string, error) {
	event := Event{Timestamp: defaults.Now.UTC().Truncate(time.Microsecond)}
	raw = validUTF8(raw)
	d.rows, d.members, d.hasField = defaults.Rows, d.members[:0], false
	ignored, err := d.object(&event, raw)
	if err == nil {
		err = d.addMembers(&event)
	}
	if err != nil {
		// A mistake in the JSON anywhere comes before one in a field.
		if syntaxErr := checkObject(raw); syntaxErr != nil {
			err = syntaxErr
		}
		return Event{}, nil, err
	}
	if event.EventMessage == nil && event.Metadata == nil && (!d.rows || !d.hasField) {
		return Event{}, nil, fmt.Errorf("event: has neither event_message nor metadata; one of them is required%s", seen(ignored))
	}
	if event.ID == "" {
		event.ID = defaults.ID()
	}
	return event, ignored, nil
}

// seen returns the fields of an event that has nothing to store, for its error.
func seen(fields []string) string {
	const most, longest = 8, 32
	if len(fields) == 0 {
		return ""
	}
	shown := make([]string, 0, most+1)
	for _, field := range fields[:min(len(fields), most)] {
		if len(field) > longest {
			field = strings.ToValidUTF8(field[:longest], "") + "…"
		}
		shown = append(shown, strconv.Quote(field))
	}
	if len(fields) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(fields)-most))
	}
	return ", and only these fields were found: " + strings.Join(shown, ", ")
}

// errSyntax is the error for text that is not an object in JSON, without its reason.
var errSyntax = errors.New("event: is not valid JSON")

// object reads the fields of an event. It returns the unknown ones.
func (d *Decoder) object(event *Event, raw []byte) (ignored []string, err error) {
	s := jsontext.Scanner{Text: raw}
	s.Space()
	if !s.Take('{') {
		return nil, errSyntax
	}
	s.Space()
	found := aliases{}
	for more := !s.Take('}'); more; {
		name, quoted, ok := s.Key()
		if !ok {
			return nil, errSyntax
		}
		if ignored, err = d.field(event, key{name, quoted}, &s, &found, ignored); err != nil {
			return nil, err
		}
		if more, ok = s.More('}'); !ok {
			return nil, errSyntax
		}
	}
	if !s.AtEnd() {
		return nil, errSyntax
	}
	return found.apply(d, event, ignored)
}

// key is the name of a field, also in JSON.
type key struct{ name, quoted []byte }

// addMembers adds the unknown fields of a row to the metadata, unless that has members of their names.
func (d *Decoder) addMembers(event *Event) error {
	if len(d.members) == 0 {
		return nil
	}
	first := jsontext.NewScanner(event.Metadata)
	first.Take('[')
	object, _ := first.Value(0)
	text := []byte{'{'}
	for _, member := range d.members {
		if object.Get(jsontext.Unquote([]byte(member.name))) == nil {
			text = append(append(append(append(text, member.name...), ':'), member.raw...), ',')
		}
	}
	added, err := d.shape(jsontext.NewScanner(append(bytes.TrimSuffix(text, []byte{','}), '}')))
	if err != nil {
		return err
	}
	members := added[len("[{") : len(added)-len("}]")]
	if len(members) > 0 || !bytes.HasPrefix(event.Metadata, []byte("[{")) {
		event.Metadata = appendMembers(nil, event.Metadata, members)
	}
	return nil
}

// field reads the value of one field.
func (d *Decoder) field(event *Event, key key, s *jsontext.Scanner, found *aliases, ignored []string) ([]string, error) {
	const inEvent = 1
	name := key.name
	if char := s.Peek(); string(name) == "metadata" && (char == '{' || char == '[') {
		metadata, err := d.shape(s)
		if err != nil && !errors.Is(err, errSyntax) {
			err = fmt.Errorf("metadata: %w", err)
		}
		event.Metadata = metadata
		return ignored, err
	}
	raw, ok := s.Value(inEvent)
	if !ok {
		return nil, errSyntax
	}
	d.hasField = d.hasField || raw[0] != 'n'
	if raw[0] == 'n' || found.take(name, raw) {
		return ignored, nil
	}
	known, err := d.set(event, name, raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	found.hasTimestamp = found.hasTimestamp || string(name) == "timestamp"
	switch {
	case known:
	case d.rows:
		d.members = append(d.members, named{string(key.quoted), raw})
	default:
		ignored = append(ignored, string(name))
	}
	return ignored, nil
}

// set sets a field to a value that is not null. It reports whether the event has a field of
// that name.
func (d *Decoder) set(event *Event, name []byte, raw jsontext.Value) (known bool, err error) {
	switch string(name) {
	case "id":
		event.ID, err = readString(raw)
	case "timestamp":
		event.Timestamp, err = ReadTimestamp(raw)
	case "event_message":
		event.EventMessage, err = readPointer(raw)
	case "project":
		event.Project, err = readPointer(raw)
		if err == nil {
			err = CheckProject(*event.Project)
		}
	case "metadata":
		event.Metadata, err = d.readMetadata(raw)
	default:
		return false, nil
	}
	return true, err
}

// CheckProject returns an error for a project that no query can name (D9).
func CheckProject(project string) error {
	const maxCharacters = 256
	switch {
	case len(project) > maxCharacters && utf8.RuneCountInString(project) > maxCharacters:
		return fmt.Errorf("is longer than %d characters", maxCharacters)
	case strings.Contains(project, "\x00"):
		return errors.New("contains the character NUL")
	case !utf8.ValidString(project):
		return errors.New("is not valid UTF-8")
	}
	return nil
}

func readString(raw jsontext.Value) (string, error) {
	if raw[0] != '"' {
		return "", fmt.Errorf("is %s; it must be a string", raw.Kind())
	}
	return jsontext.Unquote(raw), nil
}

func readPointer(raw jsontext.Value) (*string, error) {
	text, err := readString(raw)
	return &text, err
}

// readMetadata reads metadata that is neither an object nor a list.
func (d *Decoder) readMetadata(raw jsontext.Value) (json.RawMessage, error) {
	if raw[0] == '"' {
		inner := jsontext.NewScanner([]byte(jsontext.Unquote(raw)))
		if err := jsontext.Check(inner.Text); err != nil {
			return nil, fmt.Errorf("is a string whose text %w; it must be the JSON of an object or of a list of objects", err)
		}
		raw = inner.Text[inner.Position:]
		if raw[0] == '{' || raw[0] == '[' {
			return d.shape(inner)
		}
	}
	return nil, fmt.Errorf("is %s; it must be an object or a list of objects", raw.Kind())
}

// NotObjectError is the error for what is not an object in JSON, and so no event of any kind.
type NotObjectError struct {
	mistake error
}

// Error returns what is wrong.
func (e *NotObjectError) Error() string { return "event: " + e.mistake.Error() }

// Object returns the object in JSON that raw is. The error is a [*NotObjectError].
func Object(raw []byte) (jsontext.Value, error) {
	raw = validUTF8(raw)
	if err := checkObject(raw); err != nil {
		return nil, err
	}
	object, _ := jsontext.NewScanner(raw).Value(0)
	return object, nil
}

// checkObject returns a [*NotObjectError] for text that is not an object in JSON.
func checkObject(raw []byte) error {
	if err := jsontext.Check(raw); err != nil {
		return &NotObjectError{err}
	}
	s := jsontext.NewScanner(raw)
	if s.Peek() != '{' {
		return &NotObjectError{fmt.Errorf("is %s; an event is a JSON object", jsontext.Value(s.Text[s.Position:]).Kind())}
	}
	return nil
}

// Repair returns JSON without what no text can hold, as events of every way are stored: U+FFFD
// stands for bytes that are not UTF-8, and for escaped halves of surrogate pairs.
func Repair(text []byte) []byte {
	text = validUTF8(text)
	if !bytes.Contains(text, []byte(`\u`)) {
		return text
	}
	return jsontext.AppendPaired(nil, text)
}

// validUTF8 returns a text with U+FFFD for bytes that are not UTF-8. Senders cut messages in the
// middle of a character.
func validUTF8(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return bytes.ToValidUTF8(text, []byte("\ufffd"))
}
