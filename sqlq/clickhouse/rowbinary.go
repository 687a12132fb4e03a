package clickhouse

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"savedq/sqlq"
)

// rowFormat is the format of rows: the names of the columns, their types, and then the values of each row, as
// https://clickhouse.com/docs/interfaces/formats/RowBinary documents them. Unlike the blocks that the client decodes, it is
// the same for every protocol revision, keeps the order of a Tuple's fields, and needs memory for a row only.
const rowFormat = "RowBinaryWithNamesAndTypes"

// errRows means that the rows are not in [rowFormat].
var errRows = errors.New("the rows of ClickHouse cannot be read")

// longestText bounds a text in a row, which a broken response could make endless.
const longestText = 1 << 30

// rowReader reads rows.
type rowReader struct {
	input *bufio.Reader
	// names and types describe the columns of the response.
	names []string
	types []*valueType
	// size is about how many bytes the values have that were read.
	size int
}

// newRowReader reads the names and the types of the columns.
func newRowReader(input io.Reader) (*rowReader, error) {
	const bufferSize = 64 << 10
	r := &rowReader{input: bufio.NewReaderSize(input, bufferSize)}
	count, err := binary.ReadUvarint(r.input)
	if err != nil {
		return nil, err
	}
	const mostColumns = 10_000
	if count > mostColumns {
		return nil, fmt.Errorf("%w: %d columns", errRows, count)
	}
	for range count {
		name, err := r.text()
		if err != nil {
			return nil, unexpected(err)
		}
		r.names = append(r.names, name)
	}
	for range count {
		name, err := r.text()
		if err != nil {
			return nil, unexpected(err)
		}
		parsed, err := parseType(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errRows, err)
		}
		r.types = append(r.types, parsed)
	}
	if !slices.ContainsFunc(r.types, takesBytes) { // they would have no end
		return nil, fmt.Errorf("%w: rows of no bytes", errRows)
	}
	return r, nil
}

// unexpected returns the error of a response that ends in a row.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// plan returns the columns of the response.
func (r *rowReader) plan() *sqlq.Plan {
	plan := new(sqlq.Plan)
	for i, name := range r.names {
		plan.Columns = append(plan.Columns, r.types[i].planned(name))
	}
	return plan
}

// next reads a row for columns. It returns io.EOF after the last one.
func (r *rowReader) next(columns []sqlq.Column) ([]any, error) {
	if _, err := r.input.Peek(1); err != nil {
		return nil, err
	}
	row := make([]any, len(r.types))
	for i, kind := range r.types {
		value, err := r.value(kind)
		if err == nil {
			row[i], err = convert(&columns[i], kind, value)
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", r.names[i], unexpected(err))
		}
	}
	return row, nil
}

// readable reports whether a value of a type can be read.
func readable(t *valueType) bool {
	switch t.name {
	case "String", "FixedString", "UUID", "Enum8", "Enum16", "IPv4", "IPv6", "Bool", "Float32", "Float64", "Decimal", "DateTime", "DateTime64", "Date", "Date32",
		"Nothing", "JSON", "Object", "Int8", "Int16", "Int32", "Int64", "Int128", "Int256", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "UInt256":
		return true
	case "Array", "Map", "Tuple":
		return !slices.ContainsFunc(t.inner, func(inner *valueType) bool { return !readable(inner) })
	}
	return false
}

// value reads a value: nil, bool, int64, *big.Int, float64, sqlq.Decimal, string, time.Time or []any, which for a Map has a
// key and a value in turn.
func (r *rowReader) value(t *valueType) (any, error) {
	if t.nullable {
		isNull, err := r.input.ReadByte()
		if err != nil || isNull != 0 {
			return nil, err
		}
	}
	switch t.name {
	case "Array":
		return r.list(t.inner)
	case "Map":
		return r.list(t.inner)
	case "Tuple":
		return r.values(t.inner, 1)
	case "String", "JSON", "Object":
		return r.text()
	case "FixedString":
		return r.bytes(t.size)
	}
	return r.number(t)
}

// list reads the values of an Array, or the keys and the values of a Map.
func (r *rowReader) list(types []*valueType) (any, error) {
	count, err := binary.ReadUvarint(r.input)
	if err != nil {
		return nil, err
	}
	if count > longestText || count > 0 && !slices.ContainsFunc(types, takesBytes) {
		return nil, fmt.Errorf("%w: a list of %d values", errRows, count)
	}
	return r.values(types, int(count))
}

// takesBytes reports whether values of a type take bytes, so that a list of many has to arrive first.
func takesBytes(t *valueType) bool {
	switch {
	case t.nullable:
		return true
	case t.name == "Tuple":
		return slices.ContainsFunc(t.inner, takesBytes)
	case t.name == "FixedString":
		return t.size > 0
	}
	return t.name != "Nothing"
}

// values reads values of types, in turn.
func (r *rowReader) values(types []*valueType, times int) (any, error) {
	values := make([]any, 0, min(times*len(types), 1<<10))
	for range times {
		for _, kind := range types {
			value, err := r.value(kind)
			if err != nil {
				return nil, unexpected(err)
			}
			values = append(values, value)
		}
	}
	return values, nil
}

