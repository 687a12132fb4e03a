package bigquery

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// convertRows converts rows of the service to those that [sqlq.Result] documents. The schema
// must still be the declared one; values are in the schema's order.
func convertRows(columns []sqlq.Column, schema []*rest.TableFieldSchema, rows []*rest.TableRow) ([][]any, error) {
	if err := checkSchema(columns, schema); err != nil {
		return nil, err
	}
	converted := make([][]any, len(rows))
	for i, row := range rows {
		if row == nil || len(row.F) != len(columns) {
			return nil, fmt.Errorf("row %d does not have %d columns", i+1, len(columns))
		}
		converted[i] = make([]any, len(columns))
		for j, cell := range row.F {
			if cell == nil {
				return nil, fmt.Errorf("row %d lacks column %s", i+1, columns[j].Name)
			}
			value, err := convertValue(&columns[j], schema[j], cell.V)
			if err != nil {
				return nil, fmt.Errorf("column %s of row %d: %w", columns[j].Name, i+1, err)
			}
			converted[i][j] = value
		}
	}
	return converted, nil
}

// checkSchema reports whether the columns are still those that the saved query
// declares: a table can change while a server runs.
func checkSchema(columns []sqlq.Column, schema []*rest.TableFieldSchema) error {
	if len(schema) != len(columns) {
		return fmt.Errorf("the query returns %d columns instead of %d", len(schema), len(columns))
	}
	for i, field := range schema {
		if !isWhole(field) || !strings.EqualFold(field.Name, columns[i].Name) {
			return fmt.Errorf("column %d is not %s", i+1, columns[i].Name)
		}
		if err := checkField(&columns[i], field); err != nil {
			return err
		}
	}
	return nil
}

// checkField reports whether a field still has the type of a column.
func checkField(column *sqlq.Column, field *rest.TableFieldSchema) error {
	isArray := field.Mode == repeated
	isStruct := scalarName(field) == "STRUCT"
	switch {
	case column.Type == sqlq.JSON: // holds everything
		return nil
	case column.Type.IsArray() && isArray:
		single := *field
		single.Mode = ""
		return checkField(column.Element(), &single)
	case column.Type == sqlq.Struct && isStruct && !isArray:
		if err := checkSchema(column.Fields, field.Fields); err != nil {
			return fmt.Errorf("in column %s: %w", column.Name, err)
		}
		return nil
	case isArray || !holds(column.Type, sqlq.PlannedColumn{Type: typeName(field)}, false):
		return fmt.Errorf("column %s is of type %s instead of %s", field.Name, typeName(field), column.Type)
	}
	return nil
}

// isWhole reports whether a field and all fields in it are there.
func isWhole(field *rest.TableFieldSchema) bool {
	return field != nil && !slices.ContainsFunc(field.Fields, func(inner *rest.TableFieldSchema) bool { return !isWhole(inner) })
}

// convertValue converts a value of a column.
func convertValue(column *sqlq.Column, field *rest.TableFieldSchema, value any) (any, error) {
	switch {
	case column.Type == sqlq.JSON:
		return convertJSON(field, value)
	case column.Type.IsArray():
		return convertArray(column, field, value)
	case value == nil:
		return nil, nil //nolint:nilnil // nil is the value NULL.
	case column.Type == sqlq.Struct:
		return convertStruct(column, field, value)
	}
	text, ok := value.(string)
	if !ok {
		return nil, errNotText
	}
	return parseScalar(column.Type, text)
}

// convertJSON converts a value of any type to JSON: an ARRAY as a list, a STRUCT as an object whose fields are in the
// schema's order, and the rest as in D13. A JSON document is unchanged.
func convertJSON(field *rest.TableFieldSchema, value any) (any, error) {
	switch text, isText := value.(string); {
	case field.Mode == repeated:
	case value == nil:
		return nil, nil //nolint:nilnil // nil is the value NULL.
	case field.Type == string(sqlq.JSON) && !isText:
		return nil, errNotText
	case field.Type == string(sqlq.JSON) && json.Valid([]byte(text)):
		return json.RawMessage(text), nil
	case field.Type == string(sqlq.JSON):
		return json.RawMessage(sqlq.AppendValue(nil, sqlq.String, text)), nil
	}
	column := columnOf(field)
	converted, err := convertValue(column, field, value)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(column.AppendJSON(nil, converted)), nil
}

// columnOf returns the column that has the values of a field as they are in JSON. Numbers that readers of JSON would
// round, NUMERIC and BIGNUMERIC, are strings, as are all types that JSON does not have.
func columnOf(field *rest.TableFieldSchema) *sqlq.Column {
	column := &sqlq.Column{Name: field.Name, Type: sqlq.String}
	switch name := sqlq.Type(scalarName(field)); name { //nolint:exhaustive // The others are strings.
	case sqlq.Int64, sqlq.Float64, sqlq.Bool, sqlq.Timestamp, sqlq.Datetime, sqlq.Date, sqlq.JSON, sqlq.Struct:
		column.Type = name
	}
	for _, inner := range field.Fields {
		column.Fields = append(column.Fields, *columnOf(inner))
	}
	if field.Mode == repeated {
		column.Type = sqlq.ArrayOf(column.Type)
	}
	return column
}

// The ways in which a value can contradict its schema. The errors, and so the log, do not
// contain the value.
var (
	errNotText    = errors.New("a single value is not written as a string")
	errUnreadable = errors.New("a value is not a valid")
)

// parseScalar parses a single value. Types without another form in a response stay text.
func parseScalar(columnType sqlq.Type, text string) (value any, err error) {
	switch columnType {
	case sqlq.Int64:
		value, err = strconv.ParseInt(text, 10, 64)
	case sqlq.Float64: // also NUMERIC and BIGNUMERIC
		value, err = strconv.ParseFloat(text, 64)
	case sqlq.Numeric:
		value, err = sqlq.ParseDecimal(text)
	case sqlq.Bool:
		if value = text == "true"; text != "true" && text != "false" {
			err = errUnreadable
		}
	case sqlq.Timestamp:
		value, err = parseTimestamp(text)
	case sqlq.Datetime:
		var moment time.Time
		moment, err = time.Parse("2006-01-02T15:04:05", strings.Replace(text, " ", "T", 1))
		value = moment.Truncate(time.Microsecond)
	case sqlq.Date:
		value, err = time.Parse(time.DateOnly, text)
	default: // STRING, BYTES, BIGNUMERIC, TIME, GEOGRAPHY, INTERVAL, RANGE and any new type
		return text, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w %s", errUnreadable, columnType)
	}
	return value, nil
}

// parseTimestamp parses microseconds since the epoch, which requests ask for, or the text of a
// TIMESTAMP of higher precision, which it truncates to microseconds.
func parseTimestamp(text string) (time.Time, error) {
	if microseconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMicro(microseconds).UTC(), nil
	}
	value, err := time.Parse(time.RFC3339Nano, text)
	return value.UTC().Truncate(time.Microsecond), err
}
