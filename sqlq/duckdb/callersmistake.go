package duckdb

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// callersMistake returns the error of SQL of a caller (D40): our own words and the place. DuckDB's message is the
// cause, for the log: it can quote values, also of rows that the caller must not see, because DuckDB evaluates parts
// of the SQL before the condition that hides them. Only DuckDB's own SQL, which callers with full access send, has
// its message.
func callersMistake(statement sqlq.Statement, err error) *sqlq.Error {
	var mistakes sqlq.FileErrors
	text := sqlTexts(statement.Query, statement.Args, sqltext.Change{})[0]
	if !errors.As(compileError(statement.Query, text, linesBeforeSQL, err), &mistakes) {
		return sqlq.AsError(err) // which cannot be: it is an error of DuckDB
	}
	message, cause := mistakes[0].Message, fmt.Errorf("run %s: %w", statement.Query.Name, err)
	if statement.Query.Translation != nil {
		var failure *duckdb.Error
		errors.As(err, &failure)
		var known bool
		if message, known = callersMessage(failure); !known {
			cause = fmt.Errorf("%w: %w", sqlq.ErrUntranslated, cause)
		}
	}
	return sqlq.CallersMistake(sqlq.Place{Line: mistakes[0].Line, Column: mistakes[0].Column}, message).WithCause(cause)
}

// untranslated is the message about SQL that passed the translation, and that DuckDB cannot run.
const untranslated = "the embedded engine cannot run this SQL, though its GoogleSQL has no mistake that savedq knows; write this part in another way"

// callersMessage returns the message about an error of DuckDB for a caller of GoogleSQL. known is false if the
// translation should have found the mistake.
func callersMessage(failure *duckdb.Error) (message string, known bool) {
	switch failure.Type { //nolint:exhaustive // The others are mistakes of the SQL.
	case duckdb.ErrorTypeConversion:
		return "a value cannot be converted to the type that is needed here; SAFE_CAST, and functions with SAFE. before their name, return NULL for it", true
	case duckdb.ErrorTypeOutOfRange:
		return "a value is outside the range of its type; SAFE_CAST, and functions with SAFE. before their name, return NULL for it", true
	case duckdb.ErrorTypeDivideByZero:
		return "division by zero; SAFE_DIVIDE returns NULL for it", true
	case duckdb.ErrorTypeBinder:
		if isOfLimit(failure) {
			return "LIMIT and OFFSET cannot be negative or NULL", true
		}
	case duckdb.ErrorTypeNotImplemented:
		if strings.Contains(failure.Msg, "Unknown TimeZone") {
			return "a text is not the name of a time zone, such as Europe/Berlin or UTC", true
		}
	case duckdb.ErrorTypeInvalidInput:
		message := strings.TrimPrefix(failure.Msg, "Invalid Input Error: ")
		message = strings.TrimPrefix(message, "database/sql/driver: API error: ") // of a function that savedq adds
		if raised, isRaised := strings.CutPrefix(message, googlesql.RaisedPrefix); isRaised {
			return raised, true
		}
		if strings.Contains(failure.Msg, "Malformed JSON") {
			return "a text is not valid JSON; SAFE.PARSE_JSON returns NULL for it", true
		}
		return "a function cannot use one of its values; with SAFE. before its name it returns NULL for it", true
	}
	if ungrouped := ungroupedColumn.FindStringSubmatch(failure.Msg); ungrouped != nil {
		return neitherGrouped(ungrouped[1]), true
	}
	return untranslated, false
}
