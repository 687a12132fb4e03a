package resolvers

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/graph"
	"savedq/sqlq"
)

// rowField is a selected field of a row's object.
type rowField struct {
	// key is the response key as JSON, with its colon.
	key []byte
	// typename is the value of __typename as JSON; nil for all other fields.
	typename []byte
	// column is the name of the field's column for messages, and index its position in a row.
	column   string
	index    int
	nullable bool
	scalar   scalar
	field    *ast.Field
}

// valueError is the error of a value in a row that its field cannot have.
type valueError struct {
	row   int
	field *ast.Field
	err   error
}

func (e *valueError) Error() string { return e.err.Error() }
func (e *valueError) Unwrap() error { return e.err }

// encodeRows returns the rows as a JSON list of objects with the selected fields. It
// returns an error if a row violates the schema.
func encodeRows(result *sqlq.Result, field *graph.Field, selected []graphql.CollectedField) ([]byte, error) {
	fields, err := rowFields(result.Columns, field, selected)
	if err != nil {
		return nil, err
	}
	encoded := make([]byte, 0, sizeOfRows(fields, len(result.Rows)))
	encoded = append(encoded, '[')
	for i, row := range result.Rows {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		var faulty *rowField
		if encoded, faulty, err = appendObject(encoded, fields, row); err != nil {
			return nil, &valueError{row: i, field: faulty.field, err: err}
		}
	}
	return append(encoded, ']'), nil
}

// sizeOfRows estimates the size of the encoded rows in bytes. Growing the slice stepwise
// would take a third of the time.
func sizeOfRows(fields []rowField, rows int) int {
	const perValue = 24 // bytes, with a comma; append grows the slice for longer values
	perRow := len("{},")
	for i := range fields {
		perRow += len(fields[i].key) + perValue
	}
	return len("[]") + rows*perRow
}

// rowFields finds the columns of the selected fields by name: an engine may return them in
// any order.
func rowFields(columns []sqlq.Column, field *graph.Field, selected []graphql.CollectedField) ([]rowField, error) {
	indexes := make(map[string]int, len(columns))
	for i, column := range columns {
		indexes[field.ColumnName(column.Name)] = i
	}
	fields := make([]rowField, len(selected))
	for i, field := range selected {
		fields[i].key = append(sqlq.AppendValue(nil, sqlq.String, field.Alias), ':')
		if field.Name == "__typename" {
			fields[i].typename = sqlq.AppendValue(nil, sqlq.String, field.ObjectDefinition.Name)
			continue
		}
		index, ok := indexes[field.Name]
		if !ok {
			return nil, fmt.Errorf("column %s is missing", field.Name)
		}
		fieldType := field.Definition.Type
		fields[i].column, fields[i].index = columns[index].Name, index
		fields[i].nullable, fields[i].scalar = !fieldType.NonNull, scalarOf(fieldType.Name())
		fields[i].field = field.Field
	}
	return fields, nil
}

// appendObject appends the object of a row. With an error, it returns the field that the
// error is about.
func appendObject(dst []byte, fields []rowField, row []any) ([]byte, *rowField, error) {
	dst = append(dst, '{')
	for i := range fields {
		field := &fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, field.key...)
		if field.typename != nil {
			dst = append(dst, field.typename...)
			continue
		}
		var err error
		if dst, err = field.appendValue(dst, row[field.index]); err != nil {
			return nil, field, err
		}
	}
	return append(dst, '}'), nil, nil
}

func (f *rowField) appendValue(dst []byte, value any) ([]byte, error) {
	if value == nil {
		if !f.nullable {
			return nil, fmt.Errorf("column %s is null", f.column)
		}
		return append(dst, "null"...), nil
	}
	dst, fit := f.scalar(dst, value)
	switch fit {
	case fits:
		return dst, nil
	case tooLarge:
		return nil, sqlq.Errorf(sqlq.Internal, "%s is %v, which is more than %s; REST has the exact value", f.field.Name, value, largest(f.field))
	default:
		return nil, fmt.Errorf("column %s holds a value of type %T that its field cannot have", f.column, value)
	}
}

// largest describes the largest integer of a field.
func largest(field *ast.Field) string {
	if field.Definition.Type.Name() == "Int" {
		return "the 32 bits of GraphQL's Int"
	}
	return "every client reads exactly"
}

// fit is the result of fitting a value to a scalar.
type fit int

const (
	fits fit = iota
	wrongType
	// tooLarge is an integer, positive or negative, beyond the bounds of the scalar: GraphQL
	// (section 3.5.1) bounds Int, and D27 Int64.
	tooLarge
)

// scalar appends a non-null value if it fits.
type scalar func(dst []byte, value any) ([]byte, fit)

// scalarOf returns the scalar of a name. A name that no column of the schema has fits no
// value.
func scalarOf(name string) scalar {
	switch name {
	case "Time":
		return appendTime
	case "JSON":
		return appendJSON
	case "Date":
		return appendDate
	case "Int":
		return appendInteger(math.MinInt32, math.MaxInt32)
	case "Int64":
		const exact = 1<<53 - 1
		return appendInteger(-exact, exact)
	case "Float":
		return appendPlain[float64]
	case "String", "ID":
		return appendPlain[string]
	case "Boolean":
		return appendPlain[bool]
	}
	return func(dst []byte, _ any) ([]byte, fit) { return dst, wrongType }
}

func appendTime(dst []byte, value any) ([]byte, fit) {
	instant, ok := value.(time.Time)
	if !ok {
		return dst, wrongType
	}
	dst = append(dst, '"')
	dst = graph.AppendTime(dst, instant)
	return append(dst, '"'), fits
}

// appendJSON checks the value, because invalid JSON would break the whole response.
func appendJSON(dst []byte, value any) ([]byte, fit) {
	raw, ok := value.(json.RawMessage)
	if !ok || !json.Valid(raw) {
		return dst, wrongType
	}
	return append(dst, raw...), fits
}

// appendPlain appends a value that GraphQL and REST encode alike.
func appendPlain[T float64 | string | bool](dst []byte, value any) ([]byte, fit) {
	if _, ok := value.(T); !ok {
		return dst, wrongType
	}
	return sqlq.AppendValue(dst, "", value), fits
}

func appendDate(dst []byte, value any) ([]byte, fit) {
	if _, ok := value.(time.Time); !ok {
		return dst, wrongType
	}
	return sqlq.AppendValue(dst, sqlq.Date, value), fits
}

// appendInteger returns the scalar of the integers between two bounds.
func appendInteger(least, most int64) scalar {
	return func(dst []byte, value any) ([]byte, fit) {
		number, ok := value.(int64)
		switch {
		case !ok:
			return dst, wrongType
		case number < least || number > most:
			return dst, tooLarge
		}
		return strconv.AppendInt(dst, number, 10), fits
	}
}
