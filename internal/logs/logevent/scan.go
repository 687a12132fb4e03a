package logevent

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// maxScanDepth is how deep brackets may be nested in JSON, as in encoding/json.
const maxScanDepth = 10_000

// scanner reads JSON text once, from front to back. Its methods report whether the text is
// valid so far. [checkJSON] finds the words for a mistake.
type scanner struct {
	text []byte
	// position is the offset of the next byte.
	position int
}

// peek returns the next byte, or 0 at the end. JSON has no NUL outside of strings.
func (s *scanner) peek() byte {
	if s.position < len(s.text) {
		return s.text[s.position]
	}
	return 0
}

func (s *scanner) space() {
	for s.position < len(s.text) {
		switch s.text[s.position] {
		case ' ', '\t', '\r', '\n':
			s.position++
		default:
			return
		}
	}
}

// take consumes a byte if it is the next one.
func (s *scanner) take(char byte) bool {
	if s.peek() != char {
		return false
	}
	s.position++
	return true
}

// atEnd reports whether only white space follows.
func (s *scanner) atEnd() bool {
	s.space()
	return s.position == len(s.text)
}

// value consumes a value that stands in a number of open brackets, and returns its text.
func (s *scanner) value(depth int) (raw []byte, ok bool) {
	start := s.position
	switch s.peek() {
	case '{':
		ok = s.object(depth + 1)
	case '[':
		ok = s.list(depth + 1)
	case '"':
		_, _, ok = s.quoted()
	default:
		ok = s.scalar()
	}
	return s.text[start:s.position], ok
}

func (s *scanner) object(depth int) bool {
	if depth > maxScanDepth {
		return false
	}
	s.position++
	s.space()
	if s.take('}') {
		return true
	}
	for {
		if _, _, ok := s.key(); !ok {
			return false
		}
		if _, ok := s.value(depth); !ok {
			return false
		}
		if more, ok := s.more('}'); !more {
			return ok
		}
	}
}

func (s *scanner) list(depth int) bool {
	if depth > maxScanDepth {
		return false
	}
	s.position++
	s.space()
	if s.take(']') {
		return true
	}
	for {
		if _, ok := s.value(depth); !ok {
			return false
		}
		if more, ok := s.more(']'); !more {
			return ok
		}
	}
}

// more consumes what follows a member or an element: a comma, after which there is another
// one, or the closing bracket.
func (s *scanner) more(closing byte) (more, ok bool) {
	s.space()
	if s.take(',') {
		s.space()
		return true, true
	}
	return false, s.take(closing)
}

// key consumes a key, its colon and the white space after it.
func (s *scanner) key() (quoted []byte, escaped, ok bool) {
	quoted, escaped, ok = s.quoted()
	if !ok {
		return nil, false, false
	}
	s.space()
	if !s.take(':') {
		return nil, false, false
	}
	s.space()
	return quoted, escaped, true
}

// quoted consumes a string, and reports whether it has escapes.
func (s *scanner) quoted() (quoted []byte, escaped, ok bool) {
	start := s.position
	if !s.take('"') {
		return nil, false, false
	}
	for {
		s.position += plainPrefix(s.text[s.position:])
		switch s.peek() {
		case '"':
			s.position++
			return s.text[start:s.position], escaped, true
		case '\\':
			escaped = true
			if !s.escape() {
				return nil, false, false
			}
		default: // a control character, or the end
			return nil, false, false
		}
	}
}

// plainPrefix returns the length of the longest prefix without quotes, backslashes and
// control characters.
func plainPrefix(text []byte) int {
	const word, ones, highs = 8, 0x0101010101010101, 0x8080808080808080
	length := 0
	for ; len(text)-length >= word; length += word {
		chars := binary.LittleEndian.Uint64(text[length:])
		quotes, slashes := chars^ones*'"', chars^ones*'\\'
		// The lowest high bit marks the first byte that is one of them.
		found := ((quotes-ones)&^quotes | (slashes-ones)&^slashes | (chars-ones*' ')&^chars) & highs
		if found != 0 {
			return length + bits.TrailingZeros64(found)/word
		}
	}
	for length < len(text) && text[length] >= ' ' && text[length] != '"' && text[length] != '\\' {
		length++
	}
	return length
}

// escape consumes an escape in a string.
func (s *scanner) escape() bool {
	s.position++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.position++
		return true
	case 'u':
		s.position++
	default:
		return false
	}
	const digits = 4
	for range digits {
		if strings.IndexByte("0123456789abcdefABCDEF", s.peek()) < 0 {
			return false
		}
		s.position++
	}
	return true
}

// scalar consumes a number, true, false or null.
func (s *scanner) scalar() bool {
	switch s.peek() {
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		return s.number()
	}
}

func (s *scanner) literal(text string) bool {
	if len(s.text)-s.position < len(text) || string(s.text[s.position:s.position+len(text)]) != text {
		return false
	}
	s.position += len(text)
	return true
}

func (s *scanner) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits()
	}
	return true
}

// digits consumes digits, and reports whether there is one.
func (s *scanner) digits() bool {
	start := s.position
	for s.position < len(s.text) && s.text[s.position] >= '0' && s.text[s.position] <= '9' {
		s.position++
	}
	return s.position > start
}
