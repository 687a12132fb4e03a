package bigquery

import (
	"strings"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// repeated is the mode of a field that is an ARRAY.
const repeated = "REPEATED"

// typeName returns a field's type in GoogleSQL, such as
// ARRAY<STRUCT<method STRING, status INT64>>. The service has two names for some types, and
// none for ARRAY.
func typeName(field *rest.TableFieldSchema) string { return spellType(field, "") }

// spellType returns a field's type, with quotes around names.
func spellType(field *rest.TableFieldSchema, quote string) string {
	name := scalarName(field)
	switch name {
	case "STRUCT":
		fields := make([]string, len(field.Fields))
		for i, inner := range field.Fields {
			fields[i] = quote + inner.Name + quote + " " + spellType(inner, quote)
		}
		name = "STRUCT<" + strings.Join(fields, ", ") + ">"
	case "RANGE":
		if field.RangeElementType != nil {
			name = "RANGE<" + field.RangeElementType.Type + ">"
		}
	}
	if field.Mode == repeated {
		return "ARRAY<" + name + ">"
	}
	return name
}

// scalarName returns the name of a type without its fields.
func scalarName(field *rest.TableFieldSchema) string {
	switch field.Type {
	case "INTEGER":
		return "INT64"
	case "FLOAT":
		return "FLOAT64"
	case "BOOLEAN":
		return "BOOL"
	case "RECORD":
		return "STRUCT"
	default:
		return field.Type
	}
}

// holds reports whether a declared type, neither an array nor a struct, can hold
// BigQuery's type. STRING holds every type with exactly one text, but not numbers, which have
// a type of their own, nor TIMESTAMP, whose text depends on a zone.
func holds(declared sqlq.Type, column sqlq.PlannedColumn, _ bool) bool {
	actual := column.Type
	switch declared { //nolint:exhaustive // The others are nested.
	case sqlq.String:
		switch actual {
		case "STRING", "BYTES", "NUMERIC", "BIGNUMERIC", "DATE", "TIME", "DATETIME", "JSON", "GEOGRAPHY", "INTERVAL":
			return true
		}
		return strings.HasPrefix(actual, "RANGE")
	case sqlq.Float64:
		return actual == "FLOAT64" || actual == "INT64" || actual == "NUMERIC" || actual == "BIGNUMERIC"
	case sqlq.Numeric:
		return actual == "NUMERIC" || actual == "BIGNUMERIC" || actual == "INT64"
	case sqlq.Int64, sqlq.Bool, sqlq.Timestamp, sqlq.Datetime, sqlq.Date:
		return actual == string(declared)
	case sqlq.JSON:
		return true
	}
	return false
}

// Declare returns the declared type for a column of the SQL, which [Engine.Check] then
// accepts. Whatever has no type of its own is JSON, with all that it is nested in.
func Declare(column sqlq.PlannedColumn) sqlq.Column {
	return sqlq.DeclareColumn(column, scalarOf, holds)
}

// scalarOf returns the declared type for a type of BigQuery that is not nested.
func scalarOf(actual string) sqlq.Type {
	switch actual {
	case "INT64", "FLOAT64", "BOOL", "TIMESTAMP", "DATETIME", "DATE", "STRING":
		return sqlq.Type(actual)
	case "NUMERIC", "BIGNUMERIC":
		return sqlq.Numeric
	case "BYTES", "TIME", "GEOGRAPHY", "INTERVAL":
		return sqlq.String
	}
	return sqlq.JSON
}
