package logevent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"savedq/internal/text/jsontext"
)

// MaxDepth is how many brackets deep metadata may be nested in its storage
// shape, in which every nested object counts twice. Real logs stay far below;
// the limit keeps a hostile event from exhausting the stack of an engine.
const MaxDepth = 200

// MaxMembers is how many members an object in metadata may have. Real logs stay far below;
// the limit keeps a hostile event from taking many times its size of memory.
const MaxMembers = 10_000

// shape consumes metadata that is an object or a list, and returns it in the warehouse's
// storage shape (D14): every nested object becomes a list of one object, at every level, and
// an object in a list stays as it is. Of a key that an object repeats, only the last
// occurrence remains. The result is compact JSON, with numbers and the order of keys
// unchanged. Metadata that is in this shape already is returned unchanged.
func (d *Decoder) shape(input *jsontext.Scanner) (json.RawMessage, error) {
	const usualMembers = 16 // in the open objects of an event
	s := &d.shaper
	s.input = input
	s.output = slices.Grow(s.output[:0], (len(input.Text)-input.Position)/8*9)
	s.members = slices.Grow(s.members[:0], usualMembers)
	if err := s.value(0, false); err != nil {
		return nil, err
	}
	return bytes.Clone(s.output), nil
}

// shaper copies JSON and changes its shape.
type shaper struct {
	input  *jsontext.Scanner
	output []byte
	// members are the members of all objects that are being copied.
	members []member
}

// value copies a value that is nested in depth brackets.
func (s *shaper) value(depth int, inList bool) error {
	switch s.input.Peek() {
	case '[':
		return s.list(depth + 1)
	case '{':
		if inList {
			return s.object(depth + 1)
		}
		s.output = append(s.output, '[')
		err := s.object(depth + 2)
		s.output = append(s.output, ']')
		return err
	case '"':
		quoted, escaped, ok := s.input.Quoted()
		if !ok {
			return errSyntax
		}
		s.quoted(quoted, escaped)
		return nil
	}
	start := s.input.Position
	if !s.input.Scalar() {
		return errSyntax
	}
	s.output = append(s.output, s.input.Text[start:s.input.Position]...)
	return nil
}

func (s *shaper) quoted(quoted []byte, escaped bool) {
	if escaped {
		s.output = jsontext.AppendPaired(s.output, quoted)
	} else {
		s.output = append(s.output, quoted...)
	}
}

// list copies a list that is nested in depth brackets, its own included.
func (s *shaper) list(depth int) error {
	if depth > MaxDepth {
		return errTooDeep()
	}
	s.input.Position++
	s.input.Space()
	s.output = append(s.output, '[')
	for more := !s.input.Take(']'); more; {
		if depth == 1 && s.input.Peek() != '{' {
			return errListOf(s.input)
		}
		if err := s.value(depth, true); err != nil {
			return err
		}
		var ok bool
		if more, ok = s.input.More(']'); !ok {
			return errSyntax
		}
		if more {
			s.output = append(s.output, ',')
		}
	}
	s.output = append(s.output, ']')
	return nil
}

// object copies an object that is nested in depth brackets, its own included.
func (s *shaper) object(depth int) error {
	if depth > MaxDepth {
		return errTooDeep()
	}
	outer := len(s.members)
	s.input.Position++
	s.input.Space()
	s.output = append(s.output, '{')
	for more := !s.input.Take('}'); more; {
		key, quoted, ok := s.input.Key()
		if !ok {
			return errSyntax
		}
		if len(s.members)-outer == MaxMembers {
			return fmt.Errorf("has an object of more than %d members", MaxMembers)
		}
		s.members = append(s.members, member{key: key, start: len(s.output)})
		// An escape is longer than what it stands for.
		s.quoted(quoted, len(key) != len(quoted)-len(`""`))
		s.output = append(s.output, ':')
		if err := s.value(depth, false); err != nil {
			return err
		}
		if more, ok = s.input.More('}'); !ok {
			return errSyntax
		}
		s.output = append(s.output, ',')
	}
	if len(s.members) > outer {
		s.output = keepLast(s.output, s.members[outer:])
		s.output = s.output[:len(s.output)-1] // the comma after the last member
	}
	s.output = append(s.output, '}')
	s.members = s.members[:outer]
	return nil
}

// errListOf returns the error for metadata that is a list of something other than objects.
func errListOf(input *jsontext.Scanner) error {
	if input.Peek() == 0 {
		return errSyntax
	}
	return fmt.Errorf("is a list that holds %s; it must be an object or a list of objects", jsontext.Value(input.Text[input.Position:]).Kind())
}

func errTooDeep() error {
	return fmt.Errorf("is nested too deeply; at most %d levels are allowed, and an object inside an object counts as two", MaxDepth)
}

// member is a member of an object in the output of a shaper.
type member struct {
	// key is what the key decodes to.
	key []byte
	// start is the offset of the member, which ends with a comma where the next one starts.
	start int
}

// comparedKeys is the largest number of keys that are compared pair by pair, which is
// faster than a map while they are few.
const comparedKeys = 32

// keepLast removes each member whose key is repeated later from the end of the output. Its
// time is linear however many keys a hostile event has.
//
// A repeated key has the value of its last occurrence, as in encoding/json and in the
// parsers of most senders. DuckDB reads the first one, and callers of logs.all would see both. So
// only one is stored.
func keepLast(output []byte, members []member) []byte {
	repeated := repetitions(members)
	if repeated == nil {
		return output
	}
	kept := output[:members[0].start]
	for i := range members {
		end := len(output)
		if i+1 < len(members) {
			end = members[i+1].start
		}
		if !repeated[i] {
			kept = append(kept, output[members[i].start:end]...)
		}
	}
	return kept
}

// repetitions reports for each member whether its key is repeated later. It returns nil if
// no key is.
func repetitions(members []member) []bool {
	if len(members) > comparedKeys {
		return manyRepetitions(members)
	}
	var repeated []bool
	for i := 1; i < len(members); i++ {
		for j := range i {
			if string(members[j].key) == string(members[i].key) {
				if repeated == nil {
					repeated = make([]bool, len(members))
				}
				repeated[j] = true
			}
		}
	}
	return repeated
}

func manyRepetitions(members []member) []bool {
	last := make(map[string]int, len(members))
	for i := range members {
		last[string(members[i].key)] = i
	}
	if len(last) == len(members) {
		return nil
	}
	repeated := make([]bool, len(members))
	for i := range members {
		repeated[i] = last[string(members[i].key)] != i
	}
	return repeated
}
