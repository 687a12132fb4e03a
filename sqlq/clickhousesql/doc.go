// Package clickhousesql reads a subset of ClickHouse's SELECT, and writes it in the SQL of an engine with ClickHouse's meaning (D52,
// ADR 059).
//
// A text becomes tokens, a tree as it is written, and then resolved queries and values with ClickHouse's types. The printer
// writes them in the SQL of DuckDB or of ClickHouse (ADR 063).
//
// Each function is a row of a table: its name, the arguments that it takes, its result, and how DuckDB writes it. The table
// `logs` is the only one: it holds the events of all log sources.
package clickhousesql
