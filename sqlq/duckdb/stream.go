package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"savedq/sqlq"
)

const (
	// spoolRows is how many rows are read from a spool at a time. DuckDB's driver holds all rows of a query in
	// memory, beyond its memory limit.
	spoolRows = 20_480
	// emitRows is how many rows are passed on at a time.
	emitRows = 2_048
	// spoolTable is the temporary table of a stream, which only its connection has.
	spoolTable = "temp.savedq_spool"
)

// stream runs a statement into a temporary table, which spills to disk, and passes its rows on from there. So it
// takes bounded memory, keeps no old version of the tables alive while the caller reads, and fails before the first
// row if the SQL fails.
func (e *Engine) stream(ctx context.Context, statement sqlq.Statement) (_ *sqlq.Result, err error) {
	connection, err := e.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	spool := &spool{engine: e, connection: connection}
	defer func() {
		_, dropped := connection.ExecContext(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+spoolTable)
		err = errors.Join(err, dropped, connection.Close())
	}()
	result, err := e.again(ctx, statement, spool.fill)
	if err != nil {
		return nil, err
	}
	result.Streamed = min(spool.rows, statement.Query.MaxRows)
	result.Truncated = spool.rows > statement.Query.MaxRows
	for start := 0; start < result.Streamed; start += spoolRows {
		if err := spool.emit(ctx, statement, start, min(start+spoolRows, result.Streamed)); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// spool holds the rows of a stream.
type spool struct {
	engine     *Engine
	connection *sql.Conn
	// rows is how many it has: at most one more than the saved query may return.
	rows int
}

// fill runs a statement once. It returns a result without rows.
func (s *spool) fill(ctx context.Context, statement sqlq.Statement, files scans) (*sqlq.Result, error) {
	prepared := s.engine.statements.acquire(statement.Query)
	defer prepared.release()
	if err := s.engine.guard(ctx, statement.Query, prepared); err != nil {
		return nil, err
	}
	var err error
	for _, text := range sqlTexts(statement.Query, statement.Args, files.bounded(statement.Query)) {
		create := fmt.Sprintf("CREATE OR REPLACE TEMP TABLE savedq_spool AS %s", cappedSQL(statement.Query, text, files))
		if _, err = s.connection.ExecContext(ctx, create, bindings(statement)...); !isBinderError(err) {
			break
		}
	}
	if err != nil {
		return nil, s.engine.runError(ctx, statement, files.explain(err))
	}
	err = s.connection.QueryRowContext(ctx, "SELECT count(*) FROM "+spoolTable).Scan(&s.rows)
	return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}}, err
}

// emit passes on the rows from start to before end.
func (s *spool) emit(ctx context.Context, statement sqlq.Statement, start, end int) (err error) {
	rows, err := s.connection.QueryContext(ctx, "SELECT * FROM "+spoolTable+" WHERE rowid >= ? AND rowid < ?", start, end)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	batch := make([][]any, 0, emitRows)
	for rows.Next() {
		row, _, err := scanRow(rows, statement.Query.Columns)
		if err != nil {
			return err
		}
		if batch = append(batch, row); len(batch) == emitRows {
			if err := statement.Emit(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if err := rows.Err(); err != nil || len(batch) == 0 {
		return err
	}
	return statement.Emit(batch)
}
