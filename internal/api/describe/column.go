package describe

import (
	"strings"

	"savedq/sqlq"
)

// datetimePattern matches a DATETIME (D13). It has no offset, so it is not a date-time of
// JSON Schema.
const datetimePattern = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$`

// numericDigits describes a NUMERIC, which a double does not hold (D42).
const numericDigits = "An exact decimal number. It can have more digits than a double; if you need all of them, use a parser that preserves them."

// Times says how a TIMESTAMP is written.
type Times int

const (
	// Microseconds is the number since the epoch, as REST has it (D13).
	Microseconds Times = iota
	// ISO8601 is text, for models, which cannot compute with microseconds.
	ISO8601
)

// Column returns the schema of a column's values (D13).
func Column(column *sqlq.Column, times Times) Schema {
	described := Schema{Description: WithDeprecation(column.Description, column.Deprecated), Deprecated: column.Deprecated != ""}
	if column.Type.IsArray() {
		element := column.Element()
		element.Description, element.Deprecated = "", ""
		items := Column(element, times)
		described.Type, described.Items = "array", &items
		return described
	}
	nullable := column.Nullable
	switch column.Type {
	case sqlq.Struct:
		described.Type = "object"
		described.Properties, described.Required = Columns(column.Fields, times)
	case sqlq.String:
		described.Type = "string"
	case sqlq.Bool:
		described.Type = "boolean"
	case sqlq.Int64:
		described.Type, described.Format = "integer", "int64"
	case sqlq.Float64:
		described.Type, described.Format = "number", "double"
		nullable = true // NaN and infinities are null, in any column
	case sqlq.Numeric:
		described.Type = "number"
		described.Description = strings.TrimSpace(described.Description + " " + numericDigits)
	case sqlq.Timestamp:
		if times == ISO8601 {
			described.Type, described.Format = "string", "date-time"
			break
		}
		described.Type, described.Format = "integer", "int64"
		described.Description = strings.TrimSpace(described.Description + " In microseconds since 1970-01-01T00:00:00Z.")
	case sqlq.Datetime:
		described.Type, described.Pattern = "string", datetimePattern
	case sqlq.Date:
		described.Type, described.Format = "string", "date"
	case sqlq.JSON:
		return described // any value, null among them
	}
	if nullable {
		described.Type = []any{described.Type, "null"}
	}
	return described
}

// Columns returns the properties for columns, all of which are present (D12).
func Columns(columns []sqlq.Column, times Times) (all Properties, required []string) {
	for i := range columns {
		all = append(all, Property{Name: columns[i].Name, Schema: Column(&columns[i], times)})
		required = append(required, columns[i].Name)
	}
	return all, required
}

// Row returns the schema of a row of a saved query.
func Row(query *sqlq.SavedQuery, times Times) Schema {
	row := Schema{Type: "object"}
	row.Properties, row.Required = Columns(query.Columns, times)
	return row
}
