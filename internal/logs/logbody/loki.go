package logbody

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// lokiSources are the labels whose values can name the source, by rank.
func lokiSources() []string { return []string{"source", "service_name", "service", "app", "job"} }

// lokiStream is what the entries of a stream share.
type lokiStream struct {
	origin

	// labels is an object in JSON.
	labels []byte
	// project is the JSON of the label project, or nil.
	project []byte
}

// enterStream returns the stream with the labels. An error about the labels rejects its entries.
func (c *collector) enterStream(labels []label, err error) lokiStream {
	if err != nil {
		return lokiStream{origin: origin{sentSource: c.requestSource(), rejection: "labels: " + err.Error()}}
	}
	stream := lokiStream{labels: []byte{'{'}}
	candidates := make([]string, len(lokiSources()))
	for _, pair := range labels {
		value := appendString(nil, pair.value)
		stream.labels = appendMember(stream.labels, pair.name, value)
		if pair.name == projectAttribute {
			stream.project = value
		}
		for i, name := range lokiSources() {
			if pair.name == name {
				candidates[i] = pair.value
			}
		}
	}
	stream.labels = append(stream.labels, '}')
	stream.origin = c.originOf("the labels "+strings.Join(lokiSources(), ", "), candidates...)
	return stream
}

// lokiEntry is an entry of a stream. All but line are JSON, and nil if absent.
type lokiEntry struct {
	timestamp []byte
	line      []byte
	// structured has the members of the structured metadata, and id and project those with these names.
	structured  []byte
	id, project []byte
}

// addStructured adds a member of the structured metadata. The value is JSON.
func (e *lokiEntry) addStructured(name string, value []byte) {
	if e.structured == nil {
		e.structured = []byte{'{'}
	}
	e.structured = appendMember(e.structured, name, value)
	switch {
	case jsontext.Value(value).IsNull():
	case name == "id":
		e.id = value
	case name == projectAttribute:
		e.project = value
	}
}

// addEntry adds an entry of a stream.
func (c *collector) addEntry(stream *lokiStream, entry *lokiEntry) error {
	event := []byte{'{'}
	if entry.id != nil {
		event = appendText(appendKey(event, "id"), entry.id)
	}
	if project := firstOf(entry.project, stream.project); project != nil {
		event = appendText(appendKey(event, "project"), project)
	}
	if entry.timestamp != nil {
		event = appendMember(event, "timestamp", entry.timestamp)
	}
	event = appendMember(event, "event_message", entry.line)
	metadata := []byte{'{'}
	if len(stream.labels) > len("{}") {
		metadata = appendMember(metadata, "labels", stream.labels)
	}
	if entry.structured != nil { // last, because the last member of a name counts
		members := entry.structured[1:]
		if len(metadata) > 1 {
			metadata = append(metadata, ',')
		}
		metadata = append(metadata, members...)
	}
	event = append(appendMember(event, "metadata", append(metadata, '}')), '}')
	if err := c.addFrom(&stream.origin, event, event); err != nil {
		return err
	}
	return c.next()
}

// firstOf returns the first value that is not nil.
func firstOf(values ...[]byte) []byte {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}

// rejectEntry rejects the entry at the current position.
func (c *collector) rejectEntry(stream *lokiStream, sent []byte, reason string) error {
	c.readable++
	c.reject(stream.sentSource, sent, reason)
	return c.next()
}

