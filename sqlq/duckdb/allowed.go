package duckdb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
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
	return map[string]string{
		"nextval": changes, "setseed": changes, "write_log": changes,
		"pg_sleep": waits, "sleep_ms": waits,
		"current_connection_id": reads, "current_query": reads, "current_query_id": reads, "current_setting": reads,
		"current_transaction_id": reads, "currval": reads, "format_type": reads, "get_block_size": reads, "getenv": reads,
		"getvariable": reads, "json_serialize_plan": reads, "pg_get_constraintdef": reads, "pg_get_viewdef": reads, "txid_current": reads,
	}
}

// notAllowed returns mistakes for what a saved query's SQL must not contain, found with
// DuckDB's own parser: anything but one SELECT, a function that is not allowed, or a view
// of DuckDB itself. It plans and runs nothing. SQL that does not parse has no mistakes
// here; preparing it reports where the syntax is wrong.
func (e *Engine) notAllowed(ctx context.Context, query *sqlq.SavedQuery) (sqlq.FileErrors, error) {
	var text string
	if err := e.db.QueryRowContext(ctx, "SELECT CAST(json_serialize_sql(CAST(? AS VARCHAR)) AS VARCHAR)", query.SQL).Scan(&text); err != nil {
		return nil, fmt.Errorf("parse the SQL of %s: %w", query.Name, err)
	}
	var parsed struct {
		ErrorType  string            `json:"error_type"`
		Message    string            `json:"error_message"`
		Statements []json.RawMessage `json:"statements"`
	}
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		return nil, fmt.Errorf("parse the SQL of %s: %w", query.Name, err)
	}
	search := &search{query: query}
	switch {
	case parsed.ErrorType == "parser":
		return nil, nil
	case parsed.ErrorType != "":
		search.refuse(0, "is not a SELECT, or has a PIVOT without IN; a saved query is one SELECT, which may begin with WITH, FROM or VALUES, and a PIVOT in it lists its values with IN")
		return search.found, nil
	case len(parsed.Statements) != 1:
		search.refuse(0, "is not one statement; a saved query is one SELECT")
		return search.found, nil
	}
	if err := e.db.QueryRowContext(ctx, "SELECT coalesce(list(DISTINCT lower(view_name)), [])::JSON::VARCHAR FROM duckdb_views() WHERE internal").Scan(&text); err != nil {
		return nil, fmt.Errorf("list DuckDB's own views: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &search.views); err != nil {
		return nil, fmt.Errorf("list DuckDB's own views: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(parsed.Statements[0]))
	decoder.UseNumber() // An unknown place is the largest number of 64 bits.
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("parse the SQL of %s: %w", query.Name, err)
	}
	search.names(tree)
	search.visit(tree)
	return search.found, nil
}

// search walks DuckDB's syntax tree, which is JSON, and collects mistakes.
type search struct {
	query *sqlq.SavedQuery
	// views are DuckDB's own.
	views []string
	// expressions are the names of common table expressions, which hide views.
	expressions []string
	found       sqlq.FileErrors
}

// names collects the names of common table expressions.
func (s *search) names(node any) {
	each(node, s.names)
	object, _ := node.(map[string]any)
	expressions, _ := object["cte_map"].(map[string]any)
	entries, _ := expressions["map"].([]any)
	for _, entry := range entries {
		named, _ := entry.(map[string]any)
		s.expressions = append(s.expressions, textOf(named, "key"))
	}
}

func (s *search) visit(node any) {
	if object, ok := node.(map[string]any); ok {
		s.look(object)
	}
	each(node, s.visit)
}

// each calls visit with the children of a node, in a constant order.
func each(node any, visit func(any)) {
	switch node := node.(type) {
	case []any:
		for _, element := range node {
			visit(element)
		}
	case map[string]any:
		keys := make([]string, 0, len(node))
		for key := range node {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			visit(node[key])
		}
	}
}

// look checks one node.
func (s *search) look(node map[string]any) {
	place, known := node["query_location"].(json.Number)
	offset, err := place.Int64()
	if !known || err != nil || offset > int64(len(s.query.SQL)) {
		offset = 0
	}
	function := textOf(node, "function_name")
	switch {
	case textOf(node, "type") == "TABLE_FUNCTION":
		called, _ := node["function"].(map[string]any)
		if name := textOf(called, "function_name"); !slices.Contains(allowedTableFunctions(), name) {
			s.refuse(offset, "the table function %s is not allowed; use the tables of the store, or one of %s", name, strings.Join(allowedTableFunctions(), ", "))
		}
	case textOf(node, "type") == "SHOW_REF":
		s.refuse(offset, "SHOW, DESCRIBE and SUMMARIZE are not allowed; a saved query is a SELECT")
	case textOf(node, "type") == "BASE_TABLE":
		if name := textOf(node, "table_name"); slices.Contains(s.views, name) && !slices.Contains(s.expressions, name) {
			s.refuse(offset, "the view %s is internal to DuckDB and not allowed; use the tables of the store", name)
		}
	case refusedFunctions()[function] != "":
		s.refuse(offset, "the function %s is not allowed, because it %s", function, refusedFunctions()[function])
	}
}

// textOf returns a text of a node in lower case, unless it is the node's type; empty
// if there is none.
func textOf(node map[string]any, key string) string {
	text, _ := node[key].(string)
	if key == "type" {
		return text
	}
	return strings.ToLower(text)
}

// refuse adds a mistake at an offset of the SQL.
func (s *search) refuse(offset int64, format string, args ...any) {
	line, column := placeOf(s.query.SQL, int(offset))
	mistake := &sqlq.FileError{File: s.query.SQLFile, Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
	s.found = append(s.found, mistake)
}

// placeOf returns the line and the column of an offset; both count from 1.
func placeOf(sql string, offset int) (line, column int) {
	before := sql[:offset]
	return 1 + strings.Count(before, "\n"), offset - strings.LastIndexByte(before, '\n')
}
