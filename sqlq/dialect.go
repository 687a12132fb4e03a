package sqlq

import "strings"

// Dialect is the language that a saved query's SQL is written in. Its value is
// also the name of the engine and of the SQL file in a saved query's folder.
type Dialect string

// The dialects. They differ in how parameters are written, $name or @name, and in
// what is a comment, a string or a quoted name.
const (
	DuckDB   Dialect = "duckdb"
	BigQuery Dialect = "bigquery"
)

// SQLFileName is the name of the dialect's file in a saved query's folder.
func (d Dialect) SQLFileName() string { return string(d) + ".sql" }

// paramPrefix is what a parameter's name stands behind.
func (d Dialect) paramPrefix() string {
	if d == BigQuery {
		return "@"
	}
	return "$"
}

// tokenLength returns the length of the token that a non-empty text begins with.
func (d Dialect) tokenLength(sql string) int {
	if strings.HasPrefix(sql, "--") || d == BigQuery && sql[0] == '#' {
		return through(sql, 1, "\n")
	}
	if d == BigQuery {
		return googleSQLTokenLength(sql)
	}
	return duckDBTokenLength(sql)
}
