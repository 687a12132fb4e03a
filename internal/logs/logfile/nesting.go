package logfile

import "slices"

// maxTrackedDepth limits the memory for a file of only opening brackets. Deeper brackets
// are only counted.
const maxTrackedDepth = 1 << 16

// nesting tracks brackets and strings in JSON that may be malformed. It finds the ends of
// values without parsing them.
type nesting struct {
	open     []byte
	beyond   int
	inString bool
	escaped  bool
}

func (n *nesting) reset() {
	*n = nesting{open: n.open[:0]}
}

// depth returns the number of open brackets.
func (n *nesting) depth() int { return len(n.open) + n.beyond }

// step processes the next byte.
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
