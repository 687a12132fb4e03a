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

// Check parses a saved query, compiles it against the tables of the store, with each
// optional parameter present and absent, and holds the columns that it gives against the
// declared ones. It reads no table. The error is [sqlq.FileErrors] when the saved query is
// at fault.
//
// DuckDB evaluates what is constant while it compiles, for as long and with as much memory
// as that takes, and a context that ends does not stop it.
func (e *Engine) Check(ctx context.Context, query *sqlq.SavedQuery) (_ *sqlq.Plan, err error) {
	mistakes, err := e.notAllowed(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	// The SQL must be a statement on its own: what follows puts it in brackets.
	prepared, err := e.db.PrepareContext(ctx, query.SQL)
	if err != nil {
		return nil, compileError(query, sqlText{sql: query.SQL}, 0, err)
	}
	defer func() { err = errors.Join(err, prepared.Close()) }()
	columns, err := e.columns(ctx, query)
	if err != nil {
		return nil, err
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

// holds reports whether a declared type can hold what DuckDB gives, without loss.
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
func compileError(query *sqlq.SavedQuery, text sqlText, linesBefore int, err error) error {
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
			column := len(place[3]) - len("LINE "+place[1]+": ") + 1
			mistake.Column = text.originalColumn(mistake.Line, column)
		}
	}
	return sqlq.FileErrors{mistake}
}
