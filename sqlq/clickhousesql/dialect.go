package clickhousesql

import (
	"errors"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Dialect is the dialect of texts over the table logs, which run on several engines. Parameters are written {name:Type}. The dialect of
// the engine ClickHouse is made of it.
type Dialect struct{}

var _ sqlq.Dialect = Dialect{}

// Name is "clickhouse".
func (Dialect) Name() string { return "clickhouse" }

// ParamPrefix is "{", behind which come the name, a colon and the type.
func (Dialect) ParamPrefix() string { return "{" }

// IsComment reports whether a token is a comment.
func (Dialect) IsComment(token string) bool {
	return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "#") || strings.HasPrefix(token, "/*")
}

// RunsGoogleSQL is false.
func (Dialect) RunsGoogleSQL() bool { return false }

// ReadsFiles is false.
func (Dialect) ReadsFiles() bool { return false }

// IsForDevelopers is false.
func (Dialect) IsForDevelopers() bool { return false }

// TokenLength returns the length of the token that the text begins with.
func (Dialect) TokenLength(sql string) int {
	switch {
	case strings.HasPrefix(sql, "--") || strings.HasPrefix(sql, "#!") || strings.HasPrefix(sql, "# "):
		return sqltext.ThroughLine(sql)
	case strings.HasPrefix(sql, "/*"):
		return sqltext.Through(sql, 2, "*/")
	case sql[0] == '\'' || sql[0] == '"' || sql[0] == '`':
		// A doubled quote is two tokens in a row, which ends in the same place.
		return sqltext.EscapedLength(sql, sql[:1])
	case sql[0] == '{':
		return paramLength(sql)
	case sql[0] == '$':
		return heredocLength(sql)
	default:
		return sqltext.WordLength(sql)
	}
}

// paramLength returns the length of a parameter such as {name:DateTime64(6, 'UTC')}, or of the brace of a map.
func paramLength(sql string) int {
	name := sqltext.NameLength(sql[1:])
	if name > 0 && strings.HasPrefix(sql[1+name:], ":") {
		return sqltext.Through(sql, 1+name, "}")
	}
	return 1
}

// heredocLength returns the length of a string such as $tag$…$tag$, or of a dollar.
func heredocLength(sql string) int {
	tag := 1 + sqltext.NameLength(sql[1:])
	if strings.HasPrefix(sql[tag:], "$") {
		return sqltext.Through(sql, tag+1, sql[:tag+1])
	}
	return tag
}

// Located returns the saved query.
func (Dialect) Located(query *sqlq.SavedQuery) *sqlq.SavedQuery { return query }

// FromGoogleSQL fails: no engine has this dialect alone.
func (Dialect) FromGoogleSQL(*sqlq.SavedQuery, string) (*sqlq.Translation, error) {
	return nil, errors.New("GoogleSQL is translated for an engine")
}

// BoundedTable returns the common table expression.
func (Dialect) BoundedTable(table, _ string) string {
	bound := func(param string) string { return sentParameter(param, sqlq.Timestamp, false) }
	return table + " AS (SELECT * FROM " + table + " WHERE timestamp >= " + bound(sqlq.FromParam) + " AND timestamp < " + bound(sqlq.ToParam) + ")"
}

// ReadsLogs reports whether a text reads the table logs, and so is written in this dialect. A table of that name with its database before
// it is another one.
func ReadsLogs(text string) bool {
	before, isRead := "", false
	for token := range sqltext.Tokens(Dialect{}, text) {
		if isRead && token.Text != "." {
			return true
		}
		isRead = (strings.EqualFold(before, "FROM") || strings.EqualFold(before, "JOIN")) && strings.Trim(token.Text, "`\"") == LogsTable
		before = token.Text
	}
	return isRead
}
