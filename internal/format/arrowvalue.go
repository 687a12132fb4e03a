package format

import (
	"fmt"
	"math/big"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"savedq/sqlq"
)

const (
	// NUMERIC (D42) has 38 digits, nine of them after the point.
	decimalDigits = 38
	decimalScale  = 9
	// safeDigits is how many digits every int64 can hold.
	safeDigits = 18
)

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
		return &arrow.Decimal128Type{Precision: decimalDigits, Scale: decimalScale}
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
		data, err := arrayData(schema.Field(i).Type, &vectors[i])
		if err != nil {
			return nil, err
		}
		columns[i] = array.MakeFromData(data)
	}
	return array.NewRecordBatch(schema, columns, int64(batch.Len())), nil
}

// arrayData returns the values of a vector in Arrow's layout.
func arrayData(typ arrow.DataType, vector *sqlq.Vector) (arrow.ArrayData, error) {
	valid, nulls := validity(vector.Nulls)
	buffers := []*memory.Buffer{valid}
	var children []arrow.ArrayData
	switch typ := typ.(type) {
	case *arrow.ListType:
		child, err := arrayData(typ.Elem(), &vector.Children[0])
		if err != nil {
			return nil, err
		}
		buffers, children = append(buffers, bufferOf(vector.Offsets)), []arrow.ArrayData{child}
	case *arrow.StructType:
		for i := range vector.Children {
			child, err := arrayData(typ.Field(i).Type, &vector.Children[i])
			if err != nil {
				return nil, err
			}
			children = append(children, child)
		}
	case *arrow.StringType:
		buffers = append(buffers, bufferOf(vector.Offsets), memory.NewBufferBytes(vector.Text))
	case *arrow.Decimal128Type:
		numbers, err := decimals(vector)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, bufferOf(numbers))
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
	return array.NewData(typ, vector.Len(), buffers, children, nulls, 0), nil
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

// decimals returns NUMERICs in units of their last digit.
func decimals(vector *sqlq.Vector) ([]decimal128.Num, error) {
	numbers := make([]decimal128.Num, vector.Len())
	for i := range numbers {
		if vector.Nulls[i] {
			continue
		}
		var err error
		if numbers[i], err = decimalOf(vector.Column, vector.TextAt(i)); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// decimalOf returns a NUMERIC in units of its last digit. A number with more digits is an error: it is never rounded.
func decimalOf(column *sqlq.Column, text []byte) (decimal128.Num, error) {
	if units, ok := smallDecimal(text); ok {
		return decimal128.FromI64(units), nil
	}
	if _, err := sqlq.ParseNumeric(string(text)); err != nil {
		return decimal128.Num{}, sqlq.Errorf(sqlq.InvalidArgument,
			"column %s has the number %s; Parquet and Arrow hold at most 29 digits before and 9 after the point; declare the column as BIGNUMERIC, or use another format", column.Name, text)
	}
	whole, fraction, _ := strings.Cut(string(text), ".")
	units, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimalScale-len(fraction)), 10)
	if !ok { // cannot happen: a Decimal is made of digits
		return decimal128.Num{}, fmt.Errorf("column %s has a NUMERIC that is none", column.Name)
	}
	return decimal128.FromBigInt(units), nil
}

// smallDecimal returns a number in units of the last digit of NUMERIC, if it has few digits.
func smallDecimal(text []byte) (units int64, ok bool) {
	digits, scale, inFraction := text, 0, false
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		digits = text[1:]
	}
	if len(digits) > safeDigits-decimalScale {
		return 0, false
	}
	for _, digit := range digits {
		switch {
		case digit == '.':
			inFraction = true
			continue
		case inFraction:
			scale++
		}
		units = units*10 + int64(digit-'0')
	}
	for ; scale < decimalScale; scale++ {
		units *= 10
	}
	if negative {
		units = -units
	}
	return units, true
}
