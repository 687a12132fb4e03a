package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/tables"
)

// edgeEvents is how many events the store of [BenchmarkGoogleSQL] has, of one day: four whole row groups of DuckDB. If the last
// group were a small one, a query with ORDER BY … LIMIT would take from 15 to 270 ms, depending on how many groups the threads
// begin before the rows of that one make them skip the others.
const edgeEvents = 4 * 122_880

// openEdgeLogs returns a store with edge log entries of the usual shape: one element in each array.
func openEdgeLogs(b *testing.B) *logstore.Store {
	b.Helper()
	store, err := logstore.Open(b.Context(), b.TempDir(), "")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	statuses, methods := []int{200, 200, 200, 404, 500}, []string{"GET", "POST", "PATCH"}
	add(b, store, "edge_logs", edgeEvents, func(i int) (logevent.Event, bool) {
		status, path, project := statuses[hash(i, 3)%5], fmt.Sprintf("/rest/v1/table%d", hash(i, 0)%97), fmt.Sprintf("project%d", hash(i, 0)%20)
		message := fmt.Sprintf("GET | %d | %s", status, path)
		return logevent.Event{
			ID: fmt.Sprintf("id%d", i), Timestamp: evenly(i, edgeEvents, 24*time.Hour, now), EventMessage: &message, Project: &project,
			Metadata: fmt.Appendf(nil, `[{"logflare_worker":[{"worker_id":"0749QS"}],"request":[{"cf":[{"asn":3209,"city":"Berlin","country":"DE","httpProtocol":"HTTP/3"}],"headers":[{"accept":"application/json","host":"default.supabase.co","user_agent":"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/%d Chrome/121.0.0.0","x_client_info":"supabase-js/2.1"}],"host":"default.supabase.co","method":"%s","path":"%s","protocol":"https:","url":"https://default.supabase.co/rest/v1/table"}],"response":[{"headers":[{"cf_cache_status":"DYNAMIC","content_type":"application/json"}],"origin_time":%d,"status_code":%d}]}]`,
				hash(i, 0)%500, methods[hash(i, 1)%3], path, hash(i, 2)%1000, status),
		}, true
	})
	_, err = store.Merge(b.Context(), now, nil)
	require.NoError(b, err)
	return store
}

// Translated queries beside the SQL that an expert of DuckDB writes for the same rows.
func BenchmarkGoogleSQL(b *testing.B) {
	const from = `
		FROM edge_logs AS t
		CROSS JOIN UNNEST(metadata) AS m
		CROSS JOIN UNNEST(m.request) AS request
		CROSS JOIN UNNEST(m.response) AS response
		WHERE t.timestamp >= TIMESTAMP '2026-11-20 03:30:00' AND t.timestamp < TIMESTAMP '2026-11-20 15:30:00'`
	const expertFrom = `
		FROM edge_logs
		WHERE timestamp >= TIMESTAMP '2026-11-20 03:30:00' AND timestamp < TIMESTAMP '2026-11-20 15:30:00'`
	db := openEdgeLogs(b).DB()
	for _, query := range []struct{ name, google, expert string }{
		{
			"groups",
			`SELECT request.method, response.status_code, COUNT(*) AS n` + from + ` GROUP BY request.method, response.status_code ORDER BY n DESC`,
			`SELECT metadata->>'$[0].request[0].method' AS method, metadata->>'$[0].response[0].status_code' AS status, count(*) AS n` + expertFrom + ` GROUP BY ALL ORDER BY n DESC`,
		},
		{
			"entries",
			`SELECT id, t.timestamp, event_message, request.path, response.status_code` + from + ` AND request.method = 'POST' AND response.status_code >= 500 ORDER BY t.timestamp DESC LIMIT 100`,
			`SELECT id, timestamp, event_message, metadata->>'$[0].request[0].path', metadata->>'$[0].response[0].status_code'` + expertFrom +
				` AND (metadata->>'$[0].request[0].method') = 'POST' AND (metadata->>'$[0].response[0].status_code')::DOUBLE >= 500 ORDER BY timestamp DESC LIMIT 100`,
		},
		{
			"chart",
			`SELECT TIMESTAMP_TRUNC(t.timestamp, MINUTE) AS minute, COUNTIF(response.status_code < 400) AS ok, COUNTIF(response.status_code BETWEEN 400 AND 499) AS warnings, COUNTIF(response.status_code >= 500) AS errors` +
				from + ` GROUP BY minute ORDER BY minute`,
			`SELECT date_trunc('minute', timestamp) AS minute, count(*) FILTER (status < 400), count(*) FILTER (status BETWEEN 400 AND 499), count(*) FILTER (status >= 500)
				FROM (SELECT timestamp, (metadata->>'$[0].response[0].status_code')::DOUBLE AS status` + expertFrom + `) GROUP BY minute ORDER BY minute`,
		},
		{
			"percentiles",
			`SELECT request.path, APPROX_QUANTILES(response.origin_time, 100)[OFFSET(95)] AS p95, AVG(response.origin_time) AS mean` + from + ` GROUP BY request.path ORDER BY p95 DESC LIMIT 20`,
			`SELECT path, quantile_disc(origin_time, 0.95) AS p95, avg(origin_time) FROM (
				SELECT metadata->>'$[0].request[0].path' AS path, (metadata->>'$[0].response[0].origin_time')::DOUBLE AS origin_time` + expertFrom + `) GROUP BY path ORDER BY p95 DESC LIMIT 20`,
		},
		{
			"headers",
			`SELECT REGEXP_EXTRACT(headers.user_agent, r'AppleWebKit/(\d+)') AS version, COUNT(DISTINCT request.path) AS paths
				FROM edge_logs AS t CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS request CROSS JOIN UNNEST(request.headers) AS headers
				WHERE t.timestamp >= TIMESTAMP '2026-11-20 03:30:00' AND STARTS_WITH(request.path, '/rest') GROUP BY version ORDER BY paths DESC, version LIMIT 20`,
			`SELECT regexp_extract(metadata->>'$[0].request[0].headers[0].user_agent', 'AppleWebKit/(\d+)', 1) AS version, count(DISTINCT metadata->>'$[0].request[0].path') AS paths
				FROM edge_logs WHERE timestamp >= TIMESTAMP '2026-11-20 03:30:00' AND starts_with(metadata->>'$[0].request[0].path', '/rest') GROUP BY version ORDER BY paths DESC, version LIMIT 20`,
		},
	} {
		translation, err := duckdbsql.Dialect{}.FromGoogleSQL(&sqlq.SavedQuery{Tables: tables.Shipped()}, query.google)
		require.NoError(b, err)
		b.Run(query.name, func(b *testing.B) {
			beside(b, "expert", func() { runDirectly(b, db, query.expert, nil) }, func() { runDirectly(b, db, translation.SQL, nil) })
		})
	}
}

// The translation of a text, which happens once when a folder is read.
func BenchmarkTranslate(b *testing.B) {
	const text = `SELECT TIMESTAMP_TRUNC(t.timestamp, MINUTE) AS minute, COUNTIF(response.status_code >= 500) AS errors
		FROM edge_logs AS t CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.response) AS response GROUP BY minute ORDER BY minute`
	for b.Loop() {
		if _, err := (duckdbsql.Dialect{}).FromGoogleSQL(&sqlq.SavedQuery{Tables: tables.Shipped()}, text); err != nil {
			b.Fatal(err)
		}
	}
}
