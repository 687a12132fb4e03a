package duckdb

import (
	"database/sql"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// bindings returns the arguments and "now" for the driver. NULLs are in the SQL instead. The
// values have explicit types: the driver would bind a time with a
// zone, and compare it in the zone of the session.
func bindings(statement sqlq.Statement) []any {
	values := make([]any, 0, len(statement.Args)+2) // "now" and the untyped one
	for i, arg := range statement.Args {
		value := arg.Value
		switch typed := value.(type) {
		case nil:
			continue
		case []any:
			value = listFor(&statement.Query.Params[i], typed)
		default:
			value = bindingFor(&statement.Query.Params[i], typed)
		}
		values = append(values, sql.Named(arg.Name, value))
	}
	return append(values, sql.Named(sqlq.NowParam, duckdb.Typed(statement.Now, duckdb.TYPE_TIMESTAMP)), sql.Named(untypedParam, nil))
}

// bindingFor returns a single value for the driver.
func bindingFor(param *sqlq.Param, value any) any {
	switch value := value.(type) {
	case time.Time:
		if param.Type == sqlq.Date {
			return duckdb.Typed(value, duckdb.TYPE_DATE)
		}
		return duckdb.Typed(value, duckdb.TYPE_TIMESTAMP)
	case string:
		if param.Regex {
			return expressionFor(value)
		}
	}
	return value
}

// listFor returns the elements of an array for the driver. Times are texts, which the
// SQL casts: the driver would bind them with a zone.
func listFor(param *sqlq.Param, elements []any) []any {
	list := make([]any, len(elements))
	for i, element := range elements {
		if moment, ok := element.(time.Time); ok {
			list[i] = moment.UTC().Format("2006-01-02 15:04:05.000000")
			continue
		}
		list[i] = bindingFor(param, element)
	}
	return list
}
