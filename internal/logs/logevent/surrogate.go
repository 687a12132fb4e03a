package logevent

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"savedq/internal/jsontext"
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
		length := min(2, len(quoted)) // a text that is not JSON can end with a backslash
		if first := jsontext.EscapedUnit(quoted); utf16.IsSurrogate(first) {
			length = 6
			if utf16.DecodeRune(first, jsontext.EscapedUnit(quoted[length:])) == '\uFFFD' {
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
