package eventrow

import (
	"database/sql/driver"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// Fields reads the fields of events of a log source from their metadata (D43), all in one pass. It is not safe for
// concurrent use.
type Fields struct {
	fields []sqlq.Field
	paths  paths
	slots  []int
	values values
	read   []driver.Value
	// Mistyped are the mistyped fields of the last event, each once.
	Mistyped []MistypedField
}

// NewFields returns what reads the fields.
func NewFields(fields []sqlq.Field) *Fields {
	f := &Fields{fields: fields, read: make([]driver.Value, len(fields))}
	slots := 1
	for _, field := range fields {
		f.slots = append(f.slots, f.paths.add(field.Path, &slots))
	}
	f.values = newValues(slots)
	return f
}

// Read returns the values of the fields in an event, valid until the next call. The values refer to nothing else.
func (f *Fields) Read(metadata []byte) []driver.Value {
	f.Mistyped = f.Mistyped[:0]
	if len(f.fields) == 0 {
		return nil
	}
	f.values.read(metadata, &f.paths)
	for i := range f.fields {
		var ok bool
		f.read[i], ok = readField(f.fields[i].Type, f.values.found[f.slots[i]])
		if !ok {
			f.Mistyped = noteMistypedField(f.Mistyped, &f.fields[i])
		}
	}
	return f.read
}

// noteMistypedField appends a field to the mistyped ones, unless they have it.
func noteMistypedField(mistyped []MistypedField, field *sqlq.Field) []MistypedField {
	found := MistypedField{Name: strings.Join(field.Path, "."), Want: wanted(field.Type)}
	if slices.Contains(mistyped, found) {
		return mistyped
	}
	return append(mistyped, found)
}

// wanted describes the values that a field of a type has.
func wanted(of sqlq.Type) string {
	switch of {
	case sqlq.Int64:
		return "a whole number"
	case sqlq.Float64:
		return wantNumber
	case sqlq.Numeric:
		return "a number of at most 29 digits before and 9 after the point"
	case sqlq.Bool:
		return "true or false"
	case sqlq.Timestamp:
		return "a time"
	case sqlq.Date:
		return "a date"
	default:
		return wantText
	}
}

// readField reads a value in JSON as a field of a type; a value that is nil is absent. ok is false for a value of another
// type, which is NULL in the column. A number can be a string, and the text of a number can be a STRING: files of rows say
// no types. An empty string is NULL but for a STRING.
func readField(of sqlq.Type, value jsontext.Value) (read driver.Value, ok bool) {
	if of == sqlq.String {
		text, ok := fieldText(value)
		if text == nil {
			return nil, ok
		}
		return string(text), ok
	}
	if value.IsNull() {
		return nil, true
	}
	if value[0] == '{' || value[0] == '[' {
		return nil, false
	}
	text := string(value)
	if value[0] == '"' {
		text = jsontext.Unquote(value)
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, true
	}
	switch of {
	case sqlq.Int64:
		return readWhole(text)
	case sqlq.Float64:
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
			return nil, false
		}
		return number, true
	case sqlq.Numeric:
		number, err := sqlq.ParseNumeric(text)
		if err != nil {
			return nil, false
		}
		return number, true
	case sqlq.Bool:
		lower := strings.ToLower(text)
		if lower != "true" && lower != "false" {
			return nil, false
		}
		return lower == "true", true
	case sqlq.Date:
		day, err := sqlq.ParseDate(text)
		if err != nil {
			return nil, false
		}
		return sqlq.EpochDayOf(day), true
	default:
		moment, err := logevent.ReadTimestamp(value)
		if err != nil {
			return nil, false
		}
		return moment, true
	}
}

// fieldText is readField for a STRING. The text refers to the value, unless it has escapes.
func fieldText(value jsontext.Value) (text json.RawMessage, ok bool) {
	switch {
	case value.IsNull():
		return nil, true
	case value[0] == '{' || value[0] == '[':
		return nil, false
	case value[0] == '"':
		return unquoted(value), true
	}
	return json.RawMessage(value), true
}

// readWhole reads a number without a fraction, also in the spelling of one with, such as 5.0 and 1e3.
func readWhole(text string) (driver.Value, bool) {
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		return number, true
	}
	number, err := sqlq.ParseDecimal(text)
	if err != nil {
		return nil, false
	}
	whole, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return nil, false
	}
	return whole, true
}

// FieldsOf returns the values of the fields of an event as JSON has them, by name.
func FieldsOf(table *sqlq.Table, metadata []byte) map[string]any {
	values := make(map[string]any)
	for i, value := range NewFields(table.Fields).Read(metadata) {
		switch read := value.(type) {
		case sqlq.EpochDay:
			value = read.Time().Format(time.DateOnly)
		case time.Time:
			value = read.Format(time.RFC3339Nano)
		case sqlq.Decimal:
			value = json.Number(read)
		}
		values[table.Fields[i].Name] = value
	}
	return values
}
