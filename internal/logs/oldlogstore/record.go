package logstore

import (
	"savedq/internal/logs/eventrow"
	"savedq/sqlq/duckdb/appender"
)

// recordTable is the table of the records of a source's events (D4): the few fields that
// statistics read, one row per pair of nested elements. A field of an unexpected type is
// NULL, so that the event is not lost.
type recordTable struct {
	table  string
	fields []eventrow.RecordField
}

// recordTables returns the record tables by the table of their source.
func recordTables() map[string]recordTable {
	tables := map[string]recordTable{"function_edge_logs": {table: "function_invocations"}, "edge_logs": {table: "edge_requests"}}
	for source, table := range tables {
		table.fields = eventrow.RecordFields(source)
		tables[source] = table
	}
	return tables
}

// target returns the table with the columns of records. Others have a default.
func (t *recordTable) target() appender.Target {
	columns := []string{"timestamp"}
	for i := range t.fields {
		columns = append(columns, t.fields[i].Name)
	}
	return appender.Target{Table: t.table, Columns: columns}
}
