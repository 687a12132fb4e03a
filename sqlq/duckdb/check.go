package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// Check compiles a saved query against the tables of the store and holds the
// columns that it gives against the declared ones. It reads no table. The error
// is [sqlq.FileErrors] when the saved query is at fault.
func (e *Engine) Check(ctx context.Context, query *sqlq.SavedQuery) (_ *sqlq.Plan, err error) {
	// The SQL must be a statement on its own: what follows puts it in brackets.
	prepared, err := e.db.PrepareContext(ctx, query.SQL)
	if err != nil {
		return nil, compileError(query, 0, err)
	}
	defer func() { err = errors.Join(err, prepared.Close()) }()
	// A column that is a parameter has the type of its value, unless the value is
	// one that the SQL cannot work with; then NULL has to do.
	columns, err := e.columns(ctx, query, sampleValue)
	if err != nil {
		columns, err = e.columns(ctx, query, nullValue)
	}
	if err != nil {
		return nil, compileError(query, 1, err)
	}
	plan := &sqlq.Plan{}
	for _, column := range columns {
		plan.Columns = append(plan.Columns, sqlq.PlannedColumn{Name: column.Name(), Type: column.DatabaseTypeName()})
	}
	if mistakes := plan.Compare(query, holds); len(mistakes) > 0 {
		return plan, mistakes
	}
	return plan, nil
}

// columns returns the columns that a saved query gives, with some value for each
// parameter.
func (e *Engine) columns(ctx context.Context, query *sqlq.SavedQuery, value func(sqlq.Param) any) (_ []*sql.ColumnType, err error) {
	statement := sqlq.Statement{Query: query}
	for _, param := range query.Params {
		statement.Args = append(statement.Args, sqlq.Arg{Name: param.Name, Type: param.Type, Value: value(param)})
	}
	rows, err := e.db.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT 0", query.SQL), bindings(statement)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.ColumnTypes()
	return columns, errors.Join(err, rows.Err())
}

func nullValue(sqlq.Param) any { return nil }

// sampleValue is a value of the parameter's type.
func sampleValue(param sqlq.Param) any {
	switch param.Type {
	case sqlq.Int64:
		return int64(0)
	case sqlq.Float64:
		return 0.0
	case sqlq.Bool:
		return false
	case sqlq.Timestamp:
		return time.Time{}
	case sqlq.String, sqlq.Datetime, sqlq.Date, sqlq.JSON:
	}
	return ""
}

// holds says whether a declared type can hold what DuckDB gives, without loss.
func holds(declared sqlq.Type, actual string) bool {
	actual, _, _ = strings.Cut(actual, "(") // DECIMAL(18,3)
	isInteger := strings.HasSuffix(actual, "INT") || strings.HasSuffix(actual, "INTEGER")
	switch declared {
	case sqlq.Int64:
		return isInteger
	case sqlq.Float64:
		return isInteger || actual == "DOUBLE" || actual == "FLOAT" || actual == "DECIMAL"
	case sqlq.String:
		return actual == "VARCHAR" || actual == "UUID" || actual == "ENUM" || actual == "JSON"
	case sqlq.Bool:
		return actual == "BOOLEAN"
	case sqlq.Timestamp:
		return strings.HasPrefix(actual, "TIMESTAMP")
	case sqlq.Datetime:
		return strings.HasPrefix(actual, "TIMESTAMP") && actual != "TIMESTAMPTZ"
	case sqlq.Date:
		return actual == "DATE"
	case sqlq.JSON:
		return true
	}
	return false
}

// compileError turns DuckDB's account of a mistake in the SQL, which had some lines
// in front of it, into one with the place in the file.
func compileError(query *sqlq.SavedQuery, linesBefore int, err error) error {
	var failure *duckdb.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("check %s: %w", query.Name, err)
	}
	message, excerpt, _ := strings.Cut(failure.Msg, "\n\nLINE ")
	mistake := &sqlq.FileError{File: query.SQLFile, Message: strings.Join(strings.Fields(message), " ")}
	if place := regexp.MustCompile(`^(\d+): (.*)\n( *)\^`).FindStringSubmatch(excerpt); place != nil {
		line, _ := strconv.Atoi(place[1])
		mistake.Line = line - linesBefore
		if !strings.HasPrefix(place[2], "...") {
			mistake.Column = len(place[3]) - len("LINE "+place[1]+": ") + 1
		}
	}
	return sqlq.FileErrors{mistake}
}
