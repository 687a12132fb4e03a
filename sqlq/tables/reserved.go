package tables

import (
	"strings"

	"savedq/sqlq/googlesql"
)

// IsReserved reports whether neither a table nor a field can have the name: it is a word of SQL on an engine,
// or a table that the embedded store keeps for itself.
func IsReserved(name string) bool {
	return googlesql.IsReserved(strings.ToUpper(name)) || strings.Contains(words, " "+name+" ") || strings.Contains(kept, " "+name+" ")
}

// words lists the other words that DuckDB does not read as the name of a table or a column.
const words = " analyse analyze anti asof asymmetric authorization binary both check collation column columns " +
	"concurrently constraint deferrable describe do foreign freeze generated glob ilike initially isnull " +
	"lambda leading map notnull offset only overlaps pivot pivot_longer pivot_wider placing positional " +
	"primary references returning semi show similar summarize symmetric table trailing try_cast unique " +
	"unpack unpivot variadic verbose "

// kept lists the store's other tables.
const kept = " store_info load_journal recent_ids rejected_events clustered_days id_indexes all_logs all_logs_shared own_tables " +
	"unfilled_fields " + RunsName + " function_invocations edge_requests rowid "
