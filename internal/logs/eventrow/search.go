package eventrow

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// searchReader reads a field of logs.search.
type searchReader struct {
	sqlq.SearchField

	// slots are those of its paths.
	slots []int
}

// place returns where the value is, which has a text, and false if the event is not placed.
func (s *searchReader) place(found []jsontext.Value, text json.RawMessage) (place uint64, ok bool) {
	values := 0
	for i, slot := range s.slots {
		value := found[slot]
		if value.IsNull() {
			continue
		}
		if scalar := scalarText(value); scalar == nil || !bytes.Equal(scalar, text) {
			return 0, false
		}
		place = s.Place(i)
		values++
	}
	return place, values <= 1
}

// firstText returns the first of the values in slots that has a text, and its text.
func firstText(found []jsontext.Value, slots []int) json.RawMessage {
	for _, slot := range slots {
		if text := scalarText(found[slot]); text != nil {
			return text
		}
	}
	return nil
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
