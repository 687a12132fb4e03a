package live_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	supabase = "examples/supabase"
	// privateToken reads, as Studio's, and publicToken sends, as Vector's.
	privateToken, publicToken = "private-token-of-the-test", "public-token-of-the-test"
)

// composeFile is the part of a Compose file that the tests read.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Environment map[string]string
		Volumes     []string
		Healthcheck struct{ Test []string }
	}
	Volumes map[string]any
}

// readCompose returns the override of the example.
func readCompose(t *testing.T) composeFile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, supabase, "docker-compose.savedq.yml"))
	require.NoError(t, err)
	var file composeFile
	plain := regexp.MustCompile(`: !(override|reset)\b`).ReplaceAll(text, []byte(":")) // the tags are of Compose
	require.NoError(t, yaml.Unmarshal(plain, &file))
	return file
}

// serveSupabase starts the program with the environment of the override, but on a free port and with a
// store of its own.
func serveSupabase(t *testing.T) *server {
	t.Helper()
	queries, err := filepath.Abs(filepath.Join(root, supabase, "queries"))
	require.NoError(t, err)
	s := &server{command: exec.Command(binary, "serve"), stderr: &output{}}
	s.command.Stderr = s.stderr
	s.command.Env = append(os.Environ(), "SAVEDQ_DATA="+t.TempDir())
	for name, value := range readCompose(t).Services["analytics"].Environment {
		switch name {
		case "SAVEDQ_ADDR":
			assert.Equal(t, "0.0.0.0:4000", value, "Studio and Vector send to this port")
			value = "127.0.0.1:0"
		case "SAVEDQ_QUERIES":
			value = queries
		}
		value = strings.NewReplacer("${LOGFLARE_PRIVATE_ACCESS_TOKEN}", privateToken, "${LOGFLARE_PUBLIC_ACCESS_TOKEN}", publicToken).Replace(value)
		s.command.Env = append(s.command.Env, name+"="+value)
	}
	s.start(t)
	s.token = privateToken
	return s
}

// The override has what the program needs, and its probe works.
func TestSupabaseCompose(t *testing.T) {
	t.Parallel()
	file := readCompose(t)
	require.Equal(t, []string{"analytics"}, slices.Collect(maps.Keys(file.Services)))
	service := file.Services["analytics"]
	for _, volume := range service.Volumes {
		source, target, _ := strings.Cut(volume, ":")
		if target == "/var/lib/savedq" { // the data directory of the image
			assert.Contains(t, file.Volumes, source)
			continue
		}
		assert.Equal(t, "./savedq/queries", source, "README.md copies the example to savedq")
		assert.Equal(t, service.Environment["SAVEDQ_QUERIES"]+":ro,z", target)
	}
	require.Equal(t, []string{"CMD", "/usr/local/bin/savedq"}, service.Healthcheck.Test[:2], "as the image has it")
	s := serveSupabase(t)
	probe := exec.CommandContext(t.Context(), binary, service.Healthcheck.Test[2:]...)
	probe.Env = append(os.Environ(), "SAVEDQ_ADDR="+strings.TrimPrefix(s.url, "http://"))
	printed, err := probe.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	assert.Contains(t, body(t, ask(t, http.MethodGet, s.url+"/health", nil)), `"ready"`)
	t.Run("Tokens", func(t *testing.T) { // Studio lists the log drains, and only its token may read
		for token, status := range map[string]int{privateToken: http.StatusOK, publicToken: http.StatusForbidden} {
			for path, want := range map[string]string{
				"/api/backends?metadata%5Btype%5D=log-drain":                         "[]",
				"/api/endpoints/query/usage.api-counts?project=default&interval=1hr": `{"result":[]}`,
			} {
				response := ask(t, http.MethodGet, s.url+path, nil, "Authorization", "Bearer "+token)
				assert.Equal(t, status, response.StatusCode, "%s %s", token, path)
				if status == http.StatusOK {
					assert.JSONEq(t, want, body(t, response))
					continue
				}
				require.NoError(t, response.Body.Close())
			}
		}
		s.logs(t, `"token":"logflare-public"`)
	})
}

