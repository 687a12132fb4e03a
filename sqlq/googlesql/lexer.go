package googlesql

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenKind is what a token is.
type tokenKind int

const (
	endToken    tokenKind = iota
	nameToken             // a name or a keyword
	quotedToken           // a name in backticks, which is no keyword
	integerToken
	floatToken
	stringToken
	bytesToken
	paramToken // @name
	symbolToken
)

// token is a token of GoogleSQL. Comments are not tokens.
type token struct {
	kind tokenKind
	// text is the token as it is written; of a string, a quoted name and a parameter what it stands for.
	text string
	// upper is a name in upper case.
	upper      string
	start, end int
}

// is reports whether a token is a keyword, which is in upper case, or a symbol.
func (t token) is(word string) bool {
	return t.kind == nameToken && t.upper == word || t.kind == symbolToken && t.text == word
}

// scan returns the tokens of a text, with one at its end.
func scan(text string) []token {
	var tokens []token
	for at := 0; ; {
		at = skipSpace(text, at)
		t := scanToken(text, at)
		tokens = append(tokens, t)
		if t.kind == endToken {
			return tokens
		}
		at = t.end
	}
}

// skipSpace returns where the next token begins, behind spaces and comments.
func skipSpace(text string, at int) int {
	for {
		end := blankEnd(text, at)
		if end == at {
			return at
		}
		at = end
	}
}

// blankEnd returns the end of the space or the comment at an offset; the offset if there is neither.
func blankEnd(text string, at int) int {
	rest := text[at:]
	switch {
	case rest == "":
	case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
		return at + 1
	case strings.HasPrefix(rest, "\u00a0"), strings.HasPrefix(rest, "\ufeff"):
		_, size := utf8.DecodeRuneInString(rest)
		return at + size
	case rest[0] == '#' || strings.HasPrefix(rest, "--"):
		line := strings.IndexByte(rest, '\n')
		if line < 0 {
			return len(text)
		}
		return at + line + 1
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			fail(at, "the comment has no end; close it with */")
		}
		return at + 2 + end + 2
	}
	return at
}

func scanToken(text string, at int) token {
	if at >= len(text) {
		return token{kind: endToken, start: at, end: at}
	}
	c := text[at]
	if prefix := stringPrefix(text[at:]); prefix >= 0 {
		return scanString(text, at, prefix)
	}
	switch {
	case c == '`':
		return scanQuotedName(text, at)
	case isNameStart(c):
		end := nameEnd(text, at)
		return token{kind: nameToken, text: text[at:end], upper: strings.ToUpper(text[at:end]), start: at, end: end}
	case isDigit(c) || c == '.' && at+1 < len(text) && isDigit(text[at+1]):
		return scanNumber(text, at)
	case c == '@' && at+1 < len(text) && (isNameStart(text[at+1]) || text[at+1] == '`'):
		name := scanToken(text, at+1)
		return token{kind: paramToken, text: name.text, start: at, end: name.end}
	}
	// ">>" is two tokens, because it also ends two types.
	for _, symbol := range []string{"<=", ">=", "<>", "!=", "||", "<<", "=>", "::", "@@", "|>"} {
		if strings.HasPrefix(text[at:], symbol) {
			return token{kind: symbolToken, text: symbol, start: at, end: at + len(symbol)}
		}
	}
	if strings.IndexByte("()[]{},.;+-*/%=<>|&^~?:@!", c) < 0 {
		r, _ := utf8.DecodeRuneInString(text[at:])
		fail(at, "the character %q has no meaning here", r)
	}
	return token{kind: symbolToken, text: text[at : at+1], start: at, end: at + 1}
}

func isNameStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func nameEnd(text string, at int) int {
	for at < len(text) && (isNameStart(text[at]) || isDigit(text[at])) {
		at++
	}
	return at
}

// numberPattern matches an integer, a hexadecimal one, or a number with a point or an exponent.
var numberPattern = regexp.MustCompile(`^(?:0[xX][0-9A-Za-z_]*|[0-9]*(\.[0-9]*)?([eE][+-]?[0-9]+)?)`)

