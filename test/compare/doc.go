// Compare measures savedq and what one would use instead, on the same events, and prints a table for each:
// VictoriaLogs, PostgreSQL, and graphql-yoga. "make compare" builds them and runs it; docs/performance.md
// describes what it measures.
//
// It is a module of its own whose only dependency is the client of PostgreSQL, so that it can be built, linted and
// tested in seconds, without DuckDB and without the other programs. It reads /proc and so needs Linux.
package main
