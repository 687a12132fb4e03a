package logevent

import (
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
// already stand in a list stay. It wants valid JSON and returns compact JSON in
// which numbers and the order of keys are what they were. Metadata that is
// already in shape comes back unchanged.
func shapeMetadata(metadata []byte) (json.RawMessage, error) {
	if metadata[0] != '{' && metadata[0] != '[' {
		return nil, fmt.Errorf("is %s; allowed is an object or a list of objects", kindOf(metadata))
	}
	s := shaper{output: make([]byte, 0, len(metadata)+len(metadata)/8+2)}
	for i := 0; i < len(metadata); {
		consumed, err := s.step(metadata[i:])
		if err != nil {
			return nil, err
		}
		i += consumed
	}
	return s.output, nil
}

// container is a bracket that is open.
type container byte

const (
	list container = iota
	listedObject
	wrappedObject // an object around which the shaper has opened a list
)

type shaper struct {
	output []byte
	open   []container
	depth  int
}

// step copies the token that the text starts with and returns its length.
func (s *shaper) step(text []byte) (int, error) {
	if len(s.open) == 1 && s.open[0] == list {
		if err := checkElement(text); err != nil {
			return 0, err
		}
	}
	switch text[0] {
	case ' ', '\t', '\r', '\n':
		return 1, nil
	case '"':
		length := stringLength(text)
		s.output = appendPaired(s.output, text[:length])
		return length, nil
	case '{', '[':
		return 1, s.push(text[0])
	case '}', ']':
		s.pop(text[0])
		return 1, nil
	}
	s.output = append(s.output, text[0])
	return 1, nil
}

func (s *shaper) push(bracket byte) error {
	opened := list
	s.depth++
	if bracket == '{' {
		opened = listedObject
		if len(s.open) == 0 || s.open[len(s.open)-1] != list {
			opened = wrappedObject
			s.output = append(s.output, '[')
			s.depth++
		}
	}
	if s.depth > MaxDepth {
		return fmt.Errorf("is nested too deeply; allowed are %d levels, of which an object inside an object takes two", MaxDepth)
	}
	s.open = append(s.open, opened)
	s.output = append(s.output, bracket)
	return nil
}

func (s *shaper) pop(bracket byte) {
	closed := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	s.output = append(s.output, bracket)
	s.depth--
	if closed == wrappedObject {
		s.output = append(s.output, ']')
		s.depth--
	}
}

// checkElement refuses anything but objects in the list that metadata is.
func checkElement(text []byte) error {
	switch text[0] {
	case '{', ',', ']', ' ', '\t', '\r', '\n':
		return nil
	}
	return errors.New("is a list that holds " + kindOf(text) + "; allowed is an object or a list of objects")
}
