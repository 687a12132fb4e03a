package server

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/httpserver"
)

// clickHouses is a server for clients of ClickHouse.
type clickHouses struct {
	*explores
	url string
}

func newClickHouses(t *testing.T) *clickHouses {
	t.Helper()
	e := newExplores(t, unchanged)
	e.ingest("acme", 3)
	e.ingest("globex", 2)
	config := e.handlers()
	config.Keyring = e.keyring
	served := httptest.NewServer(httpserver.NewHandler(config))
	t.Cleanup(served.Close)
	return &clickHouses{e, served.URL}
}

// send sends SQL in a body, and returns the response and its body.
func (c *clickHouses) send(method, token, query, body string, headers ...string) (*http.Response, string) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.url+"/clickhouse"+query, strings.NewReader(body))
	require.NoError(c.t, err)
	if token != "" {
		request.Header.Set("X-ClickHouse-Key", token)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(c.t, err)
	defer func() { assert.NoError(c.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return response, string(text)
}

// connect opens a connection of the Go client.
func (c *clickHouses) connect(token string, change func(*clickhouse.Options)) *sql.DB {
	address, err := url.Parse(c.url)
	require.NoError(c.t, err)
	options := &clickhouse.Options{
		Protocol: clickhouse.HTTP, Addr: []string{address.Host}, HttpUrlPath: "/clickhouse",
		Auth: clickhouse.Auth{Database: "default", Username: "default", Password: token},
	}
	change(options)
	db := clickhouse.OpenDB(options)
	c.t.Cleanup(func() { assert.NoError(c.t, db.Close()) })
	return db
}

// ADR 070: the rows are those that the token may read, in the form that is asked for.
func TestClickHouseHTTP(t *testing.T) {
	t.Parallel()
	c := newClickHouses(t)
	const count = "SELECT source, count() AS n FROM logs GROUP BY source"
	for _, test := range []struct{ method, token, query, body, want string }{
		{http.MethodPost, "full", "", count, "edge_logs\t5\n"},
		{http.MethodPost, "acme", "", count, "edge_logs\t3\n"},
		{http.MethodPost, "acme", "/", count + " FORMAT JSONEachRow;", `{"source":"edge_logs","n":3}` + "\n"},
		{http.MethodPost, "acme", "?default_format=CSV", count, `"edge_logs",3` + "\n"},
		{http.MethodPost, "acme", "?default_format=CSV", count + " FORMAT JSONCompactEachRow", `["edge_logs", 3]` + "\n"},
		{http.MethodGet, "acme", "?query=" + url.QueryEscape(count), "", "edge_logs\t3\n"},
		{http.MethodPost, "acme", "?query=" + url.QueryEscape("SELECT count()"), "FROM logs", "3\n"},
		{http.MethodPost, "both", "?param_project=globex", count, "edge_logs\t2\n"},
		{http.MethodPost, "full", "?param_id=acme1&param_other=x", "SELECT id FROM logs WHERE id = {id:String}", "acme1\n"},
		{http.MethodPost, "full", "?" + url.Values{"param_ids": {`['acme1', 'it\'s', 'globex0']`}}.Encode(), "SELECT id FROM logs WHERE has({ids:Array(String)}, id) ORDER BY id", "acme1\nglobex0\n"},
		{http.MethodPost, "full", "?param_t=1772359200", "SELECT count() FROM logs WHERE timestamp = {t:DateTime}", "5\n"},
		{http.MethodPost, "full", "?param_t=2026-03-01+10:00:00", "SELECT count() FROM logs WHERE timestamp <= {t:DateTime64(3)}", "5\n"},
		{http.MethodPost, "full", "?param_x=%5CN", "SELECT isNull({x:Nullable(String)}), timestamp FROM logs LIMIT 1", "1\t2026-03-01 10:00:00.000000\n"},
		{http.MethodPost, "acme", "?max_result_rows=2&result_overflow_mode=break", "SELECT id FROM logs ORDER BY id", "acme0\nacme1\n"},
		{http.MethodPost, "acme", "?limit=1&max_execution_time=60&readonly=1&session_timezone=UTC", "SELECT id FROM logs ORDER BY id", "acme0\n"},
		{http.MethodPost, "acme", "?database=anything", "SHOW TABLES", "logs\n"},
		{http.MethodPost, "acme", "", "SELECT 1", "1\n"},
		{http.MethodGet, "acme", "", "", "Ok.\n"},
		{http.MethodGet, "acme", "/ping", "", "Ok.\n"},
	} {
		response, body := c.send(test.method, test.token, test.query, test.body)
		assert.Equal(t, http.StatusOK, response.StatusCode, "%s %s: %s", test.query, test.body, body)
		assert.Equal(t, test.want, body, "%s %s", test.query, test.body)
	}
	response, body := c.send(http.MethodPost, "acme", "?query_id=mine-1&default_format=JSON", "SELECT 1 AS one")
	assert.Equal(t, "JSON", response.Header.Get("X-ClickHouse-Format"))
	assert.Equal(t, "mine-1", response.Header.Get("X-ClickHouse-Query-Id"))
	assert.Contains(t, response.Header.Get("X-ClickHouse-Summary"), `{"result_rows":"1","elapsed_ns":"`)
	assert.Equal(t, "application/json; charset=UTF-8", response.Header.Get("Content-Type"))
	assert.Contains(t, body, `{"meta":[{"name":"one","type":"UInt8"}],"data":[`)
	assert.Contains(t, body, `"rows":1,`)
	response, body = c.send(http.MethodPost, "acme", "", "SELECT 1 AS one", "X-ClickHouse-Format", "RowBinaryWithNamesAndTypes", "X-ClickHouse-Query-Id", "mine-2")
	assert.Equal(t, "mine-2", response.Header.Get("X-ClickHouse-Query-Id"))
	assert.Equal(t, "\x01\x03one\x05UInt8\x01", body)
	response, _ = c.send(http.MethodPost, "acme", "", "SELECT 1")
	assert.NotEmpty(t, response.Header.Get("X-ClickHouse-Query-Id"))
	for _, authorization := range []string{"Bearer acme"} {
		response, _ = c.send(http.MethodPost, "", "", "SELECT 1", "Authorization", authorization)
		assert.Equal(t, http.StatusOK, response.StatusCode, authorization)
	}
}

// What is wrong has ClickHouse's form, a number that clients know, and a status to match.
func TestClickHouseHTTPErrors(t *testing.T) {
	t.Parallel()
	c := newClickHouses(t)
	const unauthenticated, denied, bad = http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest
	for _, test := range []struct {
		method, token, query, body string
		status                     int
		want                       string
	}{
		{http.MethodPost, "", "", "SELECT 1", unauthenticated, "Code: 516. DB::Exception: "},
		{http.MethodPost, "wrong", "", "SELECT 1", unauthenticated, "Code: 516. DB::Exception: "},
		{http.MethodGet, "wrong", "/ping", "", unauthenticated, "Code: 516. "},
		{http.MethodPost, "reader", "", "SELECT 1", denied, "Code: 497. DB::Exception: the token may not "},
		{http.MethodPost, "tenant", "", "SELECT 1", denied, "Code: 497. DB::Exception: the token is limited to certain values of tenant"},
		{http.MethodPost, "acme", "?param_project=globex", "SELECT count() FROM logs", denied, "Code: 497. DB::Exception: project: the token does not allow this project"},
		{http.MethodPost, "acme", "", "SELECT nosuch FROM logs", bad, "Code: 62. DB::Exception: sql: line 1, column 8: there is no column nosuch"},
		{http.MethodPost, "acme", "", "SELECT\nx FROM edge_logs", bad, "line 2, column 8: there is no table edge_logs"},
		{http.MethodPost, "acme", "", "", bad, "Code: 62. DB::Exception: sql: the SQL is empty; write a SELECT. (SYNTAX_ERROR)"},
		{http.MethodPost, "acme", "", "SELECT 1; SELECT 2", bad, "Code: 62. "},
		{http.MethodPost, "acme", "", "SELECT 1 FORMAT Parquet", bad, `Code: 73. DB::Exception: the format "Parquet" is not supported; use one of TabSeparated, `},
		{http.MethodPost, "acme", "?default_format=Pretty", "SELECT 1", bad, "Code: 73. "},
		{http.MethodPost, "acme", "?nosuch=1", "SELECT 1", bad, `Code: 115. DB::Exception: the setting "nosuch" is not supported; leave it out. (UNKNOWN_SETTING)`},
		{http.MethodPost, "acme", "?max_result_rows=2", "SELECT id FROM logs", bad, "Code: 396. DB::Exception: the result has more than 2 rows"},
		{http.MethodPost, "acme", "?max_result_rows=x", "SELECT 1", bad, `Code: 36. DB::Exception: the setting max_result_rows: "x" is no whole number`},
		{http.MethodPost, "acme", "?session_timezone=Europe/Berlin", "SELECT 1", bad, "times are in UTC"},
		{http.MethodPost, "acme", "?result_overflow_mode=other", "SELECT 1", bad, "use throw or break"},
		{http.MethodPost, "acme", "?decompress=1", "SELECT 1", bad, "the setting decompress"},
		{http.MethodPost, "acme", "?max_execution_time=-1", "SELECT 1", bad, "the setting max_execution_time"},
		{http.MethodPost, "acme", "?password=x", "SELECT 1", bad, "send the token in a header"},
		{http.MethodPost, "acme", "?query=%zz", "", bad, "the query string is malformed"},
		{http.MethodPost, "acme", "", "SELECT {x:String}", bad, "Code: 457. DB::Exception: x: is required"},
		{http.MethodPost, "acme", "?param_x=a", "SELECT {x:Int64}", bad, "Code: 457. DB::Exception: x: "},
		{http.MethodPost, "acme", "?param_x=a", "SELECT {x:Array(String)}", bad, `Code: 36. DB::Exception: "a" is no array such as ['a', 'b']`},
		{http.MethodPost, "acme", "", "SELECT * FROM system.users", bad, "there is no table system.users"},
		{http.MethodPost, "acme", "", "SELECT * FROM url('http://127.0.0.1/', CSV)", bad, "the table function url is not allowed"},
		{http.MethodPost, "acme", "", "SELECT throwIf(1)", bad, "throwIf is not allowed"},
		{http.MethodPost, "acme", "", "SELECT repeat(repeat('x', 1000000), 1000000)", bad, "repeat makes too long a text"},
		{http.MethodPut, "acme", "", "SELECT 1", http.StatusMethodNotAllowed, "Code: 48. "},
		{http.MethodPost, "acme", "/other", "SELECT 1", http.StatusNotFound, "Code: 48. DB::Exception: nothing is served at this path; queries are at /clickhouse"},
		{http.MethodPost, "acme", "", "/*" + strings.Repeat("x", 300<<10) + "*/ SELECT 1", bad, "Code: "},
	} {
		response, body := c.send(test.method, test.token, test.query, test.body)
		shown := test.query + " " + test.body[:min(len(test.body), 80)]
		assert.Equal(t, test.status, response.StatusCode, "%s: %s", shown, body)
		assert.Contains(t, body, test.want, shown)
		assert.Regexp(t, `^Code: \d+\. DB::Exception: .+ \([A-Z_]+\)\n$`, body)
		number, _, _ := strings.Cut(strings.TrimPrefix(body, "Code: "), ".")
		assert.Equal(t, number, response.Header.Get("X-ClickHouse-Exception-Code"), shown)
		assert.Equal(t, "text/plain; charset=UTF-8", response.Header.Get("Content-Type"))
	}
	for _, sql := range []string{
		"INSERT INTO logs (id) VALUES ('x')", "INSERT INTO logs FORMAT Native \xff\xfe", "ALTER TABLE logs DELETE WHERE 1", "SET max_threads = 1", "SYSTEM SHUTDOWN", "/* c */ drop table logs",
		"CREATE TABLE x (id String)", "TRUNCATE logs", "USE other", "KILL QUERY WHERE 1", "GRANT ALL ON *.* TO x", "DELETE FROM logs WHERE 1", "OPTIMIZE TABLE logs",
	} {
		response, body := c.send(http.MethodPost, "full", "", sql)
		assert.Equal(t, http.StatusForbidden, response.StatusCode, sql)
		assert.Contains(t, body, "Code: 164. DB::Exception: ", sql)
	}
	response, body := c.send(http.MethodPost, "full", "", "SELECT 1", "Sec-Fetch-Site", "cross-site")
	assert.Equal(t, http.StatusForbidden, response.StatusCode)
	assert.Contains(t, body, "Code: 497. DB::Exception: pages of other origins may not send SQL")
	response, body = c.send(http.MethodPost, "full", "", "--x\r\n", "Content-Type", "multipart/form-data; boundary=x")
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)
	assert.Contains(t, body, "bodies in several parts")
}

// A result without all of its rows is an error unless the client says that it may be cut.
func TestClickHouseHTTPCut(t *testing.T) {
	t.Parallel()
	c := newClickHouses(t)
	const many = "SELECT arrayJoin(range(6000)) AS n UNION ALL SELECT arrayJoin(range(6000)) AS n"
	response, body := c.send(http.MethodPost, "full", "", many)
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)
	assert.Contains(t, body, "Code: 396. DB::Exception: the result has more than 10000 rows; add a LIMIT")
	response, body = c.send(http.MethodPost, "full", "?result_overflow_mode=break", many)
	assert.Equal(t, http.StatusOK, response.StatusCode)
	assert.Equal(t, 10_000, strings.Count(body, "\n"))
}

