package logevent

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
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

// Repair returns JSON without what no text can hold, as events of every way are stored: U+FFFD
// stands for bytes that are not UTF-8, and for escaped halves of surrogate pairs.
func Repair(text []byte) []byte {
	text = validUTF8(text)
	if !bytes.Contains(text, []byte(`\u`)) {
		return text
	}
	return appendPaired(nil, text)
}

// validUTF8 returns a text with U+FFFD for bytes that are not UTF-8. Senders cut messages in the
// middle of a character.
func validUTF8(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return bytes.ToValidUTF8(text, []byte("\ufffd"))
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