// answer is what Studio reads of a response.
type answer struct {
	status int
	Result []map[string]any
	Error  *struct{ Message string }
}

// studio is a client that sends what Studio sends.
type studio struct {
	*server

	start, end string
}

// call calls a saved query as Studio does.
func (s *studio) call(t *testing.T, name string, params map[string]string) answer {
	t.Helper()
	values := url.Values{"project": {"default"}}
	for param, value := range params {
		values.Set(param, value)
	}
	response := ask(t, http.MethodGet, s.url+"/api/endpoints/query/"+name+"?"+values.Encode(), nil,
		"x-api-key", privateToken, "Content-Type", "application/json", "Accept", "application/json")
	defer response.Body.Close() //nolint:errcheck // It was only read.
	read := answer{status: response.StatusCode}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&read))
	return read
}

// query returns the rows of SQL within the time of the page.
func (s *studio) query(t *testing.T, sql string) []map[string]any {
	t.Helper()
	read := s.call(t, "logs.all", map[string]string{"sql": sql, "iso_timestamp_start": s.start, "iso_timestamp_end": s.end})
	if !assert.Nil(t, read.Error, "%s", sql) {
		t.Logf("%d %s", read.status, read.Error.Message)
		return nil
	}
	return read.Result
}

// sendEvents sends batches as Vector does, and waits until the last one is visible.
func (s *studio) sendEvents(t *testing.T, batches map[string]string) {
	t.Helper()
	for source, batch := range batches {
		response := ask(t, http.MethodPost, s.url+"/api/logs?source_name="+source, strings.NewReader(batch),
			"x-api-key", publicToken, "Content-Type", "application/json")
		assert.Contains(t, body(t, response), `"rejected":0`, source)
	}
}

// startStudio starts a server with events of all sources.
func startStudio(t *testing.T) *studio {
	t.Helper()
	now := time.Now()
	at := minutesAgo(now)
	s := &studio{server: serveSupabase(t), start: at(60), end: at(-1)}
	s.sendEvents(t, vectorEvents(at))
	s.sendEvents(t, hostedEvents(at))
	total := 0
	for _, batches := range []map[string]string{vectorEvents(at), hostedEvents(at)} {
		for _, batch := range batches {
			var events []any
			require.NoError(t, json.Unmarshal([]byte(batch), &events))
			total += len(events)
		}
	}
	require.Eventually(t, func() bool {
		visible := 0
		for _, row := range s.call(t, "logs.facets", nil).Result {
			if row["facet"] == "source" {
				visible += int(row["count"].(float64))
			}
		}
		return visible == total
	}, time.Minute, 50*time.Millisecond)
	return s
}

// pageCounts are what the pages of Studio show of the events.
type pageCounts struct {
	// rows is the number of entries; ok, failed and warned are the numbers in the chart.
	rows, ok, failed, warned int
	// filters is the number of entries of each filter.
	filters map[string]int
}

