package format

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"savedq/sqlq"
)

// arrowWriter writes the stream format of Arrow IPC. A stream without its end was cut off.
type arrowWriter struct {
	records *records
	stream  *ipc.Writer
}

func beginArrow(w io.Writer, columns []sqlq.Column) (Writer, error) {
	records := newRecords(columns)
	a := &arrowWriter{records: records, stream: ipc.NewWriter(w, ipc.WithSchema(records.schema))}
	empty, err := records.of(nil)
	if err != nil {
		return nil, err
	}
	defer empty.Release()
	return a, a.stream.Write(empty) // the writer writes the schema before the first record
}

func (a *arrowWriter) Write(rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	record, err := a.records.of(rows)
	if err != nil {
		return err
	}
	defer record.Release()
	return a.stream.Write(record)
}

func (a *arrowWriter) End(bool) error { return a.stream.Close() }

// records makes records of Arrow from rows.
type records struct {
	schema  *arrow.Schema
	builder *array.RecordBuilder
	appends []appendFunc
}

func newRecords(columns []sqlq.Column) *records {
	schema := arrow.NewSchema(arrowFields(columns), nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	appends := make([]appendFunc, len(columns))
	for i := range columns {
		appends[i] = appender(builder.Field(i), &columns[i])
	}
	return &records{schema: schema, builder: builder, appends: appends}
}

// of returns rows as a record, which the caller must release.
func (r *records) of(rows [][]any) (arrow.RecordBatch, error) {
	r.builder.Reserve(len(rows))
	for _, row := range rows {
		for i, value := range row {
			if err := r.appends[i](value); err != nil {
				return nil, err
			}
		}
	}
	return r.builder.NewRecordBatch(), nil
}
