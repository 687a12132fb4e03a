package logevent

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// appendPaired appends a valid JSON string, with \ufffd for every escaped half of a
// surrogate pair. Senders produce halves when they cut a string in the middle of an emoji.
// JSON readers disagree about them, and engines reject a document that has one.
func appendPaired(output, quoted []byte) []byte {
	for {
		escape := bytes.IndexByte(quoted, '\\')
		if escape < 0 {
			return append(output, quoted...)
		}
		output = append(output, quoted[:escape]...)
		quoted = quoted[escape:]
		length := 2
		if first := escapedUnit(quoted); utf16.IsSurrogate(first) {
			length = 6
			if utf16.DecodeRune(first, escapedUnit(quoted[length:])) == '\uFFFD' {
				output = append(output, `\ufffd`...)
				quoted = quoted[length:]
				continue
			}
			length = 12
		}
		output = append(output, quoted[:length]...)
		quoted = quoted[length:]
	}
}

// escapedUnit returns the UTF-16 unit of a leading \uXXXX escape, or -1 if there is none.
func escapedUnit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
