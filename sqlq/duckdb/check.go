package duckdb

import (
	"context"
	"database/sql"
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
func (e *Engine) Check(ctx context.Context, query *sqlq.SavedQuery) (err error) {
	statement := sqlq.Statement{Query: query}
	for _, param := range query.Params {
		statement.Args = append(statement.Args, sqlq.Arg{Name: param.Name, Type: param.Type})
	}
	rows, err := e.db.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT 0", query.SQL), bindings(statement)...)
	if err != nil {
		return compileError(query, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return fmt.Errorf("read the columns of %s: %w", query.Name, err)
	}
	if err := rows.Err(); err != nil {
		return compileError(query, err)
	}
	if mistakes := compareColumns(query, columns); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// compareColumns reports each column that the SQL gives in another place, under
// another name or in another type than the saved query declares.
func compareColumns(query *sqlq.SavedQuery, actual []*sql.ColumnType) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	mistake := func(format string, args ...any) {
		mistakes = append(mistakes, &sqlq.FileError{File: query.SQLFile, Message: fmt.Sprintf(format, args...)})
	}
	names := make([]string, len(actual))
	for i, column := range actual {
		names[i] = column.Name()
	}
	declared := make([]string, len(query.Columns))
	for i, column := range query.Columns {
		declared[i] = column.Name
	}
	if got, want := strings.Join(names, ", "), strings.Join(declared, ", "); got != want {
		mistake("gives the columns %s, but query.yaml declares %s", got, want)
		return mistakes
	}
	for i, column := range query.Columns {
		if got := actual[i].DatabaseTypeName(); !holds(column.Type, got) {
			mistake("gives column %s the type %s, but query.yaml declares %s", column.Name, got, column.Type)
		}
	}
	return mistakes
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
