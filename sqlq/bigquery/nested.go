package bigquery

import (
	"encoding/json"
	"errors"
	"fmt"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// errNotNested says that an ARRAY or a STRUCT is not written as one.
var errNotNested = errors.New("a nested value contradicts its schema")

// appendJSON appends a value of any type: an ARRAY as a list, a STRUCT as an
// object whose fields stand in the schema's order, and the rest as D13 has it.
// The service writes an ARRAY as [{"v": …}, …] and a STRUCT as
// {"f": [{"v": …}, …]}. It knows no NULL array: an absent one is empty.
func appendJSON(dst []byte, field *rest.TableFieldSchema, value any) ([]byte, error) {
	if field.Mode != repeated {
		return appendElement(dst, field, value)
	}
	var elements []any
	if value != nil {
		var ok bool
		if elements, ok = value.([]any); !ok {
			return nil, errNotNested
		}
	}
	dst = append(dst, '[')
	for i, element := range elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		inner, err := unwrap(element)
		if err != nil {
			return nil, err
		}
		if dst, err = appendElement(dst, field, inner); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendElement appends a value that is no ARRAY.
func appendElement(dst []byte, field *rest.TableFieldSchema, value any) ([]byte, error) {
	if value == nil {
		return append(dst, "null"...), nil
	}
	if scalarName(field) == "STRUCT" {
		return appendStruct(dst, field.Fields, value)
	}
	text, ok := value.(string)
	if !ok {
		return nil, errNotText
	}
	return appendScalar(dst, field, text)
}

func appendStruct(dst []byte, fields []*rest.TableFieldSchema, value any) ([]byte, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errNotNested
	}
	cells, ok := object["f"].([]any)
	if !ok && object["f"] != nil || len(cells) != len(fields) {
		return nil, errNotNested
	}
	dst = append(dst, '{')
	for i, field := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(sqlq.AppendValue(dst, sqlq.String, field.Name), ':')
		inner, err := unwrap(cells[i])
		if err != nil {
			return nil, err
		}
		if dst, err = appendJSON(dst, field, inner); err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return append(dst, '}'), nil
}

// unwrap takes a value out of {"v": …}.
func unwrap(cell any) (any, error) {
	object, ok := cell.(map[string]any)
	if !ok {
		return nil, errNotNested
	}
	return object["v"], nil
}

// appendScalar appends a single value. Numbers that JSON's readers would round,
// NUMERIC and BIGNUMERIC, are strings, as are all types that JSON does not have.
// A JSON document stands as it is.
func appendScalar(dst []byte, field *rest.TableFieldSchema, text string) ([]byte, error) {
	columnType := sqlq.Type(scalarName(field))
	if columnType == sqlq.JSON && json.Valid([]byte(text)) {
		return append(dst, text...), nil
	}
	value, err := parseScalar(columnType, text)
	if err != nil {
		return nil, err
	}
	return sqlq.AppendValue(dst, columnType, value), nil
}