// text reads a text with its length.
func (r *rowReader) text() (string, error) {
	length, err := binary.ReadUvarint(r.input)
	if err != nil {
		return "", err
	}
	if length > longestText {
		return "", fmt.Errorf("%w: a text of %d bytes", errRows, length)
	}
	return r.bytes(int(length))
}

// bytes reads a text of a length. Memory grows with what arrives.
func (r *rowReader) bytes(length int) (string, error) {
	r.size += length
	const step = 1 << 20
	text := make([]byte, 0, min(length, step))
	for len(text) < length {
		start := len(text)
		text = slices.Grow(text, min(length-start, step))[:min(length, start+step)]
		if _, err := io.ReadFull(r.input, text[start:]); err != nil {
			return "", unexpected(err)
		}
	}
	return string(text), nil
}

// number reads a value of a fixed size.
func (r *rowReader) number(t *valueType) (any, error) {
	size := sizeOf(t)
	if size < 0 {
		return nil, fmt.Errorf("%w: values of the type %s cannot be read; convert them in the SQL", errRows, t.text)
	}
	var buffer [32]byte
	data := buffer[:size]
	if _, err := io.ReadFull(r.input, data); err != nil {
		return nil, unexpected(err)
	}
	r.size += size
	switch t.name {
	case "Nothing":
		return nil, nil //nolint:nilnil // nil is the value NULL.
	case "Bool":
		return data[0] != 0, nil
	case "Float32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data))), nil
	case "Float64":
		return math.Float64frombits(binary.LittleEndian.Uint64(data)), nil
	case "UInt64", "UInt128", "UInt256":
		return wholeNumber(littleEndian(data, false)), nil
	case "Decimal":
		return sqlq.ParseDecimal(decimalText(littleEndian(data, true), t.scale))
	case "Enum8", "Enum16":
		return t.words[signed(data)], nil
	case "UUID":
		return uuidText(data), nil
	case "IPv4":
		return netip.AddrFrom4([4]byte{data[3], data[2], data[1], data[0]}).String(), nil
	case "IPv6":
		return netip.AddrFrom16([16]byte(data)).String(), nil
	case "Date":
		return day(int64(binary.LittleEndian.Uint16(data))), nil
	case "Date32":
		return day(signed(data)), nil
	case "DateTime":
		return time.Unix(int64(binary.LittleEndian.Uint32(data)), 0).UTC(), nil
	case "DateTime64":
		return moment(signed(data), t.scale), nil
	case "UInt8", "UInt16", "UInt32":
		return littleEndian(data, false).Int64(), nil
	case "Int128", "Int256":
		return wholeNumber(littleEndian(data, true)), nil
	}
	return signed(data), nil
}

// sizeOf returns how many bytes a value has; -1 for a type that is not known.
func sizeOf(t *valueType) int {
	switch t.name {
	case "Nothing":
		return 0
	case "Bool", "Int8", "UInt8", "Enum8":
		return 1
	case "Int16", "UInt16", "Enum16", "Date":
		return 2
	case "Int32", "UInt32", "Float32", "Date32", "DateTime", "IPv4":
		return 4
	case "Int64", "UInt64", "Float64", "DateTime64":
		return 8
	case "Int128", "UInt128", "UUID", "IPv6":
		return 16
	case "Int256", "UInt256":
		return 32
	case "Decimal":
		return t.size
	}
	return -1
}

// signed returns an integer of at most eight bytes.
func signed(data []byte) int64 {
	var number uint64
	for _, part := range slices.Backward(data) {
		number = number<<8 | uint64(part)
	}
	shift := 64 - 8*len(data)
	return int64(number<<shift) >> shift //nolint:gosec // the sign is kept
}

// littleEndian returns an integer of any size.
func littleEndian(data []byte, isSigned bool) *big.Int {
	reversed := slices.Clone(data)
	slices.Reverse(reversed)
	number := new(big.Int).SetBytes(reversed)
	if isSigned && reversed[0] >= 0x80 {
		number.Sub(number, new(big.Int).Lsh(big.NewInt(1), uint(8*len(data))))
	}
	return number
}

// wholeNumber returns an integer, as an int64 if it fits.
func wholeNumber(number *big.Int) any {
	if number.IsInt64() {
		return number.Int64()
	}
	return number
}

// decimalText returns the text of units of a scale.
func decimalText(units *big.Int, scale int) string {
	return units.String() + "e-" + strconv.Itoa(scale)
}

// day returns a date from the days since 1970.
func day(days int64) time.Time { return time.Unix(days*24*60*60, 0).UTC() }

// moment returns a time from the ticks since 1970, to the microsecond before.
func moment(ticks int64, scale int) time.Time {
	const micro = 6
	for ; scale > micro; scale-- {
		ticks = (ticks - (ticks%10+10)%10) / 10
	}
	for ; scale < micro; scale++ {
		ticks *= 10
	}
	return time.UnixMicro(ticks).UTC()
}

// uuidText returns a UUID, whose halves are little-endian each.
func uuidText(data []byte) string {
	var id uuid.UUID
	for i := range 8 {
		id[i], id[8+i] = data[7-i], data[15-i]
	}
	return id.String()
}

