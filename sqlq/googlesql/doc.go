// Package googlesql reads GoogleSQL, and translates it to the SQL of DuckDB (D38).
//
// A text becomes tokens, a tree, and then SQL: names and types are resolved in the tree, and each node gives a
// fragment of SQL. Fragments are printed after all of the tree is resolved, because the uses of a value of
// metadata, which is JSON in the embedded store, decide how it is read (D39).
package googlesql
