package emulatortest

import (
	"bytes"
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

// selectList reads the fields from the JSON object value<depth>.
func selectList(fields []field, depth int) string {
	expressions := make([]string, len(fields))
	for i, f := range fields {
		expressions[i] = f.expression(depth) + " AS `" + f.name + "`"
	}
	return strings.Join(expressions, ", ")
}

// expression reads the field from the JSON object value<depth>. A NULL list is stored as an empty one,
// as BigQuery does and the emulator, which cannot return a NULL list, does not.
func (f field) expression(depth int) string {
	if !f.repeated {
		return fmt.Sprintf("CAST(JSON_VALUE(value%d, '$.%s') AS %s)", depth, f.name, f.kind)
	}
	element := fmt.Sprintf("CAST(JSON_VALUE(value%d) AS %s)", depth+1, f.kind)
	if len(f.fields) > 0 {
		element = "AS STRUCT " + selectList(f.fields, depth+1)
	}
	return fmt.Sprintf("ARRAY(SELECT %s FROM UNNEST(JSON_QUERY_ARRAY(value%d, '$.%s')) AS value%d WITH OFFSET AS place ORDER BY place)",
		element, depth, f.name, depth+1)
}

// texts returns JSON with texts for numbers and BOOLs, which no reader of JSON rounds. A value
// that the field cannot hold is an error.
func (f field) texts(text json.RawMessage) (any, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // nil is the value NULL.
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return f.value(value)
}

func (f field) value(value any) (any, error) {
	if !f.repeated {
		return f.element(value)
	}
	values, isList := value.([]any)
	if !isList && value != nil {
		return nil, fmt.Errorf("field %s is a list, and %v is none", f.name, value)
	}
	for i, element := range values {
		var err error
		if values[i], err = f.element(element); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// element is one value of a list, or the value of a field that is no list.
func (f field) element(value any) (any, error) {
	switch value := value.(type) {
	case nil:
		return value, nil
	case map[string]any:
		for name, nested := range value {
			i := slices.IndexFunc(f.fields, func(declared field) bool { return declared.name == name })
			if i < 0 {
				return nil, fmt.Errorf("field %s declares no field %q", f.name, name)
			}
			var err error
			if value[name], err = f.fields[i].value(nested); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
		return value, nil
	case string:
		if f.kind == "STRING" {
			return value, nil
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
	return nil, fmt.Errorf("field %s is of type %s, which does not hold %v", f.name, f.kind, value)
}
