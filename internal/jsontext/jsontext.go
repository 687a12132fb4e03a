// Package jsontext reads JSON as text, without decoding all of it. It also finds values that
// encoding/json changes silently, and characters that escapes hide.
package jsontext

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// IsWellFormed reports whether JSON text is valid UTF-8 without unpaired surrogate escapes.
// encoding/json would replace either with the replacement character, and change values
// silently.
func IsWellFormed(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	const escape = len(`\ud83d`)
	for {
		at := surrogateEscape(text)
		if at < 0 {
			return true
		}
		if utf16.DecodeRune(EscapedUnit(text[at:]), EscapedUnit(text[at+escape:])) == utf8.RuneError {
			return false
		}
		text = text[at+2*escape:]
	}
}

// surrogateEscape returns the index of the first escaped surrogate; -1 if there is none.
func surrogateEscape(text string) int {
	for at := 0; at < len(text); at += len(`\n`) {
		next := strings.IndexByte(text[at:], '\\')
		if next < 0 {
			return -1
		}
		at += next
		if utf16.IsSurrogate(EscapedUnit(text[at:])) {
			return at
		}
	}
	return -1
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
			plain.WriteByte(escapedByte(text[1]))
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

// escapedByte returns what the escape of a backslash and a letter stands for.
func escapedByte(letter byte) byte {
	switch letter {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return letter // a quote, a backslash or a slash
}
