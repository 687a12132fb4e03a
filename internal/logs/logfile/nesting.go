package logfile

import "slices"

// maxTrackedDepth bounds the memory that a file of nothing but opening brackets
// can take. Deeper brackets are only counted.
const maxTrackedDepth = 1 << 16

// nesting follows the brackets and strings of JSON text that may be broken. It
// is what finds the ends of values without understanding them.
type nesting struct {
	open     []byte
	beyond   int
	inString bool
	escaped  bool
}

func (n *nesting) reset() {
	*n = nesting{open: n.open[:0]}
}

// depth is the number of open brackets.
func (n *nesting) depth() int { return len(n.open) + n.beyond }

// step takes the next byte of the text.
func (n *nesting) step(char byte) {
	if n.inString {
		switch {
		case n.escaped:
			n.escaped = false
		case char == '\\':
			n.escaped = true
		case char == '"':
			n.inString = false
		}
		return
	}
	switch char {
	case '"':
		n.inString = true
	case '{', '[':
		n.push(char)
	case '}':
		n.pop('{')
	case ']':
		n.pop('[')
	}
}

func (n *nesting) push(bracket byte) {
	if len(n.open) == maxTrackedDepth {
		n.beyond++
		return
	}
	n.open = append(n.open, bracket)
}

// pop closes the innermost open bracket of that kind and all inside of it: in
// [{"a":[1},{"b":2}] the second element is whole again. A closing bracket that
// nothing has opened is left out of account.
func (n *nesting) pop(bracket byte) {
	if n.beyond > 0 {
		n.beyond--
		return
	}
	for i, opened := range slices.Backward(n.open) {
		if opened == bracket {
			n.open = n.open[:i]
			return
		}
	}
}
