package formattest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// Arrow returns the rows of a stream, read by Arrow's own library.
func Arrow(tb testing.TB, encoded []byte, columns []sqlq.Column) (rows [][]any) {
	tb.Helper()
	reader, err := ipc.NewReader(bytes.NewReader(encoded))
	require.NoError(tb, err)
	defer reader.Release()
	for reader.Next() {
		record := reader.RecordBatch()
		for n := range int(record.NumRows()) {
			row := make([]any, len(columns))
			for i := range columns {
				row[i] = fromArrow(tb, &columns[i], record.Column(i), n)
			}
			rows = append(rows, row)
		}
	}
	require.NoError(tb, reader.Err())
	return rows
}

// fromArrow returns a value of an array as [sqlq.Result] documents it.
func fromArrow(tb testing.TB, column *sqlq.Column, values arrow.Array, n int) any {
	tb.Helper()
	if values.IsNull(n) {
		return nil
	}
	switch values := values.(type) {
	case *array.Int64:
		return values.Value(n)
	case *array.Float64:
		return values.Value(n)
	case *array.Boolean:
		return values.Value(n)
	case *array.String:
		switch column.Type { //nolint:exhaustive // The others are no strings.
		case sqlq.JSON:
			return json.RawMessage(values.Value(n))
		case sqlq.Numeric:
			return sqlq.Decimal(strings.Clone(values.Value(n)))
		}
		return strings.Clone(values.Value(n))
	case *array.Decimal128:
		number, err := sqlq.ParseDecimal(values.Value(n).ToString(9))
		require.NoError(tb, err)
		return number
	case *array.Timestamp:
		return time.UnixMicro(int64(values.Value(n))).UTC()
	case *array.Date32:
		return values.Value(n).ToTime()
	case *array.List:
		elements := []any{}
		start, end := values.ValueOffsets(n)
		for i := start; i < end; i++ {
			elements = append(elements, fromArrow(tb, column.Element(), values.ListValues(), int(i)))
		}
		return elements
	case *array.Struct:
		fields := make([]any, len(column.Fields))
		for i := range column.Fields {
			fields[i] = fromArrow(tb, &column.Fields[i], values.Field(i), n)
		}
		return fields
	}
	tb.Fatalf("an array of type %T", values)
	return nil
}
