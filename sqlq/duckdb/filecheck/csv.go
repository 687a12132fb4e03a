package filecheck

import (
	"bytes"
	"cmp"
)

// csvScanner finds a quote that is not closed.
type csvScanner struct {
	separator byte
	// last is the last byte of the part before; a line end before the first one.
	last byte
	// quoted is within quotes, and closing after a quote that closes them, unless another follows.
	quoted, closing bool
	// line is the line at the bytes that were counted, and opened that of the last opening quote.
	line, opened int
}

func newCSVScanner(separator string) *csvScanner {
	return &csvScanner{separator: cmp.Or(separator, ",")[0], last: '\n', line: 1}
}

// write implements scanner.
func (c *csvScanner) write(part []byte) error {
	counted := 0
	for at := 0; at < len(part); {
		if c.closing {
			c.closing = false
			if part[at] == '"' {
				c.quoted = true
				at++
				continue
			}
		}
		next := bytes.IndexByte(part[at:], '"')
		if next < 0 {
			break
		}
		at += next
		switch {
		case c.quoted:
			c.quoted, c.closing = false, true
		case c.beginsValue(part, at):
			c.line += bytes.Count(part[counted:at], []byte{'\n'})
			c.quoted, c.opened, counted = true, c.line, at
		}
		at++
	}
	if len(part) > 0 {
		c.line += bytes.Count(part[counted:], []byte{'\n'})
		c.last = part[len(part)-1]
	}
	return nil
}

// beginsValue reports whether a byte is the first one of a value.
func (c *csvScanner) beginsValue(part []byte, at int) bool {
	before := c.last
	if at > 0 {
		before = part[at-1]
	}
	return before == c.separator || before == '\n' || before == '\r'
}

// end implements scanner.
func (c *csvScanner) end() error {
	if c.quoted {
		return faultf(c.opened, "a quote that begins here is not closed; is the file cut short?")
	}
	return nil
}
