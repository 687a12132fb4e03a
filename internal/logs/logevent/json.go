package logevent

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// text returns the text of a JSON string or key. Half a surrogate pair becomes U+FFFD, as
// in encoding/json; gjson drops the character after it as well.
func text(value gjson.Result) string {
	if strings.IndexByte(value.Raw, '\\') < 0 {
		return value.Str
	}
	var text string
	if err := json.Unmarshal([]byte(value.Raw), &text); err != nil {
		return strings.ToValidUTF8(value.Raw, "\uFFFD")
	}
	return text
}

// kindOf names the kind of a value for messages.
func kindOf(value gjson.Result) string {
	switch {
	case value.IsObject():
		return "an object"
	case value.IsArray():
		return "a list"
	case value.IsBool():
		return "a boolean"
	case value.Type == gjson.String:
		return "a string"
	case value.Type == gjson.Null:
		return "null"
	}
	return "a number"
}
