// Package duckjson turns the JSON text that DuckDB writes, or passes through, into JSON
// that every reader accepts.
package duckjson

import (
	"bytes"
	"encoding/json"
	"strings"

	"savedq/internal/text/jsontext"
)

// Strict returns text as valid JSON. It returns valid JSON unchanged. It repairs JSON that
// only DuckDB's lenient reader accepts: it drops a comma after the last element, and
// replaces NaN and infinities with null (D13). Any other text becomes a JSON string.
func Strict(text string) json.RawMessage {
	given := []byte(text)
	if json.Valid(given) {
		return given
	}
	if repaired := repair(given); json.Valid(repaired) {
		return repaired
	}
	quoted, _ := jsontext.Marshal(text) // cannot fail with a string
	return quoted
}

// ReplaceNonFinite replaces NaN and infinities with null (D13). DuckDB writes them into
// its JSON although JSON does not have them.
func ReplaceNonFinite(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	return repair(text)
}

// repair drops commas after last elements and replaces NaN and infinities with null. It
// does not change strings.
func repair(text []byte) []byte {
	output := make([]byte, 0, len(text))
	var last byte // the byte before this one, white space aside
	for len(text) > 0 {
		length := 1
		switch {
		case text[0] == '"':
			length = stringLength(text)
			output = append(output, text[:length]...)
		case text[0] == ',' && endsElement(last) && closesNext(text[1:]):
		case nonFiniteLength(text) > 0:
			length = nonFiniteLength(text)
			output = append(output, "null"...)
		default:
			output = append(output, text[0])
		}
		if !isSpace(text[0]) {
			last = text[0]
		}
		text = text[length:]
	}
	return output
}

// endsElement reports whether an element can end with the byte.
func endsElement(last byte) bool { return bytes.IndexByte([]byte("\x00[{,:"), last) < 0 }

// closesNext reports whether a list or an object ends next.
func closesNext(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == ']' || text[0] == '}')
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// nonFiniteLength returns the length of a leading NaN or infinity in any spelling that
// DuckDB reads or writes, or zero.
func nonFiniteLength(text []byte) int {
	sign := 0
	if text[0] == '-' {
		sign = 1
	}
	for _, token := range []string{"infinity", "inf", "nan"} {
		if end := sign + len(token); len(text) >= end && strings.EqualFold(string(text[sign:end]), token) {
			return end
		}
	}
	return 0
}

// stringLength returns the length of a leading JSON string.
func stringLength[T string | []byte](text T) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
