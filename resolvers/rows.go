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

// rowField is a selected field of a row's object or of a nested object, or the element of a
// list in one.
type rowField struct {
	// key is the response key as JSON, with its colon.
	key []byte
	// typename is the value of __typename as JSON; nil for all other fields.
	typename []byte
	// column is the field's column, and index its position in a row or a STRUCT.
	column *sqlq.Column
	index  int
	// element is what a list holds, object are the selected fields of an object, and scalar
	// is set for all other fields.
	element *rowField
	object  []rowField
	scalar  scalar
	field   *ast.Field
}

// valueError is the error of a value that its field cannot have.
type valueError struct {
	// path leads from the field's rows to the value.
	path  ast.Path
	field *ast.Field
	err   error
}

func (e *valueError) Error() string { return e.err.Error() }
func (e *valueError) Unwrap() error { return e.err }

// in returns the error with an element in front of its path.
func (e *valueError) in(element ast.PathElement) *valueError {
	e.path = append(ast.Path{element}, e.path...)
	return e
}

// encodeRows returns the rows as a JSON list of objects with the selected fields. It
// returns an error if a row violates the schema.
func encodeRows(operation *graphql.OperationContext, result *sqlq.Result, field *graph.Field, selected graphql.CollectedField) ([]byte, error) {
	fields, err := rowFields(operation, result.Columns, field.Columns, selected.Selections, field.Row)
	if err != nil {
		return nil, err
	}
	encoded := make([]byte, 0, sizeOfRows(fields, len(result.Rows)))
	encoded = append(encoded, '[')
	for i, row := range result.Rows {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		var faulty *valueError
		if encoded, faulty = appendObject(encoded, fields, row); faulty != nil {
			return nil, faulty.in(ast.PathIndex(i))
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

// rowFields returns the fields that are selected of an object type. It finds their columns by
// name, because an engine may return them in any order.
func rowFields(operation *graphql.OperationContext, columns []sqlq.Column, declared []graph.ColumnField, selections ast.SelectionSet, object string) ([]rowField, error) {
	indexes := make(map[string]int, len(columns))
	for i := range columns {
		indexes[columns[i].Name] = i
	}
	byName := make(map[string]*graph.ColumnField, len(declared))
	for i := range declared {
		byName[declared[i].Name] = &declared[i]
	}
	selected := graphql.CollectFields(operation, selections, []string{object})
	fields := make([]rowField, len(selected))
	for i, field := range selected {
		fields[i].key = append(sqlq.AppendValue(nil, sqlq.String, field.Alias), ':')
		if field.Name == "__typename" {
			fields[i].typename = sqlq.AppendValue(nil, sqlq.String, field.ObjectDefinition.Name)
			continue
		}
		column := byName[field.Name]
		index, ok := indexes[column.Column.Name]
		if !ok {
			return nil, fmt.Errorf("column %s is missing", column.Column.Name)
		}
		fields[i].column, fields[i].index, fields[i].field = column.Column, index, field.Field
		if column.Fields == nil {
			fields[i].scalar = scalarOf(column.Type)
		} else {
			var err error
			if fields[i].object, err = rowFields(operation, column.Column.Fields, column.Fields, field.Selections, column.Type); err != nil {
				return nil, err
			}
		}
		fields[i].nest()
	}
	return fields, nil
}

// nest adds the elements of a list, and of the lists in it.
func (f *rowField) nest() {
	if !f.column.Type.IsArray() {
		return
	}
	element := *f
	element.column = f.column.Element()
	element.nest()
	f.element = &element
}

// appendObject appends an object: a row, or a STRUCT.
func appendObject(dst []byte, fields []rowField, values []any) ([]byte, *valueError) {
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
		var faulty *valueError
		if dst, faulty = field.appendValue(dst, values[field.index]); faulty != nil {
			return nil, faulty.in(ast.PathName(field.field.Alias))
		}
	}
	return append(dst, '}'), nil
}

func (f *rowField) appendValue(dst []byte, value any) ([]byte, *valueError) {
	if value == nil {
		if !f.column.Nullable {
			return nil, f.errorf("column %s is null", f.column.Name)
		}
		return append(dst, "null"...), nil
	}
	if f.scalar == nil || f.element != nil {
		return f.appendNested(dst, value)
	}
	dst, fit := f.scalar(dst, value)
	switch fit {
	case fits:
		return dst, nil
	case tooLarge:
		return nil, &valueError{field: f.field, err: sqlq.Errorf(sqlq.Internal, "%s is %v, which is more than %s; REST has the exact value", f.field.Name, value, largest(f.field))}
	default:
		return nil, f.errorf("column %s holds a value of type %T that its field cannot have", f.column.Name, value)
	}
}

// appendNested appends a list or an object.
func (f *rowField) appendNested(dst []byte, value any) ([]byte, *valueError) {
	values, ok := value.([]any)
	switch {
	case !ok:
		return nil, f.errorf("column %s holds a value of type %T that its field cannot have", f.column.Name, value)
	case f.element == nil && len(values) != len(f.column.Fields):
		return nil, f.errorf("column %s holds %d values for the %d fields of a STRUCT", f.column.Name, len(values), len(f.column.Fields))
	case f.element == nil:
		return appendObject(dst, f.object, values)
	}
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		var faulty *valueError
		if dst, faulty = f.element.appendValue(dst, value); faulty != nil {
			return nil, faulty.in(ast.PathIndex(i))
		}
	}
	return append(dst, ']'), nil
}

func (f *rowField) errorf(format string, args ...any) *valueError {
	return &valueError{field: f.field, err: fmt.Errorf(format, args...)}
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
