package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	engine "savedq/sqlq/clickhouse"
	"savedq/sqlq/tables"
)

var benchEvents = flag.Int("events", 10_000_000, "how many events of the benchmark are in edge_logs; a tenth of them are in function_edge_logs") //nolint:gochecknoglobals // Flags of tests are.

// besideShipped is the SQL that one would write by hand for ClickHouse, for each shipped saved query that is printed for it. It
// returns the same rows for the events of the benchmark. It reads typed columns, and a project by the column that orders the table.
func besideShipped() map[string]string {
	const (
		times    = " AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')} AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}"
		status   = "metadata_response_status_code"
		duration = "metadata_execution_time_ms"
	)
	return map[string]string{
		"logs.all": "SELECT id, timestamp, event_message, metadata FROM edge_logs WHERE project = {project:String}" + times +
			" AND timestamp > {now:DateTime64(6, 'UTC')} - INTERVAL 90 DAY ORDER BY timestamp DESC, id LIMIT 100",
		"usage.api-counts": "SELECT toStartOfHour(timestamp) AS timestamp, countIf(position(path, '/rest') > 0) AS total_rest_requests, countIf(position(path, '/storage') > 0) AS total_storage_requests, " +
			"countIf(position(path, '/auth') > 0) AS total_auth_requests, countIf(position(path, '/realtime') > 0) AS total_realtime_requests FROM " +
			"(SELECT l.timestamp AS timestamp, metadata_request_path AS path, metadata_request_url AS url FROM edge_logs AS l WHERE l.timestamp >= {from:DateTime64(6, 'UTC')} AND l.timestamp < {to:DateTime64(6, 'UTC')}) " +
			"WHERE match(url, {project:String}) GROUP BY timestamp ORDER BY timestamp",
		"functions.invocation-stats": "SELECT toStartOfHour(timestamp) AS timestamp, minOrNull(ms) AS min_execution_time, maxOrNull(ms) AS max_execution_time, avgOrNull(ms) AS avg_execution_time, " +
			"toNullable((arraySort(groupArray(ms)) AS sorted)[length(sorted) - intDiv(length(sorted) * 5, 100)]) AS p95_execution_time, toNullable(sorted[length(sorted) - intDiv(length(sorted), 100)]) AS p99_execution_time, countIf(ms >= 0) AS count, countIf(status >= 400) AS error_count FROM " +
			"(SELECT f.timestamp AS timestamp, " + duration + " AS ms, " + status + " AS status FROM function_edge_logs AS f WHERE metadata_project_ref = {project:String} AND f.timestamp >= {from:DateTime64(6, 'UTC')} AND f.timestamp < {to:DateTime64(6, 'UTC')}) " +
			"GROUP BY timestamp ORDER BY timestamp WITH FILL FROM toDateTime({from:DateTime64(6, 'UTC')}, 'UTC') TO toDateTime({to:DateTime64(6, 'UTC')}, 'UTC') STEP INTERVAL 1 HOUR",
		"functions.list": "SELECT metadata_function_id AS function_id, count() AS invocations, countIf(" + status + " >= 400) AS errors, (arraySort(groupArray(" + duration + ")) AS sorted)[length(sorted) - intDiv(length(sorted) * 5, 100)] AS p95_execution_time, " +
			"max(timestamp) AS last_seen FROM function_edge_logs WHERE metadata_project_ref = {project:String}" + times + " GROUP BY function_id ORDER BY invocations DESC, function_id",
		"projects.list": "SELECT project, max(timestamp) AS last_seen, count() AS events FROM (SELECT project, timestamp FROM edge_logs WHERE true" + times + " UNION ALL SELECT metadata_project_ref AS project, timestamp FROM function_edge_logs WHERE true" + times + ") GROUP BY project ORDER BY events DESC, project",
	}
}

