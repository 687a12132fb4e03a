package logbody

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// Fields of journal entries that savedq knows. Those with two underscores are not fields of the entry, but about it.
const (
	journalMessage    = "MESSAGE"
	journalPriority   = "PRIORITY"
	journalCursor     = "__CURSOR"
	journalTime       = "__REALTIME_TIMESTAMP"
	journalSourceTime = "_SOURCE_REALTIME_TIMESTAMP"
	journalSource     = "SOURCE"
	journalProject    = "PROJECT"
)

// journalField is a field of an entry.
type journalField struct {
	name  string
	value []byte
}

// errTruncatedJournal is the error for entries that end inside a field.
var errTruncatedJournal = sqlq.Errorf(sqlq.InvalidArgument, "the request body is truncated: it ends inside a field of a journal entry")

// nextField cuts the next field from entries in the export format of systemd's journal. A field with an empty name is the
// end of an entry. complete is false if the field does not end in the text.
func nextField(text []byte) (field journalField, rest []byte, complete bool, err error) {
	line, rest, ended := bytes.Cut(text, []byte{'\n'})
	if !ended {
		return field, text, false, nil
	}
	if name, value, isText := bytes.Cut(line, []byte{'='}); isText {
		if !isJournalName(name) {
			return field, text, false, errNotJournal()
		}
		return journalField{string(name), value}, rest, true, nil
	}
	if len(line) == 0 {
		return field, rest, true, nil
	}
	// A value that is not printable text has its length in front, as a 64-bit number, and a line break at its end.
	const lengthBytes = 8
	if !isJournalName(line) {
		return field, text, false, errNotJournal()
	}
	if len(rest) < lengthBytes {
		return field, text, false, nil
	}
	length := binary.LittleEndian.Uint64(rest)
	if length > MaxBytes {
		return field, text, false, errLongField
	}
	rest = rest[lengthBytes:]
	if uint64(len(rest)) <= length {
		return field, text, false, nil
	}
	if rest[length] != '\n' {
		return field, text, false, errNotJournal()
	}
	return journalField{string(line), rest[:length]}, rest[length+1:], true, nil
}

// errLongField is the error for a field that no body can hold.
var errLongField = sqlq.Errorf(sqlq.InvalidArgument, "a field of a journal entry has more than %d bytes, the limit for a request body", MaxBytes)

// isJournalName reports whether a text can be the name of a field, which has capitals, digits and underscores.
func isJournalName(name []byte) bool {
	const longest = 64 // as in the journal
	for _, char := range name {
		if (char < 'A' || char > 'Z') && (char < '0' || char > '9') && char != '_' {
			return false
		}
	}
	return len(name) > 0 && len(name) <= longest
}

func errNotJournal() error {
	return sqlq.Errorf(sqlq.InvalidArgument, "the request body is not in the export format of systemd's journal: lines such as MESSAGE=text, and an empty line between entries")
}

// CompleteEntries returns how many bytes of a part of a journal complete entries take, at most [MaxEvents] of them. The
// rest can be read with what follows it.
func CompleteEntries(part []byte) (int, error) {
	complete, inEntry := 0, false
	for rest, entries := part, 0; entries < MaxEvents; {
		field, after, ok, err := nextField(rest)
		if err != nil || !ok {
			return complete, err
		}
		rest = after
		switch {
		case field.name != "":
			inEntry = true
			continue
		case inEntry:
			entries++
		}
		inEntry, complete = false, len(part)-len(rest)
	}
	return complete, nil
}

// readJournal reads the entries of a journal. The last one needs no empty line after it.
func (c *collector) readJournal(body []byte) error {
	for start := body; len(body) > 0; {
		entry := journalEntry{index: make(map[string]int)}
		for len(body) > 0 {
			field, rest, complete, err := nextField(body)
			if err != nil {
				return err
			}
			if !complete {
				return errTruncatedJournal
			}
			body = rest
			if field.name == "" {
				break
			}
			entry.add(field)
		}
		sent := start[:len(start)-len(body)]
		start = body
		if len(entry.fields) == 0 {
			continue
		}
		from := origin{source: c.options.Source, sentSource: c.requestSource()}
		if named := entry.text(journalSource); named != "" {
			from = c.originOf("the field SOURCE", named)
		}
		if entry.count > logevent.MaxMembers {
			from.rejection = fmt.Sprintf("event: has more than %d fields", logevent.MaxMembers)
		}
		if err := c.addFrom(&from, entry.event(), sent); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// journalEntry is an entry. A field can have several values.
type journalEntry struct {
	fields []journalValues
	index  map[string]int
	// count is the number of values. Those beyond [logevent.MaxMembers] are left out.
	count int
}

// journalValues are the values of a field.
type journalValues struct {
	name   string
	values [][]byte
}

func (e *journalEntry) add(field journalField) {
	if e.count++; e.count > logevent.MaxMembers {
		return
	}
	at, known := e.index[field.name]
	if !known {
		at = len(e.fields)
		e.index[field.name] = at
		e.fields = append(e.fields, journalValues{name: field.name})
	}
	e.fields[at].values = append(e.fields[at].values, field.value)
}

// text returns the first value of a field, or an empty string.
func (e *journalEntry) text(name string) string {
	if at, known := e.index[name]; known {
		return string(e.fields[at].values[0])
	}
	return ""
}

// event returns the entry as savedq's event.
func (e *journalEntry) event() []byte {
	event := appendTexts([]byte{'{'}, [][2]string{{"id", e.text(journalCursor)}, {"project", e.text(journalProject)}})
	for _, name := range []string{journalTime, journalSourceTime} {
		if sent := e.text(name); sent != "" {
			timestamp := []byte(sent)
			if !isDigits(sent) {
				timestamp = appendString(nil, sent)
			}
			event = appendMember(event, "timestamp", timestamp)
			break
		}
	}
	if _, hasMessage := e.index[journalMessage]; hasMessage {
		event = appendMember(event, "event_message", appendString(nil, e.text(journalMessage)))
	}
	metadata := []byte{'{'}
	if level := levelOf(e.text(journalPriority)); level != "" {
		metadata = appendMember(metadata, "level", appendString(nil, level))
	}
	for _, field := range e.fields {
		if field.name == journalMessage && len(field.values) == 1 || field.name[0] == '_' && len(field.name) > 1 && field.name[1] == '_' {
			continue
		}
		metadata = appendKey(metadata, field.name)
		if len(field.values) == 1 {
			metadata = appendBinary(metadata, field.values[0])
			continue
		}
		metadata = append(metadata, '[')
		for i, value := range field.values {
			if i > 0 {
				metadata = append(metadata, ',')
			}
			metadata = appendBinary(metadata, value)
		}
		metadata = append(metadata, ']')
	}
	return append(appendMember(event, "metadata", append(metadata, '}')), '}')
}

// appendBinary appends a JSON string: what is not UTF-8 as Base64.
func appendBinary(output, value []byte) []byte {
	if !utf8.Valid(value) {
		return appendString(output, base64.StdEncoding.EncodeToString(value))
	}
	return appendString(output, string(value))
}

// levelOf returns the level of a priority of the journal, which is a severity of syslog, or an empty string.
func levelOf(priority string) string {
	if len(priority) != 1 || priority[0] < '0' || priority[0] > '7' {
		return ""
	}
	if severity := severityName(int(priority[0] - '0')); severity != "err" {
		return severity
	}
	return "error"
}
