package emulatortest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// field is a column or a field of a STRUCT, as the tables declare it.
type field struct {
	name string
	// kind is a type of GoogleSQL; STRUCT where there are nested fields.
	kind string
	// repeated says that it is an ARRAY of that kind.
	repeated bool
	fields   []field
}

// list returns a field that holds a list of nested objects, which is how the
// warehouse stores any nested object (D14).
func list(name string, fields ...field) field {
	return field{name: name, kind: "STRUCT", repeated: true, fields: fields}
}

// metadataOf is the metadata column of a table: what the saved queries read, and
// whatever else the events of the suite hold. An event with a field that is not
// listed here cannot be inserted. The table that gets the most rows is kept narrow,
// for the emulator takes its time over every field of an INSERT.
func metadataOf(table string) field {
	if table == "function_edge_logs" {
		return list(
			"metadata",
			field{name: "project", kind: "STRING"},
			field{name: "project_ref", kind: "STRING"},
			field{name: "function_id", kind: "STRING"},
			field{name: "execution_time_ms", kind: "FLOAT64"},
			list(
				"request",
				field{name: "url", kind: "STRING"},
				field{name: "path", kind: "STRING"},
				field{name: "method", kind: "STRING"},
				field{name: "pathname", kind: "STRING"},
			),
			list("response", field{name: "status_code", kind: "FLOAT64"}),
		)
	}
	return list(
		"metadata",
		field{name: "project", kind: "STRING"},
		field{name: "project_ref", kind: "STRING"},
		list(
			"request",
			field{name: "url", kind: "STRING"},
			field{name: "path", kind: "STRING"},
			field{name: "method", kind: "STRING"},
			field{name: "pathname", kind: "STRING"},
			list("headers", field{name: "host", kind: "STRING"}),
		),
		field{name: "status", kind: "STRING"},
		field{name: "method", kind: "STRING"},
		field{name: "path", kind: "STRING"},
		field{name: "level", kind: "STRING"},
		list("parsed", field{name: "error_severity", kind: "STRING"}),
		field{name: "function_id", kind: "STRING"},
		field{name: "execution_time_ms", kind: "FLOAT64"},
		list("response", field{name: "status_code", kind: "FLOAT64"}),
		field{name: "tags", kind: "STRING", repeated: true},
		field{name: "big", kind: "INT64"},
		field{name: "float", kind: "FLOAT64"},
		field{name: "yes", kind: "BOOL"},
		field{name: "none", kind: "STRING"},
		field{name: "list", kind: "STRING", repeated: true},
		field{name: "empty", kind: "STRING"},
		field{name: "text", kind: "STRING"},
		field{name: "a", kind: "INT64"},
		list("b", field{name: "c", kind: "INT64"}, field{name: "d", kind: "STRING", repeated: true}),
	)
}

// typeSQL is the type of a field, as DDL and typed literals spell it.
func (f field) typeSQL() string {
	element := f.kind
	if len(f.fields) > 0 {
		declared := make([]string, len(f.fields))
		for i, nested := range f.fields {
			declared[i] = "`" + nested.name + "` " + nested.typeSQL()
		}
		element = "STRUCT<" + strings.Join(declared, ", ") + ">"
	}
	if f.repeated {
		return "ARRAY<" + element + ">"
	}
	return element
}

// literal writes a JSON value, read with numbers as they are spelled, as a
// literal of the field's type. A value that the type cannot hold is an error.
func (f field) literal(value any) (string, error) {
	if !f.repeated {
		if value == nil {
			return "NULL", nil
		}
		return f.element(value)
	}
	// A NULL list is stored as an empty one, as BigQuery does and the emulator,
	// which cannot return a NULL list, does not.
	values, isList := value.([]any)
	if !isList && value != nil {
		return "", fmt.Errorf("field %s is a list, and %v is none", f.name, value)
	}
	literals := make([]string, len(values))
	for i, element := range values {
		text, err := f.element(element)
		if err != nil {
			return "", err
		}
		literals[i] = text
	}
	// Without its type, GoogleSQL does not fit a list of STRUCTs into its column.
	return f.typeSQL() + "[" + strings.Join(literals, ", ") + "]", nil
}

// element writes one value of a list, or the value of a field that is no list.
func (f field) element(value any) (string, error) {
	switch value := value.(type) {
	case map[string]any:
		return f.object(value)
	case string:
		if f.kind == "STRING" {
			return stringLiteral(value), nil
		}
	case bool:
		if f.kind == "BOOL" {
			return strconv.FormatBool(value), nil
		}
	case json.Number:
		number, isNumber := new(big.Rat).SetString(value.String())
		switch {
		case !isNumber:
		case f.kind == "FLOAT64":
			return value.String(), nil
		case f.kind == "INT64" && number.IsInt():
			return number.Num().String(), nil
		}
	}
	return "", fmt.Errorf("field %s is of type %s, which does not hold %v", f.name, f.kind, value)
}

// object writes a STRUCT, its values in the order of the declared fields.
func (f field) object(value map[string]any) (string, error) {
	for name := range value {
		if !slices.ContainsFunc(f.fields, func(declared field) bool { return declared.name == name }) {
			return "", fmt.Errorf("field %s declares no field %q", f.name, name)
		}
	}
	literals := make([]string, len(f.fields))
	for i, nested := range f.fields {
		text, err := nested.literal(value[nested.name])
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.name, err)
		}
		literals[i] = text
	}
	return "STRUCT(" + strings.Join(literals, ", ") + ")", nil
}

// stringLiteral writes a text so that GoogleSQL reads it back as it was.
func stringLiteral(text string) string {
	var literal strings.Builder
	literal.WriteByte('"')
	for _, letter := range text {
		switch {
		case letter == '"' || letter == '\\':
			literal.WriteByte('\\')
			literal.WriteRune(letter)
		case letter < ' ' || letter == 0x7f:
			fmt.Fprintf(&literal, `\u%04x`, letter)
		default:
			literal.WriteRune(letter)
		}
	}
	literal.WriteByte('"')
	return literal.String()
}
