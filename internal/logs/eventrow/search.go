package eventrow

import (
	"encoding/json"
	"strconv"
	"strings"

	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// searchReader reads a field of logs.search.
type searchReader struct {
	sqlq.SearchField

	// slots says where each path's value is in [values].
	slots []int
}

// read returns the first text at the paths, nil if there is none, and its place. isPlaced means that no path has anything else.
func (s *searchReader) read(found []jsontext.Value) (text json.RawMessage, place uint64, isPlaced bool) {
	values := 0
	for i, slot := range s.slots {
		if found[slot].IsNull() {
			continue
		}
		values++
		if text == nil {
			text, place = scalarText(found[slot]), s.Place(i)
		}
	}
	return text, place, values == 0 || values == 1 && text != nil
}

// statusOf returns the three digits of a status, or nil for another text. A number may have a fraction of zeros.
func statusOf(text json.RawMessage) json.RawMessage {
	const digits = 3
	if len(text) < digits || text[0] < '1' || text[0] > '9' || !isDigit(text[1]) || !isDigit(text[2]) {
		return nil
	}
	if rest := text[digits:]; len(rest) > 0 && (len(rest) == 1 || rest[0] != '.' || strings.Trim(string(rest[1:]), "0") != "") {
		return nil
	}
	return text[:digits]
}

func isDigit(char byte) bool { return char >= '0' && char <= '9' }

// isNumber reports whether a value that starts with the character is a number.
func isNumber(char byte) bool { return char == '-' || isDigit(char) }

// float returns a number, and false for another value and a number that is too large.
func float(value jsontext.Value) (number float64, ok bool) {
	if !isNumber(value[0]) {
		return 0, false
	}
	number, err := strconv.ParseFloat(string(value), 64)
	return number, err == nil
}
