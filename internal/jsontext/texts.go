package jsontext

import (
	"encoding/json"
	"fmt"
)

// Texts returns the texts of the value of a parameter, nil for null, or what is wrong with it. Strings,
// numbers and booleans have one, without loss of digits, and a list those of its elements. The value
// must be valid JSON without spaces around it.
func Texts(value json.RawMessage) (texts []string, fault string) {
	switch value[0] {
	case 'n':
		return nil, ""
	case '{':
		return nil, "is a JSON object; give a string, a number, a boolean or a list of these"
	case '[':
		texts = []string{}
		for element := range Value(value).Elements() {
			switch element[0] {
			case 'n', '{', '[':
				return nil, fmt.Sprintf("has %s at position %d of its list; give strings, numbers or booleans", element.Kind(), len(texts)+1)
			}
			texts = append(texts, scalarText(element))
		}
		return texts, ""
	}
	return []string{scalarText(Value(value))}, ""
}

// scalarText returns a string, or a number or boolean as it is written.
func scalarText(value Value) string {
	if value[0] == '"' {
		return Unquote(value)
	}
	return string(value)
}
