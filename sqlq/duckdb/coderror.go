package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// runError gives a failure the code that the caller should see. DuckDB refuses
// some regular expressions that Go accepts, and texts that the SQL converts, and
// does so only while it runs.
func (e *Engine) runError(ctx context.Context, statement sqlq.Statement, err error) error {
	if message, ok := invalidInput(err); ok {
		for i, param := range statement.Query.Params {
			if !param.Regex {
				continue
			}
			if reason, refused := e.refusesExpression(ctx, statement.Args[i].Value); refused {
				return sqlq.ParamErrorf(param.Name, "is not a regular expression that the engine accepts: %s", reason).Because(err)
			}
		}
		if mistake := statement.TextError(message); mistake != nil {
			return mistake.Because(err)
		}
	}
	return fmt.Errorf("run %s: %w", statement.Query.Name, err)
}

// refusesExpression says whether, and why, DuckDB cannot compile a regular
// expression. The reason is that of its parser (D9).
func (e *Engine) refusesExpression(ctx context.Context, expression any) (reason string, refused bool) {
	var matches sql.NullBool
	err := e.db.QueryRowContext(ctx, "SELECT regexp_matches('', ?)", expression).Scan(&matches)
	reason, refused = invalidInput(err)
	return strings.TrimPrefix(reason, "Invalid Input Error: "), refused
}

// invalidInput returns what DuckDB says of a value that it cannot work with.
func invalidInput(err error) (message string, ok bool) {
	var failure *duckdb.Error
	if errors.As(err, &failure) && (failure.Type == duckdb.ErrorTypeInvalidInput || failure.Type == duckdb.ErrorTypeConversion) {
		return failure.Msg, true
	}
	return "", false
}
