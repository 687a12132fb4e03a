package duckdb

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"savedq/internal/text/duckjson"
	"savedq/sqlq"
)

// scanRow reads the current row as [sqlq.Result] documents it, and returns how
// many bytes its texts have.
func scanRow(rows *sql.Rows, columns []sqlq.Column) (_ []any, bytes int, _ error) {
	values := make([]any, len(columns), 2*len(columns))
	for _, column := range columns {
		if column.Type == sqlq.JSON {
			values = append(values, nil) // for its type
		}
	}
	targets := make([]any, len(values))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, 0, fmt.Errorf("read a row: %w", err)
	}
	row, types := values[:len(columns):len(columns)], values[len(columns):]
	for i, column := range columns {
		var typeName any
		if column.Type == sqlq.JSON {
			typeName, types = types[0], types[1:]
		}
		if text, ok := row[i].(string); ok && column.Type == sqlq.JSON {
			bytes += len(text)
			document, err := toJSON(text, typeName)
			if err != nil {
				return nil, 0, fmt.Errorf("column %s: %w", column.Name, err)
			}
			row[i] = document
			continue
		}
		value, size, err := convertValue(&columns[i], row[i])
		if err != nil {
			return nil, 0, fmt.Errorf("column %s: %w", column.Name, err)
		}
		row[i] = value
		bytes += size
	}
	return row, bytes, nil
}

// convertValue converts a value of the driver, which the SQL has cast to the type of its column, and returns how many bytes its texts have.
func convertValue(column *sqlq.Column, value any) (converted any, bytes int, err error) {
	switch value := value.(type) {
	case nil:
		if column.Type.IsArray() {
			return []any{}, 0, nil // D28
		}
	case string:
		switch column.Type { //nolint:exhaustive // The others are texts.
		case sqlq.JSON:
			return duckjson.Strict(value), len(value), nil
		case sqlq.Numeric:
			number, err := sqlq.ParseDecimal(value)
			return number, len(number), err
		}
		return value, len(value), nil
	case time.Time:
		if isInfinite(value) {
			return nil, 0, nil // D13
		}
		return value.UTC(), 0, nil
	case []any:
		return convertList(column, value)
	case map[string]any:
		return convertStruct(column, value)
	}
	return value, 0, nil
}

// nestedBytes is what a value in a nested value takes at least.
const nestedBytes = 8

func convertList(column *sqlq.Column, list []any) (any, int, error) {
	element, elements, bytes := column.Element(), make([]any, len(list)), nestedBytes*len(list)
	for i, value := range list {
		converted, size, err := convertValue(element, value)
		if err != nil {
			return nil, 0, err
		}
		elements[i] = converted
		bytes += size
	}
	return elements, bytes, nil
}

// convertStruct returns the values of a struct in the order of the fields.
func convertStruct(column *sqlq.Column, values map[string]any) (any, int, error) {
	fields, bytes := make([]any, len(column.Fields)), nestedBytes*len(column.Fields)
	for i := range column.Fields {
		field := &column.Fields[i]
		converted, size, err := convertValue(field, values[field.Name])
		if err != nil {
			return nil, 0, fmt.Errorf("field %s: %w", field.Name, err)
		}
		fields[i] = converted
		bytes += size
	}
	return fields, bytes, nil
}

// toJSON returns the text of a JSON column as valid JSON, with times as in D13. The type is
// that of a value that may hold times, and otherwise nil.
func toJSON(text string, typeName any) (json.RawMessage, error) {
	if name, ok := typeName.(string); ok {
		converted, err := duckjson.ConvertTimes(text, duckjson.ParseType(name))
		if err != nil {
			return nil, err
		}
		text = converted
	}
	return duckjson.Strict(text), nil
}

// isInfinite reports whether a time is one of DuckDB's infinities: the outermost microseconds
// of a TIMESTAMP and days of a DATE.
func isInfinite(value time.Time) bool {
	const secondsOfDay = 24 * 60 * 60
	days := value.Unix() / secondsOfDay
	return days == math.MaxInt32 || days == -math.MaxInt32 || value.UnixMicro() == math.MaxInt64 || value.UnixMicro() == -math.MaxInt64
}
