// Package jsontext checks JSON text for what encoding/json changes silently.
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
func EscapedUnit(text string) rune {
	if len(text) < len(`\ud83d`) || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
