package format

import (
	"io"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

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

// decimalDigits is how many digits a NUMERIC (D42) has.
const decimalDigits = 38

// arrowFields returns the fields of columns. All can be null, because a column that must not be
// NULL is a promise that nobody checks.
func arrowFields(columns []sqlq.Column) []arrow.Field {
	fields := make([]arrow.Field, len(columns))
	for i := range columns {
		fields[i] = arrow.Field{Name: columns[i].Name, Type: arrowType(&columns[i]), Nullable: true}
	}
	return fields
}

// arrowType returns the type of a column's values. Times are microseconds: a TIMESTAMP in UTC, a
// DATETIME without a zone. JSON is a string, and so is a BIGNUMERIC: few readers have decimals that are wide enough.
func arrowType(column *sqlq.Column) arrow.DataType {
	if column.Type.IsArray() {
		return arrow.ListOf(arrowType(column.Element()))
	}
	switch column.Type { //nolint:exhaustive // The others are strings.
	case sqlq.Int64:
		return arrow.PrimitiveTypes.Int64
	case sqlq.Float64:
		return arrow.PrimitiveTypes.Float64
	case sqlq.Numeric:
		if column.Big {
			return arrow.BinaryTypes.String
		}
		return &arrow.Decimal128Type{Precision: decimalDigits, Scale: sqlq.NumericScale}
	case sqlq.Bool:
		return arrow.FixedWidthTypes.Boolean
	case sqlq.Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case sqlq.Datetime:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case sqlq.Date:
		return arrow.FixedWidthTypes.Date32
	case sqlq.Struct:
		return arrow.StructOf(arrowFields(column.Fields)...)
	}
	return arrow.BinaryTypes.String
}

// recordOf returns a batch as a record of a schema, which uses the memory of the batch.
func recordOf(schema *arrow.Schema, batch *sqlq.Batch) (arrow.RecordBatch, error) {
	vectors, err := batch.Vectors()
	if err != nil {
		return nil, err
	}
	columns := make([]arrow.Array, len(vectors))
	for i := range vectors {
		columns[i] = array.MakeFromData(arrayData(schema.Field(i).Type, &vectors[i]))
	}
	return array.NewRecordBatch(schema, columns, int64(batch.Len())), nil
}

// arrayData returns the values of a vector in Arrow's layout.
func arrayData(typ arrow.DataType, vector *sqlq.Vector) arrow.ArrayData {
	valid, nulls := validity(vector.Nulls)
	buffers := []*memory.Buffer{valid}
	var children []arrow.ArrayData
	switch typ := typ.(type) {
	case *arrow.ListType:
		buffers, children = append(buffers, bufferOf(vector.Offsets)), []arrow.ArrayData{arrayData(typ.Elem(), &vector.Children[0])}
	case *arrow.StructType:
		for i := range vector.Children {
			children = append(children, arrayData(typ.Field(i).Type, &vector.Children[i]))
		}
	case *arrow.StringType:
		buffers = append(buffers, bufferOf(vector.Offsets), memory.NewBufferBytes(vector.Text))
	case *arrow.Decimal128Type:
		buffers = append(buffers, bufferOf(vector.Units))
	case *arrow.BooleanType:
		buffers = append(buffers, memory.NewBufferBytes(bitsOf(vector.Bools, true)))
	case *arrow.Date32Type:
		days := make([]int32, vector.Len())
		for i, day := range vector.Int64s {
			days[i] = int32(day) //nolint:gosec // Every day of the calendar has that size.
		}
		buffers = append(buffers, bufferOf(days))
	case *arrow.Float64Type:
		buffers = append(buffers, bufferOf(vector.Float64s))
	default:
		buffers = append(buffers, bufferOf(vector.Int64s))
	}
	return array.NewData(typ, vector.Len(), buffers, children, nulls, 0)
}

// bufferOf returns the memory of values, which are laid out as Arrow's.
func bufferOf[T any](values []T) *memory.Buffer {
	var value T
	return memory.NewBufferBytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(value)))) //nolint:gosec // It is their memory.
}

// validity returns a bit for each value that is not NULL, and how many are; nil if none is.
func validity(isNull []bool) (*memory.Buffer, int) {
	nulls := 0
	for _, null := range isNull {
		if null {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(bitsOf(isNull, false)), nulls
}

// bitsOf returns a bit for each value that is as wanted.
func bitsOf(values []bool, want bool) []byte {
	bits := make([]byte, bitutil.BytesForBits(int64(len(values))))
	for i, value := range values {
		if value == want {
			bitutil.SetBit(bits, i)
		}
	}
	return bits
}
