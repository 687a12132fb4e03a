package duckdb

import (
	"database/sql"
	"regexp/syntax"
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

// expressionFor returns a regular expression in the form that DuckDB needs. DuckDB compares
// texts instead of matching an expression of only text and anchors, and treats an anchor
// anywhere like one at the beginning or the end: "$a" finds an a. It takes an empty part for an
// anchor, too: EXPLAIN of regexp_matches(k, 'a(?:)') shows suffix(k, 'a'). An alternative that matches nothing prevents that, and
// makes no other expression slower.
func expressionFor(text string) string {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil || !isMisread(parsed) {
		return text
	}
	return `[^\x00-\x{10FFFF}]|` + text
}

// isMisread reports whether an expression has an anchor at another place than its
// beginning or its end, or an empty part. In groups and alternatives DuckDB reads both correctly.
func isMisread(expression *syntax.Regexp) bool {
	if expression.Op != syntax.OpConcat {
		return false
	}
	for i, part := range expression.Sub {
		switch part.Op { //nolint:exhaustive // The others are not anchors.
		case syntax.OpEmptyMatch:
			return true
		case syntax.OpBeginLine, syntax.OpBeginText:
			if i > 0 {
				return true
			}
		case syntax.OpEndLine, syntax.OpEndText:
			if i < len(expression.Sub)-1 {
				return true
			}
		}
	}
	return false
}