func wantedCounts() map[string]pageCounts {
	return map[string]pageCounts{
		"edge": {7, 4, 1, 2, map[string]int{
			"status_code.error": 1, "status_code.success": 3, "status_code.warning": 2,
			"product.database": 4, "product.storage": 1, "product.auth": 1, "product.realtime": 1,
			"method.get": 2, "method.post": 1, "method.put": 1, "method.patch": 1, "method.delete": 1, "method.options": 1, "database": 7,
		}},
		"postgres":  {5, 2, 2, 1, map[string]int{"severity.error": 2, "severity.noError": 3, "severity.log": 2, "database": 5}},
		"pg_cron":   {1, 1, 0, 0, nil},
		"functions": {6, 4, 1, 1, map[string]int{"severity.error": 1, "severity.notError": 5, "severity.log": 1, "severity.info": 1, "severity.debug": 1, "severity.warn": 1}},
		"auth": {8, 5, 1, 2, map[string]int{ // the line that is not JSON has no metadata to unnest
			"severity.error": 1, "severity.warning": 2, "severity.info": 5,
			"status_code.server_error": 1, "status_code.client_error": 1, "status_code.redirection": 1, "status_code.success": 5,
			"endpoints.admin": 1, "endpoints.signup": 2, "endpoints.authentication": 2, "endpoints.recover": 1, "endpoints.user": 2, "endpoints.logout": 1,
		}},
		"function requests":    {4, 4, 0, 0, nil},
		"function invocations": {3, 1, 1, 1, map[string]int{"status_code.error": 1, "status_code.success": 1, "status_code.warning": 1}},
		"realtime":             {1, 1, 0, 0, nil},
		"storage":              {2, 2, 0, 0, nil},
		"postgrest":            {1, 1, 0, 0, map[string]int{"database": 1}},
		"supavisor":            {0, 0, 0, 0, map[string]int{"database": 0}},
		"pgbouncer":            {1, 1, 0, 0, nil},
		"pg_upgrade":           {},
		"etl":                  {0, 0, 0, 0, map[string]int{"pipeline": 0, "pipeline text": 0}},
		"multigres":            {},
		"auth audit":           {},
		"cron":                 {1, 1, 0, 0, nil},
	}
}

// What Studio shows of one store.
func TestStudio(t *testing.T) {
	t.Parallel()
	s := startStudio(t)
	t.Run("Pages", s.testPages)
	t.Run("Filters", s.testFilters)
	t.Run("AllSources", s.testAllSources)
	t.Run("Editor", s.testEditor)
	t.Run("Statistics", s.testStatistics)
	t.Run("LogsTable", s.testLogsTable)
}

// The pages of Studio: the list, the number of entries, the chart and the details of an entry, with each
// filter and the search.
func (s *studio) testPages(t *testing.T) {
	t.Helper()
	wanted := wantedCounts()
	for name, page := range studioPages() {
		want, known := wanted[name]
		require.True(t, known, name)
		rows := s.query(t, page.list())
		assert.Len(t, rows, want.rows, name)
		for i, row := range rows {
			assert.Positive(t, row["timestamp"], "%s: microseconds", name)
			if i > 0 {
				assert.GreaterOrEqual(t, rows[i-1]["timestamp"], row["timestamp"], "%s: the newest first", name)
			}
		}
		assert.Equal(t, []map[string]any{{"count": float64(want.rows)}}, s.query(t, page.count()), name)
		s.checkChart(t, name, page, want)
		if len(rows) > 0 {
			entry := s.query(t, page.entry(rows[0]["id"].(string)))
			require.Len(t, entry, 1, name)
			assert.Equal(t, rows[0]["event_message"], entry[0]["event_message"], name)
			metadata, isList := entry[0]["metadata"].([]any)
			assert.True(t, isList && len(metadata) == 1, "%s: %v", name, entry[0]["metadata"])
		}
		for filter, condition := range page.filters {
			count, known := want.filters[filter]
			assert.True(t, known, "%s %s", name, filter)
			assert.Len(t, s.query(t, page.list(condition)), count, "%s %s", name, filter)
			assert.Equal(t, []map[string]any{{"count": float64(count)}}, s.query(t, page.count(condition)), "%s %s", name, filter)
		}
		assert.Empty(t, s.query(t, page.list(search(`no (such|thing) \d+`))), name)
	}
}

