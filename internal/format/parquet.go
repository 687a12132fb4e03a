package format

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"savedq/sqlq"
)

const (
	// rowGroupRows is how many rows a row group has. The rows of one wait in memory. DuckDB's have as many.
	rowGroupRows = 122_880
	// truncatedKey is the metadata of a file whose rows were cut off (D24).
	truncatedKey = "savedq.truncated"
)

// parquetWriter writes a Parquet file. A file without its end has no footer, so no reader takes it.
type parquetWriter struct {
	schema *arrow.Schema
	file   *pqarrow.FileWriter
}

func beginParquet(w io.Writer, columns []sqlq.Column) (Writer, error) {
	schema := arrow.NewSchema(arrowFields(columns), nil)
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithMaxRowGroupLength(rowGroupRows), parquet.WithCreatedBy("savedq"))
	file, err := pqarrow.NewFileWriter(schema, unclosed{w}, properties, pqarrow.NewArrowWriterProperties())
	if err != nil {
		return nil, err
	}
	return &parquetWriter{schema: schema, file: file}, nil
}

func (p *parquetWriter) Write(batch *sqlq.Batch) error {
	record, err := recordOf(p.schema, batch)
	if err != nil {
		return err
	}
	defer record.Release()
	return p.file.WriteBuffered(record)
}

func (p *parquetWriter) End(truncated bool) error {
	if truncated {
		if err := p.file.AppendKeyValueMetadata(truncatedKey, "true"); err != nil {
			return err
		}
	}
	return p.file.Close()
}

// unclosed hides that a writer can be closed, which Parquet's would do.
type unclosed struct{ io.Writer }
