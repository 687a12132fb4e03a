package sqltext

import (
	"strings"

	"savedq/sqlq"
)

// Word is a name or a keyword in a SQL text.
type Word struct {
	Use
	// Called reports whether an opening bracket follows.
	Called bool
	// Text reports whether it is a string in single quotes, which DuckDB takes for the name of a
	// table after FROM.
	Text bool
}

// Words returns the words of a text in lower case. Quoted names, and strings that could be names,
// are without their quotes.
func Words(dialect sqlq.Dialect, sql string) []Word {
	var words []Word
	follows := false // nothing but white space and comments since the last word
	for start, token := range tokens(dialect, sql) {
		if dialect.IsComment(token) || strings.TrimSpace(token) == "" {
			continue
		}
		name := strings.Trim(token, "'\"`")
		if NameLength(name) == 0 {
			if token == "(" && follows {
				words[len(words)-1].Called = true
			}
			follows = false
			continue
		}
		for part := range strings.SplitSeq(name, ".") { // a quoted name can be a path
			words = append(words, Word{Use: *useAt(sql, start, strings.ToLower(part)), Text: token[0] == '\''})
		}
		follows = true
	}
	return words
}
