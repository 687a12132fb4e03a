package duckdb

import (
	"database/sql"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// bindings returns the arguments and "now" as DuckDB takes them. The types are
// given with the values: the driver would bind a time with a zone, and compare
// it in the zone of the session.
func bindings(statement sqlq.Statement) []any {
	values := make([]any, 0, len(statement.Args)+2) // "now" and the untyped one
	for i, arg := range statement.Args {
		value := typed(arg)
		if text, ok := value.(string); ok && statement.Query.Params[i].Regex {
			value = expressionFor(text)
		}
		values = append(values, sql.Named(arg.Name, value))
	}
	return append(values, sql.Named(sqlq.NowParam, duckdb.Typed(statement.Now, duckdb.TYPE_TIMESTAMP)), sql.Named(untypedParam, nil))
}

func typed(arg sqlq.Arg) any {
	if arg.Value == nil {
		return nil
	}
	if timestamp, ok := arg.Value.(time.Time); ok {
		return duckdb.Typed(timestamp, duckdb.TYPE_TIMESTAMP)
	}
	return arg.Value
}
