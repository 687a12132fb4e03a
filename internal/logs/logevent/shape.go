package logevent

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"
)

// MaxDepth is how many brackets deep metadata may be nested in its storage
// shape, in which every nested object counts twice. Real logs stay far below;
// the limit keeps a hostile event from exhausting the stack of an engine.
const MaxDepth = 200

// shapeMetadata returns metadata in the warehouse's storage shape (D14): every nested
// object becomes a list of one object, at every level, and an object in a list stays as
// it is. Of a key that an object repeats, only the last occurrence remains. The metadata
// must be valid JSON. The result is compact JSON, with numbers and the order of keys
// unchanged. Metadata that is in this shape already is returned unchanged.
func shapeMetadata(metadata gjson.Result) (json.RawMessage, error) {
	const allowed = "; it must be an object or a list of objects"
	if metadata.Type != gjson.JSON {
		return nil, fmt.Errorf("is %s%s", kindOf(metadata), allowed)
	}
	if metadata.IsArray() {
		var err error
		metadata.ForEach(func(_, element gjson.Result) bool {
			if !element.IsObject() {
				err = fmt.Errorf("is a list that holds %s%s", kindOf(element), allowed)
			}
			return err == nil
		})
		if err != nil {
			return nil, err
		}
	}
	const usualMembers = 16 // in the open objects of an event
	s := shaper{
		output:  make([]byte, 0, len(metadata.Raw)+len(metadata.Raw)/8+2),
		members: make([]member, 0, usualMembers),
	}
	if err := s.value(metadata.Raw, 0, false); err != nil {
		return nil, err
	}
	return s.output, nil
}

type shaper struct {
	output []byte
	// members are those of all objects that are being written.
	members []member
}

// value appends a value that is nested in depth brackets.
func (s *shaper) value(raw string, depth int, inList bool) error {
	switch {
	case raw[0] == '[':
		return s.list(raw, depth+1)
	case raw[0] == '{' && inList:
		return s.object(raw, depth+1)
	case raw[0] == '{':
		s.output = append(s.output, '[')
		err := s.object(raw, depth+2)
		s.output = append(s.output, ']')
		return err
	case raw[0] == '"':
		s.output = appendPaired(s.output, raw)
	default:
		s.output = append(s.output, raw...)
	}
	return nil
}

// list appends a list that is nested in depth brackets, its own included.
func (s *shaper) list(raw string, depth int) (err error) {
	if depth > MaxDepth {
		return errTooDeep()
	}
	s.output = append(s.output, '[')
	first := true
	gjson.Result{Type: gjson.JSON, Raw: raw}.ForEach(func(_, element gjson.Result) bool {
		if !first {
			s.output = append(s.output, ',')
		}
		first = false
		err = s.value(element.Raw, depth, true)
		return err == nil
	})
	s.output = append(s.output, ']')
	return err
}

// object appends an object that is nested in depth brackets, its own included.
func (s *shaper) object(raw string, depth int) error {
	if depth > MaxDepth {
		return errTooDeep()
	}
	outer := len(s.members)
	gjson.Result{Type: gjson.JSON, Raw: raw}.ForEach(func(key, value gjson.Result) bool {
		s.members = append(s.members, member{key: text(key), quotedKey: key.Raw, value: value.Raw})
		return true
	})
	s.members = append(s.members[:outer], lastOccurrences(s.members[outer:])...)
	s.output = append(s.output, '{')
	for i := outer; i < len(s.members); i++ {
		if i > outer {
			s.output = append(s.output, ',')
		}
		s.output = append(appendPaired(s.output, s.members[i].quotedKey), ':')
		if err := s.value(s.members[i].value, depth, false); err != nil {
			return err
		}
	}
	s.output = append(s.output, '}')
	s.members = s.members[:outer]
	return nil
}

func errTooDeep() error {
	return fmt.Errorf("is nested too deeply; at most %d levels are allowed, and an object inside an object counts as two", MaxDepth)
}
