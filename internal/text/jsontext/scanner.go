package jsontext

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// maxScanDepth is how deep brackets may be nested in JSON, as in encoding/json.
const maxScanDepth = 10_000

// toClosing is the distance in ASCII from [ to ], and from { to }.
const toClosing = 2

// Scanner reads JSON once, from front to back. Its methods report whether the text is valid so
// far; [Check] finds the words for a mistake.
type Scanner struct {
	Text []byte
	// Position is the offset of the next byte.
	Position int
}

// NewScanner returns a scanner at the first value of a text.
func NewScanner(text []byte) *Scanner {
	s := &Scanner{Text: text}
	s.Space()
	return s
}

// Peek returns the next byte, or 0 at the end. JSON has no NUL outside of strings.
func (s *Scanner) Peek() byte {
	if s.Position < len(s.Text) {
		return s.Text[s.Position]
	}
	return 0
}

// Space consumes white space.
func (s *Scanner) Space() {
	for s.Position < len(s.Text) {
		switch s.Text[s.Position] {
		case ' ', '\t', '\r', '\n':
			s.Position++
		default:
			return
		}
	}
}

// Take consumes a byte if it is the next one.
func (s *Scanner) Take(char byte) bool {
	if s.Peek() != char {
		return false
	}
	s.Position++
	return true
}

// AtEnd reports whether only white space follows.
func (s *Scanner) AtEnd() bool {
	s.Space()
	return s.Position == len(s.Text)
}

// Enter consumes the opening bracket of a list or an object, if it follows. It reports whether
// an element or a member follows, which the caller must read before it calls [Scanner.More].
func (s *Scanner) Enter(opening byte) bool {
	if !s.Take(opening) {
		return false
	}
	s.Space()
	return !s.Take(opening+toClosing) && s.Position < len(s.Text)
}

// Value consumes a value that stands in a number of open brackets.
func (s *Scanner) Value(depth int) (value Value, ok bool) {
	start := s.Position
	switch s.Peek() {
	case '{', '[':
		ok = s.container(depth + 1)
	case '"':
		_, _, ok = s.Quoted()
	default:
		ok = s.Scalar()
	}
	return s.Text[start:s.Position], ok
}

// container consumes an object or a list, which is in depth brackets, its own included.
func (s *Scanner) container(depth int) bool {
	if depth > maxScanDepth {
		return false
	}
	opening := s.Peek()
	closing := opening + toClosing
	s.Position++
	s.Space()
	if s.Take(closing) {
		return true
	}
	for {
		if opening == '{' {
			if _, _, ok := s.Key(); !ok {
				return false
			}
		}
		if _, ok := s.Value(depth); !ok {
			return false
		}
		if more, ok := s.More(closing); !more {
			return ok
		}
	}
}

// More consumes what follows a member or an element: a comma, after which there is another
// one, or the closing bracket.
func (s *Scanner) More(closing byte) (more, ok bool) {
	s.Space()
	if s.Take(',') {
		s.Space()
		return true, true
	}
	return false, s.Take(closing)
}

// Key consumes a key, its colon and the white space after it. Name is what the key decodes to.
func (s *Scanner) Key() (name, quoted []byte, ok bool) {
	quoted, escaped, ok := s.Quoted()
	if ok {
		s.Space()
		ok = s.Take(':')
	}
	if !ok {
		return nil, nil, false
	}
	s.Space()
	if escaped {
		return []byte(Unquote(quoted)), quoted, true
	}
	return quoted[1 : len(quoted)-1], quoted, true
}

// Quoted consumes a string, and reports whether it has escapes.
func (s *Scanner) Quoted() (quoted []byte, escaped, ok bool) {
	start := s.Position
	if !s.Take('"') {
		return nil, false, false
	}
	for {
		s.Position += plainPrefix(s.Text[s.Position:])
		switch s.Peek() {
		case '"':
			s.Position++
			return s.Text[start:s.Position], escaped, true
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
func (s *Scanner) escape() bool {
	s.Position++
	switch s.Peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.Position++
		return true
	case 'u':
		s.Position++
	default:
		return false
	}
	const digits = 4
	for range digits {
		if strings.IndexByte("0123456789abcdefABCDEF", s.Peek()) < 0 {
			return false
		}
		s.Position++
	}
	return true
}

// Scalar consumes a number, true, false or null.
func (s *Scanner) Scalar() bool {
	switch s.Peek() {
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

func (s *Scanner) literal(text string) bool {
	if len(s.Text)-s.Position < len(text) || string(s.Text[s.Position:s.Position+len(text)]) != text {
		return false
	}
	s.Position += len(text)
	return true
}

func (s *Scanner) number() bool {
	s.Take('-')
	if !s.Take('0') && !s.digits() {
		return false
	}
	if s.Take('.') && !s.digits() {
		return false
	}
	if s.Take('e') || s.Take('E') {
		if !s.Take('+') {
			s.Take('-')
		}
		return s.digits()
	}
	return true
}

// digits consumes digits, and reports whether there is one.
func (s *Scanner) digits() bool {
	start := s.Position
	for s.Position < len(s.Text) && s.Text[s.Position] >= '0' && s.Text[s.Position] <= '9' {
		s.Position++
	}
	return s.Position > start
}

// Skip returns the offset after the value of valid JSON that begins at an offset. It is faster than [Scanner.Value], which
// checks the value. In other texts the offset is a later one, or the end.
func Skip(text []byte, at int) int {
	if at >= len(text) {
		return len(text)
	}
	switch text[at] {
	case '"':
		return SkipString(text, at)
	case '{', '[':
		for depth := 0; at < len(text); {
			switch text[at] {
			case '"':
				at = SkipString(text, at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			at++
			if depth == 0 {
				return at
			}
		}
		return at
	}
	for at++; at < len(text); at++ {
		switch text[at] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return at
		}
	}
	return at
}

// SkipString is [Skip] for a string.
func SkipString(text []byte, at int) int {
	start := at
	for at++; ; {
		length := bytes.IndexByte(text[min(at, len(text)):], '"')
		if length < 0 {
			return len(text)
		}
		at += length + 1
		// A quote after an odd number of backslashes is a part of the string.
		last := at - 2
		for last > start && text[last] == '\\' {
			last--
		}
		if (at-last)%2 == 0 {
			return at
		}
	}
}

// SkipSpace returns the offset of the first byte from an offset that is not white space, or the end.
func SkipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}
