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
}

var _ sqlq.Engine = (*Engine)(nil)

// New returns an engine on the database.
func New(db *sql.DB) *Engine { return &Engine{db: db} }

// NewWithFiles returns an engine that also reads the files of tables where they are (ADR 045). The database must be able to
// read their directories. An engine of [New] reads tables of the database in their place; see [DeclareFiles].
func NewWithFiles(db *sql.DB, files *tablefiles.Files) *Engine {
	return &Engine{db: db, files: newReadFiles(files)}
}

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
	if statement.Query.Callers != nil {
		within, end := e.withinMemory(ctx)
		defer end()
		result, err := e.run(within, statement, e.runOnce)
		if errors.Is(context.Cause(within), errCallersMemory) {
			err = callersMemoryError(err)
		}
		return result, err
	}
	if statement.Emit != nil {
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

// runOnce runs a statement on the database and on files.
func (e *Engine) runOnce(ctx context.Context, statement sqlq.Statement, files scans) (_ *sqlq.Result, err error) {
	query := statement.Query
	rows, err := e.query(ctx, statement, files)
	if err != nil {
		return nil, e.runError(ctx, statement, files.explain(err))
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
		if size += bytes; size > query.ResultBytes() {
			return nil, sqlq.ResultTooLarge(query.ResultBytes())
		}
		result.Rows = append(result.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return nil, e.runError(ctx, statement, files.explain(err))
	}
	return result, nil
}
