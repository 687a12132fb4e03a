// Package sqltree reads SQL as a tree, with DuckDB's own parser. DuckDB returns the tree of a
// SELECT as JSON (json_serialize_sql), with the offset of most nodes, and prints a tree as SQL
// (json_deserialize_sql). The form of the JSON follows DuckDB's version.
//
// SQL of other engines reaches the same tree if its tokens are replaced with tokens of DuckDB
// ([savedq/sqlq/sqltext.ForParser]).
package sqltree
