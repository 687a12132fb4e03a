package logevent

import (
	"bytes"
	"encoding/json"
	"strings"
)

// value is the text of a valid JSON value. It starts with the value, and more may follow.
type value []byte

// kind names the kind of a value for messages.
func (v value) kind() string {
	switch v[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case 'n':
		return "null"
	}
	return "a number"
}

// unquote returns the text of a JSON string. Half a surrogate pair becomes U+FFFD, as in
// encoding/json.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return strings.ToValidUTF8(string(quoted), "\uFFFD")
	}
	return text
}
