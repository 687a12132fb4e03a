package logstore

import (
	"database/sql/driver"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/jsontext"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// fieldReader reads the fields of events of a log source from their metadata (D43), all in one pass. It is
// not safe for concurrent use.
type fieldReader struct {
	fields []sqlq.Field
	tree   fieldTree
	// values holds the values read from the last event, by field.
	values []driver.Value
	// mistyped lists the mistyped fields of the last event.
	mistyped []MistypedField
}

// fieldTree has the fields whose path ends in a member, and the members of the objects in it.
type fieldTree struct {
	fields  []int
	members map[string]*fieldTree
}

func newFieldReader(fields []sqlq.Field) *fieldReader {
	r := &fieldReader{fields: fields, values: make([]driver.Value, len(fields))}
	for i, field := range fields {
		tree := &r.tree
		for _, member := range field.Path {
			if tree.members == nil {
				tree.members = make(map[string]*fieldTree)
			}
			if tree.members[member] == nil {
				tree.members[member] = &fieldTree{}
			}
			tree = tree.members[member]
		}
		tree.fields = append(tree.fields, i)
	}
	return r
}

// read returns the values of the fields in an event, valid until the next call. The values refer to nothing
// else.
func (r *fieldReader) read(metadata []byte) []driver.Value {
	clear(r.values)
	r.mistyped = r.mistyped[:0]
	if len(r.fields) > 0 {
		r.first(jsontext.NewScanner(metadata), &r.tree)
	}
	return r.values
}

// first reads the members of the first element of a list, which is how metadata has objects (D14), and
// passes the others.
func (r *fieldReader) first(input *jsontext.Scanner, tree *fieldTree) {
	isFirst := true
	for more := input.Enter('['); more; more, _ = input.More(']') {
		if !isFirst || input.Peek() != '{' {
			isFirst = false
			input.Value(0)
			continue
		}
		isFirst = false
		for more := input.Enter('{'); more; more, _ = input.More('}') {
			name, _, _ := input.Key()
			member := tree.members[string(name)]
			switch {
			case member == nil:
				input.Value(0)
			case len(member.fields) == 0 && input.Peek() == '[':
				r.first(input, member)
			default:
				value, _ := input.Value(0)
				r.set(member, value)
			}
		}
	}
}

// set sets the fields that a member's value holds, at any depth.
func (r *fieldReader) set(tree *fieldTree, value jsontext.Value) {
	for _, at := range tree.fields {
		field := &r.fields[at]
		read, ok := readField(field.Type, value)
		r.values[at] = read
		if mistyped := (MistypedField{Name: strings.Join(field.Path, "."), Want: wanted(field.Type)}); !ok && !slices.Contains(r.mistyped, mistyped) {
			r.mistyped = append(r.mistyped, mistyped)
		}
	}
	if tree.members != nil && value[0] == '[' {
		r.first(jsontext.NewScanner(value), tree)
	}
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

// readField reads a value in JSON as a field of a type. ok is false for a value of another type, which is
// NULL in the column. A number can be a string, and the text of a number can be a STRING: files of rows say
// no types. An empty string is NULL but for a STRING.
func readField(of sqlq.Type, value jsontext.Value) (read driver.Value, ok bool) {
	if value[0] == 'n' {
		return nil, true
	}
	if value[0] == '{' || value[0] == '[' {
		return nil, false
	}
	text := string(value)
	if value[0] == '"' {
		text = jsontext.Unquote(value)
	}
	if of == sqlq.String {
		return text, true
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
		return sqlq.EpochDayOf(day), true //nolint:gosec // The years 1 to 9999 fit.
	default:
		moment, err := logevent.ReadTimestamp(value)
		if err != nil {
			return nil, false
		}
		return moment, true
	}
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
	for i, value := range newFieldReader(table.Fields).read(metadata) {
		switch read := value.(type) {
		case sqlq.EpochDay:
			value = time.Unix(int64(read)*secondsInDay, 0).UTC().Format(time.DateOnly)
		case time.Time:
			value = read.Format(time.RFC3339Nano)
		case sqlq.Decimal:
			value = json.Number(read)
		}
		values[table.Fields[i].Name] = value
	}
	return values
}

const secondsInDay = 24 * 60 * 60
