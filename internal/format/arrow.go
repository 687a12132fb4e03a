package format

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"savedq/sqlq"
)

// arrowWriter writes the stream format of Arrow IPC. A stream without its end was cut off.
type arrowWriter struct {
	schema *arrow.Schema
	stream *ipc.Writer
}

func beginArrow(w io.Writer, columns []sqlq.Column) (Writer, error) {
	schema := arrow.NewSchema(arrowFields(columns), nil)
	a := &arrowWriter{schema: schema, stream: ipc.NewWriter(w, ipc.WithSchema(schema))}
	return a, a.write(sqlq.NewBatch(columns)) // the writer writes the schema before the first record
}

func (a *arrowWriter) Write(batch *sqlq.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	return a.write(batch)
}

func (a *arrowWriter) write(batch *sqlq.Batch) error {
	record, err := recordOf(a.schema, batch)
	if err != nil {
		return err
	}
	defer record.Release()
	return a.stream.Write(record)
}

func (a *arrowWriter) End(bool) error { return a.stream.Close() }
