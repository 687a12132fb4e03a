package logstore

// Source is one of the nine log sources (D22): a table of the store.
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

// FindSource returns the source with a table name or a senders' name.
func FindSource(name string) (Source, bool) {
	for _, source := range Sources() {
		if name == source.Table || name == source.SenderName {
			return source, true
		}
	}
	return Source{}, false
}

// hasProjectColumn reports whether the project of the source's events is in the column project,
// and not in their metadata (D23).
func (s Source) hasProjectColumn() bool { return s.projectFilter() == "project = ?" }

// projectFilter returns the SQL condition for the events of a project, which is its parameter
// (D23).
func (s Source) projectFilter() string {
	switch s.Table {
	case "function_edge_logs", "function_logs":
		return "list_contains(json_extract_string(metadata, '$[*].project_ref'), ?)"
	case "realtime_logs", "storage_logs":
		return "list_contains(json_extract_string(metadata, '$[*].project'), ?)"
	default:
		return "project = ?"
	}
}
