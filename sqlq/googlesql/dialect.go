package googlesql

import (
	"cmp"
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Dialect is GoogleSQL, which BigQuery speaks: parameters are written @name.
type Dialect struct {
	// forAny means that the text is not for BigQuery alone.
	forAny bool
}

var _ sqlq.Dialect = Dialect{}

// AnyEngine returns the dialect of query.sql, which every engine runs (D38).
func AnyEngine() Dialect { return Dialect{forAny: true} }

// Name is "bigquery", or "query" for a text that every engine runs.
func (d Dialect) Name() string {
	if d.forAny {
		return "query"
	}
	return "bigquery"
}

// ParamPrefix is "@".
func (Dialect) ParamPrefix() string { return "@" }

// IsComment reports whether a token is a comment.
func (Dialect) IsComment(token string) bool {
	return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "#") || strings.HasPrefix(token, "/*")
}

// BoundedTable names the table, which the expression itself does not hide in GoogleSQL.
func (Dialect) BoundedTable(table, from string) string {
	quoted := "`" + table + "`"
	return fmt.Sprintf("%s AS (SELECT * FROM %s WHERE timestamp >= @%s AND timestamp < @%s)",
		quoted, cmp.Or(from, quoted), sqlq.FromParam, sqlq.ToParam)
}

// TokenLength returns the length of the token that the text begins with.
func (Dialect) TokenLength(sql string) int {
	switch {
	case strings.HasPrefix(sql, "--") || sql[0] == '#':
		return sqltext.ThroughLine(sql)
	case strings.HasPrefix(sql, "/*"):
		return sqltext.Through(sql, 2, "*/")
	case sql[0] == '`':
		return sqltext.EscapedLength(sql, "`")
	case sql[0] == '\'' || sql[0] == '"':
		// In a raw string, too, a quote behind a backslash does not end the string.
		if triple := strings.Repeat(sql[:1], 3); strings.HasPrefix(sql, triple) {
			return sqltext.EscapedLength(sql, triple)
		}
		return sqltext.EscapedLength(sql, sql[:1])
	case sql[0] == '@':
		prefix := 1
		if strings.HasPrefix(sql, "@@") { // a system variable, not a parameter
			prefix = 2
		}
		return prefix + sqltext.NameLength(sql[prefix:])
	default:
		// The prefix of r'…' or b'…' is a token of its own.
		return sqltext.WordLength(sql)
	}
}
