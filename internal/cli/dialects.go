package cli

import (
	"savedq/sqlq"
	"savedq/sqlq/bigquery/googlesql"
	"savedq/sqlq/duckdb/duckdbsql"
)

// dialects returns the dialect of each engine that --engine can name.
func dialects() []sqlq.Dialect { return []sqlq.Dialect{duckdbsql.Dialect{}, googlesql.Dialect{}} }

// dialectOf returns the dialect of an engine. The flag allows no other name.
func dialectOf(engine string) sqlq.Dialect {
	for _, dialect := range dialects() {
		if dialect.Name() == engine {
			return dialect
		}
	}
	return nil
}

// isEmbedded reports whether a dialect is the one of the embedded store.
func isEmbedded(dialect sqlq.Dialect) bool { return dialect == duckdbsql.Dialect{} }
