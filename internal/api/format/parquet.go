package format

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/klauspost/compress/s2"
	"golang.org/x/sync/errgroup"

	"savedq/sqlq"
)

const (
	// rowGroupRows and rowGroupBytes are how many rows and compressed bytes a row group has at most, the latter
	// about. It waits in memory until it is whole. DuckDB's have as many rows. A batch is not split.
	rowGroupRows  = 122_880
	rowGroupBytes = 16 << 20
	// pageBytes is about how many bytes a page has, which are compressed at a time, and pageStep how many values are
	// added between two looks at its size.
	pageBytes = 256 << 10
	pageStep  = 4096
	// truncatedKey is the metadata of a file whose rows were cut off (D24).
	truncatedKey = "savedq.truncated"
)

// parquetWriter writes a Parquet file. A file without its end has no footer, so no reader takes it.
type parquetWriter struct {
	out     io.Writer
	columns []sqlq.Column
	// file is nil until the first rows have arrived, and group is the row group that is being written.
	file  *file.Writer
	group file.BufferedRowGroupWriter
	// rows is how many rows group has.
	rows int
}

func beginParquet(w io.Writer, columns []sqlq.Column) (Writer, error) {
	return &parquetWriter{out: unclosed{w}, columns: columns}, nil
}

// begin begins the file. The first rows decide which columns have dictionaries.
func (p *parquetWriter) begin(vectors []sqlq.Vector) error {
	useFastSnappy()
	options := []parquet.WriterProperty{
		parquet.WithCompression(compress.Codecs.Snappy), parquet.WithCreatedBy("savedq"),
		parquet.WithDataPageSize(pageBytes), parquet.WithBatchSize(pageStep),
	}
	for i := range vectors {
		if isVaried(&vectors[i]) {
			options = append(options, parquet.WithDictionaryFor(vectors[i].Column.Name, false))
		}
	}
	properties := parquet.NewWriterProperties(options...)
	schema, err := pqarrow.ToParquet(arrow.NewSchema(arrowFields(p.columns), nil), properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	p.file, err = file.NewParquetWriterWithError(p.out, schema.Root(), file.WithWriterProps(properties))
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
	case vector.Units != nil:
		return areVaried(vector.Len(), func(i int) sqlq.Units { return vector.Units[i] })
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
	vectors, err := batch.Vectors()
	if err != nil {
		return err
	}
	if p.file == nil {
		if err := p.begin(vectors); err != nil {
			return err
		}
	}
	if batch.Len() == 0 {
		return nil
	}
	if p.group == nil || p.rows+batch.Len() > rowGroupRows || p.group.TotalCompressedBytes() >= rowGroupBytes {
		if err := p.nextGroup(); err != nil {
			return err
		}
	}
	p.rows += batch.Len()
	return p.writeColumns(vectors)
}

// nextGroup writes the row group, if there is one, and begins the next.
func (p *parquetWriter) nextGroup() (err error) {
	if p.group != nil {
		if err := p.group.Close(); err != nil {
			return err
		}
	}
	p.group, err = p.file.AppendBufferedRowGroupChecked()
	p.rows = 0
	return err
}

// writeColumns adds values to the row group. Its columns are independent of each other, and so encoded in parallel.
func (p *parquetWriter) writeColumns(vectors []sqlq.Vector) error {
	var encoders errgroup.Group
	encoders.SetLimit(runtime.GOMAXPROCS(0))
	first := 0
	for i := range vectors {
		leaf := first
		first += leafCount(vectors[i].Column)
		encoders.Go(func() (err error) {
			defer func() {
				if reason := recover(); reason != nil { // the runner recovers panics of its own goroutine only
					err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
				}
			}()
			return p.writeColumn(&vectors[i], leaf)
		})
	}
	return encoders.Wait()
}

// writeColumn adds the values of a column, whose first leaf has an index.
func (p *parquetWriter) writeColumn(vector *sqlq.Vector, index int) error {
	for i, leaf := range leavesOf(vector) {
		column, err := p.group.Column(index + i)
		if err != nil {
			return err
		}
		ctx, properties := context.Background(), pqarrow.DefaultWriterProps()
		values := leafArray(leaf.vector)
		err = pqarrow.WriteArrowToColumn(pqarrow.NewArrowWriteContext(ctx, &properties), column, values, leaf.definition, leaf.repetition, true)
		if err != nil {
			return err
		}
	}
	return nil
}

// leafArray returns the values of a vector that is not nested. A NUMERIC has the bytes that it has in the file.
func leafArray(vector *sqlq.Vector) arrow.Array {
	typ := arrowType(vector.Column)
	if typ.ID() != arrow.DECIMAL128 {
		return array.MakeFromData(arrayData(typ, vector))
	}
	bytes := make([]byte, 0, arrow.Decimal128SizeBytes*len(vector.Units))
	for _, number := range vector.Units {
		bytes = binary.BigEndian.AppendUint64(bytes, uint64(number.High)) //nolint:gosec // Its bits are written.
		bytes = binary.BigEndian.AppendUint64(bytes, number.Low)
	}
	valid, nulls := validity(vector.Nulls)
	buffers := []*memory.Buffer{valid, memory.NewBufferBytes(bytes)}
	inFile := &arrow.FixedSizeBinaryType{ByteWidth: arrow.Decimal128SizeBytes}
	return array.MakeFromData(array.NewData(inFile, vector.Len(), buffers, nil, nulls, 0))
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

// useFastSnappy makes the Parquet library compress with Snappy in the fast way. Its own way takes half the time of the
// encoding, for files that are a little smaller.
var useFastSnappy = sync.OnceFunc(func() { //nolint:gochecknoglobals // The library's codecs are.
	codec, err := compress.GetCodec(compress.Codecs.Snappy)
	if err == nil {
		compress.RegisterCodec(compress.Codecs.Snappy, fastSnappy{codec})
	}
})

// fastSnappy is Snappy that compresses fast.
type fastSnappy struct{ compress.Codec }

// Encode compresses src into dst, or into new memory if dst is too small.
func (fastSnappy) Encode(dst, src []byte) []byte { return s2.EncodeSnappy(dst, src) }

// EncodeLevel is Encode, since Snappy has no levels.
func (fastSnappy) EncodeLevel(dst, src []byte, _ int) []byte { return s2.EncodeSnappy(dst, src) }
