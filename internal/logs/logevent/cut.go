package logevent

import "unicode/utf8"

// Cut returns at most limit bytes of a text, without cutting a character in half. The text
// may be no valid UTF-8.
func Cut(text []byte, limit int) string {
	if len(text) <= limit {
		return string(text)
	}
	for back := range utf8.UTFMax {
		if utf8.RuneStart(text[limit-back]) {
			return string(text[:limit-back])
		}
	}
	return string(text[:limit])
}
