package googlesql

import (
	"slices"
	"strings"
)

// ParserToken returns a token as DuckDB's parser reads it. Words that are functions in GoogleSQL
// and keywords in DuckDB become quoted names.
func (d Dialect) ParserToken(before, token, after string) string {
	word := strings.ToUpper(token)
	switch {
	case token[0] == '#':
		return "--" + token[1:]
	case token[0] == '`':
		return `"` + strings.ReplaceAll(strings.Trim(token, "`"), ".", `"."`) + `"`
	case token[0] == '\'' || token[0] == '"':
		return textToken(before, token)
	case strings.HasPrefix(token, "@@"):
		return `"` + token + `"`
	case token[0] == '@':
		return "$" + token[1:]
	case isTextPrefix(word) && after != "" && (after[0] == '\'' || after[0] == '"'):
		return ""
	case !strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), "("):
	case slices.Contains([]string{"DATE", "DATETIME", "TIME", "TIMESTAMP"}, word),
		before == "[" && slices.Contains([]string{"OFFSET", "ORDINAL", "SAFE_OFFSET", "SAFE_ORDINAL"}, word):
		return `"` + strings.ToLower(token) + `"`
	}
	return token
}

// isTextPrefix reports whether a word makes a string behind it raw, or bytes.
func isTextPrefix(word string) bool { return slices.Contains([]string{"R", "B", "RB", "BR"}, word) }

// textToken returns a string in DuckDB's quotes.
func textToken(before, token string) string {
	quote := token[:1]
	if triple := strings.Repeat(quote, 3); len(token) >= 2*len(triple) && strings.HasPrefix(token, triple) {
		quote = triple
	}
	text := strings.TrimSuffix(strings.TrimPrefix(token, quote), quote)
	text = strings.ReplaceAll(text, "'", "''")
	if strings.Contains(text, `\`) && !strings.Contains(strings.ToUpper(before), "R") {
		return " E'" + strings.ReplaceAll(text, `\''`, `\'`) + "'"
	}
	return "'" + text + "'"
}
