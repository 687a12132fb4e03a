package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
	"savedq/sqlq/sqltree"
)

// allowedTableFunctions are the table functions that a saved query may use: those that
// read nothing but their arguments and change nothing. DuckDB has others that change its
// settings, read files, or run SQL from a string.
func allowedTableFunctions() []string {
	return []string{"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
}

// refusedFunctions are the scalar functions and macros that a saved query must not use,
// and why. All others that DuckDB has read nothing but their arguments and the clock.
func refusedFunctions() map[string]string {
	const (
		changes = "changes the state of the engine"
		reads   = "reads the state of the engine"
		waits   = "makes the engine wait"
	)
	refused := map[string]string{
		"json_pretty": "indents each line by the brackets around it, which takes more memory than there is if a text has many; use CAST(x AS VARCHAR)",
		"nextval":     changes, "setseed": changes, "write_log": changes,
		"pg_sleep": waits, "sleep_ms": waits,
		"current_connection_id": reads, "current_query": reads, "current_query_id": reads, "current_setting": reads,
		"current_transaction_id": reads, "currval": reads, "format_type": reads, "get_block_size": reads, "getenv": reads,
		"getvariable": reads, "json_serialize_plan": reads, "pg_get_constraintdef": reads, "pg_get_viewdef": reads, "txid_current": reads,
	}
	for function, instead := range recursiveFunctions() {
		refused[function] = overflows + "; " + instead
	}
	return refused
}

// overflows is why JSON that a sender chooses must not reach code of DuckDB that calls itself for each bracket. DuckDB 1.5.6
// has no limit for that.
const overflows = "ends the server if a text has many brackets in each other"

// recursiveFunctions are the functions of DuckDB that call themselves for each bracket of JSON, or of a VARIANT, and what
// to use in their place.
func recursiveFunctions() map[string]string {
	const (
		keys    = "use json_keys and json_type"
		extract = "use json_extract"
	)
	return map[string]string{
		"json_contains":  "use list_contains(from_json(x, '[\"VARCHAR\"]'), 'a'), or compare values of json_extract",
		"json_structure": keys, "json_group_structure": keys,
		"json_merge_patch":         "use json_object",
		"variant_bytes_to_variant": extract, "variant_extract": extract, "variant_normalize": extract, "variant_to_parquet_variant": extract,
		"variant_typeof": "use json_type",
	}
}

// notAllowed returns mistakes for what a saved query's SQL must not contain, found with
// DuckDB's own parser: anything but one SELECT, a function that is not allowed, or a view
// of DuckDB itself. It plans and runs nothing. SQL that does not parse has no mistakes
// here; preparing it reports where the syntax is wrong.
func (e *Engine) notAllowed(ctx context.Context, query *sqlq.SavedQuery) (sqlq.FileErrors, error) {
	found := &refusals{query: query}
	tree, err := sqltree.Parse(ctx, e.db, query.SQL)
	switch {
	case errors.Is(err, sqltree.ErrSyntax):
		return nil, nil
	case errors.Is(err, sqltree.ErrNotSelect):
		found.refuse(nil, "is not a SELECT, or has a PIVOT without IN; a saved query is one SELECT, which may begin with WITH, FROM or VALUES, and a PIVOT in it lists its values with IN")
		return found.mistakes, nil
	case errors.Is(err, sqltree.ErrNotOne):
		found.refuse(nil, "is not one statement; a saved query is one SELECT")
		return found.mistakes, nil
	case err != nil:
		return nil, fmt.Errorf("check %s: %w", query.Name, err)
	}
	var list string
	if err := e.db.QueryRowContext(ctx, "SELECT coalesce(list(DISTINCT lower(view_name)), [])::JSON::VARCHAR FROM duckdb_views() WHERE internal").Scan(&list); err != nil {
		return nil, fmt.Errorf("list DuckDB's own views: %w", err)
	}
	var views []string
	if err := json.Unmarshal([]byte(list), &views); err != nil {
		return nil, fmt.Errorf("list DuckDB's own views: %w", err)
	}
	for _, table := range sqltree.Tables(tree) {
		if name := table.Name("table_name"); slices.Contains(views, name) {
			found.refuse(table, "the view %s is internal to DuckDB and not allowed; use the tables of the store", name)
		}
		found.lookAtTable(table)
	}
	tree.Walk(func(node sqltree.Node) bool {
		found.look(node)
		return true
	})
	found.mistakes.Sort()
	return found.mistakes, nil
}

// refusals are what a saved query's SQL must not contain.
type refusals struct {
	query    *sqlq.SavedQuery
	mistakes sqlq.FileErrors
}

// lookAtTable checks the name of a table. DuckDB would read one with a dot as the path of a file.
func (r *refusals) lookAtTable(table sqltree.Node) {
	name := table.Name("table_name")
	if strings.ContainsAny(name, "./\\:*?") {
		r.refuse(table, "%s is not the name of a table; declare a table with its files in a table.yaml", sqlq.Quote(name))
	}
	if declared, found := r.query.Tables.Find(name); found && declared.Files != nil && table.Text("schema_name") != "" {
		r.refuse(table, "the table %s has no schema; name it without one", name)
	}
}

// look checks one node.
func (r *refusals) look(node sqltree.Node) {
	function := node.Name("function_name")
	switch {
	case node.Type() == "TABLE_FUNCTION":
		if name := node.Child("function").Name("function_name"); !slices.Contains(allowedTableFunctions(), name) {
			r.refuse(node, "the table function %s is not allowed; use the tables of the store, or one of %s", name, strings.Join(allowedTableFunctions(), ", "))
		}
	case node.Type() == "SHOW_REF":
		r.refuse(node, "SHOW, DESCRIBE and SUMMARIZE are not allowed; a saved query is a SELECT")
	case node.Class() == "CAST" && isVariant(node.Child("cast_type")):
		r.refuse(node, "a cast to VARIANT is not allowed, because it %s; use JSON", overflows)
	case refusedFunctions()[function] != "":
		r.refuse(node, "the function %s is not allowed, because it %s", function, refusedFunctions()[function])
	}
}

// isVariant reports whether a type is VARIANT, or has it in it.
func isVariant(typ sqltree.Node) (found bool) {
	typ.Walk(func(node sqltree.Node) bool {
		found = found || node.Text("id") == "VARIANT"
		return !found
	})
	return found
}

// refuse adds a mistake at the place of a node, or at the beginning of the SQL.
func (r *refusals) refuse(node sqltree.Node, format string, args ...any) {
	offset, ok := node.Offset()
	if !ok || offset > len(r.query.SQL) {
		offset = 0
	}
	line, column := sqltext.Rewrite(r.query.SQL).Place(offset)
	r.mistakes = append(r.mistakes, r.query.PlaceInSQL(line, column).Mistakef(format, args...))
}
