// Package duckdbsql knows as much of DuckDB's SQL as it takes to find parameters in it. It
// does not link DuckDB, so that the command line and tests can read saved queries without it.
package duckdbsql

import (
	"cmp"
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// Dialect is DuckDB's SQL: parameters are written $name.
type Dialect struct{}

var _ sqlq.Dialect = Dialect{}

// Name is "duckdb".
func (Dialect) Name() string { return "duckdb" }

// ParamPrefix is "$".
func (Dialect) ParamPrefix() string { return "$" }

// IsComment reports whether a token is a comment.
func (Dialect) IsComment(token string) bool {
	return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*")
}

// RunsGoogleSQL is false.
func (Dialect) RunsGoogleSQL() bool { return false }

// ReadsFiles is true.
func (Dialect) ReadsFiles() bool { return true }

// IsForDevelopers is true.
func (Dialect) IsForDevelopers() bool { return true }

// FromGoogleSQL translates the text.
func (Dialect) FromGoogleSQL(query *sqlq.SavedQuery, written string) (*sqlq.Translation, error) {
	return googlesql.Translate(written, googlesql.EnvironmentOf(query))
}

// Located returns the saved query.
func (Dialect) Located(query *sqlq.SavedQuery) *sqlq.SavedQuery { return query }

// BoundedTable qualifies the table, because DuckDB would read the expression in itself. It is not
// materialized, so that conditions around it decide what is read.
func (Dialect) BoundedTable(table, from string) string {
	quoted := QuoteName(table)
	return fmt.Sprintf("%s AS NOT MATERIALIZED (FROM %s WHERE timestamp >= $%s::TIMESTAMP AND timestamp < $%s::TIMESTAMP)",
		quoted, cmp.Or(from, "main."+quoted), sqlq.FromParam, sqlq.ToParam)
}

// StorageType is DuckDB's name of a type that is not nested. Times are kept in UTC without a zone.
func StorageType(columnType sqlq.Type) string {
	switch columnType { //nolint:exhaustive // The others are written as texts.
	case sqlq.Int64:
		return "BIGINT"
	case sqlq.Float64:
		return "DOUBLE"
	case sqlq.Numeric:
		return fmt.Sprintf("DECIMAL(38, %d)", sqlq.NumericScale)
	case sqlq.Bool:
		return "BOOLEAN"
	case sqlq.Timestamp, sqlq.Datetime:
		return "TIMESTAMP"
	case sqlq.Date:
		return "DATE"
	}
	return "VARCHAR"
}

// QuoteName returns a name as the SQL has it.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// TokenLength returns the length of the token that the text begins with.
func (Dialect) TokenLength(sql string) int {
	switch {
	case strings.HasPrefix(sql, "--"):
		return sqltext.ThroughLine(sql)
	case strings.HasPrefix(sql, "/*"):
		return commentLength(sql)
	case sql[0] == '\'' || sql[0] == '"':
		// A doubled quote is two tokens in a row, which ends in the same place.
		return sqltext.Through(sql, 1, sql[:1])
	case (sql[0] == 'e' || sql[0] == 'E') && strings.HasPrefix(sql[1:], "'"):
		return 1 + sqltext.EscapedLength(sql[1:], "'")
	case sql[0] == '$':
		return dollarLength(sql)
	default:
		length := sqltext.WordLength(sql)
		isName := sqltext.NameLength(sql) == length
		for isName && strings.HasPrefix(sql[length:], "$") { // a name may contain a dollar
			length += 1 + sqltext.NameLength(sql[length+1:])
		}
		return length
	}
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

// dollarLength returns the length of $name or of a dollar-quoted string such as
// $$…$$ or $tag$…$tag$.
func dollarLength(sql string) int {
	name := 1 + sqltext.NameLength(sql[1:])
	if name < len(sql) && sql[name] == '$' && (name == 1 || sql[1] < '0' || sql[1] > '9') {
		return sqltext.Through(sql, name+1, sql[:name+1])
	}
	return name
}
