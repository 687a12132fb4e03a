package bench

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sandbox"
)

// gatewayLogs opens a store with the edge logs of the last month, as Vector sends them in a self-hosted
// Supabase.
func gatewayLogs(b *testing.B) *logstore.Store {
	b.Helper()
	store, err := logstore.Open(b.Context(), b.TempDir(), "2GB")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	rows := rowsOf(b)
	statuses, methods, project := []int{200, 200, 200, 200, 201, 204, 301, 400, 404, 500}, []string{"GET", "POST", "PATCH"}, "default"
	add(b, store, "edge_logs", rows, func(i int) (logevent.Event, bool) {
		status, method := statuses[hash(i, 3)%10], methods[hash(i, 1)%3]
		path := fmt.Sprintf("/rest/v1/table%d?select=*&id=eq.%d", hash(i, 0)%997, i)
		agent := fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/%d", hash(i, 2)%500)
		message := fmt.Sprintf(`172.18.0.1 - - "%s %s HTTP/1.1" %d 1532 "-" "%s"`, method, path, status, agent)
		return logevent.Event{
			ID: fmt.Sprintf("%016x%016x", hash(i, 4), hash(i, 5)), Timestamp: evenly(i, rows, 30*24*time.Hour, now), EventMessage: &message, Project: &project,
			Metadata: fmt.Appendf(nil, `[{"request":[{"headers":[{"referer":"-","user_agent":%q,"cf_connecting_ip":"172.18.0.1"}],"method":%q,"path":%q,"protocol":"HTTP/1.1"}],"response":[{"status_code":%d}]}]`,
				agent, method, path, status),
		}, true
	})
	_, err = store.Merge(b.Context(), now, nil)
	require.NoError(b, err)
	return store
}

// The last hour of the page of Studio with the logs of the gateway: its list, the number of entries and the
// chart, which a browser asks for together.
func BenchmarkStudioPage(b *testing.B) {
	engine := duckdb.New(gatewayLogs(b).DB())
	const directory = "../../examples/supabase/queries"
	read, err := graph.ReadCatalogWith(catalog.Options{Omitted: []string{"logs.all", "usage.api-counts"}}, duckdbsql.Dialect{}, catalog.Directory{FS: os.DirFS(directory), Path: directory})
	require.NoError(b, err)
	saved, found := read.Find("logs.all")
	require.True(b, found)
	const (
		joins  = ` cross join unnest(metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response `
		failed = `response.status_code >= 500`
		warned = `response.status_code >= 400 AND response.status_code < 500`
	)
	sandboxes := sandbox.New(duckdbsql.Dialect{}, 0)
	var statements []sqlq.Statement
	for _, text := range []string{
		`select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code from edge_logs` + joins + `order by timestamp desc limit 100`,
		`SELECT count(*) as count FROM edge_logs` + joins,
		`SELECT timestamp_trunc(t.timestamp, minute) as timestamp, count(CASE WHEN NOT (` + failed + ` OR ` + warned + `) THEN 1 END) as ok_count,
			count(CASE WHEN ` + failed + ` THEN 1 END) as error_count, count(CASE WHEN ` + warned + ` THEN 1 END) as warning_count,
			FROM edge_logs t` + joins + `where t.timestamp > '2026-11-20T08:30:00.000Z' GROUP BY timestamp ORDER BY timestamp ASC`,
	} {
		query, err := sandboxes.Query(saved, text, nil)
		require.NoError(b, err)
		args, err := query.Bind(map[string][]string{
			"project": {"default"}, "iso_timestamp_start": {now.Add(-time.Hour).Format(time.RFC3339)}, "iso_timestamp_end": {now.Format(time.RFC3339)},
		})
		require.NoError(b, err)
		statements = append(statements, sqlq.NewStatement(query, args, now))
	}
	for b.Loop() {
		var asked sync.WaitGroup
		for _, statement := range statements {
			asked.Go(func() {
				result, err := engine.Run(context.WithoutCancel(b.Context()), statement)
				if err != nil || len(result.Rows) == 0 {
					b.Errorf("%d rows: %v", len(result.Rows), err)
				}
			})
		}
		asked.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "savedq-ms")
}
