package sqlq

import "strings"

// duckDBTokenLength knows DuckDB's strings, quoted names and parameters.
func duckDBTokenLength(sql string) int {
	switch {
	case strings.HasPrefix(sql, "/*"):
		return nestedCommentLength(sql)
	case sql[0] == '\'' || sql[0] == '"':
		// A doubled quote is two tokens in a row, which ends in the same place.
		return through(sql, 1, sql[:1])
	case (sql[0] == 'e' || sql[0] == 'E') && strings.HasPrefix(sql[1:], "'"):
		return 1 + escapedLength(sql[1:], "'")
	case sql[0] == '$':
		return dollarLength(sql)
	default:
		length := nameLength(sql)
		for length > 0 && strings.HasPrefix(sql[length:], "$") { // a name may go on behind a dollar
			length += 1 + nameLength(sql[length+1:])
		}
		return max(1, length)
	}
}

// googleSQLTokenLength knows GoogleSQL's strings, raw ones and triple-quoted ones
// among them, quoted names, parameters and system variables.
func googleSQLTokenLength(sql string) int {
	switch {
	case strings.HasPrefix(sql, "/*"):
		return through(sql, 2, "*/")
	case sql[0] == '`':
		return escapedLength(sql, "`")
	case sql[0] == '\'' || sql[0] == '"':
		// A backslash keeps a quote from ending even a raw string.
		if triple := strings.Repeat(sql[:1], 3); strings.HasPrefix(sql, triple) {
			return escapedLength(sql, triple)
		}
		return escapedLength(sql, sql[:1])
	case sql[0] == '@':
		prefix := 1
		if strings.HasPrefix(sql, "@@") { // a system variable, no parameter
			prefix = 2
		}
		return prefix + nameLength(sql[prefix:])
	default:
		// The prefix of r'…' or b'…' is a name of its own, in front of a string.
		return max(1, nameLength(sql))
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

// nestedCommentLength returns the length of a block comment that may hold others.
func nestedCommentLength(sql string) int {
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

// escapedLength returns the length of a text between two equal quotes in which a
// backslash escapes the next byte.
func escapedLength(sql, quote string) int {
	for i := len(quote); i < len(sql); i++ {
		switch {
		case sql[i] == '\\':
			i++
		case strings.HasPrefix(sql[i:], quote):
			return i + len(quote)
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
