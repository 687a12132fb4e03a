package logstore

import (
	"database/sql/driver"
	"iter"
	"math"
	"slices"
	"strconv"

	"savedq/internal/jsontext"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/appender"
)

// recordTable is the table of the records of a source's events (D4): the few fields that
// statistics read, one row per pair of nested elements. A field of an unexpected type is
// NULL, so that the event is not lost.
type recordTable struct {
	table string
	// nested is the key of the list in metadata whose elements form the pairs.
	nested string
	// fields are the columns after the timestamp.
	fields []recordField
}

// recordField is a field that statistics read.
type recordField struct {
	// inNested is true for a field of the nested element, and false for one of metadata.
	inNested bool
	name     string
	// read returns what to store for a value in JSON, or nil if its type is unexpected.
	read func(value []byte) driver.Value
	// want describes the values that read accepts.
	want string
}

// The values of [recordField.want].
const (
	wantText   = "a string"
	wantNumber = "a number"
)

// recordTables returns the record tables by the table of their source.
func recordTables() map[string]recordTable {
	return map[string]recordTable{
		"function_edge_logs": {table: "function_invocations", nested: "response", fields: []recordField{
			{name: "project_ref", read: text, want: wantText},
			{name: "function_id", read: text, want: wantText},
			{name: "execution_time_ms", read: number, want: wantNumber},
			{name: "status_code", inNested: true, read: statusCode, want: wantNumber},
		}},
		"edge_logs": {table: "edge_requests", nested: "request", fields: []recordField{
			{name: "url", inNested: true, read: text, want: wantText},
			{name: "path", inNested: true, read: text, want: wantText},
		}},
	}
}

// target returns the table with the columns of records. Others have a default.
func (t *recordTable) target() appender.Target {
	columns := []string{"timestamp"}
	for _, field := range t.fields {
		columns = append(columns, field.name)
	}
	return appender.Target{Table: t.table, Columns: columns}
}

// records computes the records of events.
type records struct {
	table recordTable
	// outer and nested are the values of the fields in an element of metadata and in its nested
	// elements, in the order of the table's fields; nil for a missing one.
	outer, nested [][]byte
	// mistyped are the mistyped fields of the last event, each once.
	mistyped []MistypedField
}

func newRecords(table recordTable) *records {
	return &records{table: table, outer: make([][]byte, len(table.fields))}
}

// of returns the records of an event: its (metadata, nested element) pairs.
func (r *records) of(event *logevent.Event) (rows [][]driver.Value) {
	r.mistyped = r.mistyped[:0]
	for values := range r.pairs(event.Metadata) {
		row := make([]driver.Value, 1, 1+len(values))
		row[0] = event.Timestamp
		for i, value := range values {
			if value == nil {
				row = append(row, nil)
			} else {
				row = append(row, r.table.fields[i].read(value))
			}
		}
		rows = append(rows, row)
		r.noteMistyped(values)
	}
	return rows
}

// noteMistyped notes the fields of a pair whose values have another type than statistics read.
func (r *records) noteMistyped(values [][]byte) {
	for i, field := range r.table.fields {
		if values[i] == nil || startsLike(field.want, values[i][0]) {
			continue
		}
		name := field.name
		if field.inNested {
			name = r.table.nested + "." + name
		}
		if mistyped := (MistypedField{Name: name, Want: field.want}); !slices.Contains(r.mistyped, mistyped) {
			r.mistyped = append(r.mistyped, mistyped)
		}
	}
}

// pairs yields the values of the fields in each pair, valid until the next one. It reads the
// metadata once.
func (r *records) pairs(metadata []byte) iter.Seq[[][]byte] {
	return func(yield func(values [][]byte) bool) {
		input := jsontext.NewScanner(metadata)
		for more := input.Enter('['); more; more, _ = input.More(']') {
			if input.Peek() != '{' {
				input.Value(0)
				continue
			}
			r.readElement(input)
			for values := range slices.Chunk(r.nested, len(r.table.fields)) {
				for i, field := range r.table.fields {
					if !field.inNested {
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
func (r *records) readElement(input *jsontext.Scanner) {
	clear(r.outer)
	r.nested = r.nested[:0]
	found := false
	for more := input.Enter('{'); more; more, _ = input.More('}') {
		key, _, _ := input.Key()
		if !found && string(key) == r.table.nested && input.Peek() == '[' {
			found = true
			r.readNested(input)
			continue
		}
		found = found || string(key) == r.table.nested
		value, _ := input.Value(0)
		r.table.set(r.outer, key, value, false)
	}
}

// readNested reads the nested elements.
func (r *records) readNested(input *jsontext.Scanner) {
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
			r.table.set(values, key, value, true)
		}
	}
}

// set sets the value of the field with the key, if there is one. The first of repeated keys
// counts, as in the JSON functions of DuckDB.
func (t *recordTable) set(values [][]byte, key, value []byte, inNested bool) {
	for i := range t.fields {
		if field := &t.fields[i]; field.inNested == inNested && values[i] == nil && string(key) == field.name {
			values[i] = value
		}
	}
}

// MistypedField is a member of metadata whose type is not the one that statistics or a field read. They
// ignore its value.
type MistypedField struct {
	// Name is the field's path in metadata.
	Name string
	// Want names the type: "a number" or "a string".
	Want string
}

// TypeCheck finds the mistyped fields of events of one source that this process does not store.
// [Transaction.Mistyped] has those of the events that it does. It is not safe for concurrent use.
type TypeCheck struct {
	records *records
	fields  *fieldReader
}

// NewTypeCheck returns the check for a source. It finds nothing if no statistics read the
// source, and it has no fields.
func NewTypeCheck(source *sqlq.Table) TypeCheck {
	return TypeCheck{records: newRecords(recordTables()[source.Name]), fields: newFieldReader(source.Fields)}
}

// Mistyped returns the mistyped fields of an event, each once.
func (c TypeCheck) Mistyped(event *logevent.Event) []MistypedField {
	c.fields.read(event.Metadata)
	if c.records.table.fields == nil {
		return c.fields.mistyped
	}
	c.records.mistyped = nil
	for values := range c.records.pairs(event.Metadata) {
		c.records.noteMistyped(values)
	}
	return append(c.records.mistyped, c.fields.mistyped...)
}

// startsLike reports whether a value that starts with the character is of the type, or null.
func startsLike(want string, char byte) bool {
	switch {
	case char == 'n':
		return true
	case want == wantText:
		return char == '"'
	}
	return isNumber(char)
}

// isNumber reports whether a value that starts with the character is a number.
func isNumber(char byte) bool { return char == '-' || char >= '0' && char <= '9' }

func text(value []byte) driver.Value {
	if value[0] != '"' {
		return nil
	}
	return jsontext.Unquote(value)
}

func number(value []byte) driver.Value {
	if !isNumber(value[0]) {
		return nil
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil { // it is too large
		return nil
	}
	return number
}

// statusCode returns a status code rounded down, so that it is 400 or higher exactly if
// the number is: 400.5 is an error, and 399.9 is not. Numbers out of the range of BIGINT
// become its nearest limit.
func statusCode(value []byte) driver.Value {
	if !isNumber(value[0]) {
		return nil
	}
	const limit = 1 << 53 // up to here float64 is exact
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		number = math.Copysign(limit, number)
	}
	return int64(math.Floor(min(max(number, -limit), limit)))
}
