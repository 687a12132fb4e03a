package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	loadpackage "savedq/internal/logs/load"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// ownTable declares a log source with five fields of the small events.
const ownTable = `name: invocations
description: The events of function_edge_logs with fields.
fields:
  - {name: function, type: STRING, path: metadata.function_id}
  - {name: took, type: FLOAT64, path: metadata.execution_time_ms}
  - {name: method, type: STRING, path: metadata.request.method}
  - {name: url, type: STRING, path: metadata.request.url}
  - {name: status, type: INT64, path: metadata.response.status_code}
`

// writeOwnTable returns a directory of tables that has the source.
func writeOwnTable(tb testing.TB) string {
	tb.Helper()
	directory := tb.TempDir()
	require.NoError(tb, os.Mkdir(filepath.Join(directory, "invocations"), 0o700))
	require.NoError(tb, os.WriteFile(filepath.Join(directory, "invocations", "table.yaml"), []byte(ownTable), 0o600))
	return directory
}

// A source of an author with five fields, beside function_edge_logs, whose record table has as many: events
// per second over HTTP, and loaded from a file.
func BenchmarkOwnSource(b *testing.B) {
	const shipped, own = "function_edge_logs", "invocations"
	directory := writeOwnTable(b)
	b.Run("ingest", func(b *testing.B) {
		const perRequest, requests = 500, 160
		loads := make(map[string]*load)
		for _, source := range []string{shipped, own} {
			loads[source] = newLoadOver(b, startServer(b, "--tables", directory), 16, newEventsOf(source, perRequest).request)
			loads[source].full(b, requests)
		}
		takeTurns(b, requests*perRequest, "shipped", func() { loads[shipped].full(b, requests) }, func() { loads[own].full(b, requests) })
	})
	b.Run("load", func(b *testing.B) {
		const events = 200_000
		var content bytes.Buffer
		for n := range events {
			content.WriteString(smallEvent(n))
		}
		path := filepath.Join(b.TempDir(), "events.ndjson")
		require.NoError(b, os.WriteFile(path, content.Bytes(), 0o600))
		read, err := tables.Read(tables.Directory{FS: os.DirFS(directory), Path: directory})
		require.NoError(b, err)
		takeTurns(b, events, "shipped", func() { loadDeclared(b, path, read, shipped) }, func() { loadDeclared(b, path, read, own) })
	})
}

// loadDeclared loads the file into a source of a new store, and closes it with a checkpoint.
func loadDeclared(b *testing.B, path string, declared sqlq.Tables, source string) {
	b.Helper()
	store, err := logstore.Open(b.Context(), b.TempDir(), "512MiB")
	require.NoError(b, err)
	require.NoError(b, store.Declare(b.Context(), declared))
	table, found := store.Tables().FindSource(source)
	require.True(b, found)
	_, err = loadpackage.File(b.Context(), path, table, loadpackage.Options{
		Begin: func(ctx context.Context) (loadpackage.Transaction, error) { return store.Begin(ctx, logstore.Sent) }, Now: time.Now,
	})
	require.NoError(b, err)
	require.NoError(b, store.Close())
}
