package sqlq

import "strings"

// sqlScan is what the catalog needs to know about a SQL text.
type sqlScan struct {
	// params holds the first use of each named parameter, in order.
	params []sqlUse
	// extra is where a second statement begins; nil when there is none.
	extra *sqlUse
	// positional is where a parameter without a name stands; nil when there is
	// none.
	positional *sqlUse
	// empty says that the text holds nothing but white space and comments.
	empty bool
	// end is the length of the text without a closing semicolon.
	end int
}

// sqlUse is a place in a SQL text; line and column count from 1.
type sqlUse struct {
	name         string
	line, column int
}

// scanSQL finds the named parameters of a text in the dialect. It knows enough
// of the language to pass over strings, quoted names and comments, and no more.
func scanSQL(dialect Dialect, sql string) sqlScan {
	scan := sqlScan{empty: true, end: len(sql)}
	seen := make(map[string]bool)
	closed := false
	for i := 0; i < len(sql); {
		length := dialect.tokenLength(sql[i:])
		token := sql[i : i+length]
		switch {
		case isBlank(dialect, token):
		case token == ";":
			if !closed {
				closed, scan.end = true, i
			}
		case closed:
			if scan.extra == nil {
				scan.extra = useAt(sql, i, token)
			}
		default:
			scan.empty = false
			if token == "?" && scan.positional == nil {
				scan.positional = useAt(sql, i, token)
			}
			if name, ok := strings.CutPrefix(token, dialect.paramPrefix()); ok && isName(name) && !seen[name] {
				seen[name] = true
				scan.params = append(scan.params, *useAt(sql, i, name))
			}
		}
		i += length
	}
	return scan
}

// isBlank says whether a token is white space or a comment.
func isBlank(dialect Dialect, token string) bool {
	return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*") ||
		dialect == BigQuery && token[0] == '#' || strings.TrimSpace(token) == ""
}

func useAt(sql string, offset int, name string) *sqlUse {
	before := sql[:offset]
	return &sqlUse{
		name:   name,
		line:   1 + strings.Count(before, "\n"),
		column: offset - strings.LastIndexByte(before, '\n'),
	}
}