// checkChart compares the sums of a chart, for each unit that Studio chooses.
func (s *studio) checkChart(t *testing.T, name string, page *studioPage, want pageCounts) {
	t.Helper()
	for _, unit := range []string{"minute", "hour", "day"} {
		sums := make(map[string]float64)
		var before float64
		for _, row := range s.query(t, page.chart(unit, s.start)) {
			for column, value := range row {
				sums[column] += value.(float64)
			}
			assert.Greater(t, row["timestamp"], before, "%s: the oldest first", name)
			before = row["timestamp"].(float64)
		}
		delete(sums, "timestamp")
		wanted := map[string]float64{"ok_count": float64(want.ok), "error_count": float64(want.failed), "warning_count": float64(want.warned)}
		if want.rows == 0 {
			clear(wanted)
		}
		assert.Equal(t, wanted, sums, "%s by %s", name, unit)
	}
}

// Values of one filter are alternatives, and filters are combined with each other and the search.
func (s *studio) testFilters(t *testing.T) {
	t.Helper()
	pages := studioPages()
	edge, postgres := pages["edge"], pages["postgres"]
	either := func(page *studioPage, names ...string) string {
		conditions := make([]string, len(names))
		for i, name := range names {
			conditions[i] = page.filters[name]
		}
		return strings.Join(conditions, " or ")
	}
	assert.Len(t, s.query(t, edge.list(either(edge, "status_code.error", "status_code.warning"), either(edge, "method.get", "method.post"), search("HTTP/1.1"))), 2)
	assert.Len(t, s.query(t, edge.list(search(`\s[45]\d\d\s`))), 3)
	assert.Len(t, s.query(t, postgres.list(search("it's"))), 1)
	assert.Len(t, s.query(t, edge.chart("minute", s.start, edge.filters["method.get"])), 2)

	// The page loads older entries before the oldest one.
	rows := s.query(t, edge.list())
	older := *s
	older.end = time.UnixMicro(int64(rows[2]["timestamp"].(float64))).UTC().Format("2006-01-02T15:04:05.000Z")
	assert.Len(t, older.query(t, edge.list()), 6, "the end is inclusive, and another entry has the same time")
	// It counts what is new since it was loaded.
	newer := *s
	newer.start = older.end
	assert.Equal(t, []map[string]any{{"count": 1.0}}, newer.query(t, edge.count()), "the start is exclusive")
	// Without times, all of them are there.
	newer.start, newer.end = "", ""
	assert.Len(t, newer.query(t, edge.list()), 7)
}

// A page over all sources puts them together in a WITH clause of its own.
func (s *studio) testAllSources(t *testing.T) {
	t.Helper()
	pages, wanted := studioPages(), wantedCounts()
	var sources []string
	all := 0
	for _, name := range []string{"edge", "edge", "edge", "postgres", "function invocations", "auth", "edge", "functions", "storage", "supavisor", "etl"} {
		sources = append(sources, fmt.Sprintf("\n  select id, null as source_id, t.timestamp as timestamp, '%s' as log_type, event_message from %s as t %s", name, pages[name].table, pages[name].joins))
		all += wanted[name].rows
	}
	with := "WITH unified_logs AS (" + strings.Join(sources, " union all ") + "\n)\n"
	assert.Equal(t, []map[string]any{{"count": float64(all)}}, s.query(t, with+"SELECT COUNT(*) as count FROM unified_logs"))
	assert.Len(t, s.query(t, with+"SELECT id, source_id, timestamp, log_type, event_message FROM unified_logs WHERE `log_type` IN ('postgres') AND LOWER(event_message) LIKE LOWER('%CRON%') ORDER BY timestamp DESC, id DESC LIMIT 50"), 1)
}

