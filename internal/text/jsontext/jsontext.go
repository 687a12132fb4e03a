// Package jsontext reads JSON as text, without decoding all of it. It also finds values that
// encoding/json changes silently, and characters that escapes hide.
package jsontext

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// IsWellFormed reports whether JSON text is valid UTF-8 without unpaired surrogate escapes.
// encoding/json would replace either with the replacement character, and change values
// silently.
func IsWellFormed(text string) bool {
	return utf8.ValidString(text) && (!strings.Contains(text, `\u`) || string(AppendPaired(nil, []byte(text))) == text)
}

// AppendPaired appends JSON, with \ufffd for every escaped half of a surrogate pair. Senders
// produce halves when they cut a string in the middle of an emoji. JSON readers disagree about
// them, and engines reject a document that has one.
func AppendPaired(output, text []byte) []byte {
	for {
		escape := bytes.IndexByte(text, '\\')
		if escape < 0 {
			return append(output, text...)
		}
		output = append(output, text[:escape]...)
		text = text[escape:]
		length := min(2, len(text)) // a text that is not JSON can end with a backslash
		if first := EscapedUnit(text); utf16.IsSurrogate(first) {
			length = 6
			if utf16.DecodeRune(first, EscapedUnit(text[length:])) == utf8.RuneError {
				output = append(output, `\ufffd`...)
				text = text[length:]
				continue
			}
			length = 12
		}
		output = append(output, text[:length]...)
		text = text[length:]
	}
}

// EscapedUnit returns the UTF-16 unit of the \uXXXX escape at the start of the text; -1 if
// there is none.
func EscapedUnit[T string | []byte](text T) rune {
	if len(text) < len(`\ud83d`) || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

// Unescape returns JSON with the characters that its escapes stand for. The result is for
// searching: it is no JSON if a string has a quote. Unpaired surrogates become the replacement
// character.
func Unescape(text string) string {
	const escape = len(`\ud83d`)
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return text
	}
	var plain strings.Builder
	for ; at >= 0 && at+1 < len(text); at = strings.IndexByte(text, '\\') {
		plain.WriteString(text[:at])
		text = text[at:]
		unit := EscapedUnit(text)
		if unit < 0 {
			char := text[1] // a quote, a backslash or a slash stands for itself
			if i := strings.IndexByte("bfnrt", char); i >= 0 {
				char = "\b\f\n\r\t"[i]
			}
			plain.WriteByte(char)
			text = text[2:]
			continue
		}
		text = text[escape:]
		if utf16.IsSurrogate(unit) {
			low := EscapedUnit(text)
			if unit = utf16.DecodeRune(unit, low); unit != utf8.RuneError {
				text = text[escape:]
			}
		}
		plain.WriteRune(unit)
	}
	plain.WriteString(text)
	return plain.String()
}
