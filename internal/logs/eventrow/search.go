package eventrow

import (
	"encoding/json"
	"strconv"
	"strings"

	"savedq/internal/text/jsontext"
)

// searchFields is the number of fields that logs.search has: status, method, path and level, from [atStatus].
const searchFields = 4

// searchPaths returns the places of the fields in metadata, of which the first counts that has anything but null, an
// object or a list.
func searchPaths() [searchFields][][]string {
	return [searchFields][][]string{
		{{"response", "status_code"}, {"status"}},
		{{"request", "method"}, {"method"}},
		{{"request", "path"}, {"request", "pathname"}, {"path"}},
		{{"level"}, {"parsed", "error_severity"}},
	}
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
