package demo

import (
	"encoding/json"
	"strconv"
)

// metadataWriter writes metadata as compact JSON in the warehouse's storage
// shape, where every nested object is a list of one object (D14). Encoding Go
// structs gives the same bytes at several times the cost, which a quarter of a
// million events would turn into seconds of a new user's first start.
type metadataWriter struct {
	buffer []byte
}

// begin starts the metadata of another event.
func (w *metadataWriter) begin() { w.buffer = append(w.buffer[:0], '[', '{') }

// finish ends the metadata and returns a copy of it, which is the caller's.
func (w *metadataWriter) finish() json.RawMessage {
	w.close()
	return append(make(json.RawMessage, 0, len(w.buffer)), w.buffer...)
}

// open starts a nested object; close ends it.
func (w *metadataWriter) open(name string) {
	w.name(name)
	w.buffer = append(w.buffer, '[', '{')
}

func (w *metadataWriter) close() { w.buffer = append(w.buffer, '}', ']') }

func (w *metadataWriter) text(name, value string) {
	w.name(name)
	w.buffer = appendQuoted(w.buffer, value)
}

func (w *metadataWriter) number(name string, value int) {
	w.name(name)
	w.buffer = strconv.AppendInt(w.buffer, int64(value), 10)
}

func (w *metadataWriter) flag(name string, value bool) {
	w.name(name)
	w.buffer = strconv.AppendBool(w.buffer, value)
}

func (w *metadataWriter) texts(name string, values ...string) {
	w.name(name)
	w.buffer = append(w.buffer, '[')
	for i, value := range values {
		if i > 0 {
			w.buffer = append(w.buffer, ',')
		}
		w.buffer = appendQuoted(w.buffer, value)
	}
	w.buffer = append(w.buffer, ']')
}

// name writes a field's name, after a comma unless the object begins with it.
// Names are constants of this package and need no escapes.
func (w *metadataWriter) name(name string) {
	if w.buffer[len(w.buffer)-1] != '{' {
		w.buffer = append(w.buffer, ',')
	}
	w.buffer = append(w.buffer, '"')
	w.buffer = append(w.buffer, name...)
	w.buffer = append(w.buffer, '"', ':')
}

// appendQuoted appends the text as a JSON string. It escapes what RFC 8259 says
// must be; the text is valid UTF-8.
func appendQuoted(buffer []byte, text string) []byte {
	const digits = "0123456789abcdef"
	buffer = append(buffer, '"')
	start := 0
	for i := range len(text) {
		character := text[i]
		if character >= ' ' && character != '"' && character != '\\' {
			continue
		}
		buffer = append(buffer, text[start:i]...)
		start = i + 1
		switch character {
		case '"', '\\':
			buffer = append(buffer, '\\', character)
		case '\n':
			buffer = append(buffer, '\\', 'n')
		default:
			buffer = append(buffer, '\\', 'u', '0', '0', digits[character>>4], digits[character&15])
		}
	}
	buffer = append(buffer, text[start:]...)
	return append(buffer, '"')
}

// decimal writes a whole number the way people do.
func decimal(number int) string { return strconv.Itoa(number) }
