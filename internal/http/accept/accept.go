// Package accept parses the lists of Accept and Accept-Encoding headers, whose items have
// a quality (RFC 9110, section 12.4.2).
package accept

import (
	"iter"
	"strconv"
	"strings"
)

// Item is an item of a list, such as gzip;q=0.5.
type Item struct {
	// Value is in lower case and has no parameters.
	Value string
	// Quality is from 0, which means never, to 1. It is 1 if the item has none.
	Quality float64
	// Malformed is true for a quality that is not a number from 0 to 1. Quality is 1 then.
	Malformed bool
}

// Items yields the items of all headers of one name, in order. It skips an item that is not
// a name of tokens (RFC 9110, section 5.6.2), and ignores parameters other than the quality.
func Items(headers []string) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, header := range headers {
			for text := range strings.SplitSeq(header, ",") {
				value, parameters, _ := strings.Cut(text, ";")
				value = strings.TrimSpace(value)
				if value == "" || strings.ContainsFunc(value, isNoTokenCharacter) {
					continue
				}
				quality, malformed := qualityOf(parameters)
				if !yield(Item{Value: strings.ToLower(value), Quality: quality, Malformed: malformed}) {
					return
				}
			}
		}
	}
}

// isNoTokenCharacter reports whether neither a token nor the slash of a media range
// contains a character.
func isNoTokenCharacter(character rune) bool {
	switch {
	case character >= 'a' && character <= 'z', character >= 'A' && character <= 'Z', character >= '0' && character <= '9':
		return false
	}
	return !strings.ContainsRune("!#$%&'*+-.^_`|~/", character)
}

func qualityOf(parameters string) (quality float64, malformed bool) {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if name = strings.TrimSpace(name); name != "q" && name != "Q" {
			continue
		}
		quality, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(quality >= 0 && quality <= 1) {
			return 1, true
		}
		return quality, false
	}
	return 1, false
}
