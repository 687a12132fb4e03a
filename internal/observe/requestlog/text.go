package requestlog

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostTextBytes bounds the method and the path of a request in the log: a caller may
// send tens of kilobytes of either.
const mostTextBytes = 512

// clip truncates a string that is too long for the log.
func clip(text string) string {
	if len(text) <= mostTextBytes {
		return text
	}
	return strings.ToValidUTF8(text[:mostTextBytes], "") + "…"
}

// printable returns a path as it is, or percent-encoded where it holds a character that
// changes what a terminal shows.
func printable(path string) string {
	for i := range len(path) {
		if path[i] < ' ' || path[i] > '~' { // not plain ASCII: check each character
			if !utf8.ValidString(path) || strings.ContainsFunc(path, func(c rune) bool { return !unicode.IsPrint(c) }) {
				return (&url.URL{Path: path}).EscapedPath()
			}
			break
		}
	}
	return path
}
