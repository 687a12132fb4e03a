package filecheck

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"savedq/internal/files/parquetfooter"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

// checkParquet checks the schema of a Parquet file, and the values that DuckDB would change: DECIMALs of more digits than it has, and
// nanoseconds of INT96. Without declared columns, all are read. DuckDB notices by itself that a file is not complete, and need not read
// it if a condition on a partition excludes it.
func checkParquet(ctx context.Context, opened parquet.ReaderAtSeeker, size int64, columns []sqlq.Column) error {
	schema, err := parquetfooter.Read(opened, size)
	var failed *fs.PathError
	switch {
	case errors.Is(err, parquetfooter.ErrIncomplete):
		return nil
	case errors.As(err, &failed):
		return sqlq.WithoutPath(err)
	case err != nil:
		return faultf(0, "%s", err)
	}
	for name, typ := range schema.Decimals {
		if _, isRead := declaredType(columns, name); isRead {
			detail := fmt.Sprintf("its column %s has the type %s, of which only 15 digits can be read; write it with at most 38 digits or as a string, or leave it out of the columns", name, typ)
			return &FaultError{Kind: tablefiles.Columns, Detail: detail}
		}
	}
	for name := range schema.Int96 {
		if _, isRead := declaredType(columns, name); isRead {
			return checkInt96(ctx, opened, columns)
		}
	}
	return nil
}

// declaredType returns the type of a column of files, and reports whether it is read.
func declaredType(columns []sqlq.Column, name string) (typ sqlq.Type, isRead bool) {
	index := slices.IndexFunc(columns, func(column sqlq.Column) bool { return strings.EqualFold(column.Name, name) })
	switch {
	case len(columns) == 0:
		return sqlq.Timestamp, true
	case index < 0:
		return "", false
	}
	return columns[index].Type, true
}

// checkInt96 reads the times of the type INT96.
func checkInt96(ctx context.Context, opened parquet.ReaderAtSeeker, columns []sqlq.Column) (err error) {
	column := ""
	defer func() {
		if reason := recover(); reason != nil { // the library panics on some damaged files
			err = unreadableInt96(column, reason)
		}
	}()
	reader, err := file.NewParquetReader(opened)
	if err != nil {
		return unreadableInt96(column, err)
	}
	for i := range reader.NumRowGroups() {
		group := reader.RowGroup(i)
		for j := range group.NumColumns() {
			column = group.MetaData().Schema.Column(j).ColumnPath()[0]
			typ, isRead := declaredType(columns, column)
			if !isRead || group.MetaData().Schema.Column(j).PhysicalType() != parquet.Types.Int96 {
				continue
			}
			chunk, err := group.Column(j)
			if err != nil {
				return unreadableInt96(column, err)
			}
			values, ok := chunk.(*file.Int96ColumnChunkReader)
			if !ok {
				return unreadableInt96(column, fmt.Sprintf("a reader of type %T", chunk))
			}
			if err := checkTimes(ctx, values, column, typ); err != nil {
				return err
			}
		}
	}
	return nil
}

// unreadableInt96 returns the fault of times that cannot be checked.
func unreadableInt96(column string, reason any) error {
	fault := faultf(0, "its times of the type INT96 cannot be read; write them as TIMESTAMP in microseconds")
	fault.Detail = fmt.Sprintf(" (column %s: %v)", column, reason)
	return fault
}

// checkTimes reads times, of which a column holds microseconds of the years 1 to 9999.
func checkTimes(ctx context.Context, from *file.Int96ColumnChunkReader, column string, typ sqlq.Type) error {
	const batch = 4096
	values, definitions, repetitions := make([]parquet.Int96, batch), make([]int16, batch), make([]int16, batch)
	for from.HasNext() {
		if err := ctx.Err(); err != nil {
			return err
		}
		total, count, err := from.ReadBatch(batch, values, definitions, repetitions)
		if err != nil || total == 0 && !errors.Is(err, io.EOF) {
			return unreadableInt96(column, err)
		}
		for _, value := range values[:count] {
			if at := timeOf(value); at.Nanosecond()%int(time.Microsecond) != 0 || at.Year() < 1 || at.Year() > 9999 {
				detail := fmt.Sprintf("its column %s has the value %s, which %s cannot hold exactly", column, sqlq.Quote(at.Format("2006-01-02 15:04:05.999999999")), typ)
				return &FaultError{Kind: tablefiles.Value, Detail: detail}
			}
		}
	}
	return from.Err()
}

// timeOf returns the time of nanoseconds of a day, and the number of the day.
func timeOf(value parquet.Int96) time.Time {
	const (
		epoch         = 2_440_588 // the number of 1970-01-01
		secondsPerDay = 24 * 60 * 60
	)
	day := int64(binary.LittleEndian.Uint32(value[8:]))
	return time.Unix((day-epoch)*secondsPerDay, int64(binary.LittleEndian.Uint64(value[:8]))).UTC() //nolint:gosec // Its bits are read.
}
