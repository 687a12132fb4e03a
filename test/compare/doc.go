// Compare measures savedq and VictoriaLogs on the same events and prints one table.
// "make compare" builds both and runs it; docs/performance.md describes what it measures.
//
// It is a module of its own without dependencies, so that it can be built, linted and
// tested in seconds, without DuckDB and without VictoriaLogs. It reads /proc and so needs Linux.
package main
