package duckdb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// Check compiles a saved query against the tables of the store, with NULL for
// every parameter, and holds the columns that it gives against the declared
// ones. It reads no table. The error is [sqlq.FileErrors] when the saved query
// is at fault.
func (e *Engine) Check(ctx context.Context, query *sqlq.SavedQuery) (_ *sqlq.Plan, err error) {
	statement := sqlq.Statement{Query: query}
	for _, param := range query.Params {
		statement.Args = append(statement.Args, sqlq.Arg{Name: param.Name, Type: param.Type})
	}
	rows, err := e.db.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT 0", query.SQL), bindings(statement)...)
	if err != nil {
		return nil, compileError(query, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, fmt.Errorf("read the columns of %s: %w", query.Name, err)
	}
	if err := rows.Err(); err != nil {
		return nil, compileError(query, err)
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

// compileError turns DuckDB's account of a mistake in the SQL into one with the
// place in the file.
func compileError(query *sqlq.SavedQuery, err error) error {
	var failure *duckdb.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("check %s: %w", query.Name, err)
	}
	message, excerpt, _ := strings.Cut(failure.Msg, "\n\nLINE ")
	mistake := &sqlq.FileError{File: query.SQLFile, Message: strings.Join(strings.Fields(message), " ")}
	if place := regexp.MustCompile(`^(\d+): (.*)\n( *)\^`).FindStringSubmatch(excerpt); place != nil {
		line, _ := strconv.Atoi(place[1])
		mistake.Line = line - 1 // the SQL begins on the second line of what was run
		if !strings.HasPrefix(place[2], "...") {
			mistake.Column = len(place[3]) - len("LINE "+place[1]+": ") + 1
		}
	}
	return sqlq.FileErrors{mistake}
}
