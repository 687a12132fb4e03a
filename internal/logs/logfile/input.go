package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// input is a text stream that counts lines and can unread text.
type input struct {
	reader *bufio.Reader
	// pushed is read before the reader.
	pushed []byte
	// line is the line of the next byte, counted from 1.
	line int
}

// window returns the buffered bytes, at least one.
func (in *input) window() ([]byte, error) {
	if len(in.pushed) > 0 {
		return in.pushed, nil
	}
	if _, err := in.reader.Peek(1); err != nil {
		return nil, err
	}
	return in.reader.Peek(in.reader.Buffered())
}

// consume removes the first bytes of the window, which stays valid until the next read.
func (in *input) consume(window []byte, count int) {
	in.line += bytes.Count(window[:count], []byte{'\n'})
	if len(in.pushed) > 0 {
		in.pushed = in.pushed[count:]
		return
	}
	_, _ = in.reader.Discard(count) // cannot fail: the bytes are buffered
}

// unread returns the last text that was read to the stream; it starts on a line. The text
// may share memory with the buffer of a following readLine, which never overwrites text
// that is still unread.
func (in *input) unread(text []byte, line int) {
	in.pushed = text
	in.line = line
}

// peekByte returns the next byte without consuming it.
func (in *input) peekByte() (byte, error) {
	window, err := in.window()
	if err != nil {
		return 0, err
	}
	return window[0], nil
}

// skipByte consumes the byte that peekByte returned.
func (in *input) skipByte() {
	if window, err := in.window(); err == nil {
		in.consume(window, 1)
	}
}

// takeWhile appends bytes to buffer up to the first one that is not accepted. It drops
// bytes over the limit, and over reports whether it did. At the end of the input the error
// is io.EOF.
func (in *input) takeWhile(buffer []byte, limit int, accepts func(char byte) bool) (taken []byte, over bool, err error) {
	for {
		window, err := in.window()
		if err != nil {
			return buffer, over, err
		}
		count := 0
		for count < len(window) && accepts(window[count]) {
			count++
		}
		kept := min(count, max(limit-len(buffer), 0))
		over = over || kept < count
		stopped := count < len(window)
		in.consume(window, count)
		buffer = append(buffer, window[:kept]...)
		if stopped {
			return buffer, over, nil
		}
	}
}

// skipSpace skips JSON white space.
func (in *input) skipSpace() error {
	_, _, err := in.takeWhile(nil, 0, isSpace)
	return err
}

// readLine appends the rest of the line and its newline to buffer. If that would exceed
// the limit, it stops within the line and whole is false. A last line without a newline is
// whole. At the end of the input the error is io.EOF.
func (in *input) readLine(buffer []byte, limit int) (line []byte, whole bool, err error) {
	start := len(buffer)
	for {
		window, err := in.window()
		if errors.Is(err, io.EOF) && len(buffer) > start {
			return buffer, true, nil
		} else if err != nil {
			return buffer, false, err
		}
		count, found := len(window), false
		if newline := bytes.IndexByte(window, '\n'); newline >= 0 {
			count, found = newline+1, true
		}
		if len(buffer)+count > limit {
			return buffer, false, nil
		}
		// Appending can move unread text that shares memory with the buffer.
		in.consume(window, count)
		buffer = append(buffer, window[:count]...)
		if found {
			return buffer, true, nil
		}
	}
}

// skipLine skips the rest of the line.
func (in *input) skipLine() error {
	_, _, err := in.takeWhile(nil, 0, func(char byte) bool { return char != '\n' })
	if err == nil {
		in.skipByte()
	}
	return err
}

func isSpace(char byte) bool {
	return char == ' ' || char == '\t' || char == '\r' || char == '\n'
}
