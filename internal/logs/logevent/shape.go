package logevent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MaxDepth is how many brackets deep metadata may be nested in its storage
// shape, in which every nested object counts twice. Real logs stay far below;
// the limit keeps a hostile event from exhausting the stack of an engine.
const MaxDepth = 200

// shapeMetadata brings metadata into the warehouse's storage shape (D14): every
// nested object becomes a list of one object, at every level, and objects that
// already stand in a list stay. Of a key that stands several times in an object only
// the last occurrence remains. It wants valid JSON and returns compact JSON in
// which numbers and the order of keys are what they were. Metadata that is
// already in shape comes back unchanged.
func shapeMetadata(metadata []byte) (json.RawMessage, error) {
	if metadata[0] != '{' && metadata[0] != '[' {
		return nil, fmt.Errorf("is %s; allowed is an object or a list of objects", kindOf(metadata))
	}
	const usualMembers, usualDepth = 48, 16 // of the events of an edge network
	s := shaper{
		input:   metadata,
		output:  make([]byte, 0, len(metadata)+len(metadata)/8+2),
		open:    make([]bracket, 0, usualDepth),
		members: make([]member, 0, usualMembers),
	}
	for i := 0; i < len(metadata); {
		consumed, err := s.step(metadata[i:])
		if err != nil {
			return nil, err
		}
		i += consumed
	}
	return s.output, nil
}

// container is what a bracket opens.
type container byte

const (
	list container = iota
	listedObject
	wrappedObject // an object around which the shaper has opened a list
)

// bracket is a bracket that is open.
type bracket struct {
	container container
	// members is how many members all open objects had when it was opened.
	members int32
	// marks are those of its keys, and compare is true where two of them are the same.
	marks   uint64
	compare bool
}

type shaper struct {
	input  []byte
	output []byte
	open   []bracket
	depth  int
	// members are those of all open objects so far.
	members []member
	// beforeKey is true where the next string is a key.
	beforeKey bool
}

// step copies the token that the text starts with and returns its length.
func (s *shaper) step(text []byte) (int, error) {
	if len(s.open) == 1 && s.open[0].container == list {
		if err := checkElement(text); err != nil {
			return 0, err
		}
	}
	switch text[0] {
	case ' ', '\t', '\r', '\n':
		return 1, nil
	case '"':
		length := stringLength(text)
		escaped := bytes.IndexByte(text[:length], '\\') >= 0
		if s.beforeKey {
			s.addMember(text[:length], len(s.input)-len(text), escaped)
		}
		if escaped {
			s.output = appendPaired(s.output, text[:length])
		} else {
			s.output = append(s.output, text[:length]...)
		}
		return length, nil
	case '{', '[':
		return 1, s.push(text[0])
	case '}', ']':
		s.pop(text[0])
		return 1, nil
	case ',':
		s.beforeKey = s.open[len(s.open)-1].container != list
	}
	s.output = append(s.output, text[0])
	return 1, nil
}

func (s *shaper) push(char byte) error {
	opened := list
	s.depth++
	if char == '{' {
		opened = listedObject
		if len(s.open) == 0 || s.open[len(s.open)-1].container != list {
			opened = wrappedObject
			s.output = append(s.output, '[')
			s.depth++
		}
	}
	if s.depth > MaxDepth {
		return fmt.Errorf("is nested too deeply; allowed are %d levels, of which an object inside an object takes two", MaxDepth)
	}
	s.open = append(s.open, bracket{container: opened, members: int32(len(s.members))}) //nolint:gosec // An event has at most 16 MiB.
	s.output = append(s.output, char)
	s.beforeKey = opened != list
	return nil
}

func (s *shaper) pop(char byte) {
	closed := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if members := s.members[closed.members:]; closed.compare && hasRepeatedKey(s.input, members) {
		s.output = keepLast(s.output, s.input, members)
	}
	s.members = s.members[:closed.members]
	s.beforeKey = false
	s.output = append(s.output, char)
	s.depth--
	if closed.container == wrappedObject {
		s.output = append(s.output, ']')
		s.depth--
	}
}

// addMember notes a member of the innermost object, whose key stands at the offset.
func (s *shaper) addMember(quoted []byte, offset int, escaped bool) {
	s.beforeKey = false
	object, mark := &s.open[len(s.open)-1], keyMark(quoted)
	object.compare = object.compare || escaped || object.marks&mark != 0
	object.marks |= mark
	s.members = append(s.members, member{keyStart: int32(offset), keyEnd: int32(offset + len(quoted)), start: int32(len(s.output))}) //nolint:gosec // An event has at most 16 MiB.
}

// checkElement refuses anything but objects in the list that metadata is.
func checkElement(text []byte) error {
	switch text[0] {
	case '{', ',', ']', ' ', '\t', '\r', '\n':
		return nil
	}
	return errors.New("is a list that holds " + kindOf(text) + "; allowed is an object or a list of objects")
}
