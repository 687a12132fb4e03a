// Package eventrow computes the row of a log event in a table that has the events of all log sources, with typed
// columns beside the JSON. It knows no store.
package eventrow

import (
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// Column is a column of rows.
type Column struct {
	Name string
	// Type is the column's type in DuckDB.
	Type string
	// Required means that no row has NULL there.
	Required bool
}

// The places of the columns that every table of events has, in a row. They are described in [Columns].
const (
	atSource = iota
	atProjectKey
	atTimestamp
	atID
	atMessage
	atProject
	atMetadata
	atAccepted
	atOfProject
	atOfProjects
	atStatus
	atMethod
	atPath
	atLevel
	atPlaces
	atSingleRecord
	atTyped
	atRecord
)

// recordColumns are the columns of records.
const (
	atProjectRef = iota
	atFunctionID
	atExecutionTime
	atStatusCode
	atURL
	atRequestPath
	recordWidth
)

// fixedWidth is the number of columns before the fields of authors' sources.
const fixedWidth = atRecord + recordWidth

// Columns returns the columns of the rows of the log sources among the tables: the fixed ones, and then one for each
// field of an author's source, which is NULL in the rows of the others.
func Columns(tables sqlq.Tables) []Column {
	const text, timestamp = "VARCHAR", "TIMESTAMP"
	columns := append([]Column{
		{"source", text, true},           // the name of the source's table
		{"project_key", "UBIGINT", true}, // md5_number_lower(of_project), or 0 if that is NULL
		{"timestamp", timestamp, true},
		{"id", text, true},
		{"event_message", text, false},
		{"project", text, false}, // as the sender set it
		{"metadata", text, false},
		{"accepted", timestamp, false},
		{"of_project", text, false},  // the project that the event belongs to (D23)
		{"of_projects", text, false}, // if there are several: a JSON list of them
		{"status", text, false},      // the four fields of logs.search
		{"method", text, false},
		{"path", text, false},
		{"level", text, false},
		{sqlq.PlacesColumn, "UBIGINT", false}, // where the four are in metadata; NULL if they do not have all that it has there
		{"single_record", "BOOLEAN", false},   // NULL for sources without records
		{TypedColumn, "BOOLEAN", false},       // whether the columns of the record have all that the metadata has there; NULL as above
	}, recordColumns()...)
	for _, source := range tables.Sources() {
		for _, field := range source.Fields {
			columns = append(columns, Column{FieldColumn(source, field), duckdbsql.StorageType(field.Type), false})
		}
	}
	return columns
}

// TypedColumn is the column that reports whether an event is typed. Parts of earlier programs do not have it.
const TypedColumn = "typed"

// FieldColumn returns the name of the column of a source's field.
func FieldColumn(source *sqlq.Table, field sqlq.Field) string { return source.Name + "." + field.Name }

// RecordColumns returns the columns of [Reader.Records].
func RecordColumns() []Column {
	return append([]Column{
		{"source", "VARCHAR", true},
		{"timestamp", "TIMESTAMP", true},
		{"project_key", "UBIGINT", true},
		{"of_project", "VARCHAR", false},
		{"of_projects", "VARCHAR", false},
	}, recordColumns()...)
}

// beforeRecord is the number of columns before those of the record in [RecordColumns].
const beforeRecord = 5

// recordColumns returns the columns of a record (D4).
func recordColumns() []Column {
	return []Column{
		{"project_ref", "VARCHAR", false},
		{"function_id", "VARCHAR", false},
		{"execution_time_ms", "DOUBLE", false},
		{"status_code", "BIGINT", false},
		{"url", "VARCHAR", false},
		{"request_path", "VARCHAR", false},
	}
}
