package sqltext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Through returns the length up to and including the next end mark after from; the length of
// the whole text if there is none.
func Through(sql string, from int, end string) int {
	if i := strings.Index(sql[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(sql)
}

// EscapedLength returns the length of a string between two equal quotes in which a
// backslash escapes the next byte.
func EscapedLength(sql, quote string) int {
	for i := len(quote); i < len(sql); i++ {
		switch {
		case sql[i] == '\\':
			i++
		case strings.HasPrefix(sql[i:], quote):
			return i + len(quote)
		}
	}
	return len(sql)
}

// ThroughLine returns the length of the line that a text begins with.
func ThroughLine(sql string) int {
	if i := strings.IndexAny(sql, "\r\n"); i >= 0 {
		return i + 1
	}
	return len(sql)
}

// WordLength returns the length of the name or the number that a text begins with. What is neither is a single
// character.
func WordLength(sql string) int {
	if number := numberLength(sql); number > 0 {
		return number
	}
	if name := NameLength(sql); name > 0 {
		return name
	}
	_, length := utf8.DecodeRuneInString(sql)
	return length
}

// numberLength returns the length of the digits that a text begins with, with a point among or after them. A
// keyword can follow them without a space.
func numberLength(sql string) int {
	digits := digitsLength(sql)
	if digits > 0 && strings.HasPrefix(sql[digits:], ".") {
		digits += 1 + digitsLength(sql[digits+1:])
	}
	return digits
}

func digitsLength(sql string) int {
	length := 0
	for length < len(sql) && isDigit(sql[length]) {
		length++
	}
	return length
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// NameLength returns the length of the name that a text begins with; 0 if there is none.
func NameLength(sql string) int {
	length := 0
	for length < len(sql) {
		r, size := utf8.DecodeRuneInString(sql[length:])
		if isASCII := r < utf8.RuneSelf; isASCII && !isNameByte(sql[length]) || !isASCII && isSpace(r) {
			break
		}
		length += size
	}
	return length
}

func isNameByte(b byte) bool {
	return b == '_' || isDigit(b) || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// isSpace reports whether a character is white space, as DuckDB sees it.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r >= '\u200B' && r <= '\u200D' || r == '\u2060' || r == '\uFEFF'
}

// isBlank reports whether a token is white space.
func isBlank(token string) bool { return strings.TrimFunc(token, isSpace) == "" }
