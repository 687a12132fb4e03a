package logfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"savedq/internal/logs/logevent"
)

// textReader reads every JSON format. A list and a batch are taken apart while
// they stream by, so that their length does not matter.
type textReader struct {
	input input
	state textState
	// limit is MaxEventBytes, except in tests.
	limit int
	// line and part are the buffers for a whole line and for an event in a list or batch.
	line, part []byte
	object     objectScanner
	list       listScanner
}

// textState is what the next byte belongs to.
type textState int

const (
	// atValue is before a value whose form determines the format.
	atValue textState = iota
	// inLines is before a line of NDJSON, where a malformed event ends with its line.
	inLines
	// inLine is before a value on a line that has several, or that is a list or a batch.
	inLine
	// inObject is before an object that spreads over lines.
	inObject
	// inList is within a list of events.
	inList
	// inTail is between the list of a batch and the batch's closing brace.
	inTail
)

func newTextReader(content *bufio.Reader) *textReader {
	skipByteOrderMark(content)
	return &textReader{input: input{reader: content, line: 1}, limit: MaxEventBytes}
}

func skipByteOrderMark(content *bufio.Reader) {
	const mark = "\uFEFF"
	if start, _ := content.Peek(len(mark)); string(start) == mark {
		_, _ = content.Discard(len(mark)) // cannot fail: the bytes are buffered
	}
}

func (*textReader) progress() float64 { return -1 }

func (r *textReader) next(context.Context) (raw []byte, line int, err error) {
	for {
		switch r.state {
		case atValue:
			err = r.decide()
		case inLines:
			raw, line, err = r.nextLine()
		case inLine:
			raw, line, err = r.nextOnLine()
		case inObject:
			raw, line, err = r.nextObject()
		case inList:
			raw, line, err = r.nextElement()
		case inTail:
			err = r.finishBatch()
		}
		if raw != nil || err != nil {
			return raw, line, err
		}
	}
}

// decide detects the format from the next value. An object spans several lines only if its
// first line is incomplete and what follows does not look like the next line of NDJSON. So
// a malformed first line does not affect the rest of the file.
func (r *textReader) decide() error {
	if err := r.input.skipSpace(); err != nil {
		return err
	}
	first, err := r.input.peekByte()
	if err != nil {
		return err
	}
	switch first {
	case '[':
		r.input.skipByte()
		r.enterList(listScanner{})
		return nil
	case '{':
	default:
		r.state = inLines
		return nil
	}
	start := r.input.line
	var whole bool
	if r.line, whole, err = r.input.readLine(r.line[:0], r.limit); err != nil {
		return err
	}
	r.state = inLines
	if outline := outlineOf(r.line, r.object.withoutBatches); !outline.closed {
		continues, err := r.continues(outline, whole)
		if err != nil {
			return err
		}
		if continues {
			r.object.reset()
			r.state = inObject
		}
	}
	r.input.unread(r.line, start)
	return nil
}

// continues reports whether the object of the first line continues on the next one. It
// appends the blank lines that follow to r.line.
func (r *textReader) continues(first outline, whole bool) (bool, error) {
	if !whole {
		return first.inBatch, nil
	}
	var over bool
	var err error
	r.line, over, err = r.input.takeWhile(r.line, r.limit+readBufferBytes, isSpace)
	switch {
	case errors.Is(err, io.EOF):
		return first.inBatch, nil
	case err != nil || over:
		return false, err
	}
	following, err := r.input.peekByte()
	return following != '{' && following != '[' || first.betweenEvents, err
}