// The Go client, which is the one of Grafana, connects and reads values of every type.
func TestClickHouseHTTPGoClient(t *testing.T) {
	t.Parallel()
	c := newClickHouses(t)
	header := func(token string) func(*clickhouse.Options) {
		return func(options *clickhouse.Options) {
			options.Auth.Username, options.Auth.Password = "", ""
			options.HttpHeaders = map[string]string{"X-ClickHouse-Key": token}
		}
	}
	for name, change := range map[string]func(*clickhouse.Options){
		"none": func(*clickhouse.Options) {}, "gzip": func(o *clickhouse.Options) {
			o.Compression = &clickhouse.Compression{Method: clickhouse.CompressionGZIP}
		},
		"lz4": func(o *clickhouse.Options) {
			o.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
		},
		"zstd": func(o *clickhouse.Options) {
			o.Compression = &clickhouse.Compression{Method: clickhouse.CompressionZSTD}
		},
	} {
		db := c.connect("", func(o *clickhouse.Options) { header("acme")(o); change(o) })
		require.NoError(t, db.PingContext(t.Context()), name)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // which the client sends as max_execution_time
		defer cancel()
		rows, err := db.QueryContext(ctx, "SELECT id, timestamp FROM logs WHERE source = {source:String} ORDER BY id", clickhouse.Named("source", "edge_logs"))
		require.NoError(t, err, name)
		defer func() { assert.NoError(t, rows.Close()) }()
		var ids []string
		for rows.Next() {
			var id string
			var at time.Time
			require.NoError(t, rows.Scan(&id, &at))
			assert.Equal(t, time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), at.UTC())
			ids = append(ids, id)
		}
		require.NoError(t, rows.Err())
		assert.Equal(t, []string{"acme0", "acme1", "acme2"}, ids, name)
		long, err := db.QueryContext(ctx, "SELECT arrayJoin(range(9999)) AS n, repeat('x', 20) AS text")
		require.NoError(t, err, name)
		defer func() { assert.NoError(t, long.Close()) }()
		n := 0
		for long.Next() {
			n++
		}
		require.NoError(t, long.Err(), name)
		assert.Equal(t, 9999, n, name)
	}

	db := c.connect("", header("acme"))
	var text string
	var whole uint64
	var small int8
	var number float64
	var single float32
	var truth bool
	var day, second time.Time
	var absent *string
	var present *int32
	var list []string
	var nested [][]uint8
	var attributes map[string]string
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT 'it''s', toUInt64(18), toInt8(-5), 0.5, toFloat32(0.25), true, toDate('2026-01-02'), toDateTime('2026-01-02 03:04:05'),
		CAST(NULL AS Nullable(String)), CAST(7 AS Nullable(Int32)), ['a', 'b'], [[1, 2], [3]], map('k', 'v')`).Scan(
		&text, &whole, &small, &number, &single, &truth, &day, &second, &absent, &present, &list, &nested, &attributes))
	assert.Equal(t, "it's", text)
	assert.Equal(t, uint64(18), whole)
	assert.Equal(t, int8(-5), small)
	assert.InDelta(t, 0.5, number, 0)
	assert.InDelta(t, 0.25, single, 0)
	assert.True(t, truth)
	assert.Equal(t, "2026-01-02", day.Format(time.DateOnly))
	assert.Equal(t, "2026-01-02 03:04:05", second.UTC().Format(time.DateTime))
	assert.Nil(t, absent)
	assert.Equal(t, int32(7), *present)
	assert.Equal(t, []string{"a", "b"}, list)
	assert.Equal(t, [][]uint8{{1, 2}, {3}}, nested)
	assert.Equal(t, map[string]string{"k": "v"}, attributes)
	var tuple []any
	var times []time.Time
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT (1, 'x'), [toDateTime('2026-01-02 03:04:05')]").Scan(&tuple, &times))
	assert.Equal(t, []any{uint8(1), "x"}, tuple)
	assert.Equal(t, "2026-01-02 03:04:05", times[0].UTC().Format(time.DateTime))

	// An empty result has its columns, and a mistake is an exception.
	rows, err := db.QueryContext(t.Context(), "SELECT id, source FROM logs WHERE id = 'nosuch'")
	require.NoError(t, err)
	defer func() { assert.NoError(t, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(t, err)
	assert.Equal(t, []string{"id", "source"}, names)
	assert.False(t, rows.Next())
	require.NoError(t, rows.Err())
	var exception *clickhouse.Exception
	require.ErrorAs(t, db.QueryRowContext(t.Context(), "SELECT nosuch FROM logs").Scan(&text), &exception)
	assert.Equal(t, int32(62), exception.Code)
	assert.Contains(t, exception.Message, "there is no column nosuch")
	_, err = db.ExecContext(t.Context(), "INSERT INTO logs (id) VALUES ('x')")
	require.ErrorAs(t, err, &exception)
	assert.Equal(t, int32(164), exception.Code)
	wrong := c.connect("", header("wrong"))
	require.ErrorAs(t, wrong.PingContext(t.Context()), &exception)
	assert.Equal(t, int32(516), exception.Code)
}
