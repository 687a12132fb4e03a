// Package tables knows the log sources: the tables that saved queries read (D22, D23).
package tables

import "savedq/sqlq"

// Source is one of the nine log sources (D22): a table of logs.
type Source struct {
	// Table is the logical table name in saved queries.
	Table string
	// SenderName is the senders' name for the source.
	SenderName string
}

// Sources returns the nine log sources, in the order of D22.
func Sources() []Source {
	return []Source{
		{Table: "edge_logs", SenderName: "cloudflare.logs.prod"},
		{Table: "postgres_logs", SenderName: "postgres.logs"},
		{Table: "function_edge_logs", SenderName: "deno-relay-logs"},
		{Table: "function_logs", SenderName: "deno-subhosting-events"},
		{Table: "auth_logs", SenderName: "gotrue.logs.prod"},
		{Table: "realtime_logs", SenderName: "realtime.logs.prod"},
		{Table: "storage_logs", SenderName: "storage.logs.prod.2"},
		{Table: "postgrest_logs", SenderName: "postgREST.logs.prod"},
		{Table: "pgbouncer_logs", SenderName: "pgbouncer.logs.prod"},
	}
}

// Column is a column of a log source (D23).
type Column struct {
	Name string
	Type sqlq.Type
	// IsNested means that the column is an array of structs, whose fields senders decide.
	IsNested bool
}

// Columns returns the columns of every log source (D23).
func Columns() []Column {
	return []Column{
		{Name: "id", Type: sqlq.String},
		{Name: "timestamp", Type: sqlq.Timestamp},
		{Name: "event_message", Type: sqlq.String},
		{Name: "project", Type: sqlq.String},
		{Name: "metadata", Type: sqlq.JSON, IsNested: true},
	}
}
