//go:build !duckdb_arrow

package bench

import (
	"context"
	"database/sql"
	"io"
	"testing"
)

const hasArrowReader = false

// serveArrow is never called.
func serveArrow(testing.TB, context.Context, *sql.DB, io.Writer) {}
