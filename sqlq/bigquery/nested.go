package bigquery

import (
	"encoding/json"
	"errors"
	"fmt"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// errNotNested means that a value is not an ARRAY or a STRUCT in the service's format.
var errNotNested = errors.New("a nested value contradicts its schema")

// appendJSON appends a value of any type: an ARRAY as a list, a STRUCT as an
// object whose fields are in the schema's order, and the rest as in D13.
// The service writes an ARRAY as [{"v": …}, …] and a STRUCT as
// {"f": [{"v": …}, …]}. There is no NULL array: an absent one is empty.
func appendJSON(dst []byte, field *rest.TableFieldSchema, value any) ([]byte, error) {
	if field.Mode != repeated {
		return appendElement(dst, field, value)
	}
	elements, err := elementsOf(value)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '[')
	for i, element := range elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendElement(dst, field, element); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendElement appends a value that is not an ARRAY.
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
	values, err := fieldsOfStruct(fields, value)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	for i, field := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(sqlq.AppendValue(dst, sqlq.String, field.Name), ':')
		if dst, err = appendJSON(dst, field, values[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return append(dst, '}'), nil
}

// elementsOf returns the elements of an ARRAY.
func elementsOf(value any) ([]any, error) {
	if value == nil {
		return nil, nil
	}
	cells, ok := value.([]any)
	if !ok {
		return nil, errNotNested
	}
	return unwrapAll(cells)
}

// fieldsOfStruct returns the values of a STRUCT, one for each field.
func fieldsOfStruct(fields []*rest.TableFieldSchema, value any) ([]any, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errNotNested
	}
	cells, ok := object["f"].([]any)
	if !ok && object["f"] != nil || len(cells) != len(fields) {
		return nil, errNotNested
	}
	return unwrapAll(cells)
}

// unwrapAll returns the values of cells.
func unwrapAll(cells []any) ([]any, error) {
	values := make([]any, len(cells))
	for i, cell := range cells {
		var err error
		if values[i], err = unwrap(cell); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// convertArray converts an ARRAY.
func convertArray(column *sqlq.Column, field *rest.TableFieldSchema, value any) (any, error) {
	elements, err := elementsOf(value)
	if err != nil {
		return nil, err
	}
	single, element, converted := *field, column.Element(), make([]any, len(elements))
	single.Mode = ""
	for i, value := range elements {
		if converted[i], err = convertValue(element, &single, value); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// convertStruct converts a STRUCT that is not NULL.
func convertStruct(column *sqlq.Column, field *rest.TableFieldSchema, value any) (any, error) {
	values, err := fieldsOfStruct(field.Fields, value)
	if err != nil {
		return nil, err
	}
	converted := make([]any, len(values))
	for i, value := range values {
		if converted[i], err = convertValue(&column.Fields[i], field.Fields[i], value); err != nil {
			return nil, fmt.Errorf("%s: %w", field.Fields[i].Name, err)
		}
	}
	return converted, nil
}

// unwrap returns the value in {"v": …}.
func unwrap(cell any) (any, error) {
	object, ok := cell.(map[string]any)
	if !ok {
		return nil, errNotNested
	}
	return object["v"], nil
}

// appendScalar appends a single value. Numbers that readers of JSON would round, NUMERIC and
// BIGNUMERIC, are strings, as are all types that JSON does not have. A JSON document is
// unchanged.
func appendScalar(dst []byte, field *rest.TableFieldSchema, text string) ([]byte, error) {
	columnType := sqlq.Type(scalarName(field))
	if columnType == sqlq.JSON && json.Valid([]byte(text)) {
		return append(dst, text...), nil
	}
	if columnType == sqlq.Numeric {
		columnType = sqlq.String
	}
	value, err := parseScalar(columnType, text)
	if err != nil {
		return nil, err
	}
	return sqlq.AppendValue(dst, columnType, value), nil
}
