package logstore

import (
	"context"
	"log/slog"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// mostRaises is how often the memory of DuckDB is doubled.
const mostRaises = 3

// lacksMemory reports whether a commit or a checkpoint has failed for want of memory. DuckDB holds the long
// texts of 2,048 rows at a time while it writes them.
func lacksMemory(failure *duckdb.Error) bool {
	return strings.Contains(failure.Msg, "failed to pin block") || strings.Contains(failure.Msg, "failed to allocate data") ||
		strings.Contains(failure.Msg, "could not allocate block")
}

// raiseMemory has the store opened again with twice the memory for DuckDB. The events that cannot be written are
// acknowledged, so they have to get into the store, and all later ones wait for them. The caller has a connection to
// the instance, so the store is not opened again before it returns.
func (c *connector) raiseMemory(ctx context.Context, failed *instance, cause error) {
	if c.raises.Load() < mostRaises && c.invalidate(ctx, failed, cause) {
		c.raises.Add(1)
	}
}

// withMemory gives the next instance the memory that earlier ones needed to write.
func (c *connector) withMemory(ctx context.Context, next *config) {
	raises := c.raises.Load()
	limit, err := sqlq.ParseBytes(next.memoryLimit)
	if raises == 0 || err != nil {
		return // DuckDB's default is 80 % of the memory
	}
	next.memoryLimit = sqlq.FormatBytes(limit << raises)
	c.config.logger.WarnContext(ctx, "events are too large for the memory of DuckDB, so that it exceeds --memory; start the server with more --memory, or reject these events with a lower --max-event",
		slog.String("duckdb_memory", next.memoryLimit))
}
