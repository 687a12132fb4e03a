// Package googlesql reads GoogleSQL, and translates it to the SQL of an engine (D38).
//
// A text becomes tokens, a tree as it is written, and then a tree of resolved nodes with types, which knows no engine:
// relations, columns, and expressions with calls of rows of the tables of functions and operators. A target prints the
// nodes in its SQL: see [target]. Nothing is printed before all of the text is resolved, because the uses of a value of
// metadata, which is JSON in the embedded store, decide how it is read (D39).
//
// The files print_duckdb*.go are the printer of DuckDB's SQL, with what a row of the table needs beside a template.
package googlesql
