package resolvers

import (
	"encoding/json"
	"fmt"
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

// encodeRows returns the rows as a JSON list of objects with the selected fields, and an error
// for each value that its field cannot have. Such a value is null if its field may be null, and
// otherwise makes the object or list around it null (GraphQL, section 6.4.4); encoded is nil if
// that leaves no rows.
func encodeRows(operation *graphql.OperationContext, result *sqlq.Result, field *graph.Field, selected graphql.CollectedField) (encoded []byte, faults []*valueError, err error) {
	fields, err := rowFields(operation, result.Columns, field.Columns, selected.Selections, field.Row)
	if err != nil {
		return nil, nil, err
	}
	var rows rowEncoder
	encoded = append(make([]byte, 0, sizeOfRows(fields, len(result.Rows))), '[')
	for i, row := range result.Rows {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		var ok bool
		before := len(rows.faults)
		encoded, ok = rows.appendObject(encoded, fields, row)
		within(rows.faults[before:], ast.PathIndex(i))
		if !ok {
			return nil, rows.faults, nil
		}
	}
	return append(encoded, ']'), rows.faults, nil
}

// rowEncoder encodes rows. Its methods report false if there is no value where one must be.
type rowEncoder struct {
	// faults are the errors so far. Each path begins at the value that is being encoded.
	faults []*valueError
}

// within puts an element in front of the paths of faults. It has a type parameter because an interface would be
// allocated for each value, faulty or not.
func within[E ast.PathElement](faults []*valueError, element E) {
	for _, fault := range faults {
		fault.path = append(ast.Path{element}, fault.path...)
	}
}

func (e *rowEncoder) fail(field *rowField, err error) {
	e.faults = append(e.faults, &valueError{field: field.field, err: err})
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
func (e *rowEncoder) appendObject(dst []byte, fields []rowField, values []any) ([]byte, bool) {
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
		var ok bool
		before := len(e.faults)
		dst, ok = e.appendValue(dst, field, values[field.index])
		within(e.faults[before:], ast.PathName(field.field.Alias))
		if !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// appendValue appends the value of a field, or null if the field cannot have the value and may
// be null.
func (e *rowEncoder) appendValue(dst []byte, f *rowField, value any) ([]byte, bool) {
	start := len(dst)
	if sqlq.IsNull(value) {
		if !f.column.Nullable {
			e.fail(f, fmt.Errorf("column %s is null", f.column.Name))
			return dst, false
		}
		return append(dst, "null"...), true
	}
	dst, ok := e.appendNonNull(dst, f, value)
	if !ok && f.column.Nullable {
		return append(dst[:start], "null"...), true
	}
	return dst, ok
}

func (e *rowEncoder) appendNonNull(dst []byte, f *rowField, value any) ([]byte, bool) {
	if f.scalar == nil || f.element != nil {
		return e.appendNested(dst, f, value)
	}
	dst, fit := f.scalar(dst, value)
	switch fit {
	case fits:
		return dst, true
	case outOfRange:
		e.fail(f, sqlq.Errorf(sqlq.InvalidArgument, "%s is %s, which is %s; REST has the exact value", f.field.Name, shown(value), beyond(f.field, value)))
	default:
		e.fail(f, fmt.Errorf("column %s holds a value of type %T that its field cannot have", f.column.Name, value))
	}
	return dst, false
}

// appendNested appends a list or an object.
func (e *rowEncoder) appendNested(dst []byte, f *rowField, value any) ([]byte, bool) {
	values, ok := value.([]any)
	switch {
	case !ok:
		e.fail(f, fmt.Errorf("column %s holds a value of type %T that its field cannot have", f.column.Name, value))
		return dst, false
	case f.element == nil && len(values) != len(f.column.Fields):
		e.fail(f, fmt.Errorf("column %s holds %d values for the %d fields of a STRUCT", f.column.Name, len(values), len(f.column.Fields)))
		return dst, false
	case f.element == nil:
		return e.appendObject(dst, f.object, values)
	}
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		before := len(e.faults)
		dst, ok = e.appendValue(dst, f.element, value)
		within(e.faults[before:], ast.PathIndex(i))
		if !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}

// shown returns a value that is out of range as text.
func shown(value any) string {
	if moment, ok := value.(time.Time); ok {
		return "a time in the year " + strconv.Itoa(moment.UTC().Year())
	}
	return fmt.Sprint(value)
}

// beyond describes the bound that a value exceeds.
func beyond(field *ast.Field, value any) string {
	switch _, isTime := value.(time.Time); {
	case isTime:
		return "not a year of four digits"
	case field.Definition.Type.Name() == "Int":
		return "more than the 32 bits of GraphQL's Int"
	}
	return "more than every client reads exactly"
}

// fit is the result of fitting a value to a scalar.
type fit int

const (
	fits fit = iota
	wrongType
	// outOfRange is a value beyond the bounds of the scalar: GraphQL (section 3.5.1) bounds Int,
	// D27 Int64, and RFC 3339 the years of a time.
	outOfRange
)

// scalar appends a non-null value if it fits.
type scalar func(dst []byte, value any) ([]byte, fit)

// scalarOf returns the scalar of a name. A name that no column of the schema has fits no
// value.
func scalarOf(name string) scalar {
	switch name {
	case "Time":
		return bounded(hasRFC3339Year, func(dst []byte, instant time.Time) []byte {
			return append(graph.AppendTime(append(dst, '"'), instant), '"')
		})
	case "Date":
		return bounded(hasRFC3339Year, func(dst []byte, day time.Time) []byte { return day.AppendFormat(dst, `"`+time.DateOnly+`"`) })
	case "JSON":
		return appendJSON
	case "Int":
		return bounded(graph.IsInt, appendInteger)
	case "Int64":
		const exact = 1<<53 - 1
		return bounded(func(number int64) bool { return number >= -exact && number <= exact }, appendInteger)
	case "Decimal": // a string, because readers of JSON round numbers (D42)
		return bounded(func(sqlq.Decimal) bool { return true }, func(dst []byte, number sqlq.Decimal) []byte {
			return append(append(append(dst, '"'), number...), '"')
		})
	case "Float":
		return appendPlain[float64]
	case "String", "ID":
		return appendPlain[string]
	case "Boolean":
		return appendPlain[bool]
	}
	return func(dst []byte, _ any) ([]byte, fit) { return dst, wrongType }
}

// bounded returns the scalar of the values of a type that are within bounds.
func bounded[T any](isWithin func(T) bool, appendTo func(dst []byte, value T) []byte) scalar {
	return func(dst []byte, value any) ([]byte, fit) {
		typed, ok := value.(T)
		switch {
		case !ok:
			return dst, wrongType
		case !isWithin(typed):
			return dst, outOfRange
		}
		return appendTo(dst, typed), fits
	}
}

func appendInteger(dst []byte, number int64) []byte { return strconv.AppendInt(dst, number, 10) }

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

// hasRFC3339Year reports whether the year has four digits, as RFC 3339 requires.
func hasRFC3339Year(moment time.Time) bool {
	const most = 9999
	year := moment.UTC().Year()
	return year >= 0 && year <= most
}
