// Package sqltext finds parameters in SQL. It knows no language itself: engines know
// theirs ([sqlq.Dialect]), and use the parts of it that several languages share.
package sqltext

import (
	"iter"
	"strings"

	"savedq/sqlq"
)

// Scan is what the reader of saved queries has to know about a SQL text.
type Scan struct {
	// Params holds the first use of each named parameter, in order.
	Params []Use
	// Second is where a second statement begins; nil if there is none.
	Second *Use
	// Positional is the first parameter without a name; nil if there is none.
	Positional *Use
	// Empty reports whether the text holds nothing but white space and comments.
	Empty bool
	// End is the length of the text without a closing semicolon.
	End int
}

// Use is a place in a SQL text where a parameter, or something else, is used. Line and
// Column count from 1.
type Use struct {
	Name         string
	Line, Column int
}

// Mistakes returns why a saved query cannot have the text of a file.
func (s Scan) Mistakes(dialect sqlq.Dialect, file string) sqlq.FileErrors {
	at := func(use Use) sqlq.Place { return sqlq.Place{File: file, Line: use.Line, Column: use.Column} }
	if s.Empty {
		return sqlq.FileErrors{at(Use{Line: 1, Column: 1}).Mistakef("has no SQL")}
	}
	var mistakes sqlq.FileErrors
	if s.Second != nil {
		mistakes = append(mistakes, at(*s.Second).Mistakef("a saved query is one statement; a second one begins here"))
	}
	if s.Positional != nil {
		mistakes = append(mistakes, at(*s.Positional).Mistakef("write parameters as %sname, not as ?", dialect.ParamPrefix()))
	}
	return mistakes
}

// ScanStatement scans a text that should be one statement.
func ScanStatement(dialect sqlq.Dialect, sql string) Scan {
	scan := Scan{Empty: true, End: len(sql)}
	seen := make(map[string]bool)
	closed := false
	for at, token := range tokens(dialect, sql) {
		switch {
		case dialect.IsComment(token) || isBlank(token):
		case token == ";":
			if !closed {
				closed, scan.End = true, at.offset
			}
		case closed:
			if scan.Second == nil {
				scan.Second = new(at.use(token))
			}
		default:
			scan.Empty = false
			if token == "?" && scan.Positional == nil {
				scan.Positional = new(at.use(token))
			}
			if name, ok := paramName(dialect, token); ok && !seen[name] {
				seen[name] = true
				scan.Params = append(scan.Params, at.use(name))
			}
		}
	}
	return scan
}

// position is where a token starts.
type position struct{ offset, line, lineStart int }

// use returns the place of a token, with a name. Lines and columns count from 1.
func (p position) use(name string) Use {
	return Use{Name: name, Line: p.line, Column: p.offset - p.lineStart + 1}
}

// tokens yields each token of a text, with its position.
func tokens(dialect sqlq.Dialect, sql string) iter.Seq2[position, string] {
	return func(yield func(position, string) bool) {
		for at := (position{line: 1}); at.offset < len(sql); {
			token := sql[at.offset:][:dialect.TokenLength(sql[at.offset:])]
			if !yield(at, token) {
				return
			}
			at.line += strings.Count(token, "\n")
			if last := strings.LastIndexByte(token, '\n'); last >= 0 {
				at.lineStart = at.offset + last + 1
			}
			at.offset += len(token)
		}
	}
}

// Token is the bytes of a SQL text from Start to End.
type Token struct {
	Text       string
	Start, End int
}

// Tokens yields each token of a text that is neither white space nor a comment.
func Tokens(dialect sqlq.Dialect, sql string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for at, token := range tokens(dialect, sql) {
			if !dialect.IsComment(token) && !isBlank(token) && !yield(Token{token, at.offset, at.offset + len(token)}) {
				return
			}
		}
	}
}

// paramName returns the name of a parameter, which may say its type, as in {name:Type}. It reports whether the token is one.
func paramName(dialect sqlq.Dialect, token string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(token, dialect.ParamPrefix())
	length := NameLength(rest)
	return rest[:length], ok && length > 0 && (length == len(rest) || rest[length] == ':')
}

// Param is a use of a named parameter: the bytes of a SQL text from Start to End.
type Param struct {
	Name       string
	Start, End int
}

// Params returns every use of a named parameter, in order. Strings, quoted names and
// comments use none.
func Params(dialect sqlq.Dialect, sql string) []Param {
	var params []Param
	for at, token := range tokens(dialect, sql) {
		if name, ok := paramName(dialect, token); ok {
			params = append(params, Param{Name: name, Start: at.offset, End: at.offset + len(token)})
		}
	}
	return params
}
