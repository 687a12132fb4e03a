package scaffold

import "savedq/sqlq"

// Template is SQL to begin with, and the types of its parameters.
type Template struct {
	SQL   string
	Types map[string]sqlq.Type
}

// TemplateFor returns SQL to begin with in a dialect.
func TemplateFor(dialect sqlq.Dialect) Template {
	since := dialect.ParamPrefix() + "since"
	if dialect.Name() == "bigquery" { // where a TIMESTAMP parameter is a string
		since = "TIMESTAMP(" + since + ")"
	}
	return Template{
		SQL: "SELECT\n  timestamp,\n  id,\n  event_message\nFROM edge_logs\nWHERE project = " + dialect.ParamPrefix() + "project\n" +
			"  AND timestamp > " + since + "\nORDER BY timestamp DESC\nLIMIT 100\n",
		Types: map[string]sqlq.Type{"project": sqlq.String, "since": sqlq.Timestamp},
	}
}
