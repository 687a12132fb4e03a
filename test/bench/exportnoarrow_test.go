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
func serveArrow(context.Context, testing.TB, *sql.DB, io.Writer) {}