// nextLine returns an event that has its line for itself. For other lines it returns nothing.
func (r *textReader) nextLine() (raw []byte, line int, err error) {
	line = r.input.line
	var whole bool
	if r.line, whole, err = r.input.readLine(r.line[:0], r.limit); err != nil {
		return nil, line, err
	}
	text := bytes.Trim(r.line, " \t\r\n")
	switch {
	case len(text) == 0 && whole:
		return nil, line, nil
	case len(text) > 0 && (text[0] == '[' || text[0] == '{' && r.hasSeveral(text)):
		r.input.unread(r.line, line)
		r.state = inLine
		return nil, line, nil
	case !whole:
		if err := r.input.skipLine(); err != nil && !errors.Is(err, io.EOF) {
			return nil, line, err
		}
		return nil, line, tooLong(line, text)
	}
	return text, line, nil
}

// hasSeveral reports whether a line that starts with an object has more than one event: in a batch, or in
// objects one after the other. It follows the object only if the line looks like that.
func (r *textReader) hasSeveral(text []byte) bool {
	looks := bytes.Contains(text, []byte(`"`+batchKey+`"`))
	for rest, found := text, true; found && !looks; {
		var before []byte
		before, rest, found = bytes.Cut(rest, []byte{'{'})
		looks = found && bytes.HasSuffix(bytes.TrimRight(before, " \t\r"), []byte{'}'})
	}
	if !looks {
		return false
	}
	first := outlineOf(text, r.object.withoutBatches)
	return first.hasBatch || first.closed && first.length < len(text)
}

// nextOnLine returns the next event of a line that has several. It returns nothing for a list and at
// the end of the line. nextLine handles what follows a value and is not one.
func (r *textReader) nextOnLine() (raw []byte, line int, err error) {
	_, _, err = r.input.takeWhile(nil, 0, func(char byte) bool { return isSpace(char) && char != '\n' })
	line = r.input.line
	if err != nil {
		return nil, line, err
	}
	first, err := r.input.peekByte()
	switch {
	case err != nil:
		return nil, line, err
	case first == '{':
		r.object.reset()
		return r.nextObject()
	case first == '[':
		r.input.skipByte()
		r.enterList(listScanner{withinLine: true})
	default:
		r.state = inLines
	}
	return nil, line, nil
}

// nextObject returns an object that spreads over lines, or that shares a line with others. When it turns
// out to be a batch, it returns nothing and leaves the reader at the batch's first event.
func (r *textReader) nextObject() (raw []byte, line int, err error) {
	line = r.input.line
	withinLine := r.state == inLine
	found := nothingNew
	var over bool
	r.part, over, err = r.input.takeWhile(r.part[:0], r.limit, func(char byte) bool {
		if found != nothingNew || withinLine && char == '\n' {
			return false
		}
		found = r.object.step(char)
		return true
	})
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, line, err
	case found == batchOpened:
		r.enterList(listScanner{inBatch: true, withinLine: withinLine})
		return nil, line, nil
	case withinLine: // the object may be cut off by the end of the line
	case found == nothingNew:
		return nil, line, unclosed("object", line)
	default:
		r.state = atValue
	}
	if over {
		return nil, line, tooLong(line, r.part)
	}
	return bytes.Trim(r.part, " \t\r\n"), line, nil
}

// finishBatch skips the closing brace of a batch.
func (r *textReader) finishBatch() error {
	line := r.input.line
	found := nothingNew
	var err error
	r.part, _, err = r.input.takeWhile(r.part[:0], logevent.MaxRejectedBytes, func(char byte) bool {
		if found != nothingNew || r.list.withinLine && char == '\n' {
			return false
		}
		found = r.object.step(char)
		return true
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.state = r.list.following()
	switch {
	case found == batchOpened:
		r.enterList(r.list)
	case found == nothingNew && r.list.withinLine:
		return &MalformedError{Line: line, Raw: r.part, Reason: "batch: the line ends before the brace that closes the batch"}
	case found == nothingNew:
		return unclosed("batch", line)
	}
	return nil
}

// unclosed returns the error for a file that ends within a value.
func unclosed(what string, line int) error {
	return fmt.Errorf("the file is truncated, or a bracket or quote is not closed: it ends inside the %s that starts on line %d: %w",
		what, line, io.ErrUnexpectedEOF)
}
