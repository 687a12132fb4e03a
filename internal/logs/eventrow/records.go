package eventrow

import (
	"bytes"
	"database/sql/driver"
	"iter"
	"math"
	"slices"
	"strconv"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// A record of an event is a pair of an element of its metadata and one of its nested elements (D4), with the few fields
// that statistics read. A field of an unexpected type is NULL, so that the event is not lost.

// recordShape is what the records of a source have.
type recordShape struct {
	// nested is the key of the list in metadata whose elements form the pairs.
	nested string
	fields []RecordField
}

// RecordField is a field of the records of a source.
type RecordField struct {
	// Name is the name in metadata.
	Name string
	// inNested is true for a field of the nested element, and false for one of the element of metadata.
	inNested bool
	// at is the place among the columns of records.
	at   int
	kind kind
}

// kind is the type of the values of a record's field.
type kind int

const (
	textKind kind = iota
	numberKind
	// codeKind is a number that is stored as an integer.
	codeKind
)

// IsNumber reports whether the field has numbers, and not texts.
func (f *RecordField) IsNumber() bool { return f.kind != textKind }

// shapeOf returns the shape of the records of a source, and false if it has none.
func shapeOf(source string) (recordShape, bool) {
	records := sqlq.RecordsOf(source)
	if records == nil {
		return recordShape{}, false
	}
	shape, columns := recordShape{nested: records.List}, recordColumns()
	for _, field := range records.Fields {
		at := slices.IndexFunc(columns, func(column Column) bool { return column.Name == field.Column })
		shape.fields = append(shape.fields, RecordField{Name: field.Name, inNested: field.InList, at: at, kind: kindOf(field.Type)})
	}
	return shape, true
}

func kindOf(of sqlq.Type) kind {
	switch of { //nolint:exhaustive // The others are texts.
	case sqlq.Float64:
		return numberKind
	case sqlq.Int64:
		return codeKind
	}
	return textKind
}

// RecordFields returns the fields of the records of a source; nil if it has none.
func RecordFields(source string) []RecordField {
	shape, _ := shapeOf(source)
	return shape.fields
}

// Records computes the records of events of a source. It is not safe for concurrent use.
type Records struct {
	shape recordShape
	// outer and nested are the values of the fields in an element of metadata and in its nested elements, in the order
	// of the shape's fields; nil for a missing one.
	outer, nested []jsontext.Value
	// Mistyped are the mistyped fields of the last event, each once.
	Mistyped []MistypedField
}

// NewRecords returns what computes the records of a source, which may have none.
func NewRecords(source string) *Records {
	shape, _ := shapeOf(source)
	return &Records{shape: shape, outer: make([]jsontext.Value, len(shape.fields))}
}

// Of returns the records of an event: its time, and the values of the fields in the order of [RecordFields].
func (r *Records) Of(event *logevent.Event) (rows [][]driver.Value) {
	r.Mistyped = r.Mistyped[:0]
	for values := range r.pairs(event.Metadata) {
		row := make([]driver.Value, 1, 1+len(values))
		row[0] = event.Timestamp
		for i, value := range values {
			row = append(row, r.shape.fields[i].read(value))
		}
		rows = append(rows, row)
		r.noteMistyped(values)
	}
	return rows
}

// noteMistyped notes the fields of a pair whose values have another type than statistics read.
func (r *Records) noteMistyped(values []jsontext.Value) {
	for i := range r.shape.fields {
		r.Mistyped = r.shape.noteMistyped(r.Mistyped, &r.shape.fields[i], values[i])
	}
}

// noteMistyped appends a field to the mistyped ones if its value has another type, unless they have it.
func (s *recordShape) noteMistyped(mistyped []MistypedField, field *RecordField, value jsontext.Value) []MistypedField {
	if value == nil || field.accepts(value[0]) {
		return mistyped
	}
	found := MistypedField{Name: field.Name, Want: wantText}
	if field.IsNumber() {
		found.Want = wantNumber
	}
	if field.inNested {
		found.Name = s.nested + "." + field.Name
	}
	if slices.Contains(mistyped, found) {
		return mistyped
	}
	return append(mistyped, found)
}

// accepts reports whether a value that starts with the character is of the field's type, or null.
func (f *RecordField) accepts(char byte) bool {
	switch {
	case char == 'n':
		return true
	case f.IsNumber():
		return isNumber(char)
	}
	return char == '"'
}

// read returns what to store for a value, which is nil if there is none, or its type is unexpected.
func (f *RecordField) read(value jsontext.Value) driver.Value {
	if value == nil || value[0] == 'n' || !f.accepts(value[0]) {
		return nil
	}
	switch f.kind {
	case textKind:
		return jsontext.Unquote(value)
	case numberKind:
		if number, ok := float(value); ok {
			return number
		}
		return nil
	default:
		return statusCode(value)
	}
}

// holds reports whether the column has all of a value, so that nobody need read it from JSON (D48).
func (f *RecordField) holds(value jsontext.Value) bool {
	const exact = 15 // so many digits are exact in each type
	switch {
	case value.IsNull():
		return true
	case !f.accepts(value[0]):
		return false
	case f.kind == textKind:
		return true
	case f.kind == codeKind:
		return len(value) <= exact && !bytes.ContainsAny(value, "-.eE")
	case !bytes.ContainsAny(value, "-eE"):
		return true
	}
	number, ok := float(value)
	again, err := strconv.ParseFloat(string(numberText(value)), 64)
	return ok && err == nil && math.Float64bits(number) == math.Float64bits(again)
}

// statusCode returns a status code rounded down, so that it is 400 or higher exactly if the number is: 400.5 is an error,
// and 399.9 is not. Numbers out of the range of BIGINT become its nearest limit.
func statusCode(value jsontext.Value) int64 {
	const limit = 1 << 53 // up to here float64 is exact
	if len(value) <= len("999") {
		if code, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return code
		}
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		number = math.Copysign(limit, number)
	}
	return int64(math.Floor(min(max(number, -limit), limit)))
}