// SQL as people write it in the editor of Studio, and as its reports send it.
func (s *studio) testEditor(t *testing.T) {
	t.Helper()
	for sql, want := range map[string]string{
		"select p.error_severity, count(*) as count\nfrom postgres_logs\n  left join unnest(metadata) as m on true\n  left join unnest(m.parsed) as p on true\nwhere\n  regexp_contains(event_message, 'LOG|ERROR')\ngroup by\n  p.error_severity\norder by count desc":                                                                   `[{"error_severity":"LOG","count":2},{"error_severity":"ERROR","count":1}]`,
		"select cast(timestamp_trunc(t.timestamp, day) as datetime) as timestamp, count(t.id) as count\nfrom edge_logs t\n  cross join unnest(metadata) as m\n  cross join unnest(m.request) as request\n  cross join unnest(request.headers) as headers\nwhere request.path = '/graphql/v1'\ngroup by timestamp\norder by timestamp asc": `[{"timestamp":"DAY","count":1}]`,
		"select\n  r.path as path,\n  r.search as params,\n  count(timestamp) as c,\nfrom edge_logs\n  cross join unnest(metadata) as m\n  cross join unnest(m.request) as r\ngroup by\n  path,\n  params\norder by\n  c desc\nlimit 1;":                                                                                                  `[{"path":"/rest/v1/todos","params":null,"c":2}]`,
		// path is a field of request alone, by what senders usually set.
		"select event_message from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r where path like '%storage/v1%'":                                                                                                `[{"event_message":"172.18.0.1 - - \"GET /storage/v1/object/a.png HTTP/1.1\" 503 17 \"-\" \"curl/8.5.0\""}]`,
		"select r.path from edge_logs f cross join unnest(f.metadata) as m cross join unnest(m.request) as r where starts_with(r.path, '/storage/v1/object') and r.method = 'GET' -- a comment":                                                `[{"path":"/storage/v1/object/a.png"}]`,
		"select ifnull(safe_cast(metadata.status as int64), 0) as status, count(*) as n from auth_logs cross join unnest(metadata) as metadata group by status order by n desc, status limit 1":                                                `[{"status":200,"n":4}]`,
		"select count(*) as n from postgres_logs where event_message::text like '%cron job%'":                                                                                                                                                  `[{"n":1}]`,
		"select count(*) as n from edge_logs left join unnest(metadata) as m on true left join unnest(m.request) as r on true left join unnest(r.cf) as cf on true where cf.country is null":                                                   `[{"n":7}]`,
		"select t.event_message from auth_logs as t where regexp_contains(event_message, \"level.{3}(error|fatal)\") limit 100":                                                                                                                `[{"event_message":"{\"level\":\"error\",\"msg\":\"database is gone\",\"path\":\"/signup\",\"status\":500,\"time\":\"TIME\"}"}]`,
		"select coalesce(safe_divide(sum(cast(coalesce(h.content_length, \"0\") as int64)), 1000000), 0) as ingress_mb, from edge_logs t cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as h": `[{"ingress_mb":0}]`,
		"WITH unified AS (\n    select id, null as source_id, el.timestamp as timestamp, 'edge' as log_type, CAST(response.status_code AS STRING) as status, CASE WHEN response.status_code >= 500 THEN 'error' ELSE 'success' END as level, null as event_message from edge_logs as el cross join unnest(metadata) as m cross join unnest(m.response) as response\n union all \n    select id, null as source_id, pgl.timestamp as timestamp, 'postgres' as log_type, null as status, CASE WHEN parsed.error_severity = 'FATAL' THEN 'error' ELSE null END as level, event_message as event_message from postgres_logs as pgl cross join unnest(pgl.metadata) as m cross join unnest(m.parsed) as parsed\n)\nSELECT log_type, status, event_message FROM unified WHERE `level` IN ('error') ORDER BY log_type LIMIT 50": `[{"log_type":"edge","status":"503","event_message":null},{"log_type":"postgres","status":null,"event_message":"FATAL:  role does not exist"}]`,
		"select countif(response.status_code >= 500) as failed, avg(m.execution_time_ms) as took, max(m.execution_time_ms) as most from function_edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as response": `[{"failed":1,"took":7,"most":12.5}]`,
	} {
		rows, err := json.Marshal(s.query(t, sql))
		require.NoError(t, err)
		text := regexp.MustCompile(`\d{4}-\d\d-\d\dT00:00:00"`).ReplaceAllString(string(rows), `DAY"`)
		for minute := range 60 {
			text = strings.ReplaceAll(text, minutesAgo(time.Now())(minute), "TIME")
		}
		assert.JSONEq(t, want, text, sql)
	}
	for sql, want := range map[string]string{
		"select id from postgres_log":                                            "did you mean postgres_logs?",
		"select projct from edge_logs":                                           "there is no column projct",
		"select id\nfrom edge_logs\nwhere x ilike 'a'":                           "ilike",
		"select regexp_contains(event_message, '(') from postgres_logs as t":     "",
		"insert into edge_logs values (1)":                                       "",
		"select id from `cloudflare.logs.prod`":                                  "",
		"select * from read_text('/etc/passwd')":                                 "",
		"select id from edge_logs cross join unnest(metadata) as m where m.a > ": "",
	} {
		read := s.call(t, "logs.all", map[string]string{"sql": sql})
		assert.Equal(t, http.StatusBadRequest, read.status, sql)
		if assert.NotNil(t, read.Error, sql) {
			assert.NotEmpty(t, read.Error.Message, sql)
			assert.Contains(t, strings.ToLower(read.Error.Message), want, sql)
		}
	}
}

