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
		return listTexts(value)
	}
	return []string{scalarText(value)}, ""
}

// listTexts returns the texts of a list's elements.
func listTexts(value json.RawMessage) (texts []string, fault string) {
	var elements []json.RawMessage
	if err := json.Unmarshal(value, &elements); err != nil { // cannot happen: the syntax is valid
		return nil, "is not a list"
	}
	texts = make([]string, len(elements))
	for i, element := range elements {
		switch element[0] {
		case 'n', '{', '[':
			return nil, fmt.Sprintf("has %s at position %d of its list; give strings, numbers or booleans",
				map[byte]string{'n': "null", '{': "an object", '[': "a list"}[element[0]], i+1)
		}
		texts[i] = scalarText(element)
	}
	return texts, ""
}

// scalarText returns a string, or a number or boolean as it is written.
func scalarText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
