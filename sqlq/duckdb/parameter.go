package duckdb

import (
	"database/sql"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// bindings returns the arguments and "now" as DuckDB takes them. Those that are NULL stand
// in the SQL. The types are given with the values: the driver would bind a time with a
// zone, and compare it in the zone of the session.
func bindings(statement sqlq.Statement) []any {
	values := make([]any, 0, len(statement.Args)+2) // "now" and the untyped one
	for i, arg := range statement.Args {
		value := arg.Value
		switch typed := value.(type) {
		case nil:
			continue
		case time.Time:
			value = duckdb.Typed(typed, duckdb.TYPE_TIMESTAMP)
		case string:
			if statement.Query.Params[i].Regex {
				value = expressionFor(typed)
			}
		}
		values = append(values, sql.Named(arg.Name, value))
	}
	return append(values, sql.Named(sqlq.NowParam, duckdb.Typed(statement.Now, duckdb.TYPE_TIMESTAMP)), sql.Named(untypedParam, nil))
}
