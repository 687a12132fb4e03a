package sqlq

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Result is what an engine returns: rows. It must not be changed, because the cache and
// all callers share it.
type Result struct {
	Columns []Column
	// Rows holds one value per column, according to its type: nil (NULL), string, int64,
	// float64 (NaN and the infinities are [IsNull] in JSON), [Decimal], bool, time.Time (TIMESTAMP, DATETIME and DATE; UTC),
	// json.RawMessage (JSON), or []any, which holds the elements of an ARRAY, or a value for
	// each field of a STRUCT. An ARRAY is never nil (D28).
	Rows [][]any
	// Streamed is how many rows were passed to the Emit of the statement, and so are not in Rows.
	Streamed int
	// Truncated says that the query had more rows than it may return (D24).
	Truncated bool
	// Next is the cursor of the last row, for a saved query with pages that can have rows after it; empty otherwise.
	Next string
	// BytesProcessed is what the engine read of the tables and bills for; zero
	// where it does not count.
	BytesProcessed int64
	// ReusedRows is how many of the rows earlier runs have computed, and ReusedBytes how much
	// less was read because of that.
	ReusedRows  int
	ReusedBytes int64
}

// RowCount returns how many rows the result has, streamed ones included.
func (r *Result) RowCount() int { return len(r.Rows) + r.Streamed }

// RowsRead returns how many rows the engine has computed for the result.
func (r *Result) RowsRead() int { return r.RowCount() - r.ReusedRows }

// MaxResultBytes bounds the text of a result. Engines and caches hold results in memory,
// and rows can be few and yet large.
const MaxResultBytes = 64 << 20

// ResultBytes returns the most that the text of a result of the saved query can have.
func (q *SavedQuery) ResultBytes() int {
	if q.Callers != nil && q.Callers.MostBytes > 0 {
		return q.Callers.MostBytes
	}
	return MaxResultBytes
}

// ResultTooLarge returns the error for a result that is larger than [SavedQuery.ResultBytes].
func ResultTooLarge(most int) *Error {
	return Errorf(ResourceExhausted, "the rows take more than %s; ask for a shorter time range", FormatBytes(int64(most)))
}

// StreamRefused returns the error for a saved query with stream where its rows are not streamed.
func StreamRefused(query *SavedQuery) *Error {
	return Errorf(InvalidArgument, "the rows of %s are a stream, which JSON, GraphQL and MCP do not have; ask REST for it with format=ndjson, csv, parquet or arrow", query.Name)
}

// Check returns an error if the rows cannot be encoded: a row that does not have a value
// for each column, or a value that its column cannot have.
func (r *Result) Check() error {
	for i, row := range r.Rows {
		if len(row) != len(r.Columns) {
			return fmt.Errorf("the engine returned %d values for the %d columns of row %d", len(row), len(r.Columns), i+1)
		}
		for j, value := range row {
			if err := r.Columns[j].check(value); err != nil {
				return fmt.Errorf("column %q of row %d: %w", r.Columns[j].Name, i+1, err)
			}
		}
	}
	return nil
}

// check returns an error if a value cannot be encoded.
func (c *Column) check(value any) error {
	values, nested := value.([]any)
	if !nested {
		return c.checkSingle(value)
	}
	switch {
	case c.Type.IsArray():
		element := c.Element()
		for _, value := range values {
			if err := element.check(value); err != nil {
				return err
			}
		}
		return nil
	case c.Type != Struct:
		return fmt.Errorf("the engine returned a nested value for the type %s", c.Type)
	case len(values) != len(c.Fields):
		return fmt.Errorf("the engine returned %d values for the %d fields of a STRUCT", len(values), len(c.Fields))
	}
	for i, value := range values {
		if err := c.Fields[i].check(value); err != nil {
			return fmt.Errorf("field %s: %w", c.Fields[i].Name, err)
		}
	}
	return nil
}

func (c *Column) checkSingle(value any) error {
	switch value.(type) {
	case string, int64, float64, Decimal, bool, time.Time, json.RawMessage:
		if !c.Type.IsArray() && c.Type != Struct {
			return nil
		}
	case nil:
		if !c.Type.IsArray() {
			return nil
		}
	}
	return fmt.Errorf("the engine returned a value of type %T for the type %s", value, c.Type)
}

// AppendJSON appends the rows as a list of objects, keys in column order, with
// the types of D13.
func (r *Result) AppendJSON(dst []byte) []byte {
	encoder := NewRowEncoder(r.Columns)
	dst = append(slices.Grow(dst, encoder.rowBytes*len(r.Rows)), '[')
	for i, row := range r.Rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = encoder.AppendJSON(dst, row)
	}
	return append(dst, ']')
}

// RowEncoder encodes rows as JSON.
type RowEncoder struct {
	columns []Column
	keys    [][]byte
	times   timeFormat
	// rowBytes is about what a row has.
	rowBytes int
}

