package format

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

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
// DATETIME without a zone. JSON is a string.
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

// appendFunc appends a value to a builder.
type appendFunc func(value any) error

// appender returns the function that appends values of a column to its builder, as
// [sqlq.Result] documents them.
func appender(builder array.Builder, column *sqlq.Column) appendFunc {
	switch builder := builder.(type) {
	case *array.ListBuilder:
		return appendSingle(builder, column, appendList(builder, column))
	case *array.StructBuilder:
		return appendSingle(builder, column, appendStruct(builder, column))
	case *array.Decimal128Builder:
		return appendSingle(builder, column, func(value sqlq.Decimal) error {
			number, err := decimalOf(column, value)
			builder.Append(number)
			return err
		})
	case *array.Int64Builder:
		return appendSingle(builder, column, func(value int64) error { builder.Append(value); return nil })
	case *array.Float64Builder:
		return appendSingle(builder, column, func(value float64) error { builder.Append(value); return nil })
	case *array.BooleanBuilder:
		return appendSingle(builder, column, func(value bool) error { builder.Append(value); return nil })
	case *array.TimestampBuilder:
		return appendSingle(builder, column, func(value time.Time) error {
			builder.Append(arrow.Timestamp(value.UnixMicro()))
			return nil
		})
	case *array.Date32Builder:
		return appendSingle(builder, column, func(value time.Time) error { builder.Append(arrow.Date32FromTime(value)); return nil })
	case *array.StringBuilder:
		if column.Type == sqlq.JSON {
			return appendSingle(builder, column, func(value json.RawMessage) error { builder.Append(string(value)); return nil })
		}
		return appendSingle(builder, column, func(value string) error { builder.Append(value); return nil })
	}
	panic(fmt.Sprintf("format: no column has values of %T", builder))
}

// appendSingle returns a function that appends NULL, or a value of a Go type.
func appendSingle[T any](builder array.Builder, column *sqlq.Column, appendValue func(T) error) appendFunc {
	return func(value any) error {
		if value == nil {
			builder.AppendNull()
			return nil
		}
		typed, ok := value.(T)
		if !ok {
			return fmt.Errorf("column %s has a value of type %T instead of %T", column.Name, value, typed)
		}
		return appendValue(typed)
	}
}

func appendList(builder *array.ListBuilder, column *sqlq.Column) func([]any) error {
	appendElement := appender(builder.ValueBuilder(), column.Element())
	return func(elements []any) error {
		builder.Append(true)
		for _, element := range elements {
			if err := appendElement(element); err != nil {
				return err
			}
		}
		return nil
	}
}

func appendStruct(builder *array.StructBuilder, column *sqlq.Column) func([]any) error {
	appends := make([]appendFunc, len(column.Fields))
	for i := range column.Fields {
		appends[i] = appender(builder.FieldBuilder(i), &column.Fields[i])
	}
	return func(values []any) error {
		builder.Append(true)
		for i, value := range values {
			if err := appends[i](value); err != nil {
				return err
			}
		}
		return nil
	}
}

// decimalOf returns a NUMERIC in units of its last digit. A number with more digits, such as a
// BIGNUMERIC can have, is an error: it is never rounded.
func decimalOf(column *sqlq.Column, number sqlq.Decimal) (decimal128.Num, error) {
	if _, err := sqlq.ParseNumeric(string(number)); err != nil {
		return decimal128.Num{}, sqlq.Errorf(sqlq.InvalidArgument,
			"column %s has the number %s; Parquet and Arrow hold at most 29 digits before and 9 after the point; use another format", column.Name, number)
	}
	whole, fraction, _ := strings.Cut(string(number), ".")
	digits := whole + fraction + strings.Repeat("0", decimalScale-len(fraction))
	if len(digits) <= safeDigits {
		units, err := strconv.ParseInt(digits, 10, 64)
		return decimal128.FromI64(units), err
	}
	units, ok := new(big.Int).SetString(digits, 10)
	if !ok { // cannot happen: a Decimal is made of digits
		return decimal128.Num{}, fmt.Errorf("column %s has a NUMERIC that is none", column.Name)
	}
	return decimal128.FromBigInt(units), nil
}