// readLokiJSON reads a PushRequest in JSON.
func (c *collector) readLokiJSON(body []byte) error {
	request, err := logevent.Object(logevent.Repair(body))
	if err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the request body is not a push request of Loki in JSON: it %s", strings.TrimPrefix(err.Error(), "event: "))
	}
	streams := request.Get("streams")
	if !streams.Is('[') {
		return sqlq.Errorf(sqlq.InvalidArgument, `the request body has no list "streams", so it is not a push request of Loki`)
	}
	for sent := range streams.Elements() {
		values := sent.Get("values")
		if !sent.Is('{') || !values.IsNull() && !values.Is('[') {
			return sqlq.Errorf(sqlq.InvalidArgument, `the request body is not a push request of Loki: a stream is an object with "stream", an object, and "values", a list`)
		}
		stream := c.enterStream(jsonLabels(sent.Get("stream")))
		for value := range values.Elements() {
			entry, reason := readLokiValue(value)
			if reason != "" {
				err = c.rejectEntry(&stream, value, reason)
			} else {
				err = c.addEntry(&stream, &entry)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// label is a label of a stream.
type label struct{ name, value string }

func jsonLabels(object jsontext.Value) ([]label, error) {
	if !object.IsNull() && !object.Is('{') {
		return nil, errors.New("must be an object of strings, not " + object.Kind())
	}
	var labels []label
	for member := range object.Members() {
		if !member.Value.Is('"') {
			return nil, errors.New(sqlq.Quote(member.Name) + " is " + member.Value.Kind() + "; it must be a string")
		}
		if len(labels) == logevent.MaxMembers {
			return nil, errTooManyLabels
		}
		labels = append(labels, label{member.Name, member.Value.Text()})
	}
	return labels, nil
}

// readLokiValue reads an entry in JSON: ["<nanoseconds>", "line"] or ["<nanoseconds>", "line", {structured metadata}].
func readLokiValue(value jsontext.Value) (entry lokiEntry, reason string) {
	var parts []jsontext.Value
	for part := range value.Elements() {
		parts = append(parts, part)
		if len(parts) > 3 {
			break
		}
	}
	if !value.Is('[') || len(parts) < 2 || len(parts) > 3 {
		return entry, `entry: is not a list of a timestamp, a line and, perhaps, an object`
	}
	if !parts[0].Is('"') {
		return entry, "timestamp: is " + parts[0].Kind() + "; it must be a string with the nanoseconds since 1970"
	}
	if !parts[1].Is('"') {
		return entry, "line: is " + parts[1].Kind() + "; it must be a string"
	}
	entry.line = parts[1]
	entry.timestamp = parts[0]
	if digits := parts[0].Text(); isDigits(digits) {
		entry.timestamp = []byte(digits)
	}
	if len(parts) == 2 || parts[2].IsNull() {
		return entry, ""
	}
	if !parts[2].Is('{') {
		return entry, "structured metadata: is " + parts[2].Kind() + "; it must be an object"
	}
	for member := range parts[2].Members() {
		entry.addStructured(member.Name, member.Value)
	}
	return entry, ""
}

// isDigits reports whether a text is a JSON number without a sign, a point and an exponent.
func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == "" && (text == "0" || text[0] != '0')
}

// Numbers of the fields of Loki's messages.
const (
	pushStreams     = 1
	streamLabels    = 1
	streamEntries   = 2
	entryTimestamp  = 1
	entryLine       = 2
	entryStructured = 3
	pairName        = 1
	pairValue       = 2
	timeSeconds     = 1
	timeNanoseconds = 2
)

// readLokiProtobuf reads a PushRequest in Protobuf. It decodes one entry after the other, without objects for them.
func (c *collector) readLokiProtobuf(body []byte) error {
	return eachField(body, func(number int, sent []byte, _ uint64) error {
		if number != pushStreams {
			return nil
		}
		labels := ""
		if err := eachField(sent, func(number int, content []byte, _ uint64) error {
			if number == streamLabels {
				labels = string(content)
			}
			return nil
		}); err != nil {
			return err
		}
		stream := c.enterStream(parseLabels(labels))
		return eachField(sent, func(number int, content []byte, _ uint64) error {
			if number != streamEntries {
				return nil
			}
			entry, err := decodeLokiEntry(content)
			if err != nil {
				return err
			}
			return c.addEntry(&stream, &entry)
		})
	})
}

// decodeLokiEntry decodes an entry. A timestamp of zero is an absent one.
func decodeLokiEntry(encoded []byte) (lokiEntry, error) {
	entry := lokiEntry{line: []byte(`""`)}
	var seconds, nanoseconds int64
	err := eachField(encoded, func(number int, content []byte, _ uint64) error {
		switch number {
		case entryTimestamp:
			return eachField(content, func(number int, _ []byte, value uint64) error {
				switch number {
				case timeSeconds:
					seconds = int64(value) //nolint:gosec // That is how the encoding has negative numbers.
				case timeNanoseconds:
					nanoseconds = int64(int32(value)) //nolint:gosec // The same.
				}
				return nil
			})
		case entryLine:
			entry.line = appendString(nil, string(content))
		case entryStructured:
			var name, value []byte
			if err := eachField(content, func(number int, content []byte, _ uint64) error {
				switch number {
				case pairName:
					name = content
				case pairValue:
					value = content
				}
				return nil
			}); err != nil {
				return err
			}
			entry.addStructured(string(name), appendString(nil, string(value)))
		}
		return nil
	})
	if seconds != 0 || nanoseconds != 0 {
		entry.timestamp = appendString(nil, time.Unix(seconds, nanoseconds).UTC().Format(time.RFC3339Nano))
	}
	return entry, err
}

// eachField calls visit for each field of a message in Protobuf, with the bytes or the number of its value.
func eachField(message []byte, visit func(number int, content []byte, value uint64) error) error {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return errNotLoki()
		}
		message = message[length:]
		var content []byte
		var value uint64
		switch kind {
		case protowire.BytesType:
			content, length = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			value, length = protowire.ConsumeVarint(message)
		default:
			length = protowire.ConsumeFieldValue(number, kind, message)
		}
		if length < 0 {
			return errNotLoki()
		}
		if err := visit(int(number), content, value); err != nil {
			return err
		}
		message = message[length:]
	}
	return nil
}

func errNotLoki() error {
	return sqlq.Errorf(sqlq.InvalidArgument, "the request body is not a PushRequest of Loki in Protobuf")
}

// errTooManyLabels is the error for a stream with more labels than an object may have members.
var errTooManyLabels = fmt.Errorf("are more than %d", logevent.MaxMembers)

// errLabels is the error for labels that cannot be parsed.
var errLabels = errors.New(`are not of the form {name="value", other="value"}`)

// parseLabels parses the labels of a stream in Protobuf, which are text.
func parseLabels(text string) ([]label, error) {
	rest, opened := strings.CutPrefix(strings.TrimSpace(text), "{")
	rest, closed := strings.CutSuffix(rest, "}")
	if text == "" {
		return nil, nil
	}
	if !opened || !closed {
		return nil, errLabels
	}
	var labels []label
	for rest = strings.TrimSpace(rest); rest != ""; {
		name, after, found := strings.Cut(rest, "=")
		after = strings.TrimSpace(after)
		quoted, err := strconv.QuotedPrefix(after)
		if !found || err != nil {
			return nil, errLabels
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, errLabels
		}
		if len(labels) == logevent.MaxMembers {
			return nil, errTooManyLabels
		}
		labels = append(labels, label{strings.TrimSpace(name), value})
		rest = strings.TrimSpace(after[len(quoted):])
		if rest == "" {
			break
		}
		if rest, found = strings.CutPrefix(rest, ","); !found {
			return nil, errLabels
		}
		rest = strings.TrimSpace(rest)
	}
	return labels, nil
}
