package clickhouse

import (
	"cmp"
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Dialect is ClickHouse's SQL: parameters are written {name:Type}.
type Dialect struct {
	// OTelLogs names a table with the events of all log sources that say nothing else; see [sqlq.Table.InOTelLogs].
	// Empty means a table for each of them.
	OTelLogs string
}

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

// BoundedTable returns the common table expression. It may read the table that it hides.
func (Dialect) BoundedTable(table, from string) string {
	return fmt.Sprintf("%s AS (SELECT * FROM %s WHERE %s)", quoteName(table), cmp.Or(from, quoteName(table)), boundsOf("timestamp"))
}

// boundsOf returns the condition that a time is in the range of a run.
func boundsOf(timestamp string) string {
	return fmt.Sprintf("%s >= {%s:%s} AND %[1]s < {%[4]s:%[3]s}", timestamp, sqlq.FromParam, momentType, sqlq.ToParam)
}

// momentType is the type of the parameters that the engine adds.
const momentType = "DateTime64(6, 'UTC')"

// quoteName returns a name as the SQL has it.
func quoteName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// quoteTable returns the name of a table, which may have its database before it.
func quoteTable(name string) string {
	database, table, found := strings.Cut(name, ".")
	if !found {
		return quoteName(name)
	}
	return quoteName(database) + "." + quoteName(table)
}
