// Package sqlcheck checks the SQL of saved queries in a separate process.
//
// DuckDB evaluates constant expressions while it compiles a query. It does not stop when
// the context ends, and allocates memory beyond its memory limit: list_sum(range(1,
// 400000000)) takes more than 10 GB for more than a minute. A process can be limited and
// killed.
package sqlcheck
