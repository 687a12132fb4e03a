package logfile

import (
	"bytes"
	"errors"
	"io"
)

// listScanner splits a list whose opening bracket has been read.
type listScanner struct {
	// withinLine is true if the list must end on its line, as in NDJSON.
	withinLine bool
	// inBatch is true if the list is in an object.
	inBatch bool
	// afterComma is true if an element must follow.
	afterComma bool
	nesting    nesting
}

// following is the state after the list and what encloses it.
func (l *listScanner) following() textState {
	if l.withinLine {
		return inLine
	}
	return atValue
}

func (r *textReader) enterList(list listScanner) {
	list.nesting = r.list.nesting
	r.list = list
	r.state = inList
}

// nextElement returns an element of a list, or nothing at its end. It only looks at
// brackets and strings, so a malformed element does not affect the others.
func (r *textReader) nextElement() (raw []byte, line int, err error) {
	list := &r.list
	_, _, err = r.input.takeWhile(nil, 0, func(char byte) bool {
		return isSpace(char) && (char != '\n' || !list.withinLine)
	})
	line = r.input.line
	first := byte('\n')
	if err == nil {
		first, err = r.input.peekByte()
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, line, err
	case err != nil && !list.withinLine:
		return nil, line, unclosed("list after the event", line)
	case first == '\n':
		r.state = inLines
		return nil, line, &MalformedError{Line: line, Reason: "list: the line ends before the bracket that closes the list"}
	case first == ',', first == ']' && list.afterComma:
		return nil, line, r.emptyElement(first, line)
	case first == ']':
		r.leaveList()
		return nil, line, nil
	}
	return r.readElement(line)
}

func (r *textReader) readElement(line int) (raw []byte, _ int, err error) {
	list := &r.list
	list.nesting.reset()
	var over bool
	r.part, over, err = r.input.takeWhile(r.part[:0], r.limit, func(char byte) bool {
		if list.withinLine && char == '\n' {
			return false
		}
		if list.nesting.depth() == 0 && !list.nesting.inString && (char == ',' || char == ']') {
			return false
		}
		list.nesting.step(char)
		return true
	})
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, line, err
	case err != nil && !list.withinLine:
		return nil, line, unclosed("event", line)
	}
	last := byte('\n')
	if err == nil {
		last, err = r.input.peekByte()
	}
	list.afterComma = err == nil && last == ','
	if list.afterComma {
		r.input.skipByte()
	}
	element := bytes.Trim(r.part, " \t\r\n")
	switch {
	case over:
		return nil, line, tooLong(line, element)
	case last == '\n':
		r.state = inLines
		return nil, line, &MalformedError{Line: line, Raw: element, Reason: "list: the line ends inside of this event"}
	}
	return element, line, nil
}

// emptyElement returns the error for a superfluous comma.
func (r *textReader) emptyElement(next byte, line int) error {
	r.list.afterComma = next == ','
	if next == ',' {
		r.input.skipByte()
	}
	return &MalformedError{Line: line, Raw: []byte{next}, Reason: "list: an event is missing before this character; remove the extra comma"}
}

func (r *textReader) leaveList() {
	r.input.skipByte()
	r.state = r.list.following()
	if r.list.inBatch {
		r.object.step(']')
		r.state = inTail
	}
}
