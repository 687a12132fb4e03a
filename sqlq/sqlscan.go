package sqlq

import "strings"

// sqlScan is what the catalog needs to know about a SQL text.
type sqlScan struct {
	// params holds the first use of each named parameter, in order.
	params []sqlUse
	// extra is where a second statement begins; nil when there is none.
	extra *sqlUse
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
func scanSQL(sql string) sqlScan {
	scan := sqlScan{empty: true, end: len(sql)}
	seen := make(map[string]bool)
	closed := false
	for i := 0; i < len(sql); {
		length := tokenLength(sql[i:])
		token := sql[i : i+length]
		switch {
		case isBlank(token):
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
			if name, ok := strings.CutPrefix(token, "$"); ok && isName(name) && !seen[name] {
				seen[name] = true
				scan.params = append(scan.params, *useAt(sql, i, name))
			}
		}
		i += length
	}
	return scan
}

// tokenLength returns the length of the token that a non-empty text begins with.
func tokenLength(sql string) int {
	switch {
	case strings.HasPrefix(sql, "--"):
		return through(sql, 2, "\n")
	case strings.HasPrefix(sql, "/*"):
		return commentLength(sql)
	case sql[0] == '\'' || sql[0] == '"':
		// A doubled quote is two tokens in a row, which ends in the same place.
		return through(sql, 1, sql[:1])
	case sql[0] == 'e' || sql[0] == 'E':
		if strings.HasPrefix(sql[1:], "'") {
			return 1 + escapedStringLength(sql[1:])
		}
		return nameLength(sql)
	case sql[0] == '$':
		return dollarLength(sql)
	case isNameByte(sql[0]):
		return nameLength(sql)
	default:
		return 1
	}
}

// through returns the length up to and with the next end mark after from, or of
// the whole text if there is none.
func through(sql string, from int, end string) int {
	if at := strings.Index(sql[from:], end); at >= 0 {
		return from + at + len(end)
	}
	return len(sql)
}

// commentLength returns the length of a block comment, which may hold others.
func commentLength(sql string) int {
	depth := 0
	for i := 0; i+1 < len(sql); i++ {
		switch sql[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(sql)
}

// escapedStringLength returns the length of a string that begins with a quote
// and in which a backslash escapes the next byte (E'…').
func escapedStringLength(sql string) int {
	for i := 1; i < len(sql); i++ {
		switch sql[i] {
		case '\\':
			i++
		case '\'':
			return i + 1
		}
	}
	return len(sql)
}

// dollarLength returns the length of $name or of a dollar-quoted string such as
// $$…$$ or $tag$…$tag$.
func dollarLength(sql string) int {
	name := 1 + nameLength(sql[1:])
	if name < len(sql) && sql[name] == '$' && (name == 1 || sql[1] < '0' || sql[1] > '9') {
		return through(sql, name+1, sql[:name+1])
	}
	return name
}

func nameLength(sql string) int {
	length := 0
	for length < len(sql) && isNameByte(sql[length]) {
		length++
	}
	return length
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func isName(text string) bool { return text != "" && nameLength(text) == len(text) }

func isBlank(token string) bool {
	return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*") || strings.TrimSpace(token) == ""
}

func useAt(sql string, offset int, name string) *sqlUse {
	before := sql[:offset]
	return &sqlUse{
		name:   name,
		line:   1 + strings.Count(before, "\n"),
		column: offset - strings.LastIndexByte(before, '\n'),
	}
}
