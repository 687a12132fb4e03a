package sqltext

import "strings"

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

// NameLength returns the length of the name that a text begins with; 0 if there is none.
func NameLength(sql string) int {
	length := 0
	for length < len(sql) && isNameByte(sql[length]) {
		length++
	}
	return length
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
