package logstore

import (
	"bytes"
	"database/sql/driver"
	"iter"
	"math"
	"slices"

	"github.com/tidwall/gjson"

	"savedq/internal/logs/logevent"
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
	// read returns the value to store, or nil if its type is unexpected.
	read func(gjson.Result) driver.Value
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

// rows returns the records of an event: its (metadata, nested element) pairs.
func (t recordTable) rows(event *logevent.Event) [][]driver.Value {
	var rows [][]driver.Value
	for metadata, nested := range t.pairs(event) {
		row := append(make([]driver.Value, 0, 1+len(t.fields)), event.Timestamp)
		for _, field := range t.fields {
			row = append(row, field.read(field.of(metadata, nested)))
		}
		rows = append(rows, row)
	}
	return rows
}

// pairs yields the (metadata, nested element) pairs of an event.
func (t recordTable) pairs(event *logevent.Event) iter.Seq2[gjson.Result, gjson.Result] {
	return func(yield func(metadata, nested gjson.Result) bool) {
		for _, metadata := range objects(gjson.ParseBytes(event.Metadata)) {
			for _, nested := range objects(metadata.Get(t.nested)) {
				if !yield(metadata, nested) {
					return
				}
			}
		}
	}
}

func (f recordField) of(metadata, nested gjson.Result) gjson.Result {
	if f.inNested {
		return nested.Get(f.name)
	}
	return metadata.Get(f.name)
}

// MistypedField is a field whose type is not the one that statistics read. They ignore its
// value.
type MistypedField struct {
	// Name is the field's path in metadata.
	Name string
	// Want names the type: "a number" or "a string".
	Want string
}

// TypeCheck finds the mistyped fields of the events of one source.
type TypeCheck struct {
	table recordTable
	// keys are the quoted names of the table's fields.
	keys [][]byte
}

// NewTypeCheck returns the check for a source. It finds nothing if no statistics read the
// source.
func NewTypeCheck(source Source) TypeCheck {
	check := TypeCheck{table: recordTables()[source.Table]}
	for _, field := range check.table.fields {
		check.keys = append(check.keys, []byte(`"`+field.name+`":`))
	}
	return check
}

// Mistyped returns the mistyped fields of an event, each once.
func (c TypeCheck) Mistyped(event *logevent.Event) []MistypedField {
	if !c.mayBeMistyped(event.Metadata) {
		return nil
	}
	var found []MistypedField
	for metadata, nested := range c.table.pairs(event) {
		for _, field := range c.table.fields {
			value := field.of(metadata, nested)
			if value.Type == gjson.Null || field.read(value) != nil { // missing fields are Null, too
				continue
			}
			name := field.name
			if field.inNested {
				name = c.table.nested + "." + name
			}
			if mistyped := (MistypedField{Name: name, Want: field.want}); !slices.Contains(found, mistyped) {
				found = append(found, mistyped)
			}
		}
	}
	return found
}

// mayBeMistyped reports whether any value after the key of a field, anywhere in metadata,
// starts like one of another type. It is much faster than finding the fields, which few
// events need.
func (c TypeCheck) mayBeMistyped(metadata []byte) bool {
	for i, field := range c.table.fields {
		for rest := metadata; ; {
			_, value, found := bytes.Cut(rest, c.keys[i])
			if !found {
				break
			}
			if !startsLike(field.want, value[0]) {
				return true
			}
			rest = value
		}
	}
	return false
}

// startsLike reports whether a value of the type, or null, can start with the character.
func startsLike(want string, char byte) bool {
	switch {
	case char == 'n':
		return true
	case want == wantText:
		return char == '"'
	}
	return char == '-' || char >= '0' && char <= '9'
}

// objects returns the objects of a list, if the value is one.
func objects(list gjson.Result) []gjson.Result {
	if !list.IsArray() {
		return nil
	}
	items := list.Array()
	objects := items[:0]
	for _, item := range items {
		if item.IsObject() {
			objects = append(objects, item)
		}
	}
	return objects
}

func text(value gjson.Result) driver.Value {
	if value.Type != gjson.String {
		return nil
	}
	return value.Str
}

func number(value gjson.Result) driver.Value {
	if value.Type != gjson.Number || math.IsInf(value.Num, 0) {
		return nil
	}
	return value.Num
}

// statusCode returns a status code rounded down, so that it is 400 or higher exactly if
// the number is: 400.5 is an error, and 399.9 is not. Numbers out of the range of BIGINT
// become its nearest limit.
func statusCode(value gjson.Result) driver.Value {
	if value.Type != gjson.Number {
		return nil
	}
	const limit = 1 << 53 // up to here float64 is exact
	return int64(math.Floor(min(max(value.Num, -limit), limit)))
}
