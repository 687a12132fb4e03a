package graphqlrules

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// IsWellFormed says whether JSON text holds nothing but characters. The JSON reader
// puts the replacement character in the place of bytes that are not UTF-8, and of an
// escaped half of a surrogate pair without the other: values would not be those that
// were sent.
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
		if utf16.DecodeRune(escapedUnit(text[at:]), escapedUnit(text[at+escape:])) == utf8.RuneError {
			return false
		}
		text = text[at+2*escape:]
	}
}

// surrogateEscape returns where the first escaped half of a surrogate pair is; -1
// where there is none.
func surrogateEscape(text string) int {
	for at := 0; at < len(text); at += len(`\n`) {
		next := strings.IndexByte(text[at:], '\\')
		if next < 0 {
			return -1
		}
		at += next
		if utf16.IsSurrogate(escapedUnit(text[at:])) {
			return at
		}
	}
	return -1
}

// escapedUnit is the UTF-16 unit of the \uXXXX escape that the text starts with, or
// -1 if it starts with something else.
func escapedUnit(text string) rune {
	if len(text) < len(`\ud83d`) || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
