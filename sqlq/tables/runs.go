package tables

import "savedq/sqlq"

// RunsName is the name of the table of runs.
const RunsName = "savedq_runs"

// Runs returns the table in which savedq notes the runs of saved queries (ADR 051). Only the embedded store has it.
func Runs() *sqlq.Table {
	return &sqlq.Table{
		Name: RunsName, Shipped: true,
		Description: "The last 10,000 runs of each saved query, a few seconds after each.",
		Own: []sqlq.Column{
			{Name: "timestamp", Type: sqlq.Timestamp, Description: "When the run began."},
			{Name: "query", Type: sqlq.String, Description: "Name of the saved query, or explore."},
			{Name: "interface", Type: sqlq.String, Description: "Where it was requested: rest, graphql, mcp, explore or clickhouse; or refresh or alert, if the server itself did."},
			{Name: "token", Type: sqlq.String, Nullable: true, Description: "Name of the token, or of the issuer of a signed one. NULL if the server itself requested it."},
			{Name: "subject", Type: sqlq.String, Nullable: true, Description: "Whom a signed token is for."},
			{Name: "project", Type: sqlq.String, Nullable: true, Description: "Argument of the parameter with the scope project. NULL if there is not exactly one value."},
			{Name: "arguments", Type: sqlq.String, Nullable: true, Description: "Hash of the arguments: runs with the same one have the same arguments. NULL if they are not valid."},
			{Name: "cache", Type: sqlq.String, Nullable: true, Description: "HIT, MISS, JOINED, STALE, REFRESHED or OFF, as in X-Cache. NULL after an error."},
			{Name: "row_count", Type: sqlq.Int64, Description: "Number of rows."},
			{Name: "bytes", Type: sqlq.Int64, Description: "Size of the rows in memory; 0 for a stream."},
			{Name: "duration_ms", Type: sqlq.Float64, Description: "Milliseconds until the caller had the rows; for a refresh, of the engine."},
			{Name: "code", Type: sqlq.String, Nullable: true, Description: "Code of the error. NULL if there was none."},
		},
	}
}
