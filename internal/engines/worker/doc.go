// Package worker runs SQL of callers in a process of its own (ADR 055). DuckDB is C++, callers choose what it computes, and
// neither its memory limit nor the end of a context holds for all that it does. A process can be limited and killed, and
// its crash costs nothing but the runs in it.
//
// The server starts its own program again when the first caller sends SQL. Both share a socket: through it the server
// passes a connection for each request, and its end is the end of the process. The requests are HTTP; the rows come back
// as columns in the encoding of package gob.
package worker
