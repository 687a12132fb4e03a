// Package appender appends rows to tables of DuckDB, in the transaction of a connection.
package appender

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/sqlq/duckdb/handles"
)

// Target is a table to which rows are appended.
type Target struct {
	// Catalog and Schema are where the table is. Empty means the current ones, and the catalog "temp" has the temporary
	// tables of the connection.
	Catalog, Schema string
	Table           string
	// Columns are those that the rows have; nil means all. Others get their default.
	Columns []string
}

// Append appends at most a number of rows in the connection's transaction, and returns how many it appended. next
// returns the next row, or false if there is none. A row is valid until the next call. It has a value for each column:
// nil, a string, []byte, [time.Time], int64, uint64, float64, bool, [sqlq.EpochDay] or [sqlq.Decimal], or a pointer to a string,
// a time or a [json.RawMessage].
func Append(ctx context.Context, conn *sql.Conn, target Target, most int, next func() ([]driver.Value, bool)) (appended int, err error) {
	err = conn.Raw(func(raw any) (err error) {
		appender, err := newAppender(raw, target)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, appender.close()) }()
		for ; appended < most; appended++ {
			row, ok := next()
			if !ok {
				return nil
			}
			if err := appender.append(ctx, row); err != nil {
				appender.discard()
				return err
			}
		}
		return nil
	})
	return appended, err
}

// RowsAt returns a function that returns the next of a number of rows.
func RowsAt(count int, row func(i int) []driver.Value) func() ([]driver.Value, bool) {
	next := 0
	return func() ([]driver.Value, bool) {
		if next == count {
			return nil, false
		}
		next++
		return row(next - 1), true
	}
}

// appender appends rows to a table, in the transaction of its connection. It writes values
// directly into the memory of DuckDB's data chunks. The appender of the driver copies each
// string and calls C for it, which took a quarter of a load. It is not safe for concurrent use.
type appender struct {
	handle  mapping.Appender
	chunk   mapping.DataChunk
	types   []mapping.LogicalType
	columns []column
	// rows is the number of rows in the chunk.
	rows  int
	texts texts
}

// newAppender returns an appender on a connection. Callers must close it.
func newAppender(conn any, target Target) (*appender, error) {
	handle, err := handles.Connection(conn)
	if err != nil {
		return nil, err
	}
	a := &appender{}
	if mapping.AppenderCreateExt(handle, target.Catalog, target.Schema, target.Table, &a.handle) == mapping.StateError {
		return nil, errors.Join(a.failure(), a.destroy())
	}
	for _, name := range target.Columns {
		if mapping.AppenderAddColumn(a.handle, name) == mapping.StateError {
			return nil, errors.Join(a.failure(), a.destroy())
		}
	}
	for i := range mapping.AppenderColumnCount(a.handle) {
		a.types = append(a.types, mapping.AppenderColumnType(a.handle, i))
	}
	a.chunk = mapping.CreateDataChunk(a.types)
	for i, columnType := range a.types {
		column, err := newColumn(columnType, mapping.DataChunkGetVector(a.chunk, mapping.IdxT(i)))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("column %d of %s: %w", i+1, target.Table, err), a.destroy())
		}
		a.columns = append(a.columns, column)
	}
	return a, nil
}

// append appends a row.
func (a *appender) append(ctx context.Context, row []driver.Value) error {
	if len(row) != len(a.columns) {
		return fmt.Errorf("a row has %d values for %d columns", len(row), len(a.columns))
	}
	if a.rows == chunkRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.appendChunk(); err != nil {
			return err
		}
	}
	for i, value := range row {
		if err := a.columns[i].set(a.rows, value, &a.texts); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	a.rows++
	return nil
}

// appendChunk appends the rows of the chunk, which DuckDB copies.
func (a *appender) appendChunk() error {
	if a.rows == 0 {
		return nil
	}
	mapping.DataChunkSetSize(a.chunk, mapping.IdxT(a.rows)) //nolint:gosec // It is at most chunkRows.
	if mapping.AppendDataChunk(a.handle, a.chunk) == mapping.StateError {
		return a.failure()
	}
	a.rows = 0
	a.texts.reset()
	for i := range a.columns {
		a.columns[i].reset()
	}
	return nil
}

// discard drops the rows that are not flushed.
func (a *appender) discard() {
	a.rows = 0
	mapping.AppenderClear(a.handle)
}

// close flushes the rows to the table, and ends the appender.
func (a *appender) close() error {
	err := a.appendChunk()
	if err == nil && mapping.AppenderFlush(a.handle) == mapping.StateError {
		err = a.failure()
	}
	if err != nil {
		a.discard() // or destroying it would flush again
	}
	return errors.Join(err, a.destroy())
}

// destroy frees the memory.
func (a *appender) destroy() error {
	a.texts.free()
	if a.chunk.Ptr != nil {
		mapping.DestroyDataChunk(&a.chunk)
	}
	for i := range a.types {
		mapping.DestroyLogicalType(&a.types[i])
	}
	if mapping.AppenderDestroy(&a.handle) == mapping.StateError {
		return errors.New("close an appender of DuckDB")
	}
	return nil
}

// failure returns the last error as the driver would return it.
func (a *appender) failure() error {
	data := mapping.AppenderErrorData(a.handle)
	defer mapping.DestroyErrorData(&data)
	return &duckdb.Error{Type: duckdb.ErrorType(mapping.ErrorDataErrorType(data)), Msg: mapping.ErrorDataMessage(data)}
}