// BenchmarkShippedQueries compares each shipped saved query with SQL that is written by hand for ClickHouse. Both run in turn,
// through the same client, and must return the same rows.
func BenchmarkShippedQueries(b *testing.B) {
	server := startServer(b)
	createTables(b, server, tables.Shipped().Sources())
	began := time.Now()
	fillTables(b, server, *benchEvents)
	b.Logf("%d events in %s", *benchEvents+*benchEvents/10, time.Since(began).Round(time.Second))
	opened := open(b, config(server))
	read, err := catalog.Read(engine.Dialect{})
	require.NoError(b, err)
	raw := map[string][]string{
		"project": {"p7"}, "iso_timestamp_start": {now().Add(-24 * time.Hour).Format(time.RFC3339)}, "iso_timestamp_end": {now().Format(time.RFC3339)},
		"interval": {""}, "project_tier": {"ENTERPRISE"},
	}
	for _, query := range read.Queries() {
		byHand, isPrinted := besideShipped()[query.Name]
		if !isPrinted {
			continue
		}
		b.Run(query.Name, func(b *testing.B) {
			own := make(map[string][]string)
			for _, param := range query.Params {
				if value, isThere := raw[param.Name]; isThere && value[0] != "" {
					own[param.Name] = value
				}
			}
			if query.Name == "usage.api-counts" {
				own["interval"] = []string{"hourly"}
			}
			args, err := query.Bind(own)
			require.NoError(b, err)
			statement := sqlq.NewStatement(query, args, now())
			hand := *query
			hand.SQL, hand.Translation, hand.Engine = byHand, nil, "clickhouse"
			if query.Series != nil { // it has the bounds itself
				series := *query.Series
				series.Tables, hand.Series = nil, &series
			}
			besideStatement := statement
			besideStatement.Query = &hand
			var ours, theirs []time.Duration
			for range b.N {
				before := time.Now()
				got, err := opened.Run(b.Context(), statement)
				require.NoError(b, err)
				between := time.Now()
				want, err := opened.Run(b.Context(), besideStatement)
				require.NoError(b, err)
				ours, theirs = append(ours, between.Sub(before)), append(theirs, time.Since(between))
				require.NotEmpty(b, got.Rows)
				require.Equal(b, textsOf(want.Rows), textsOf(got.Rows))
			}
			milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(milliseconds(slices.Min(ours)), "savedq-ms")
			b.ReportMetric(milliseconds(slices.Min(theirs)), "hand-ms")
			b.ReportMetric(float64(slices.Min(ours))/float64(slices.Min(theirs)), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// textsOf returns rows as texts.
func textsOf(rows [][]any) (texts []string) {
	for _, row := range rows {
		texts = append(texts, fmt.Sprint(row))
	}
	return texts
}

// fillTables adds events of the last day of 100 projects, a million at a time.
func fillTables(tb testing.TB, server *testServer, events int) {
	tb.Helper()
	const batch = 1_000_000
	fill := func(table, message, metadata string, events int) {
		step := (24 * time.Hour).Microseconds() / int64(events)
		for begin := 0; begin < events; begin += batch {
			execute(tb, server, "INSERT INTO "+table+" (id, timestamp, event_message, project, metadata) SELECT concat('e', toString(number)), fromUnixTimestamp64Micro(toInt64("+
				strconv.FormatInt(now().UnixMicro(), 10)+" - number * "+strconv.FormatInt(step, 10)+"), 'UTC'), "+message+", concat('p', toString(intHash64(number) % 100)), "+metadata+
				" FROM numbers("+strconv.Itoa(begin)+", "+strconv.Itoa(min(batch, events-begin))+")")
		}
		execute(tb, server, "OPTIMIZE TABLE "+table)
	}
	const (
		code = "toString([200, 200, 200, 201, 304, 404, 500][intHash64(number + 1) % 7 + 1])"
		path = "concat(['/rest/v1/items', '/auth/v1/token', '/storage/v1/object', '/realtime/v1'][intHash64(number + 2) % 4 + 1], '/', toString(intHash64(number + 3) % 1000))"
	)
	fill("edge_logs", "concat('GET | ', "+code+", ' | ', "+path+")", `concat('[{"request": [{"method": "GET", "path": "', `+path+`, '", "url": "https://p', toString(intHash64(number) % 100), '.example.com', `+path+`, '", "headers": [{"user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}]}], "response": [{"status_code": ', `+code+`, '}]}]')`, events)
	fill("function_edge_logs", "concat('POST | ', "+code+")", `concat('[{"project_ref": "p', toString(intHash64(number) % 100), '", "function_id": "f', toString(intHash64(number + 4) % 20), '", "execution_time_ms": ', toString(intHash64(number + 5) % 3000), ', "response": [{"status_code": ', `+code+`, '}]}]')`, max(events/10, 1))
}
