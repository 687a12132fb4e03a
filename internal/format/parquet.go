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
	// rowGroupRows and rowGroupBytes are how many rows and compressed bytes a row group has at most, the latter
	// about. It waits in memory until it is whole. DuckDB's have as many rows.
	rowGroupRows  = 122_880
	rowGroupBytes = 16 << 20
	// pageBytes is about how many bytes a page has, which are compressed at a time.
	pageBytes = 256 << 10
	// truncatedKey is the metadata of a file whose rows were cut off (D24).
	truncatedKey = "savedq.truncated"
)

// parquetWriter writes a Parquet file. A file without its end has no footer, so no reader takes it.
type parquetWriter struct {
	out    io.Writer
	schema *arrow.Schema
	// file is nil until the first rows have arrived.
	file *pqarrow.FileWriter
}

func beginParquet(w io.Writer, columns []sqlq.Column) (Writer, error) {
	return &parquetWriter{out: unclosed{w}, schema: arrow.NewSchema(arrowFields(columns), nil)}, nil
}

// begin begins the file. The first rows decide which columns have dictionaries.
func (p *parquetWriter) begin(vectors []sqlq.Vector) (err error) {
	useFastSnappy()
	options := []parquet.WriterProperty{
		parquet.WithCompression(compress.Codecs.Snappy), parquet.WithCreatedBy("savedq"),
		parquet.WithMaxRowGroupLength(rowGroupRows), parquet.WithDataPageSize(pageBytes),
	}
	for i := range vectors {
		if isVaried(&vectors[i]) {
			options = append(options, parquet.WithDictionaryFor(vectors[i].Column.Name, false))
		}
	}
	p.file, err = pqarrow.NewFileWriter(p.schema, p.out, parquet.NewWriterProperties(options...), pqarrow.NewArrowWriterProperties())
	return err
}

// isVaried reports whether so few values are repeated that a dictionary of them is no use.
func isVaried(vector *sqlq.Vector) bool {
	switch {
	case len(vector.Children) > 0:
		return false
	case vector.Offsets != nil:
		return areVaried(vector.Len(), func(i int) string { return string(vector.TextAt(i)) })
	case vector.Column.Type == sqlq.Float64:
		return areVaried(vector.Len(), func(i int) float64 { return vector.Float64s[i] })
	case vector.Column.Type == sqlq.Bool:
		return true // they are bits
	}
	return areVaried(vector.Len(), func(i int) int64 { return vector.Int64s[i] })
}

// areVaried reports whether a quarter of values differ.
func areVaried[T comparable](count int, value func(i int) T) bool {
	const most, share = 4096, 4
	count = min(count, most)
	different := make(map[T]struct{})
	for i := range count {
		different[value(i)] = struct{}{}
	}
	return len(different) > count/share
}

func (p *parquetWriter) Write(batch *sqlq.Batch) error {
	if p.file == nil {
		vectors, err := batch.Vectors()
		if err != nil {
			return err
		}
		if err := p.begin(vectors); err != nil {
			return err
		}
	}
	record, err := recordOf(p.schema, batch)
	if err != nil {
		return err
	}
	defer record.Release()
	if p.file.RowGroupTotalCompressedBytes() >= rowGroupBytes {
		if err := p.file.NewBufferedRowGroupChecked(); err != nil {
			return err
		}
	}
	return p.file.WriteBuffered(record)
}

func (p *parquetWriter) End(truncated bool) error {
	if p.file == nil {
		if err := p.begin(nil); err != nil {
			return err
		}
	}
	if truncated {
		if err := p.file.AppendKeyValueMetadata(truncatedKey, "true"); err != nil {
			return err
		}
	}
	return p.file.Close()
}

// unclosed hides that a writer can be closed, which Parquet's would do.
type unclosed struct{ io.Writer }
