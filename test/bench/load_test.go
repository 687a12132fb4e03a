package bench

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	loadpackage "savedq/internal/logs/load"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// largeEvent returns an event of about 3,000 bytes, with texts that compress badly.
func largeEvent(n int) string {
	var headers strings.Builder
	for i := range 30 {
		fmt.Fprintf(&headers, `"header_%d":"%016x%016x%016x",`, i, hash(n, i), hash(n, i+100), hash(n, i+200))
	}
	return fmt.Sprintf(`{"id":"%032x","timestamp":%d,"event_message":"GET | 200 | /rest/v1/items?id=eq.%d","project":"project%d","metadata":{"request":{"method":"GET","path":"/rest/v1/items","url":"https://acme.example.com/rest/v1/items?id=eq.%d","headers":{%s"accept":"*/*"}},"response":{"status_code":200,"origin_time":%d}}}`+"\n",
		hash(n, 0), 1795000000000000+int64(n)*1000, n, n%20, n, headers.String(), n%500)
}

// smallEvent returns an event of about 300 bytes.
func smallEvent(n int) string {
	return fmt.Sprintf(eventTemplate, fmt.Sprintf("%016x", hash(n, 0)))
}

// hash returns a number that looks random.
func hash(n, i int) uint64 {
	x := uint64(n)*0x9e3779b97f4a7c15 + uint64(i)*0xbf58476d1ce4e5b9
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Loading a file into an empty store, beside a plain loader that decodes with encoding/json and
// appends to one table, in one commit, without duplicates, records, rejected events or protection
// from crashes. The rates are events per second.
func BenchmarkLoad(b *testing.B) {
	for _, test := range []struct {
		name, source string
		events       int
		event        func(n int) string
	}{
		{"small_events", "function_edge_logs", 500_000, smallEvent},
		{"large_events", "edge_logs", 50_000, largeEvent},
	} {
		b.Run(test.name, func(b *testing.B) {
			var content bytes.Buffer
			for n := range test.events {
				content.WriteString(test.event(n))
			}
			path := filepath.Join(b.TempDir(), "events.ndjson")
			require.NoError(b, os.WriteFile(path, content.Bytes(), 0o600))
			source, found := tables.Shipped().FindSource(test.source)
			require.True(b, found)
			rate, _ := takeTurns(b, test.events, "plain", func() { loadPlainly(b, path) }, func() { loadOnce(b, path, source, test.events) })
			b.ReportMetric(float64(content.Len())/1e6*rate/float64(test.events), "MB/s")
		})
	}
}

func took(work func()) time.Duration {
	began := time.Now()
	work()
	return time.Since(began)
}

// loadOnce loads the file into a new store, and closes it with a checkpoint.
func loadOnce(b *testing.B, path string, source *sqlq.Table, events int) {
	b.Helper()
	store, err := logstore.Open(b.Context(), b.TempDir(), "512MiB")
	require.NoError(b, err)
	summary, err := loadpackage.File(b.Context(), path, source, loadpackage.Options{
		Begin: func(ctx context.Context) (loadpackage.Transaction, error) { return store.Begin(ctx, logstore.Sent) }, Now: time.Now,
	})
	require.NoError(b, err)
	require.Equal(b, events, summary.Loaded)
	require.NoError(b, store.Close())
}

// loadPlainly is the plain loader.
func loadPlainly(b *testing.B, path string) {
	b.Helper()
	connector, err := duckdb.NewConnector(filepath.Join(b.TempDir(), "plain.duckdb"), nil)
	require.NoError(b, err)
	conn, err := connector.Connect(b.Context())
	require.NoError(b, err)
	_, err = conn.(driver.ExecerContext).ExecContext(b.Context(), "CREATE TABLE logs (id VARCHAR, timestamp TIMESTAMP, event_message VARCHAR, project VARCHAR, metadata VARCHAR)", nil)
	require.NoError(b, err)
	appender, err := duckdb.NewAppenderFromConn(conn, "", "logs")
	require.NoError(b, err)
	file, err := os.Open(path)
	require.NoError(b, err)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			ID           string          `json:"id"`
			EventMessage string          `json:"event_message"`
			Project      string          `json:"project"`
			Timestamp    int64           `json:"timestamp"`
			Metadata     json.RawMessage `json:"metadata"`
		}
		require.NoError(b, json.Unmarshal(lines.Bytes(), &event))
		require.NoError(b, appender.AppendRow(event.ID, time.UnixMicro(event.Timestamp), event.EventMessage, event.Project, []byte(event.Metadata)))
	}
	require.NoError(b, lines.Err())
	require.NoError(b, file.Close())
	require.NoError(b, appender.Close())
	require.NoError(b, conn.Close())
	require.NoError(b, connector.Close())
}
