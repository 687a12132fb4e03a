package logstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/sqlq/duckdb/handles"
)

// appendTarget is a table to which rows are appended, and the columns that they have; nil means
// all columns.
type appendTarget struct {
	table   string
	columns []string
	// temporary means that the table is one of the connection.
	temporary bool
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

// newAppender returns an appender on a connection of the store, or on a plain DuckDB
// connection while the store is being prepared. Columns that the target does not name get their
// default. Callers must close it.
func newAppender(conn any, target appendTarget) (*appender, error) {
	handle, err := handles.Connection(conn)
	if err != nil {
		return nil, err
	}
	a := &appender{}
	catalog := ""
	if target.temporary {
		catalog = "temp"
	}
	if mapping.AppenderCreateExt(handle, catalog, "", target.table, &a.handle) == mapping.StateError {
		return nil, errors.Join(a.failure(), a.destroy())
	}
	for _, name := range target.columns {
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
			return nil, errors.Join(fmt.Errorf("column %d of %s: %w", i+1, target.table, err), a.destroy())
		}
		a.columns = append(a.columns, column)
	}
	return a, nil
}

// append appends a row with a value for each column: nil, a string, []byte, time.Time, int64,
// uint64, float64, bool or date, or a pointer to a string, a time or a [json.RawMessage].
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
