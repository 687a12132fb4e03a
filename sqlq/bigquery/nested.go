package bigquery

import (
	"errors"
	"fmt"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// errNotNested means that a value is not an ARRAY or a STRUCT in the service's format.
var errNotNested = errors.New("a nested value contradicts its schema")

// elementsOf returns the elements of an ARRAY, which the service writes as [{"v": …}, …]. There is no NULL array: an
// absent one is empty.
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

// fieldsOfStruct returns the values of a STRUCT, one for each field. The service writes it as {"f": [{"v": …}, …]}.
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