// The charts of Studio outside of the pages of logs.
func (s *studio) testStatistics(t *testing.T) {
	t.Helper()
	for _, interval := range []string{"1hr", "1day", "7day", "minutely", "hourly", "daily"} {
		sums := make(map[string]float64)
		read := s.call(t, "usage.api-counts", map[string]string{"interval": interval})
		require.Nil(t, read.Error, interval)
		for _, row := range read.Result {
			assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:00$`, row["timestamp"])
			delete(row, "timestamp")
			for column, value := range row {
				sums[column] += value.(float64)
			}
		}
		assert.Equal(t, map[string]float64{"total_rest_requests": 3, "total_auth_requests": 1, "total_storage_requests": 1, "total_realtime_requests": 1}, sums, interval)
	}
	for interval, buckets := range map[string]int{"15min": 16, "1hr": 61, "3hr": 181, "1day": 25} {
		read := s.call(t, "functions.combined-stats", map[string]string{"interval": interval, "function_id": "f1"})
		require.Nil(t, read.Error, interval)
		assert.Len(t, read.Result, buckets)
		sums, longest := make(map[string]float64), 0.0
		for _, row := range read.Result {
			for column, value := range row {
				if number, isNumber := value.(float64); isNumber && strings.HasSuffix(column, "_count") {
					sums[column] += number
				}
			}
			if took, isNumber := row["max_execution_time"].(float64); isNumber {
				longest = max(longest, took)
			}
		}
		assert.Equal(t, map[string]float64{
			"requests_count": 3, "success_count": 1, "redirect_count": 0, "client_err_count": 1, "server_err_count": 1,
			"log_count": 6, "log_info_count": 1, "log_warn_count": 2, "log_error_count": 1,
		}, sums, interval)
		assert.InDelta(t, 12.5, longest, 0)
	}
	read := s.call(t, "functions.invocation-stats", map[string]string{"interval": "1day", "function_id": "f1"})
	assert.Len(t, read.Result, 25)
	read = s.call(t, "usage.api-counts", map[string]string{"interval": "3hr"})
	assert.Contains(t, read.Error.Message, "interval: ")
	var pages struct {
		APICounts []struct{ TotalRestRequests int }
		Logs      []struct{ ID, Timestamp, EventMessage string }
	}
	s.graphql(t, `{ apiCounts(project: "default", interval: DAILY) { timestamp totalRestRequests } logs(project: "default", projectTier: FREE) { id timestamp eventMessage metadata } }`, &pages)
	assert.NotEmpty(t, pages.APICounts, "the pages of savedq have the fields that they need")
	assert.Len(t, pages.Logs, 7)
}

// otelID is the id of logs.all.otel.
const otelID = "8f0d3b1a-6c52-4e7d-9a41-2b7c5d8e9f03"

// Clients of ClickHouse's dialect read all sources of the project as the one table logs.
func (s *studio) testLogsTable(t *testing.T) {
	t.Helper()
	run := func(name, sql string) answer {
		return s.call(t, name, map[string]string{"sql": sql, "iso_timestamp_start": s.start, "iso_timestamp_end": s.end})
	}
	const list = "select id, timestamp, event_message, toInt32OrZero(log_attributes['response.status_code']) as status, log_attributes from logs where source = 'edge_logs' order by timestamp desc limit 100"
	for _, name := range []string{"logs.all.otel", "logs", otelID} {
		read := run(name, list)
		require.Nil(t, read.Error, name)
		require.Len(t, read.Result, 7, name)
		for _, row := range read.Result {
			assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$`, row["timestamp"])
			assert.IsType(t, 0.0, row["status"])
			attributes, isObject := row["log_attributes"].(map[string]any)
			require.True(t, isObject, "%v", row["log_attributes"])
			assert.NotEmpty(t, attributes["request.method"])
		}
	}
	counts := run("logs.all.otel", "select source, count() as n from logs group by source order by source")
	require.Nil(t, counts.Error)
	bySource := make(map[string]any)
	for _, row := range counts.Result {
		bySource[fmt.Sprint(row["source"])] = row["n"]
	}
	assert.InDelta(t, 7.0, bySource["edge_logs"], 0)
	assert.Greater(t, len(bySource), 4, "%v", bySource)
	chart := run("logs.all.otel", "select toStartOfMinute(timestamp) as minute, countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) as failed from logs where source = 'edge_logs' group by minute order by minute")
	require.Nil(t, chart.Error)
	failed := 0.0
	for _, row := range chart.Result {
		failed += row["failed"].(float64)
	}
	assert.InDelta(t, 1.0, failed, 0)
	other := s.call(t, "logs.all.otel", map[string]string{"sql": list, "project": "other"})
	require.Nil(t, other.Error)
	assert.Empty(t, other.Result, "events of another project")
	assert.Len(t, s.call(t, "logs", nil).Result, 7, "without SQL, the entries of the gateway")
	for sql, want := range map[string]string{
		"select nothing from logs":                                 "nothing",
		"select * from system.tables":                              "",
		"select * from url('http://localhost', 'CSV', 'x String')": "",
		"select * from edge_logs":                                  "",
		"select id from logs settings max_threads = 1":             "",
		"select id from logs where source = {source:String}":       "the parameter source is not declared",
		"select id from logs; select 1":                            "",
		"select dictGet('d', 'x', 1) from logs":                    "dictget",
	} {
		read := run("logs.all.otel", sql)
		assert.Equal(t, http.StatusBadRequest, read.status, sql)
		if assert.NotNil(t, read.Error, sql) {
			assert.NotEmpty(t, read.Error.Message, sql)
			assert.Contains(t, strings.ToLower(read.Error.Message), want, sql)
		}
	}
	explored := ask(t, http.MethodPost, s.url+"/api/explore", strings.NewReader(`{"dialect": "clickhouse", "sql": "select count() as n from logs where source = {source:String}", "params": {"source": "edge_logs"}}`),
		"x-api-key", privateToken, "Content-Type", "application/json")
	assert.Contains(t, body(t, explored), `"result":[{"n":7}]`)
	saved := ask(t, http.MethodPost, s.url+"/api/explore/save", strings.NewReader(`{"dialect": "clickhouse", "name": "a.b", "sql": "select 1"}`),
		"x-api-key", privateToken, "Content-Type", "application/json")
	defer saved.Body.Close() //nolint:errcheck // It was only read.
	assert.Equal(t, http.StatusBadRequest, saved.StatusCode, "SQL over the table logs is not saved")
}
