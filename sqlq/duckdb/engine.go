// Package duckdb is the engine that runs saved queries on an embedded DuckDB.
package duckdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckjson"
)

// Engine runs saved queries on a DuckDB database that somebody else owns and
// closes. Any number of goroutines may use it.
type Engine struct {
	db *sql.DB
	// statements holds a *sql.Stmt for each *sqlq.SavedQuery that was run.
	statements sync.Map
}

var _ sqlq.Engine = (*Engine)(nil)

// New returns an engine on the database.
func New(db *sql.DB) *Engine { return &Engine{db: db} }

// Dialect is DuckDB's.
func (e *Engine) Dialect() sqlq.Dialect { return sqlq.DuckDB }

// Run runs a statement. A caller who leaves interrupts it.
func (e *Engine) Run(ctx context.Context, statement sqlq.Statement) (_ *sqlq.Result, err error) {
	query := statement.Query
	prepared, err := e.prepared(ctx, query) //nolint:sqlclosecheck // It is kept for the next run.
	if err != nil {
		return nil, e.runError(ctx, statement, err)
	}
	rows, err := prepared.QueryContext(ctx, bindings(statement)...)
	if err != nil {
		return nil, e.runError(ctx, statement, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	result := &sqlq.Result{Columns: query.Columns, Rows: [][]any{}}
	size := 0
	for rows.Next() {
		if len(result.Rows) == query.MaxRows {
			result.Truncated = true
			break
		}
		row, bytes, err := scanRow(rows, query.Columns)
		if err != nil {
			return nil, err
		}
		if size += bytes; size > maxResultBytes {
			return nil, sqlq.Errorf(sqlq.ResourceExhausted, "the answer is larger than %d MiB; ask for less of it", maxResultBytes>>20)
		}
		result.Rows = append(result.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return nil, e.runError(ctx, statement, err)
	}
	return result, nil
}

// prepared returns the prepared statement of a saved query, which lasts as long as the
// database.
func (e *Engine) prepared(ctx context.Context, query *sqlq.SavedQuery) (*sql.Stmt, error) {
	if kept, found := e.statements.Load(query); found {
		return kept.(*sql.Stmt), nil //nolint:forcetypeassert // Nothing else is kept.
	}
	made, err := e.db.PrepareContext(ctx, cappedSQL(query))
	if err != nil {
		return nil, err
	}
	if kept, found := e.statements.LoadOrStore(query, made); found { // Another run was faster.
		return kept.(*sql.Stmt), made.Close() //nolint:forcetypeassert,sqlclosecheck // Nothing else is kept, and this is not.
	}
	return made, nil
}

// untypedParam is a parameter whose type nothing tells. DuckDB cannot plan a statement
// that has one before it knows the value, and so plans it at each run. It would else
// keep a plan that it made by the values that were in the tables at that time, and
// answer wrongly once others have come (docs/adr/011).
const untypedParam = "savedq_untyped"

// cappedSQL wraps a saved query so that it gives each column in its declared
// type and at most one row more than it may return, which tells a cut answer
// from a full one (D24). DuckDB keeps the order of a subquery. All statements have
// "now", since a prepared one takes no arguments that it has no parameters for.
func cappedSQL(query *sqlq.SavedQuery) string {
	columns := make([]string, len(query.Columns))
	for i, column := range query.Columns {
		columns[i] = castSQL(column)
	}
	return fmt.Sprintf("SELECT %s\nFROM (\n%s\n)\nWHERE $%s IS NOT NULL AND $%s IS NULL\nLIMIT %d",
		strings.Join(columns, ", "), query.SQL, sqlq.NowParam, untypedParam, query.MaxRows+1)
}

// castSQL is a column in the type that [scanRow] expects. Where the query gives
// that type already, DuckDB drops the cast.
func castSQL(column sqlq.Column) string {
	name := `"` + column.Name + `"`
	if column.Type == sqlq.JSON {
		return fmt.Sprintf("CAST(CAST(%s AS JSON) AS VARCHAR) AS %s", name, name)
	}
	return fmt.Sprintf("CAST(%s AS %s) AS %s", name, storageType(column.Type), name)
}

// storageType is DuckDB's name of a type. Times are kept in UTC without a zone.
func storageType(columnType sqlq.Type) string {
	switch columnType {
	case sqlq.Int64:
		return "BIGINT"
	case sqlq.Float64:
		return "DOUBLE"
	case sqlq.Bool:
		return "BOOLEAN"
	case sqlq.Timestamp, sqlq.Datetime:
		return "TIMESTAMP"
	case sqlq.Date:
		return "DATE"
	case sqlq.String, sqlq.JSON:
		return "VARCHAR"
	}
	return "VARCHAR"
}

// bindings returns the arguments and "now" as DuckDB takes them. The types are
// given with the values: the driver would bind a time with a zone, and compare
// it in the zone of the session.
func bindings(statement sqlq.Statement) []any {
	values := make([]any, 0, len(statement.Args)+2) //nolint:mnd // "now" and the untyped one.
	for i, arg := range statement.Args {
		value := typed(arg)
		if text, ok := value.(string); ok && statement.Query.Params[i].Regex {
			value = expressionFor(text)
		}
		values = append(values, sql.Named(arg.Name, value))
	}
	return append(values, sql.Named(sqlq.NowParam, duckdb.Typed(statement.Now, duckdb.TYPE_TIMESTAMP)), sql.Named(untypedParam, nil))
}

func typed(arg sqlq.Arg) any {
	if arg.Value == nil {
		return nil
	}
	if timestamp, ok := arg.Value.(time.Time); ok {
		return duckdb.Typed(timestamp, duckdb.TYPE_TIMESTAMP)
	}
	return arg.Value
}

// maxResultBytes bounds the texts of an answer, which is held in memory: rows can
// be few and yet large.
const maxResultBytes = 64 << 20

// scanRow reads the current row as [sqlq.Result] documents it, and returns how
// many bytes its texts have.
func scanRow(rows *sql.Rows, columns []sqlq.Column) (_ []any, bytes int, _ error) {
	row := make([]any, len(columns))
	targets := make([]any, len(columns))
	for i := range row {
		targets[i] = &row[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, 0, fmt.Errorf("read a row: %w", err)
	}
	for i, column := range columns {
		switch value := row[i].(type) {
		case string:
			bytes += len(value)
			if column.Type == sqlq.JSON {
				row[i] = json.RawMessage(duckjson.ReplaceNonFinite([]byte(value)))
			}
		case float64:
			if math.IsNaN(value) || math.IsInf(value, 0) {
				row[i] = nil // D13
			}
		case time.Time:
			row[i] = value.UTC()
			if isInfinite(value) {
				row[i] = nil // D13
			}
		}
	}
	return row, bytes, nil
}

// isInfinite says whether a time is what DuckDB has for the infinities: the outermost
// microseconds of a TIMESTAMP and days of a DATE.
func isInfinite(value time.Time) bool {
	const secondsOfDay = 24 * 60 * 60
	days := value.Unix() / secondsOfDay
	return days == math.MaxInt32 || days == -math.MaxInt32 || value.UnixMicro() == math.MaxInt64 || value.UnixMicro() == -math.MaxInt64
}

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