// pairs yields the values of the fields in each pair, valid until the next one. It reads the metadata once.
func (r *Records) pairs(metadata []byte) iter.Seq[[]jsontext.Value] {
	return func(yield func(values []jsontext.Value) bool) {
		input := jsontext.NewScanner(metadata)
		for more := input.Enter('['); more; more, _ = input.More(']') {
			if input.Peek() != '{' {
				input.Value(0)
				continue
			}
			r.readElement(input)
			for values := range slices.Chunk(r.nested, max(len(r.shape.fields), 1)) {
				for i := range r.shape.fields {
					if !r.shape.fields[i].inNested {
						values[i] = r.outer[i]
					}
				}
				if !yield(values) {
					return
				}
			}
		}
	}
}

// readElement reads an element of metadata, which is an object.
func (r *Records) readElement(input *jsontext.Scanner) {
	clear(r.outer)
	r.nested = r.nested[:0]
	found := false
	for more := input.Enter('{'); more; more, _ = input.More('}') {
		key, _, _ := input.Key()
		if !found && string(key) == r.shape.nested && input.Peek() == '[' {
			found = true
			r.readNested(input)
			continue
		}
		found = found || string(key) == r.shape.nested
		value, _ := input.Value(0)
		r.shape.set(r.outer, key, value, false)
	}
}

// readNested reads the nested elements.
func (r *Records) readNested(input *jsontext.Scanner) {
	for more := input.Enter('['); more; more, _ = input.More(']') {
		if input.Peek() != '{' {
			input.Value(0)
			continue
		}
		start := len(r.nested)
		r.nested = append(r.nested, r.outer...)
		values := r.nested[start:]
		clear(values)
		for more := input.Enter('{'); more; more, _ = input.More('}') {
			key, _, _ := input.Key()
			value, _ := input.Value(0)
			r.shape.set(values, key, value, true)
		}
	}
}

// set sets the value of the field with the key, if there is one. The first of repeated keys counts, as in the JSON
// functions of DuckDB.
func (s *recordShape) set(values []jsontext.Value, key []byte, value jsontext.Value, inNested bool) {
	for i := range s.fields {
		if field := &s.fields[i]; field.inNested == inNested && values[i] == nil && string(key) == field.Name {
			values[i] = value
		}
	}
}