// timeFormat says how a TIMESTAMP is encoded.
type timeFormat bool

const (
	microseconds timeFormat = false // since the epoch (D13)
	iso8601      timeFormat = true
)

// NewRowEncoder returns an encoder of rows with columns.
func NewRowEncoder(columns []Column) *RowEncoder {
	const valueBytes = 12 // about what a number has
	e := &RowEncoder{columns: columns, keys: make([][]byte, len(columns))}
	for i, column := range columns {
		e.keys[i] = append(appendString(nil, column.Name), ':')
		e.rowBytes += len(e.keys[i]) + valueBytes
	}
	return e
}

// WithISOTimes returns the encoder, which encodes a TIMESTAMP as text in ISO 8601, such as
// 2026-11-20T10:00:00.5Z.
func (e *RowEncoder) WithISOTimes() *RowEncoder {
	e.times = iso8601
	return e
}

// AppendJSON appends a row as an object, keys in column order, with the types of D13.
func (e *RowEncoder) AppendJSON(dst []byte, row []any) []byte {
	dst = append(dst, '{')
	for j, value := range row {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e.keys[j]...)
		dst = e.columns[j].appendJSON(dst, value, e.times)
	}
	return append(dst, '}')
}

// AppendJSON appends a value of the column as JSON: an ARRAY as a list, a STRUCT as an object
// with its fields in their order, and any other type as [AppendValue] does.
func (c *Column) AppendJSON(dst []byte, value any) []byte {
	return c.appendJSON(dst, value, microseconds)
}

func (c *Column) appendJSON(dst []byte, value any, times timeFormat) []byte {
	values, nested := value.([]any)
	switch {
	case !nested:
		if at, isTime := value.(time.Time); isTime && c.Type == Timestamp && times == iso8601 {
			return at.UTC().AppendFormat(dst, `"2006-01-02T15:04:05.999999Z"`)
		}
		return AppendValue(dst, c.Type, value)
	case c.Type.IsArray():
		element := c.Element()
		dst = append(dst, '[')
		for i, value := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element.appendJSON(dst, value, times)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		field := &c.Fields[i]
		dst = append(appendString(dst, field.Name), ':')
		dst = field.appendJSON(dst, value, times)
	}
	return append(dst, '}')
}

// AppendValue appends a value that is not nested as JSON: TIMESTAMP as microseconds since the
// epoch, DATETIME and DATE as text, NaN and infinities as null (D13), and NUMERIC as a number with
// all its digits (D42).
func AppendValue(dst []byte, columnType Type, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, value)
	case int64:
		return strconv.AppendInt(dst, value, 10)
	case float64:
		return appendFloat(dst, value)
	case Decimal:
		return append(dst, value...)
	case string:
		return appendString(dst, value)
	case json.RawMessage:
		return append(dst, value...)
	case time.Time:
		if columnType == Timestamp {
			return strconv.AppendInt(dst, value.UnixMicro(), 10)
		}
		dst = append(dst, '"')
		dst = value.AppendFormat(dst, timeLayout(columnType, value))
		return append(dst, '"')
	default:
		panic(fmt.Sprintf("sqlq: an engine returned a value of type %T", value))
	}
}

// IsNull reports whether a value is null in JSON: NULL, NaN or an infinity (D13).
func IsNull(value any) bool {
	number, ok := value.(float64)
	return value == nil || ok && (math.IsNaN(number) || math.IsInf(number, 0))
}

// FormatTime formats a DATETIME or DATE as text (D13).
func FormatTime(columnType Type, value time.Time) string {
	return value.Format(timeLayout(columnType, value))
}

func timeLayout(columnType Type, value time.Time) string {
	switch {
	case columnType == Date:
		return time.DateOnly
	case value.Nanosecond() == 0:
		return "2006-01-02T15:04:05"
	default:
		return "2006-01-02T15:04:05.000000"
	}
}

// appendFloat appends a number as JavaScript formats it: exponents only for the very
// large and the very small.
func appendFloat(dst []byte, value float64) []byte {
	if IsNull(value) {
		return append(dst, "null"...)
	}
	const smallest, largest = 1e-6, 1e21
	if size := math.Abs(value); size != 0 && (size < smallest || size >= largest) {
		return strconv.AppendFloat(dst, value, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, value, 'f', -1, 64)
}

// appendString appends a JSON string. It copies plain text, which is the usual case, and
// leaves the rest to encoding/json.
func appendString(dst []byte, text string) []byte {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b >= 0x7f || b == '"' || b == '\\' {
			return appendEscaped(dst, text)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

// appendEscaped appends a JSON string with the escapes that it needs, but not those for
// HTML: a response is not a page.
func appendEscaped(dst []byte, text string) []byte {
	buffer := bytes.NewBuffer(dst)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil { // cannot happen with a string
		panic(fmt.Sprintf("sqlq: encode a string: %v", err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
