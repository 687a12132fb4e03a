// Package printable keeps text from controlling what shows it. Names and values come from
// senders, and a terminal obeys the control characters in them.
package printable

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Escape returns a text with a \u escape for each character that controls a terminal or the
// direction of text, and for bytes that are not UTF-8. Line breaks and tabs stay. In JSON the
// escapes mean the same characters.
func Escape(text []byte) []byte {
	var escaped []byte
	done := 0
	for i := plain(text); i < len(text); i += plain(text[i:]) {
		char, size := utf8.DecodeRune(text[i:])
		// A carriage return alone lets what follows overwrite the line.
		overwrites := char == '\r' && !bytes.HasPrefix(text[i:], []byte("\r\n"))
		if isControl(char) || overwrites || char == utf8.RuneError && size == 1 {
			if size == 1 && char == utf8.RuneError {
				char = rune(text[i])
			}
			escaped = fmt.Appendf(append(escaped, text[done:i]...), `\u%04x`, char)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return append(escaped, text[done:]...)
}

// plain returns how many bytes at the start of a text are printable ASCII, as nearly all of a log are.
func plain(text []byte) int {
	n := 0
	for n < len(text) && text[n] >= ' ' && text[n] <= '~' {
		n++
	}
	return n
}

// isControl reports whether a character is C0, DEL or C1, ends a line in some programs, or changes
// the direction of text.
func isControl(char rune) bool {
	switch char {
	case '\n', '\t', '\r':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(char) || unicode.Is(unicode.Bidi_Control, char)
}

// Writer returns a writer that escapes what is written to w; see [Escape]. Each call of Write must
// hold whole characters.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ io.Writer }

func (w writer) Write(text []byte) (int, error) {
	if _, err := w.Writer.Write(Escape(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Terminal returns a writer that escapes what is written to w if that is a terminal; anything else
// gets the text as it is.
func Terminal(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return Writer(w)
	}
	return w
}

// IsTerminal reports whether a writer is a terminal, or was returned by [Terminal] for one.
func IsTerminal(w io.Writer) bool {
	file, ok := Unescaped(w).(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Unescaped returns the writer below one that escapes, for text that controls a terminal on
// purpose.
func Unescaped(w io.Writer) io.Writer {
	if escaping, ok := w.(writer); ok {
		return escaping.Writer
	}
	return w
}
