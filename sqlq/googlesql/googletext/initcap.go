package googletext

import (
	"strings"
	"unicode"
)

// InitCap returns a text with the first letter of each word in upper case, and the others in lower case. Words end at any of
// the delimiters.
func InitCap(text, delimiters string) string {
	isFirst := true
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(delimiters, r) {
			isFirst = true
			return r
		}
		if isFirst {
			isFirst = false
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, text)
}
