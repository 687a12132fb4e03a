// Package sqltree reads SQL as a tree, with DuckDB's own parser. DuckDB returns the tree of a
// SELECT as JSON (json_serialize_sql), with the offset of most nodes, and prints a tree as SQL
// (json_deserialize_sql). The form of the JSON follows DuckDB's version.
package sqltree

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"savedq/sqlq/duckdb/connect"
)

// Language is the name of DuckDB's SQL.
const Language = "duckdb"

var (
	// ErrSyntax means that DuckDB's parser cannot read the SQL.
	ErrSyntax = errors.New("the SQL cannot be parsed")
	// ErrNotSelect means that the SQL is no SELECT, or one that has no tree.
	ErrNotSelect = errors.New("the SQL is not a SELECT")
	// ErrNotOne means that the SQL is not exactly one statement.
	ErrNotOne = errors.New("the SQL is not one statement")
)

// Database is a DuckDB database whose parser is used. It is not changed.
type Database interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Open opens an empty database in memory for its parser. It has one thread, little memory, and no
// access to files or the network. The caller must close it.
func Open() (*sql.DB, error) {
	connector, err := connect.New("?threads=1&memory_limit=128MB&"+connect.AllowLaterOption+"&enable_external_access=false&lock_configuration=true", nil)
	if err != nil {
		return nil, fmt.Errorf("open DuckDB's parser: %w", err)
	}
	return sql.OpenDB(connector), nil
}

// Parse returns the tree of one SELECT. The error is [ErrSyntax], [ErrNotSelect] or [ErrNotOne]
// if the SQL is at fault, with the message of the parser.
func Parse(ctx context.Context, db Database, text string) (Node, error) {
	var tree string
	if err := db.QueryRowContext(ctx, "SELECT CAST(json_serialize_sql(CAST(? AS VARCHAR)) AS VARCHAR)", text).Scan(&tree); err != nil {
		return nil, fmt.Errorf("parse SQL: %w", err)
	}
	var parsed struct {
		ErrorType  string `json:"error_type"`
		Message    string `json:"error_message"`
		Statements []struct {
			Node Node `json:"node"`
		} `json:"statements"`
	}
	decoder := json.NewDecoder(strings.NewReader(tree))
	decoder.UseNumber() // An unknown offset is the largest number of 64 bits.
	if err := decoder.Decode(&parsed); err != nil {
		return nil, fmt.Errorf("parse SQL: %w", err)
	}
	switch {
	case parsed.ErrorType == "parser":
		return nil, fmt.Errorf("%w: %s", ErrSyntax, parsed.Message)
	case parsed.ErrorType != "":
		return nil, fmt.Errorf("%w: %s", ErrNotSelect, parsed.Message)
	case len(parsed.Statements) != 1:
		return nil, ErrNotOne
	}
	return parsed.Statements[0].Node, nil
}

// Print returns an expression of a tree as SQL of DuckDB, without its alias.
func Print(ctx context.Context, db Database, expression Node) (string, error) {
	selection, err := Parse(ctx, db, "SELECT 1")
	if err != nil {
		return "", err
	}
	expression = maps.Clone(expression)
	expression["alias"] = ""
	selection["select_list"] = []any{map[string]any(expression)}
	var tree bytes.Buffer
	encoder := json.NewEncoder(&tree)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]any{"error": false, "statements": []any{map[string]any{"node": selection, "named_param_map": []any{}}}}); err != nil {
		return "", fmt.Errorf("print SQL: %w", err)
	}
	var text string
	if err := db.QueryRowContext(ctx, "SELECT json_deserialize_sql(CAST(? AS JSON))", tree.String()).Scan(&text); err != nil {
		return "", fmt.Errorf("print SQL: %w", err)
	}
	return strings.TrimPrefix(text, "SELECT "), nil
}
