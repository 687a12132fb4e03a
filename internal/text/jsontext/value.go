package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Value is the text of a valid JSON value, without white space around it. A nil value is absent.
type Value []byte

// Member is a member of an object.
type Member struct {
	Name string
	// Quoted is the name as the object has it.
	Quoted []byte
	Value  Value
}

// Is reports whether the value starts with the character, such as { for an object.
func (v Value) Is(first byte) bool { return len(v) > 0 && v[0] == first }

// IsNull reports whether the value is absent or null.
func (v Value) IsNull() bool { return len(v) == 0 || v[0] == 'n' }

// Kind names the kind of a value for messages.
func (v Value) Kind() string {
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

// Text returns the text of a string, nothing for null and an absent value, a number without an exponent
// or needless digits after its point, and the JSON of all others.
func (v Value) Text() string {
	switch {
	case v.IsNull():
		return ""
	case v[0] == '"':
		return Unquote(v)
	case v.Kind() == "a number" && bytes.ContainsAny(v, ".eE"):
		number, _ := strconv.ParseFloat(string(v), 64) // infinite if it is too large
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return string(v)
}

// Members yields the members of an object, in their order; none for other values.
func (v Value) Members() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		s := NewScanner(v)
		for more := s.Enter('{'); more; more, _ = s.More('}') {
			name, quoted, _ := s.Key()
			value, ok := s.Value(0)
			if !ok || !yield(Member{Name: string(name), Quoted: quoted, Value: value}) {
				return
			}
		}
	}
}

// Elements yields the elements of a list; none for other values.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		s := NewScanner(v)
		for more := s.Enter('['); more; more, _ = s.More(']') {
			if element, ok := s.Value(0); !ok || !yield(element) {
				return
			}
		}
	}
}

// Get returns the first member of an object that has the name; nil if there is none.
func (v Value) Get(name string) Value {
	for member := range v.Members() {
		if member.Name == name {
			return member.Value
		}
	}
	return nil
}

// Unquote returns the text of a JSON string. Half a surrogate pair becomes U+FFFD, as in
// encoding/json.
func Unquote(quoted []byte) string {
	if len(quoted) > 1 && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return strings.ToValidUTF8(string(quoted), "\uFFFD")
	}
	return text
}

// Check returns an error with the position of the first mistake in JSON.
func Check(text []byte) error {
	s := NewScanner(text)
	if _, ok := s.Value(0); ok && s.AtEnd() {
		return nil
	}
	var ignored json.RawMessage
	err := json.Unmarshal(text, &ignored)
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not valid JSON at byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("is not valid JSON: %w", err)
}

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
