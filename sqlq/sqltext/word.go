package sqltext

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// Kind is what a [Token] is.
type Kind int

// The kinds of tokens.
const (
	// Plain tokens are keywords, names without quotes, and numbers.
	Plain Kind = iota
	// Quoted tokens are names in quotes.
	Quoted
	// Text tokens are strings in single quotes. DuckDB takes one after FROM for the name of a table.
	Text
	// Parameter tokens are named parameters.
	Parameter
	// Symbol tokens are all others, mostly single characters.
	Symbol
)

// Token is a token of a SQL text other than white space and comments. Its name is in lower case,
// without quotes and without the prefix of parameters.
type Token struct {
	Use
	Kind Kind
}

// Is reports whether the token is one of these keywords or symbols.
func (t *Token) Is(names ...string) bool {
	return (t.Kind == Plain || t.Kind == Symbol) && slices.Contains(names, t.Name)
}

// Tokens returns the tokens of a text but white space and comments.
func Tokens(dialect sqlq.Dialect, sql string) []Token {
	var found []Token
	for at, token := range tokens(dialect, sql) {
		if dialect.IsComment(token) || isBlank(token) {
			continue
		}
		if name, ok := paramName(dialect, token); ok {
			found = append(found, Token{at.use(name), Parameter})
			continue
		}
		name := strings.ToLower(strings.Trim(token, "'\"`"))
		kind := Symbol
		if NameLength(name) > 0 {
			kind = map[byte]Kind{'\'': Text, '"': Quoted, '`': Quoted}[token[0]]
		} else {
			name = token
		}
		found = append(found, Token{at.use(name), kind})
	}
	return found
}

// Word is a name or a keyword in a SQL text.
type Word struct {
	Use
	Kind Kind
	// Called reports whether an opening bracket follows.
	Called bool
}

// Words returns the words of a text in lower case. Quoted names, and strings that could be names,
// are without their quotes.
func Words(dialect sqlq.Dialect, sql string) []Word {
	var words []Word
	found := Tokens(dialect, sql)
	for i := range found {
		token := &found[i]
		if token.Kind == Symbol || token.Kind == Parameter {
			continue
		}
		called := i+1 < len(found) && found[i+1].Is("(")
		for part := range strings.SplitSeq(token.Name, ".") { // a quoted name can be a path
			words = append(words, Word{Use: Use{part, token.Line, token.Column}, Kind: token.Kind, Called: called})
		}
	}
	return words
}