// convert returns a value that was read as [sqlq.Result] documents it.
func convert(column *sqlq.Column, t *valueType, value any) (any, error) {
	switch {
	case column.Type == sqlq.JSON:
		return convertJSON(t, value)
	case column.Type.IsArray():
		return convertArray(column, t, value)
	case value == nil:
		return nil, nil //nolint:nilnil // nil is the value NULL.
	case column.Type == sqlq.Struct:
		return convertStruct(column, t, value)
	}
	return convertScalar(column.Type, value)
}

// errOutOfRange means that an integer does not fit into the declared type.
var errOutOfRange = errors.New("a number is out of the range of INT64; convert it in the SQL")

// convertScalar converts a single value.
func convertScalar(declared sqlq.Type, value any) (any, error) {
	switch value := value.(type) {
	case bool:
		return value, nil
	case int64:
		switch declared { //nolint:exhaustive // The others are the number itself.
		case sqlq.Bool:
			return value != 0, nil
		case sqlq.Float64:
			return float64(value), nil
		case sqlq.Numeric:
			return sqlq.Decimal(strconv.FormatInt(value, 10)), nil
		}
		return value, nil
	case *big.Int:
		switch declared { //nolint:exhaustive // No other type holds it.
		case sqlq.Float64:
			number, _ := new(big.Float).SetInt(value).Float64()
			return number, nil
		case sqlq.Numeric:
			return sqlq.Decimal(value.String()), nil
		}
		return nil, errOutOfRange
	case sqlq.Decimal:
		switch declared { //nolint:exhaustive // The others are the number itself.
		case sqlq.Float64:
			return strconv.ParseFloat(string(value), 64)
		case sqlq.String:
			return string(value), nil
		}
		return value, nil
	case time.Time:
		if declared == sqlq.String {
			return value.Format(time.DateOnly), nil
		}
		return value, nil
	}
	return value, nil
}

// convertArray converts an Array. There is no NULL array: an absent one is empty.
func convertArray(column *sqlq.Column, t *valueType, value any) (any, error) {
	elements, _ := value.([]any)
	converted, element := make([]any, len(elements)), column.Element()
	for i, value := range elements {
		var err error
		if converted[i], err = convert(element, t.inner[0], value); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// convertStruct converts a Tuple.
func convertStruct(column *sqlq.Column, t *valueType, value any) (any, error) {
	values, isTuple := value.([]any)
	if !isTuple || len(values) != len(column.Fields) {
		return nil, fmt.Errorf("%w: a STRUCT of other fields", errRows)
	}
	converted := make([]any, len(values))
	for i, value := range values {
		var err error
		if converted[i], err = convert(&column.Fields[i], t.inner[i], value); err != nil {
			return nil, fmt.Errorf("%s: %w", column.Fields[i].Name, err)
		}
	}
	return converted, nil
}

// convertJSON converts a value of any type to JSON. A text is a JSON document, as ClickHouse's functions of JSON have it, or
// else a string.
func convertJSON(t *valueType, value any) (any, error) {
	if value == nil {
		return nil, nil //nolint:nilnil // nil is the value NULL.
	}
	if text, isText := value.(string); isText && (t.name == "String" || t.name == "JSON" || t.name == "Object") && json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	return json.RawMessage(appendJSON(nil, t, value)), nil
}

// appendJSON appends a value as JSON: a Map and a Tuple with names as objects, and the rest as in D13. Numbers that readers of JSON would
// round are strings.
func appendJSON(dst []byte, t *valueType, value any) []byte {
	values, isNested := value.([]any)
	isMap, isNamed := t.name == "Map", len(t.fields) > 0
	if !isNested {
		return sqlq.AppendValue(dst, sqlq.Timestamp, scalarInJSON(t, value))
	}
	opening, closing := byte('['), byte(']')
	if isMap || isNamed {
		opening, closing = '{', '}'
	}
	dst = append(dst, opening)
	for i, value := range values {
		if i > 0 && (!isMap || i%2 == 0) {
			dst = append(dst, ',')
		}
		switch {
		case isNamed:
			dst = append(sqlq.AppendValue(dst, sqlq.String, t.fields[i]), ':')
			dst = appendJSON(dst, t.inner[i], value)
		case isMap && i%2 == 0:
			dst = append(sqlq.AppendValue(dst, sqlq.String, fmt.Sprint(value)), ':')
		case isMap:
			dst = appendJSON(dst, t.inner[1], value)
		case t.name == "Tuple":
			dst = appendJSON(dst, t.inner[i], value)
		default:
			dst = appendJSON(dst, t.inner[0], value)
		}
	}
	return append(dst, closing)
}

// scalarInJSON returns a value as it is in JSON.
func scalarInJSON(t *valueType, value any) any {
	switch value := value.(type) {
	case *big.Int:
		return value.String()
	case sqlq.Decimal:
		return string(value)
	case time.Time:
		if t.name == "Date" || t.name == "Date32" {
			return value.Format(time.DateOnly)
		}
	}
	return value
}
