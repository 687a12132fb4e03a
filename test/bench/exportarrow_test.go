//go:build duckdb_arrow

package bench

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	duckdbdriver "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
)

const hasArrowReader = true

// serveArrow writes the records of DuckDB's Arrow reader.
func serveArrow(ctx context.Context, tb testing.TB, db *sql.DB, w io.Writer) {
	tb.Helper()
	conn, err := db.Conn(ctx)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, conn.Close()) }()
	require.NoError(tb, conn.Raw(func(raw any) error {
		arrow, err := duckdbdriver.NewArrowFromConn(raw.(driver.Conn))
		require.NoError(tb, err)
		reader, err := arrow.QueryContext(ctx, "SELECT * FROM rows")
		require.NoError(tb, err)
		defer reader.Release()
		stream := ipc.NewWriter(w, ipc.WithSchema(reader.Schema()))
		for reader.Next() {
			require.NoError(tb, stream.Write(reader.RecordBatch()))
		}
		require.NoError(tb, reader.Err())
		return stream.Close()
	}))
}
