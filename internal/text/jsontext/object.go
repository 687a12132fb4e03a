package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// maxDepth limits how deep an object nests.
const maxDepth = 32

// DecodeObject decodes a JSON object. Numbers become [json.Number]. The error is not nil if
// the text is anything else, has a name twice in one object, nests deeper than 32 levels, or is
// not well-formed; see [IsWellFormed]. Other decoders use one of two values with the same name,
// and not all the same one.
func DecodeObject(text []byte) (map[string]any, error) {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	s := NewScanner(text)
	_, valid := s.Value(0)
	_, isShallow := NewScanner(text).Value(maxScanDepth - maxDepth)
	switch {
	case !IsWellFormed(string(text)):
		return nil, errors.New("is not valid UTF-8, or has an unpaired surrogate")
	case !valid:
		return nil, errors.New("is not valid JSON")
	case !isShallow:
		return nil, fmt.Errorf("nests deeper than %d levels", maxDepth)
	case repeatsName(text):
		return nil, errors.New("has the same name twice in one object")
	case decoder.Decode(&object) != nil || object == nil:
		return nil, errors.New("is not a JSON object")
	case !s.AtEnd():
		return nil, errors.New("has text after the JSON object")
	}
	return object, nil
}

func repeatsName(text []byte) bool {
	_, fault := WrongName(text, nil)
	return fault != ""
}

// Marshal encodes a value in JSON, in which characters such as < are readable.
func Marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// WrongName returns the first name in valid JSON that decoders do not agree about, and what is wrong with it; both empty if
// there is none. One is a name that an object has twice, of whose values decoders use either. The other differs only in
// letter case from the name of a field of target, which encoding/json ignores. What becomes a [json.RawMessage] is left out.
func WrongName(text []byte, target any) (name, fault string) {
	return NewScanner(text).wrongName(reflect.TypeOf(target))
}

func (s *Scanner) wrongName(target reflect.Type) (name, fault string) {
	for target != nil && target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	first := s.Peek()
	if target == reflect.TypeFor[json.RawMessage]() {
		first = 0
	}
	switch first {
	case '{':
		names, fields := make(map[string]bool), fieldsOf(target)
		for more := s.Enter('{'); more; more, _ = s.More('}') {
			key, _, _ := s.Key()
			name = string(key)
			if names[name] {
				return name, "is given twice in one object of the request's JSON; give it once"
			}
			names[name] = true
			var of reflect.Type
			for _, field := range fields {
				if field.name == name {
					of = field.of
				} else if strings.EqualFold(field.name, name) {
					return name, "is not known; write " + field.name
				}
			}
			if name, fault = s.wrongName(of); fault != "" {
				return name, fault
			}
		}
	case '[':
		for more := s.Enter('['); more; more, _ = s.More(']') {
			if name, fault = s.wrongName(nil); fault != "" {
				return name, fault
			}
		}
	default:
		s.Value(0)
	}
	return "", ""
}

// field is a field of a struct, by its name in JSON.
type field struct {
	name string
	of   reflect.Type
}

// fieldsOf returns the fields of a struct; none for other types.
func fieldsOf(target reflect.Type) (fields []field) {
	if target == nil || target.Kind() != reflect.Struct {
		return nil
	}
	for declared := range target.Fields() {
		if declared.Anonymous {
			fields = append(fields, fieldsOf(declared.Type)...)
		} else if name, _, _ := strings.Cut(declared.Tag.Get("json"), ","); name != "" {
			fields = append(fields, field{name, declared.Type})
		}
	}
	return fields
}
