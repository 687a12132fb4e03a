package jsontext

import (
	"encoding/json"
	"reflect"
	"strings"
)

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
