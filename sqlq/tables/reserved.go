package tables

import "strings"

// IsReserved reports whether neither a table nor a field can have the name: it is a word of SQL on an engine,
// or a table that the embedded store keeps for itself.
func IsReserved(name string) bool {
	return strings.Contains(words, " "+name+" ") || strings.Contains(kept, " "+name+" ")
}

// words are those that DuckDB or GoogleSQL does not read as the name of a table or a column.
const words = " all analyse analyze and anti any array as asc asof assert_rows_modified asymmetric at authorization " +
	"between binary both by case cast check collate collation column columns concurrently constraint " +
	"contains create cross cube current default deferrable define desc describe distinct do else end enum " +
	"escape except exclude exists extract false fetch following for foreign freeze from full generated " +
	"glob group grouping groups hash having if ignore ilike in initially inner intersect interval into is " +
	"isnull join lambda lateral leading left like limit lookup map merge natural new no not notnull null " +
	"nulls of offset on only or order outer over overlaps partition pivot pivot_longer pivot_wider " +
	"placing positional preceding primary proto qualify range recursive references respect returning " +
	"right rollup rows select semi set show similar some struct summarize symmetric table tablesample " +
	"then to trailing treat true try_cast unbounded union unique unnest unpack unpivot using variadic " +
	"verbose when where window with within "

// kept are the store's other tables.
const kept = " store_info load_journal recent_ids rejected_events clustered_days id_indexes all_logs own_tables " +
	"unfilled_fields function_invocations edge_requests rowid "
