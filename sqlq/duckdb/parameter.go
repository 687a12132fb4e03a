package duckdb

import (
	"database/sql"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// bindings returns the arguments, "now" and the bounds of a series for the driver. NULLs are in the SQL instead. The
// values have explicit types: the driver would bind a time with a
// zone, and compare it in the zone of the session.
func bindings(statement sqlq.Statement) []any {
	values := make([]any, 0, len(statement.Args)+4) // the bounds, "now" and the untyped one
	for i, arg := range statement.Args {
		param, value := &statement.Query.Params[i], arg.Value
		switch {
		case arg.Type.IsArray():
			value = listFor(param, value)
		case value != nil:
			value = bindingFor(param, value)
		default:
			continue
		}
		values = append(values, sql.Named(arg.Name, value))
	}
	moment := func(name string, value time.Time) sql.NamedArg {
		return sql.Named(name, duckdb.Typed(value, duckdb.TYPE_TIMESTAMP))
	}
	if statement.Query.Series != nil {
		values = append(values, moment(sqlq.FromParam, statement.Range.From), moment(sqlq.ToParam, statement.Range.To))
	}
	return append(values, moment(sqlq.NowParam, statement.Now), sql.Named(untypedParam, nil))
}

// bindingFor returns a single value for the driver.
func bindingFor(param *sqlq.Param, value any) any {
	switch value := value.(type) {
	case time.Time:
		if param.Type == sqlq.Date {
			return duckdb.Typed(value, duckdb.TYPE_DATE)
		}
		return duckdb.Typed(value, duckdb.TYPE_TIMESTAMP)
	case sqlq.Decimal:
		return string(value) // the driver binds no decimals
	case string:
		if param.Regex {
			return expressionFor(value)
		}
	}
	return value
}

// listFor returns an array for the driver, behind an element that [listSQL] drops. Without any
// element the driver would bind a list of type NULL[], and later lists with that type, as NULLs.
// Times and decimals are texts, which the SQL casts: the driver would bind times with a zone.
func listFor(param *sqlq.Param, value any) []any {
	elements, _ := value.([]any)
	list := append([]any{sampleValue(sqlq.Param{Type: param.Type.Element()})}, elements...)
	for i, element := range list {
		if moment, ok := element.(time.Time); ok {
			list[i] = moment.UTC().Format("2006-01-02 15:04:05.000000")
			continue
		}
		list[i] = bindingFor(param, element)
	}
	return list
}
