package graphqlrules

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

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
	// Comments, block strings and strings end where gqlparser's lexer ends them: a block string after a run of three or
	// more quotes, and a string at the end of the line at the latest.
	tokens := regexp.MustCompile(`(?s)#[^\x00-\x08\x0a-\x1f]*|"""(?:\\"""|.)*?(?:"{3,}|\z)|"(?:\\.|[^"\\\r\n])*"?`)
	escapes := regexp.MustCompile(`(?is)\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|[0-9a-f]{4}|\{[0-9a-f]+\})?|\\.`)
	isValid := true
	plain := tokens.ReplaceAllStringFunc(document, func(token string) string {
		if token[0] != '"' || strings.HasPrefix(token, `"""`) {
			return token
		}
		saved := 0
		return escapes.ReplaceAllStringFunc(token, func(escape string) string {
			if !strings.HasPrefix(escape, `\u`) {
				return escape
			}
			char := charOf(escape)
			isValid = isValid && utf8.ValidRune(char)
			plain := plainSpelling(char)
			saved += len(escape) - utf8.RuneCountInString(plain)
			return plain
		}) + strings.Repeat(" ", max(0, saved))
	})
	if !isValid {
		return "", sqlq.Errorf(sqlq.InvalidArgument,
			`a string of the query has a \u escape that is not a character; write four hexadecimal digits as in \u00e9, braces as in \u{1f600}, both halves of a surrogate pair as in \ud83d\ude00, or the character itself`)
	}
	return plain, nil
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

// charOf returns the character of a Unicode escape or of a surrogate pair; an invalid rune if
// the escape has no digits or too large a number.
func charOf(escape string) rune {
	high, low, isPair := strings.Cut(strings.Trim(escape, `\u{}`), `\u`)
	const bits = 31
	number, err := strconv.ParseUint(high, 16, bits)
	if err != nil {
		return -1
	}
	if isPair {
		second, _ := strconv.ParseUint(low, 16, bits)
		return utf16.DecodeRune(rune(number), rune(second))
	}
	return rune(number)
}
