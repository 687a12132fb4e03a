package sqlq

// Dialect is the language that a saved query's SQL is written in. Its value is
// also the name of the engine and of the SQL file in a saved query's folder.
type Dialect string

// DuckDB is the dialect of the embedded engine: file duckdb.sql, parameters
// written $name.
const DuckDB Dialect = "duckdb"

// SQLFileName is the name of the dialect's file in a saved query's folder.
func (d Dialect) SQLFileName() string { return string(d) + ".sql" }