func scanNumber(text string, at int) token {
	match := numberPattern.FindStringSubmatch(text[at:])
	end := at + len(match[0])
	if end < len(text) && isNameStart(text[end]) {
		fail(at, "a name cannot begin with a digit; put it in backticks")
	}
	if len(match[0]) > 1 && strings.ContainsAny(match[0][1:2], "xX") {
		if _, err := strconv.ParseUint(match[0][2:], 16, 64); errors.Is(err, strconv.ErrSyntax) {
			fail(at, "%s is not a hexadecimal number such as 0xff", match[0])
		}
	}
	return token{kind: ifElse(match[1]+match[2] == "", integerToken, floatToken), text: match[0], start: at, end: end}
}

// scanQuotedName scans a name in backticks, which has the escapes of a string.
func scanQuotedName(text string, at int) token {
	begin := at + 1
	end := begin
	for ; end < len(text) && text[end] != '`'; end++ {
		if text[end] == '\\' {
			end++
		}
	}
	if end >= len(text) {
		fail(at, "the name has no end; close it with a backtick")
	}
	if end == begin {
		fail(at, "a name in backticks must not be empty")
	}
	return token{kind: quotedToken, text: unescape(text[begin:end], begin, false), start: at, end: end + 1}
}

// stringPrefix returns the length of the prefix of the string that a text begins with, such as r of
// r'…'; -1 if the text does not begin with a string.
func stringPrefix(text string) int {
	for length := range 3 {
		if length == len(text) {
			return -1
		}
		switch c := text[length]; {
		case c == '\'' || c == '"':
			return length
		case strings.IndexByte("rRbB", c) < 0:
			return -1
		}
	}
	return -1
}

// scanString scans a string or bytes, in one or three quotes of either kind.
func scanString(text string, at, prefix int) token {
	kind, prefixText := stringToken, strings.ToLower(text[at:at+prefix])
	if strings.Contains(prefixText, "b") {
		kind = bytesToken
	}
	quote := text[at+prefix : at+prefix+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text[at+prefix:], triple) {
		quote = triple
	}
	isRaw := strings.Contains(prefixText, "r")
	begin := at + prefix + len(quote)
	end := begin
	// doubled are the places of two quotes that stand for one, as in 'it''s'. BigQuery refuses them, and some
	// clients send them.
	var doubled []int
	for ; ; end++ {
		if end >= len(text) || len(quote) == 1 && text[end] == '\n' {
			fail(at, "the string has no end; close it with %s", quote)
		}
		if len(quote) == 1 && !isRaw && strings.HasPrefix(text[end:], quote+quote) {
			doubled = append(doubled, end-begin)
			end++
			continue
		}
		if strings.HasPrefix(text[end:], quote) {
			break
		}
		if text[end] == '\\' { // In a raw string, too, a quote behind a backslash does not end it.
			end++
		}
	}
	escaped := []byte(text[begin:end])
	for _, place := range doubled {
		escaped[place] = '\\'
	}
	content := string(escaped)
	if !isRaw {
		content = unescape(content, begin, kind == bytesToken)
	}
	return token{kind: kind, text: content, start: at, end: end + len(quote)}
}

// unescape returns the content of a string that is not raw.
func unescape(content string, at int, isBytes bool) string {
	var out strings.Builder
	for i := 0; i < len(content); i++ {
		if content[i] != '\\' || i+1 == len(content) {
			out.WriteByte(content[i])
			continue
		}
		i++
		c := content[i]
		if escape := strings.IndexByte("abfnrtv\\?\"'`", c); escape >= 0 {
			out.WriteByte("\a\b\f\n\r\t\v\\?\"'`"[escape])
			continue
		}
		digits, base, skip := 0, 16, 1
		switch {
		case c == 'x' || c == 'X':
			digits = 2
		case c == 'u' && !isBytes:
			digits = 4
		case c == 'U' && !isBytes:
			digits = 8
		case isDigit(c):
			digits, base, skip = 3, 8, 0
		}
		code, err := uint64(0), strconv.ErrSyntax
		if digits > 0 && i+skip+digits <= len(content) {
			code, err = strconv.ParseUint(content[i+skip:i+skip+digits], base, 32)
		}
		switch {
		case err != nil:
			fail(at+i-1, "\\%c is not an escape sequence; write \\\\ for a backslash, or a raw string r'…'", c)
		case isBytes && code > 0xff, code > utf8.MaxRune, !isBytes && !utf8.ValidRune(rune(code)):
			fail(at+i-1, "the escape sequence stands for no character")
		case isBytes:
			out.WriteByte(byte(code)) //nolint:gosec // It is at most 0xff.
		default:
			out.WriteRune(rune(code))
		}
		i += skip + digits - 1
	}
	return out.String()
}
