package logfile

import (
	"slices"

	"savedq/internal/logs/logevent"
)

// finding is what an object turned out to be.
type finding int

const (
	nothingNew finding = iota
	// batchOpened follows the opening bracket of the list in {"batch":[…]}.
	batchOpened
	// objectClosed follows the last brace.
	objectClosed
)

const (
	batchKey = "batch"
	// longestKey is one byte more than the longest key that matters here.
	longestKey = len("event_message") + 1
)

// objectScanner reads an object byte by byte and finds out whether it is an event or a
// batch of events. A batch is an object with the key "batch" whose value is a list. After
// a field of an event, "batch" is an unknown field instead.
type objectScanner struct {
	nesting nesting
	key     []byte
	// inValue is true between a colon and a comma of the object itself.
	inValue bool
	isEvent bool
	// withoutBatches reports whether no object is a batch.
	withoutBatches bool
}

func (o *objectScanner) reset() {
	o.nesting.reset()
	o.key, o.inValue, o.isEvent = o.key[:0], false, false
}

func (o *objectScanner) step(char byte) finding {
	depth, wasInString := o.nesting.depth(), o.nesting.inString
	o.nesting.step(char)
	if depth != 1 {
		if depth > 1 && o.nesting.depth() == 0 {
			return objectClosed
		}
		return nothingNew
	}
	switch {
	case wasInString:
		o.inKey(char)
	case char == '"' && !o.inValue:
		o.key = o.key[:0]
	case char == ':':
		o.inValue = true
		o.isEvent = o.isEvent || isField(string(o.key))
	case char == ',':
		o.inValue = false
	case char == '[' && o.inValue && !o.isEvent && !o.withoutBatches && string(o.key) == batchKey:
		return batchOpened
	case o.nesting.depth() == 0:
		return objectClosed
	}
	return nothingNew
}

// isField reports whether an event has the key.
func isField(key string) bool {
	switch key {
	case "id", "timestamp", "project", "metadata":
		return true
	}
	return logevent.IsMessage(key)
}

// inKey collects the characters of a key.
func (o *objectScanner) inKey(char byte) {
	if !o.inValue && o.nesting.inString && len(o.key) < longestKey {
		o.key = append(o.key, char)
	}
}

// outline is how the first line of an object ends.
type outline struct {
	// closed is true if the object ends on the line, and length is its length then.
	closed bool
	length int
	// inBatch is true if the line ends in an open batch, and betweenEvents if
	// that is not in the middle of one of its events.
	inBatch, betweenEvents bool
	// hasBatch is true if a batch starts on the line.
	hasBatch bool
}

// outlineOf follows the object that a line starts with.
func outlineOf(line []byte, withoutBatches bool) outline {
	object := objectScanner{withoutBatches: withoutBatches}
	var result outline
	for i, char := range line {
		switch object.step(char) {
		case batchOpened:
			result.hasBatch, result.inBatch = true, true
		case objectClosed:
			result.closed, result.inBatch, result.length = true, false, i+1
			return result
		case nothingNew:
			result.inBatch = result.inBatch && object.nesting.depth() >= 2
		}
	}
	result.betweenEvents = result.inBatch && object.nesting.depth() == 2 && !object.nesting.inString
	return result
}

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
