// Package duckdb is the engine that runs saved queries on an embedded DuckDB.
package duckdb

import (
	"context"
	"database/sql"
	"errors"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/tablefiles"
)

// Engine runs saved queries on a DuckDB database, which it does not close. It
// is safe for concurrent use.
type Engine struct {
	db *sql.DB
	// statements are the prepared statements of saved queries.
	statements statements
	// files are the files of tables; nil means that each table is one of the database.
	files *readFiles
	// views knows less that has the rows of a view; nil means the view itself.
	views Views
	// isForCallers is true if only SQL of callers runs on the database, which may use all of its memory.
	isForCallers bool
}

var _ sqlq.Engine = (*Engine)(nil)

// New returns an engine on the database.
func New(db *sql.DB) *Engine { return &Engine{db: db} }

// NewWithFiles returns an engine that also reads the files of tables where they are (ADR 045). The database must be able to
// read their directories. An engine of [New] reads tables of the database in their place; see [DeclareFiles].
func NewWithFiles(db *sql.DB, files *tablefiles.Files) *Engine {
	return &Engine{db: db, files: newReadFiles(files)}
}

// ForCallers lets SQL of callers use all memory of the database, because nothing else runs on it. It must be called before the
// first run.
func (e *Engine) ForCallers() *Engine {
	e.isForCallers = true
	return e
}

// Views knows which part of a view's rows are where.
type Views interface {
	// Within returns a query in parentheses that has the rows of a view with a timestamp in a range; empty if only the view itself
	// does. Once the query names what is gone, DuckDB does not find it.
	Within(view string, during sqlq.Range) string
}

// OnViews makes runs of a series read what has the rows of their range, and not whole views. It must be called before the
// first run.
func (e *Engine) OnViews(views Views) { e.views = views }

// Close ends what the engine does on its own. It must be called after the last run, and before the database is closed.
func (e *Engine) Close() {
	if e.files != nil {
		e.files.close()
	}
}

// Dialect returns DuckDB's dialect.
func (e *Engine) Dialect() sqlq.Dialect { return duckdbsql.Dialect{} }

// Run runs a statement. Cancelling ctx interrupts it.
//
// After an internal error of DuckDB it runs once more: a scan has this error if it runs
// while a commit is undone that did not fit on the disk.
func (e *Engine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if e.isForCallers {
		return e.run(ctx, statement, e.runOnce) // once: rows may have been passed on
	}
	if statement.Query.Callers != nil {
		within, end := e.withinMemory(ctx)
		defer end()
		result, err := e.run(within, statement, e.runOnce)
		if errors.Is(context.Cause(within), errCallersMemory) {
			err = callersMemoryError(err)
		}
		return result, err
	}
	if isStream(statement) {
		return e.stream(ctx, statement)
	}
	return e.again(ctx, statement, e.runOnce)
}

// runFunc runs a statement once, on the database and on files.
type runFunc func(ctx context.Context, statement sqlq.Statement, files scans) (*sqlq.Result, error)

// again runs a statement once more after an internal error of DuckDB.
func (e *Engine) again(ctx context.Context, statement sqlq.Statement, once runFunc) (*sqlq.Result, error) {
	result, err := e.run(ctx, statement, once)
	if hasType(err, duckdb.ErrorTypeInternal) && ctx.Err() == nil {
		return e.run(ctx, statement, once)
	}
	return result, err
}

func (e *Engine) run(ctx context.Context, statement sqlq.Statement, once runFunc) (*sqlq.Result, error) {
	if e.readsFiles(statement.Query) {
		return e.runOnFiles(ctx, statement, once)
	}
	return once(ctx, statement, scans{})
}

// runOnce runs a statement on the database and on files. It passes rows on only for SQL of callers, whose NUMERICs can have
// more digits than the columns of a stream.
func (e *Engine) runOnce(ctx context.Context, statement sqlq.Statement, files scans) (_ *sqlq.Result, err error) {
	query := statement.Query
	rows, err := e.query(ctx, statement, files)
	if err != nil {
		return nil, e.runError(ctx, statement, files.explain(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	result := &sqlq.Result{Columns: query.Columns, Rows: [][]any{}}
	size, passed := 0, 0
	for rows.Next() {
		if result.RowCount() == query.MaxRows {
			result.Truncated = true
			break
		}
		row, bytes, err := scanRow(rows, query.Columns)
		if err != nil {
			return nil, err
		}
		if size += bytes; size > query.ResultBytes() {
			return nil, sqlq.ResultTooLarge(query.ResultBytes())
		}
		result.Rows = append(result.Rows, row)
		if len(result.Rows) == batchRows || size-passed >= batchBytes {
			passed = size
			if err := emit(statement, result); err != nil {
				return nil, err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, e.runError(ctx, statement, files.explain(err))
	}
	return result, emit(statement, result)
}

// emit passes the rows of a result on, if the statement has Emit.
func emit(statement sqlq.Statement, result *sqlq.Result) error {
	if statement.Emit == nil || len(result.Rows) == 0 {
		return nil
	}
	result.Streamed += len(result.Rows)
	err := statement.Emit(sqlq.BatchOf(result.Columns, result.Rows))
	result.Rows = [][]any{}
	return err
}
