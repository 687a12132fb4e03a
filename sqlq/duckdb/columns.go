package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// columns returns the columns of a saved query, which must compile with each of its optional
// parameters present and absent. Otherwise the error is [sqlq.FileErrors].
func (e *Engine) columns(ctx context.Context, query *sqlq.SavedQuery) ([]*sql.ColumnType, error) {
	var columns []*sql.ColumnType
	for _, absent := range absences(query) {
		args := argsOf(query, func(param sqlq.Param) any {
			if absent(param) {
				return nil
			}
			return sampleValue(param)
		})
		found, err := e.columnsWith(ctx, query, args)
		isValueError := hasType(err, duckdb.ErrorTypeConversion, duckdb.ErrorTypeInvalidInput, duckdb.ErrorTypeOutOfRange)
		if without, hasFreeTexts := withoutFreeTexts(query, args); err != nil && !isValueError && !isOfLimit(err) && hasFreeTexts {
			// Functions that need a certain text may refuse the sample with an error of
			// any kind. What matters is whether the types fit.
			if _, again := e.columnsWith(ctx, query, without); again == nil {
				continue
			}
		}
		switch {
		case err == nil && columns == nil:
			columns = found
		case err == nil, isOfLimit(err), isValueError && absentOf(args) != strings.Repeat("0", len(args)):
		default:
			return nil, compileErrorWithout(query, args, absent, err)
		}
	}
	if columns != nil {
		return columns, nil
	}
	// The SQL works with none of the samples.
	args := argsOf(query, func(sqlq.Param) any { return nil })
	columns, err := e.columnsWith(ctx, query, args)
	if err != nil {
		return nil, compileErrorWithout(query, args, func(sqlq.Param) bool { return false }, err)
	}
	return columns, nil
}

// isOfLimit reports whether an error is about the value of a LIMIT or an OFFSET, which DuckDB reads when it plans.
func isOfLimit(err error) bool {
	var failure *duckdb.Error
	return errors.As(err, &failure) && strings.Contains(failure.Msg, "LIMIT/OFFSET cannot be negative")
}

// columnsWith returns the columns for some arguments. As [Engine.Run] does, it takes the
// first form of the SQL that compiles.
func (e *Engine) columnsWith(ctx context.Context, query *sqlq.SavedQuery, args []sqlq.Arg) (columns []*sql.ColumnType, err error) {
	for _, text := range sqlTexts(query, args, scans{}.bounded(query)) {
		empty := fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT 0", text.Text)
		columns, err = columnTypes(ctx, e.db, empty, bindings(sqlq.Statement{Query: query, Args: args})...)
		if !hasType(err, duckdb.ErrorTypeBinder) {
			break
		}
	}
	return columns, err
}

// columnTypes returns the types of the columns of a query without rows.
func columnTypes(ctx context.Context, db *sql.DB, query string, args ...any) (_ []*sql.ColumnType, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.ColumnTypes()
	return columns, errors.Join(err, rows.Err())
}

// compileErrorWithout returns a [compileError] that names the absent parameters.
func compileErrorWithout(query *sqlq.SavedQuery, args []sqlq.Arg, absent func(sqlq.Param) bool, err error) error {
	texts := sqlTexts(query, args, scans{}.bounded(query))
	mistake := compileError(query, texts[len(texts)-1], 1, err)
	var names []string
	for _, param := range query.Params {
		if absent(param) {
			names = append(names, "$"+param.Name)
		}
	}
	var found sqlq.FileErrors
	if len(names) > 0 && errors.As(mistake, &found) {
		found[0].Message += " (where the parameter is absent: " + strings.Join(names, ", ") + ")"
	}
	return mistake
}

// maxOptional is how many optional parameters are tried in every combination.
const maxOptional = 4

// absences returns sets of parameters that a caller may leave out: every set where there
// are few such parameters; else none, all, each on its own, and all but each.
func absences(query *sqlq.SavedQuery) []func(sqlq.Param) bool {
	var optional []string
	for _, param := range query.Params {
		if !param.Required && param.Default == nil && !param.Type.IsArray() {
			optional = append(optional, param.Name)
		}
	}
	var sets []func(sqlq.Param) bool
	add := func(isAbsent func(i int) bool) {
		names := make(map[string]bool)
		for i, name := range optional {
			names[name] = isAbsent(i)
		}
		sets = append(sets, func(param sqlq.Param) bool { return names[param.Name] })
	}
	if len(optional) <= maxOptional {
		for set := range 1 << len(optional) {
			add(func(i int) bool { return set>>i&1 == 1 })
		}
		return sets
	}
	add(func(int) bool { return false })
	add(func(int) bool { return true })
	for one := range optional {
		add(func(i int) bool { return i == one })
		add(func(i int) bool { return i != one })
	}
	return sets
}

// argsOf returns an argument for each parameter.
func argsOf(query *sqlq.SavedQuery, value func(sqlq.Param) any) []sqlq.Arg {
	args := make([]sqlq.Arg, len(query.Params))
	for i, param := range query.Params {
		args[i] = sqlq.Arg{Name: param.Name, Type: param.Type, Value: value(param)}
	}
	return args
}

// sampleValue is a value of the parameter's type: its default, or the first value that is allowed, if it is a text.
func sampleValue(param sqlq.Param) any {
	if param.Type.IsArray() {
		param.Type = param.Type.Element()
		return []any{sampleValue(param)}
	}
	switch param.Type { //nolint:exhaustive // No parameter has the others, except texts.
	case sqlq.Int64:
		return int64(0)
	case sqlq.Float64:
		return 0.0
	case sqlq.Numeric:
		return sqlq.Decimal("0")
	case sqlq.Bool:
		return false
	case sqlq.Timestamp, sqlq.Date:
		return time.Time{}
	}
	switch {
	case len(param.Default) > 0:
		return param.Default[0]
	case len(param.Allowed) > 0:
		return param.Allowed[0]
	}
	return ""
}

// withoutFreeTexts returns the arguments with NULL for texts that the saved query does not
// restrict, and whether there are any.
func withoutFreeTexts(query *sqlq.SavedQuery, args []sqlq.Arg) (without []sqlq.Arg, found bool) {
	without = slices.Clone(args)
	for i, arg := range args {
		if arg.Value == "" && len(query.Params[i].Allowed) == 0 {
			without[i].Value, found = nil, true
		}
	}
	return without, found
}
