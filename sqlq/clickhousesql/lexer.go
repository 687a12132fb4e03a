package clickhousesql

import (
	"strings"
	"unicode/utf8"
)

// place is an offset in the text.
type place int

type tokenKind int

const (
	endToken tokenKind = iota
	nameToken
	quotedToken
	stringToken
	numberToken
	paramToken
	symbolToken
)

// token is a word of the text. text is what it stands for: a name without quotes, a string without escapes, and the name of a
// parameter.
type token struct {
	kind       tokenKind
	text       string
	start, end place
	// upper is a name in capitals, or a symbol.
	upper string
	// typ is the type of a parameter.
	typ string
}

func (t token) is(word string) bool {
	return (t.kind == nameToken || t.kind == symbolToken) && t.upper == word
}

func (t token) isName() bool { return t.kind == nameToken || t.kind == quotedToken }

// describe names the token for messages.
func (t token) describe(sql string) string {
	if t.kind == endToken {
		return "the end of the text"
	}
	return sql[t.start:t.end]
}

// scan returns the tokens of a text with an end. It fails at what is no token.
func scan(sql string) []token {
	if !utf8.ValidString(sql) {
		fail(0, "the SQL is not valid UTF-8")
	}
	var tokens []token
	for at := blankEnd(sql, 0); at < len(sql); {
		t := scanToken(sql, at)
		tokens = append(tokens, t)
		at = blankEnd(sql, int(t.end))
	}
	return append(tokens, token{kind: endToken, start: place(len(sql)), end: place(len(sql))})
}

// blankEnd returns the end of spaces and comments.
func blankEnd(sql string, at int) int {
	for at < len(sql) {
		rest := sql[at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			at++
		case strings.HasPrefix(rest, "\u00a0") || strings.HasPrefix(rest, "\ufeff"):
			_, size := utf8.DecodeRuneInString(rest)
			at += size
		case strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "# ") || strings.HasPrefix(rest, "#!"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return len(sql)
			}
			at += end + 1
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				fail(at, "the comment has no end; write */")
			}
			at += 2 + end + 2
		default:
			return at
		}
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func scanToken(sql string, at int) token {
	rest := sql[at:]
	switch c := rest[0]; {
	case isNameStart(c):
		end := 1
		for end < len(rest) && (isNameStart(rest[end]) || isDigit(rest[end])) {
			end++
		}
		return token{kind: nameToken, text: rest[:end], upper: strings.ToUpper(rest[:end]), start: place(at), end: place(at + end)}
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return scanNumber(sql, at)
	case c == '\'':
		text, end := scanQuoted(sql, at)
		return token{kind: stringToken, text: text, start: place(at), end: place(end)}
	case c == '"' || c == '`':
		text, end := scanQuoted(sql, at)
		if text == "" {
			fail(at, "a name is empty")
		}
		return token{kind: quotedToken, text: text, start: place(at), end: place(end)}
	case c == '{':
		return scanParam(sql, at)
	}
	for _, symbol := range []string{"<=>", "->", "::", "<=", ">=", "<>", "!=", "==", "||"} {
		if strings.HasPrefix(rest, symbol) {
			return token{kind: symbolToken, text: symbol, upper: symbol, start: place(at), end: place(at + len(symbol))}
		}
	}
	if strings.IndexByte("()[],.+-*/%=<>?:;", rest[0]) < 0 {
		_, size := utf8.DecodeRuneInString(rest)
		fail(at, "%s has no meaning here", rest[:size])
	}
	return token{kind: symbolToken, text: rest[:1], upper: rest[:1], start: place(at), end: place(at + 1)}
}

func scanNumber(sql string, at int) token {
	end := at
	isHex := strings.HasPrefix(sql[at:], "0x") || strings.HasPrefix(sql[at:], "0X")
	if isHex {
		end += 2
	}
	for end < len(sql) {
		c := sql[end]
		isExponent := !isHex && (c == '+' || c == '-') && (sql[end-1] == 'e' || sql[end-1] == 'E') && end > at
		if !isDigit(c) && c != '.' && c != '_' && !isNameStart(c) && !isExponent {
			break
		}
		if c == '.' && (isHex || strings.Contains(sql[at:end], ".")) {
			break
		}
		end++
	}
	return token{kind: numberToken, text: sql[at:end], start: place(at), end: place(end)}
}

// scanQuoted reads a string or a quoted name, in which a doubled quote and a backslash stand for others.
func scanQuoted(sql string, at int) (text string, end int) {
	quote := sql[at]
	var out strings.Builder
	for i := at + 1; i < len(sql); {
		switch c := sql[i]; {
		case c == quote && i+1 < len(sql) && sql[i+1] == quote:
			out.WriteByte(quote)
			i += 2
		case c == quote:
			if text = out.String(); !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				fail(at, "a text with a zero byte, or that is not UTF-8, is not supported")
			}
			return text, i + 1
		case c == '\\' && i+1 < len(sql):
			i += 1 + unescape(&out, sql[i+1:])
		default:
			out.WriteByte(c)
			i++
		}
	}
	fail(at, "the %s has no end; write %c", map[bool]string{true: "string", false: "name"}[quote == '\''], quote)
	return "", 0
}

// unescape appends what stands behind a backslash, and returns its length.
func unescape(out *strings.Builder, rest string) int {
	const escapes, values = `abfnrtve0`, "\a\b\f\n\r\t\v\x1b\x00"
	if at := strings.IndexByte(escapes, rest[0]); at >= 0 {
		out.WriteByte(values[at])
		return 1
	}
	if rest[0] == 'x' && len(rest) > 2 {
		high, low := strings.IndexByte("0123456789abcdef", rest[1]|0x20), strings.IndexByte("0123456789abcdef", rest[2]|0x20)
		if high >= 0 && low >= 0 {
			out.WriteByte(byte(high<<4 | low)) //nolint:gosec // Both are digits.
			return 3
		}
	}
	if strings.IndexByte("\\'\"`/=", rest[0]) < 0 { // others keep the backslash
		out.WriteByte('\\')
	}
	_, size := utf8.DecodeRuneInString(rest)
	out.WriteString(rest[:size])
	return size
}

// scanParam reads {name:Type}.
func scanParam(sql string, at int) token {
	end := strings.IndexByte(sql[at:], '}')
	name, typ, found := "", "", false
	if end >= 0 {
		name, typ, found = strings.Cut(sql[at+1:at+end], ":")
	}
	name, typ = strings.TrimSpace(name), strings.TrimSpace(typ)
	if !found || name == "" || typ == "" || !isNameStart(name[0]) || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		fail(at, "a parameter is written {name:Type}, such as {path:String}")
	}
	return token{kind: paramToken, text: name, typ: typ, start: place(at), end: place(at + end + 1)}
}
