package graphqlrules

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"savedq/internal/jsontext"
	"savedq/sqlq"
)

// withPlainEscapes returns the document with the Unicode escapes of its strings decoded.
// gqlparser rejects `\u{1f600}`, and decodes the surrogate pair `\ud83d\ude00` to two
// replacement characters, but GraphQL allows both. The positions of other tokens do not
// change, so that errors have the right location: each string is padded with blanks after
// its end. Comments and block strings have no escapes and are unchanged.
//
// A Unicode escape without a valid character is an error. The parser checks other escapes.
func withPlainEscapes(document string) (string, error) {
	if !strings.Contains(document, `\u`) {
		return document, nil
	}
	var plain strings.Builder
	for rest := document; rest != ""; {
		length := tokenLength(rest)
		token := rest[:length]
		rest = rest[length:]
		if token[0] != '"' || strings.HasPrefix(token, `"""`) {
			plain.WriteString(token)
			continue
		}
		if err := appendPlainString(&plain, token); err != nil {
			return "", err
		}
	}
	return plain.String(), nil
}

// tokenLength returns the length of the comment, string or block string at the start of the
// text, or of everything before the next one. They end where gqlparser's lexer ends them.
func tokenLength(text string) int {
	switch {
	case text[0] == '#':
		return lengthUntil(text, func(char rune) bool { return char < ' ' && char != '\t' })
	case strings.HasPrefix(text, `"""`):
		return blockStringLength(text)
	case text[0] == '"':
		return stringLength(text)
	default:
		return lengthUntil(text, func(char rune) bool { return char == '#' || char == '"' })
	}
}

// lengthUntil returns the length of the text before the first character that ends it.
func lengthUntil(text string, ends func(rune) bool) int {
	if end := strings.IndexFunc(text, ends); end >= 0 {
		return end
	}
	return len(text)
}

// blockStringLength returns the length of the block string at the start of the text. A run
// of three or more quotes ends it.
func blockStringLength(text string) int {
	const quotes = `"""`
	for at := len(quotes); at < len(text); {
		switch {
		case strings.HasPrefix(text[at:], `\`+quotes):
			at += len(`\` + quotes)
		case strings.HasPrefix(text[at:], quotes):
			return at + lengthUntil(text[at:], func(char rune) bool { return char != '"' })
		default:
			at++
		}
	}
	return len(text)
}

// stringLength returns the length of the string at the start of the text. It ends at the
// end of the line at the latest.
func stringLength(text string) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		case '\n', '\r':
			return at
		}
	}
	return len(text)
}

// appendPlainString appends a string with its Unicode escapes decoded.
func appendPlainString(dst *strings.Builder, literal string) error {
	saved := 0
	for rest := literal; rest != ""; {
		length := lengthUntil(rest, func(char rune) bool { return char == '\\' })
		dst.WriteString(rest[:length])
		rest = rest[length:]
		if !strings.HasPrefix(rest, `\u`) {
			length = min(len(rest), len(`\n`))
			dst.WriteString(rest[:length])
			rest = rest[length:]
			continue
		}
		escape, char := unicodeEscape(rest)
		if !utf8.ValidRune(char) {
			return sqlq.Errorf(sqlq.InvalidArgument,
				`a string of the query has a \u escape that is not a character; write four hexadecimal digits as in \u00e9, braces as in \u{1f600}, both halves of a surrogate pair as in \ud83d\ude00, or the character itself`)
		}
		plain := plainSpelling(char)
		dst.WriteString(plain)
		saved += len(escape) - utf8.RuneCountInString(plain)
		rest = rest[len(escape):]
	}
	dst.WriteString(strings.Repeat(" ", max(0, saved)))
	return nil
}

// plainSpelling returns the spelling of a character in a string that gqlparser reads.
func plainSpelling(char rune) string {
	switch {
	case char == '"' || char == '\\':
		return `\` + string(char)
	case char < ' ':
		return fmt.Sprintf(`\u%04x`, char)
	default:
		return string(char)
	}
}

// unicodeEscape returns the Unicode escape at the start of the text, a surrogate pair as
// one, and its character; an invalid rune if there is none.
func unicodeEscape(text string) (escape string, char rune) {
	const fixed = len(`\ud83d`)
	if unit := jsontext.EscapedUnit(text); unit >= 0 {
		if pair := utf16.DecodeRune(unit, jsontext.EscapedUnit(text[fixed:])); pair != utf8.RuneError {
			return text[:2*fixed], pair
		}
		return text[:fixed], unit
	}
	digits, found := strings.CutPrefix(text, `\u{`)
	length := strings.IndexByte(digits, '}')
	if !found || length < 0 {
		return "", -1
	}
	const bits = 31
	number, err := strconv.ParseUint(digits[:length], 16, bits)
	if err != nil {
		return "", -1
	}
	return text[:len(`\u{}`)+length], rune(number)
}
