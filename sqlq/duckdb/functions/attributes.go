package functions

import (
	"errors"
	"hash/maphash"

	"savedq/internal/text/jsontext"
)

// mostAttributeBytes limits the result of [attributes]: each value repeats the names of the objects around it.
const mostAttributeBytes = 4 << 20

var (
	errTooManyAttributes = errors.New("log_attributes of an event take more than 4 MiB; read single attributes, as in log_attributes['request.path']")
	errNoJSON            = errors.New("metadata is not valid JSON")
)

// attributes returns the values of metadata, which is a list of one object, as a JSON object of strings. Their names are paths, such as
// request.method. A list counts by its first element, which is not a list, and null is no value.
func attributes(metadata string) (string, error) {
	const usual = 32 // members
	w := attributeWriter{scanner: jsontext.NewScanner([]byte(metadata)), output: []byte{'{'}, known: make(map[uint64]struct{}, usual), seed: maphash.MakeSeed()}
	if w.scanner.Peek() != '[' {
		return "{}", nil
	}
	if !w.list() || !w.scanner.AtEnd() {
		return "", errNoJSON
	}
	if len(w.output) > mostAttributeBytes {
		return "", errTooManyAttributes
	}
	return string(append(w.output, '}')), nil
}

type attributeWriter struct {
	scanner *jsontext.Scanner
	// path has the names around the value, as JSON strings have them, with a dot before each.
	path   []byte
	output []byte
	// known are the hashes of the paths that have a value. The first one counts.
	known map[uint64]struct{}
	seed  maphash.Seed
}

// value consumes a value, and writes it. It reports whether the JSON is valid.
func (w *attributeWriter) value() bool {
	switch w.scanner.Peek() {
	case '{':
		return w.object()
	case '[':
		return w.list()
	}
	value, ok := w.scanner.Value(0)
	if !ok || value.IsNull() || len(w.path) == 0 || len(w.output) > mostAttributeBytes {
		return ok
	}
	hash := maphash.Bytes(w.seed, w.path)
	if _, found := w.known[hash]; found {
		return true
	}
	w.known[hash] = struct{}{}
	if len(w.output) > 1 {
		w.output = append(w.output, ',')
	}
	w.output = append(w.output, '"')
	w.output = append(w.output, w.path[1:]...)
	w.output = append(w.output, `":`...)
	if value.Is('"') {
		w.output = append(w.output, value...)
		return true
	}
	w.output = append(append(append(w.output, '"'), value...), '"')
	return true
}

func (w *attributeWriter) object() bool {
	more, ok := w.enter('{', '}')
	for more {
		length := len(w.path)
		var quoted []byte
		if _, quoted, ok = w.scanner.Key(); !ok {
			return false
		}
		w.path = append(append(w.path, '.'), quoted[1:len(quoted)-1]...)
		if !w.value() {
			return false
		}
		w.path = w.path[:length]
		more, ok = w.scanner.More('}')
	}
	return ok
}

func (w *attributeWriter) list() bool {
	more, ok := w.enter('[', ']')
	for first := true; more; first = false {
		if first && w.scanner.Peek() != '[' {
			ok = w.value()
		} else {
			_, ok = w.scanner.Value(0)
		}
		if !ok {
			return false
		}
		more, ok = w.scanner.More(']')
	}
	return ok
}

// enter consumes the opening bracket, and the closing one if nothing is between them.
func (w *attributeWriter) enter(opening, closing byte) (more, ok bool) {
	more = w.scanner.Enter(opening)
	return more, more || w.scanner.Text[w.scanner.Position-1] == closing
}
