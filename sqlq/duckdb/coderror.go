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
	"savedq/sqlq/duckdb/duckdbsql"
)

// runError returns a failure with the code for the caller (D33). A store that
// cannot be read, or not where the query reads it, is UNAVAILABLE. A query for which DuckDB's memory is too small is
// RESOURCE_EXHAUSTED. A value that the SQL cannot use, which only a run
// of the statement shows, is INVALID_ARGUMENT. Everything else is INTERNAL. Files that cannot be read have their error
// already.
func (e *Engine) runError(ctx context.Context, statement sqlq.Statement, err error) error {
	if coded, ok := errors.AsType[*sqlq.Error](err); ok && coded.Code == sqlq.Internal {
		return coded
	}
	if isCorrupt(err) {
		err = fmt.Errorf("%w (\"savedq store check\" finds the file)", err)
	}
	if isUnreadable(err) || isCorrupt(err) {
		err = fmt.Errorf("run %s: %w", statement.Query.Name, err)
		return sqlq.Rejectf(sqlq.Unavailable, repairPause, "log events of this time cannot be read, because a file of the store is damaged; queries of other times and sources work").WithCause(err)
	}
	if hasType(err, unavailableTypes()...) || sqlq.AsError(err).Code == sqlq.Unavailable {
		err = fmt.Errorf("run %s: %w", statement.Query.Name, err)
		return sqlq.Errorf(sqlq.Unavailable, "the log store cannot be read; try again in a moment").WithCause(err)
	}
	if hasType(err, duckdb.ErrorTypeOutOfMemory) {
		err = fmt.Errorf("run %s: %w", statement.Query.Name, err)
		return sqlq.Errorf(sqlq.ResourceExhausted, "the rows take more memory than the server has for a query; ask for a shorter time range").WithCause(err)
	}
	if hasType(err, duckdb.ErrorTypeInternal) {
		return fmt.Errorf("run %s: %w: %w", statement.Query.Name, sqlq.ErrEngineFault, err)
	}
	if hasType(err, duckdb.ErrorTypeInvalidInput, duckdb.ErrorTypeConversion) {
		for i, param := range statement.Query.Params {
			if !param.Regex {
				continue
			}
			if reason, refused := e.refusesExpression(ctx, statement.Args[i].Value); refused {
				return sqlq.ParamErrorf(param.Name, "is not a regular expression that the engine accepts: %s", reason).WithCause(err)
			}
		}
	}
	if statement.Query.Callers != nil && hasType(err, append(valueTypes(), duckdb.ErrorTypeParser, duckdb.ErrorTypeCatalog)...) {
		return callersMistake(statement, err)
	}
	if mistake := e.blameArguments(ctx, statement, err); mistake != nil {
		return mistake.WithCause(err)
	}
	return fmt.Errorf("run %s: %w", statement.Query.Name, err)
}

// refusesExpression reports whether, and why, DuckDB cannot compile a regular
// expression. The reason is the message of its parser (D9).
func (e *Engine) refusesExpression(ctx context.Context, expression any) (reason string, refused bool) {
	var matches sql.NullBool
	err := e.db.QueryRowContext(ctx, "SELECT regexp_matches('', ?)", expression).Scan(&matches)
	if !hasType(err, duckdb.ErrorTypeInvalidInput, duckdb.ErrorTypeConversion) {
		return "", false
	}
	return strings.TrimPrefix(err.Error(), "Invalid Input Error: "), true
}

// repairPause is how long callers should wait before they ask again for rows whose file is damaged.
const repairPause = time.Minute

// isUnreadable reports whether a view has raised the error in place of rows that cannot be read.
func isUnreadable(err error) bool {
	var failure *duckdb.Error
	return errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeInvalidInput &&
		strings.HasPrefix(strings.TrimPrefix(failure.Msg, "Invalid Input Error: "), duckdbsql.UnreadablePrefix)
}

// isCorrupt reports whether DuckDB has read a block of a file that has another checksum than it should have. The error does
// not name the file.
func isCorrupt(err error) bool {
	var failure *duckdb.Error
	return errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeIO && strings.Contains(failure.Msg, "Corrupt database file")
}

// unavailableTypes are the types of errors that mean that the store cannot be read at
// all, by any query.
func unavailableTypes() []duckdb.ErrorType {
	return []duckdb.ErrorType{duckdb.ErrorTypeIO, duckdb.ErrorTypeFatal, duckdb.ErrorTypeConnection}
}

// valueTypes are the types of errors that a value can cause. The binder is among them
// because DuckDB plans some statements, such as LIMIT, when it knows the values.
func valueTypes() []duckdb.ErrorType {
	return []duckdb.ErrorType{
		duckdb.ErrorTypeConversion, duckdb.ErrorTypeInvalidInput, duckdb.ErrorTypeOutOfRange, duckdb.ErrorTypeBinder,
		duckdb.ErrorTypeSyntax, duckdb.ErrorTypeNotImplemented, duckdb.ErrorTypeMismatchType, duckdb.ErrorTypeDivideByZero,
	}
}

// hasType reports whether an error of DuckDB has one of some types.
func hasType(err error, types ...duckdb.ErrorType) bool {
	var failure *duckdb.Error
	return errors.As(err, &failure) && slices.Contains(types, failure.Type)
}
