package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	engine "savedq/sqlq/clickhouse"
)

// now is the time of all runs.
func now() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// config returns the configuration of an engine on a server of a test.
func config(server *testServer) engine.Config {
	return engine.Config{
		Addresses: []string{server.address}, Database: server.database, User: server.user, Password: server.password,
		Clock: now, Logger: slog.New(slog.DiscardHandler),
	}
}

// open opens an engine that is closed with the test.
func open(tb testing.TB, config engine.Config) *engine.Engine {
	tb.Helper()
	opened, err := engine.New(tb.Context(), config)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, opened.Close()) })
	return opened
}

// queryOf returns a saved query with columns such as "a INT64".
func queryOf(sql string, columns ...string) *sqlq.SavedQuery {
	query := &sqlq.SavedQuery{Name: "test", SQL: sql, SQLFile: "test/clickhouse.sql", MaxRows: 100, Engine: "clickhouse"}
	for _, column := range columns {
		name, kind, _ := strings.Cut(column, " ")
		query.Columns = append(query.Columns, sqlq.Column{Name: name, Type: sqlq.Type(kind), Nullable: true})
	}
	return query
}

// runQuery runs a saved query with arguments.
func runQuery(ctx context.Context, engine *engine.Engine, query *sqlq.SavedQuery, args ...sqlq.Arg) (*sqlq.Result, error) {
	return engine.Run(ctx, sqlq.NewStatement(query, args, now()))
}

// execute runs statements, as no engine can.
func execute(tb testing.TB, server *testServer, statements ...string) {
	tb.Helper()
	for _, statement := range statements {
		status, text := post(tb, server, "", statement)
		require.Equal(tb, 200, status, text)
	}
}

// TestValues checks that each type of ClickHouse becomes the value of the declared type.
func TestValues(t *testing.T) {
	opened := open(t, config(startServer(t)))
	for _, test := range []struct {
		sql, declared string
		want          any
	}{
		{"'x'", "STRING", "x"},
		{"toFixedString('ab', 2)", "STRING", "ab"},
		{"toLowCardinality('x')", "STRING", "x"},
		{"toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')", "STRING", "61f0c404-5cb3-11e7-907b-a6006ad3dba0"},
		{"CAST('b', 'Enum8(\\'a, (\\' = 1, \\'b\\' = -2)')", "STRING", "b"},
		{"CAST('a, (', 'Enum16(\\'a, (\\' = 1, \\'b\\' = -2)')", "STRING", "a, ("},
		{"toIPv4('1.2.3.4')", "STRING", "1.2.3.4"},
		{"toIPv6('::1')", "STRING", "::1"},
		{"NULL", "STRING", nil},
		{"NULL::Nullable(Int64)", "INT64", nil},
		{"-5::Int8", "INT64", int64(-5)},
		{"-5::Nullable(Int16)", "INT64", int64(-5)},
		{"200::UInt8", "INT64", int64(200)},
		{"4000000000::UInt32", "INT64", int64(4000000000)},
		{"9223372036854775807::UInt64", "INT64", int64(math.MaxInt64)},
		{"toInt64('-9223372036854775808')", "INT64", int64(math.MinInt64)},
		{"18446744073709551615::UInt64", "NUMERIC", sqlq.Decimal("18446744073709551615")},
		{"toInt128('-170141183460469231731687303715884105728')", "NUMERIC", sqlq.Decimal("-170141183460469231731687303715884105728")},
		{"toUInt256('340282366920938463463374607431768211456')", "NUMERIC", sqlq.Decimal("340282366920938463463374607431768211456")},
		{"18446744073709551615::UInt64", "FLOAT64", 18446744073709551615.0},
		{"1.5::Float32", "FLOAT64", 1.5},
		{"1 / 0", "FLOAT64", math.Inf(1)},
		{"-1 / 0", "FLOAT64", math.Inf(-1)},
		{"toDecimal128('-12.50', 9)", "NUMERIC", sqlq.Decimal("-12.5")},
		{"toDecimal32('0.001', 3)", "NUMERIC", sqlq.Decimal("0.001")},
		{"toDecimal256('12345678901234567890123456789012345678901234567890.5', 1)", "NUMERIC", sqlq.Decimal("12345678901234567890123456789012345678901234567890.5")},
		{"toDecimal64('1.5', 2)", "FLOAT64", 1.5},
		{"true", "BOOL", true},
		{"1 = 2", "BOOL", false},
		{"toDateTime('2026-01-02 03:04:05', 'UTC')", "TIMESTAMP", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		{"toDateTime('2026-01-02 03:04:05', 'Asia/Tokyo')", "TIMESTAMP", time.Date(2026, 1, 1, 18, 4, 5, 0, time.UTC)},
		{"toDateTime64('2026-01-02 03:04:05.123456789', 9)", "TIMESTAMP", time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC)},
		{"toDateTime64('1901-01-02 03:04:05.5', 1)", "TIMESTAMP", time.Date(1901, 1, 2, 3, 4, 5, 500000000, time.UTC)},
		{"toDateTime64('1969-12-31 23:59:59.9999995', 7)", "TIMESTAMP", time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC)},
		{"toDateTime64('2026-01-02 03:04:05', 3)", "DATETIME", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		{"toDate('2026-01-02')", "DATE", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)},
		{"toDate32('1901-01-02')", "DATE", time.Date(1901, 1, 2, 0, 0, 0, 0, time.UTC)},
		{"[1, NULL, 3]", "ARRAY<INT64>", []any{int64(1), nil, int64(3)}},
		{"[]::Array(String)", "ARRAY<STRING>", []any{}},
		{"[['a'], []]", "ARRAY<ARRAY<STRING>>", []any{[]any{"a"}, []any{}}},
		{"'{\"b\": 1, \"a\": [null]}'", "JSON", json.RawMessage(`{"b": 1, "a": [null]}`)},
		{"'no JSON'", "JSON", json.RawMessage(`"no JSON"`)},
		{"map('a.b', 'c', 'd', '')", "JSON", json.RawMessage(`{"a.b":"c","d":""}`)},
		{"CAST((1, 'x'), 'Tuple(a Int8, `b c` String)')", "JSON", json.RawMessage(`{"a":1,"b c":"x"}`)},
		{"(1, [toDate('2026-01-02')])", "JSON", json.RawMessage(`[1,["2026-01-02"]]`)},
		{"'{\"a\":{\"b\":1}}'::JSON", "JSON", json.RawMessage(`{"a":{"b":1}}`)},
	} {
		result, err := runQuery(t.Context(), opened, queryOf("SELECT "+test.sql+" AS a", "a "+test.declared))
		if assert.NoError(t, err, test.sql) {
			require.NoError(t, result.Check(), test.sql)
			assert.Equal(t, [][]any{{test.want}}, result.Rows, test.sql)
		}
	}
	query := queryOf("SELECT CAST((1, NULL, [('x', 1)]), 'Tuple(n Int64, m Nullable(String), l Array(Tuple(k String, v UInt8)))') AS a")
	query.Columns = []sqlq.Column{{Name: "a", Type: sqlq.Struct, Fields: []sqlq.Column{
		{Name: "n", Type: sqlq.Int64},
		{Name: "m", Type: sqlq.String},
		{Name: "l", Type: "ARRAY<STRUCT>", Fields: []sqlq.Column{{Name: "k", Type: sqlq.String}, {Name: "v", Type: sqlq.Bool}}},
	}}}
	result, err := runQuery(t.Context(), opened, query)
	require.NoError(t, err)
	assert.Equal(t, [][]any{{[]any{int64(1), nil, []any{[]any{"x", true}}}}}, result.Rows)
	result, err = runQuery(t.Context(), opened, queryOf("SELECT nan AS a", "a FLOAT64"))
	require.NoError(t, err)
	assert.True(t, math.IsNaN(result.Rows[0][0].(float64)))
}

// TestParameters checks that each type of an argument arrives as it is.
func TestParameters(t *testing.T) {
	opened := open(t, config(startServer(t)))
	text := "it's a \\ \"t\"\n\t\r ü {x:Int8} %41 ' -- "
	for _, test := range []struct {
		kind  string
		arg   sqlq.Arg
		want  any
		check string
	}{
		{"String", sqlq.Arg{Type: sqlq.String, Value: text}, text, ""},
		{"String", sqlq.Arg{Type: sqlq.String, Value: "\x00\\N"}, "\x00\\N", ""},
		{"Nullable(String)", sqlq.Arg{Type: sqlq.String}, nil, ""},
		{"Int64", sqlq.Arg{Type: sqlq.Int64, Value: int64(math.MinInt64)}, int64(math.MinInt64), ""},
		{"Float64", sqlq.Arg{Type: sqlq.Float64, Value: 1e-300}, 1e-300, ""},
		{"Float64", sqlq.Arg{Type: sqlq.Float64, Value: math.Inf(-1)}, math.Inf(-1), ""},
		{"Decimal(38, 9)", sqlq.Arg{Type: sqlq.Numeric, Value: sqlq.Decimal("-12.5")}, sqlq.Decimal("-12.5"), ""},
		{"Bool", sqlq.Arg{Type: sqlq.Bool, Value: true}, true, ""},
		{"DateTime64(6, 'UTC')", sqlq.Arg{Type: sqlq.Timestamp, Value: time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)}, time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC), ""},
		{"DateTime64(6)", sqlq.Arg{Type: sqlq.Timestamp, Value: time.Date(1960, 1, 2, 3, 4, 5, 0, time.UTC)}, time.Date(1960, 1, 2, 3, 4, 5, 0, time.UTC), ""},
		{"DateTime", sqlq.Arg{Type: sqlq.Timestamp, Value: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ""},
		{"Date32", sqlq.Arg{Type: sqlq.Date, Value: time.Date(1960, 1, 2, 0, 0, 0, 0, time.UTC)}, time.Date(1960, 1, 2, 0, 0, 0, 0, time.UTC), ""},
		{"Array(String)", sqlq.Arg{Type: "ARRAY<STRING>", Value: []any{text, "", "NULL"}}, []any{text, "", "NULL"}, ""},
		{"Array(Int64)", sqlq.Arg{Type: "ARRAY<INT64>", Value: []any{}}, []any{}, ""},
		{"Array(Date32)", sqlq.Arg{Type: "ARRAY<DATE>", Value: []any{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}}, []any{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}, ""},
	} {
		test.arg.Name = "x"
		query := queryOf("SELECT {x:"+test.kind+"} AS a", "a "+string(test.arg.Type))
		result, err := runQuery(t.Context(), opened, query, test.arg)
		if assert.NoError(t, err, test.kind) {
			assert.Equal(t, [][]any{{test.want}}, result.Rows, test.kind)
		}
	}
	result, err := runQuery(t.Context(), opened, queryOf("SELECT {now:DateTime64(6, 'UTC')} AS a", "a TIMESTAMP"))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{now()}}, result.Rows)
}

// TestLimits checks what ends a run, and what callers are told.
func TestLimits(t *testing.T) {
	server := startServer(t)
	execute(t, server, "CREATE TABLE numbered (x Int64, t String) ENGINE = MergeTree ORDER BY x", "INSERT INTO numbered SELECT number, toString(number) FROM numbers(100000)")
	const slow = "SELECT sum(cityHash64(number)) AS a FROM numbers(1000000000000)"
	fewBytes, littleMemory, shortTime := config(server), config(server), config(server)
	fewBytes.MaxBytes, littleMemory.MaxMemory, shortTime.Timeout = 1000, 1<<20, time.Second
	free := open(t, config(server))

	t.Run("rows", func(t *testing.T) {
		query := queryOf("SELECT x AS a FROM numbered ORDER BY x UNION ALL SELECT x FROM numbered ORDER BY a", "a INT64")
		query.SQL = "SELECT a FROM (SELECT x AS a FROM numbered) ORDER BY a DESC"
		query.MaxRows = 2
		result, err := runQuery(t.Context(), free, query)
		require.NoError(t, err)
		assert.Equal(t, [][]any{{int64(99999)}, {int64(99998)}}, result.Rows)
		assert.True(t, result.Truncated)
		assert.Positive(t, result.BytesProcessed)
		query.SQL += " LIMIT 2"
		result, err = runQuery(t.Context(), free, query)
		require.NoError(t, err)
		assert.False(t, result.Truncated)
	})
	for name, test := range map[string]struct {
		config engine.Config
		sql    string
		code   sqlq.Code
		want   string
	}{
		"bytes":    {fewBytes, "SELECT count(t) + sum(x) AS a FROM numbered", sqlq.ResourceExhausted, "the query would read more than 1000 B, the most that one query may read; ask for a shorter time range"},
		"memory":   {littleMemory, "SELECT length(groupArray(number)) AS a FROM numbers(10000000)", sqlq.ResourceExhausted, "the query needs more memory than one query may take; ask for a shorter time range"},
		"time":     {shortTime, slow, sqlq.DeadlineExceeded, "the query took longer than 1s; ask for a shorter time range or try again later"},
		"no table": {config(server), "SELECT 1 AS a FROM missing", sqlq.Internal, "ClickHouse is not set up correctly; the server's log has the cause under this request's id"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runQuery(t.Context(), open(t, test.config), queryOf(test.sql, "a INT64"))
			coded := sqlq.AsError(err)
			require.NotNil(t, coded)
			assert.Equal(t, test.code, coded.Code, err)
			assert.Equal(t, test.want, coded.Message)
		})
	}
	t.Run("result", func(t *testing.T) {
		query := queryOf("SELECT repeat('x', 1000000) AS a FROM numbers(90)", "a STRING")
		_, err := runQuery(t.Context(), free, query)
		coded := sqlq.AsError(err)
		require.NotNil(t, coded)
		assert.Equal(t, sqlq.ResourceExhausted, coded.Code, err)
		assert.Contains(t, coded.Message, "the rows take more than")
	})
	t.Run("mistake", func(t *testing.T) {
		query := queryOf("SELECT throwIf(1) AS a", "a INT64")
		_, err := runQuery(t.Context(), free, query)
		assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
		assert.NotContains(t, sqlq.AsError(err).Message, "throwIf")
		assert.ErrorContains(t, err, "throwIf", "the log has the cause")
	})
	t.Run("writing", func(t *testing.T) {
		_, err := runQuery(t.Context(), free, queryOf("CREATE TABLE other (x Int8) ENGINE = Memory", "a INT64"))
		require.ErrorContains(t, err, "readonly mode")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := runQuery(ctx, free, queryOf(slow, "a INT64"))
			failed <- err
		}()
		running := func() bool {
			_, text := post(t, server, "", "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64%' AND Settings['log_comment'] = '{\"savedq_endpoint\":\"test\"}'")
			return text == "1\n"
		}
		require.Eventually(t, running, time.Minute, 20*time.Millisecond)
		leave()
		require.ErrorIs(t, <-failed, context.Canceled)
		require.Eventually(t, func() bool { return !running() }, time.Minute, 20*time.Millisecond)
	})
	t.Run("deadline", func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer stop()
		_, err := runQuery(ctx, free, queryOf(slow, "a INT64"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("closed", func(t *testing.T) {
		closing, err := engine.New(t.Context(), config(server))
		require.NoError(t, err)
		failed := make(chan error, 1)
		go func() {
			_, err := runQuery(t.Context(), closing, queryOf(slow, "a INT64"))
			failed <- err
		}()
		require.Eventually(t, func() bool {
			_, text := post(t, server, "", "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64%'")
			return text == "1\n"
		}, time.Minute, 20*time.Millisecond)
		require.NoError(t, closing.Close())
		require.Error(t, <-failed)
		_, err = runQuery(t.Context(), closing, queryOf("SELECT 1 AS a", "a INT64"))
		require.ErrorContains(t, err, "closed")
	})
}

// TestStream checks that the rows of a stream arrive in batches, and that what fails later is an error.
func TestStream(t *testing.T) {
	opened := open(t, config(startServer(t)))
	query := queryOf("SELECT number AS a, [toString(number)] AS b FROM numbers(100000)", "a INT64", "b ARRAY<STRING>")
	query.Stream, query.MaxRows = true, 50_000
	statement := sqlq.NewStatement(query, nil, now())
	rows, batches := 0, 0
	statement.Emit = func(batch *sqlq.Batch) error {
		require.NoError(t, batch.Check())
		for row := range batch.Rows() {
			require.Equal(t, []any{int64(rows), []any{fmt.Sprint(rows)}}, row)
			rows++
		}
		batches++
		return nil
	}
	result, err := opened.Run(t.Context(), statement)
	require.NoError(t, err)
	assert.Equal(t, 50_000, rows)
	assert.Equal(t, 50_000, result.Streamed)
	assert.Greater(t, batches, 10)
	assert.True(t, result.Truncated)
	assert.Empty(t, result.Rows)

	query.MaxRows = 10_000_000
	query.SQL = "SELECT number + throwIf(number = 3000000) AS a, ['x'] AS b FROM numbers(10000000)"
	streamed := 0
	statement.Emit = func(batch *sqlq.Batch) error {
		streamed += batch.Len()
		return nil
	}
	_, err = opened.Run(t.Context(), statement)
	require.ErrorContains(t, err, "throwIf")
	assert.Positive(t, streamed)

	stop := fmt.Errorf("the caller has enough")
	statement.Emit = func(*sqlq.Batch) error { return stop }
	_, err = opened.Run(t.Context(), statement)
	require.ErrorIs(t, err, stop)
}

// TestCheck checks what an author is told.
func TestCheck(t *testing.T) {
	server := startServer(t)
	execute(t, server, "CREATE TABLE numbered (x Int64, t LowCardinality(String)) ENGINE = MergeTree ORDER BY x")
	opened := open(t, config(server))
	query := queryOf("SELECT x, t, {p:Nullable(String)} AS p FROM numbered WHERE x > {n:Int64} AND x < {m:UInt32}", "x INT64", "t STRING", "p STRING")
	query.Params = []sqlq.Param{{Name: "p"}, {Name: "n", Type: sqlq.Int64, Required: true}, {Name: "m", Required: true}}
	plan, err := opened.Check(t.Context(), query)
	require.NoError(t, err)
	assert.Equal(t, []sqlq.PlannedColumn{{Name: "x", Type: "Int64"}, {Name: "t", Type: "String"}, {Name: "p", Type: "String"}}, plan.Columns)
	assert.Equal(t, []sqlq.PlannedParam{{Name: "p", Type: sqlq.String}, {Name: "m", Type: sqlq.Int64}}, plan.Params)

	for name, test := range map[string]struct{ sql, want string }{
		"syntax":         {"SELECT x\nFROM FROM numbered WHERE", "test/clickhouse.sql:2:11: Syntax error at numbered; expected one of: "},
		"no column":      {"SELECT y FROM numbered", "test/clickhouse.sql: Unknown expression identifier `y`"},
		"another name":   {"SELECT x AS y FROM numbered", "declares the columns x, but test/clickhouse.sql returns y"},
		"another type":   {"SELECT t AS x FROM numbered", "declares column x as INT64, but test/clickhouse.sql returns it as String"},
		"unknown type":   {"SELECT sumState(x) AS x FROM numbered", "declares column x as INT64, but test/clickhouse.sql returns it as AggregateFunction(sum, Int64)"},
		"no table":       {"SELECT x FROM missing", "ClickHouse has no such table; create it or a view of that name, as docs/clickhouse.md shows (it reports: "},
		"no SELECT":      {"DROP TABLE numbered", "Syntax error at "},
		"no parameter":   {"SELECT {z:Int64} AS x", "Substitution `z` is not set"},
		"wrong function": {"SELECT nosuch(x) AS x FROM numbered", "Function with name `nosuch` does not exist"},
	} {
		_, err := opened.Check(t.Context(), queryOf(test.sql, "x INT64"))
		assert.ErrorContains(t, err, test.want, name)
	}
	absent := queryOf("SELECT toInt64(1) AS x\nWHERE {p:Int64} = 1 AND {d:Int64} = 1 AND {r:String} = ''", "x INT64")
	absent.Params = []sqlq.Param{{Name: "p", Type: sqlq.Int64}, {Name: "d", Type: sqlq.Int64, Default: []string{"1"}}, {Name: "r", Type: sqlq.String, Required: true}}
	_, err = opened.Check(t.Context(), absent)
	require.EqualError(t, err, "test/clickhouse.sql:2:7: parameter p can be absent, so its type must have NULL, such as {p:Nullable(Int64)}; or give it a default, or make it required")
	_, err = opened.Check(t.Context(), queryOf("SELECT uniqState(x) AS x FROM numbered", "x JSON"))
	require.ErrorContains(t, err, "declares column x as JSON, but test/clickhouse.sql returns it as AggregateFunction(uniq, Int64)")
	_, err = runQuery(t.Context(), opened, queryOf("SELECT 'a' AS x", "x INT64"))
	require.ErrorContains(t, err, "declares column x as INT64", "a table can change while the server runs")
	_, err = runQuery(t.Context(), opened, queryOf("SELECT 18446744073709551615 AS x", "x INT64"))
	require.ErrorContains(t, err, "out of the range of INT64")
}

// TestConnections checks what an operator is told, and that another address is used.
func TestConnections(t *testing.T) {
	server := startServer(t)
	for name, test := range map[string]struct {
		change func(*engine.Config)
		want   string
	}{
		"unknown host":     {func(c *engine.Config) { c.Addresses = []string{"nosuch.invalid:8123"} }, "ClickHouse cannot be reached at nosuch.invalid:8123; check --clickhouse-addr, whose port must be that of HTTP, such as 8123, and the network ("},
		"closed port":      {func(c *engine.Config) { c.Addresses = []string{"127.0.0.1:1"} }, "ClickHouse cannot be reached at 127.0.0.1:1; "},
		"no TLS there":     {func(c *engine.Config) { c.TLS = true }, "ClickHouse cannot be reached at "},
		"wrong password":   {func(c *engine.Config) { c.Password = "other" }, "ClickHouse does not accept the user and the password; check --clickhouse-user and --clickhouse-password-file"},
		"unknown database": {func(c *engine.Config) { c.Database = "nosuch" }, "ClickHouse has no such database; correct --clickhouse-database (it reports: Database nosuch does not exist"},
	} {
		wrong := config(server)
		test.change(&wrong)
		opened := open(t, wrong)
		err := opened.Ping(t.Context())
		require.ErrorContains(t, err, test.want, name)
		assert.NotContains(t, err.Error(), server.password, name)
		_, err = runQuery(t.Context(), opened, queryOf("SELECT 1 AS a", "a INT64"))
		assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code, "%s: %v", name, err)
	}
	several := config(server)
	several.Addresses = []string{"127.0.0.1:1", server.address}
	opened := open(t, several)
	require.NoError(t, opened.Ping(t.Context()))
	_, err := runQuery(t.Context(), opened, queryOf("SELECT 1 AS a", "a INT64"))
	require.NoError(t, err)

	ofDSN := engine.Config{DSN: "http://" + url.UserPassword(server.user, server.password).String() + "@127.0.0.1:1," + server.address + "/" + server.database + "?max_threads=1", Clock: now, Logger: slog.New(slog.DiscardHandler)}
	result, err := runQuery(t.Context(), open(t, ofDSN), queryOf("SELECT toString(getSetting('max_threads')) AS a", "a STRING"))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{"1"}}, result.Rows)
}

// TestTables checks that tables are read where table.yaml says.
func TestTables(t *testing.T) {
	server := startServer(t)
	execute(t, server,
		"CREATE TABLE otel_logs_1 (id UUID, source_name LowCardinality(String), project String, event_message String, timestamp DateTime64(9), "+
			"log_attributes Map(LowCardinality(String), String)) ENGINE = MergeTree PARTITION BY toDate(timestamp) ORDER BY (project, source_name, toDateTime(timestamp))",
		"INSERT INTO otel_logs_1 SELECT generateUUIDv4(), if(number % 2 = 0, 'cloudflare.logs.prod', 'shop'), toString(number % 5), 'm', "+
			"toDateTime64('2026-11-01 00:00:00', 9) + number, map('request.method', 'GET', 'amount', '12') FROM numbers(200000)")
	shop := &sqlq.Table{
		Name: "orders", Aliases: []string{"shop.orders"}, Place: sqlq.Place{File: "orders/table.yaml", Line: 1, Column: 7},
		Fields: []sqlq.Field{{Name: "amount", Type: sqlq.Int64, Path: []string{"amount"}, Place: sqlq.Place{File: "orders/table.yaml", Line: 9, Column: 5}}},
		ClickHouse: &sqlq.ClickHouseTable{
			Table: server.database + ".otel_logs_1", Where: "source_name = 'shop'", Metadata: sqlq.MetadataMap,
			Columns: map[string]string{"id": "toString(id)", "amount": "toInt64(log_attributes['amount'])", "metadata": "log_attributes"},
			Place:   sqlq.Place{File: "orders/table.yaml", Line: 5, Column: 10},
		},
	}
	edge := &sqlq.Table{Name: "edge_logs", Aliases: []string{"cloudflare.logs.prod"}, Shipped: true}
	tables := sqlq.Tables{edge, shop}
	ofOTel := config(server)
	ofOTel.OTelLogs = "otel_logs_1"
	opened := open(t, ofOTel)
	rows := func(sql string, columns ...string) [][]any {
		query := queryOf(sql, columns...)
		query.Tables = tables
		result, err := runQuery(t.Context(), opened, query)
		require.NoError(t, err, sql)
		return result.Rows
	}
	assert.Equal(t, [][]any{{int64(100000), int64(1200000)}}, rows("SELECT count() AS n, sum(amount) AS a FROM orders", "n INT64", "a INT64"))
	assert.Equal(t, [][]any{{int64(100000), "GET"}}, rows("SELECT count() AS n, any(metadata['request.method']) AS m FROM `edge_logs` WHERE length(id) = 36", "n INT64", "m STRING"))
	assert.Equal(t, [][]any{{int64(2)}}, rows("WITH a AS (SELECT 1) SELECT uniq(t) AS n FROM (SELECT 'e' AS t, project FROM edge_logs UNION ALL SELECT 'o', project FROM orders)", "n INT64"))

	query := queryOf("SELECT count() AS n FROM edge_logs WHERE project = '3' AND timestamp >= {from:DateTime64(6)} AND timestamp < {to:DateTime64(6)}", "n INT64")
	query.Tables = tables
	result, err := runQuery(t.Context(), opened, query, sqlq.Arg{Name: "from", Type: sqlq.Timestamp, Value: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)},
		sqlq.Arg{Name: "to", Type: sqlq.Timestamp, Value: time.Date(2026, 11, 2, 1, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	assert.Equal(t, [][]any{{int64(360)}}, result.Rows)
	assert.Less(t, result.BytesProcessed, int64(1<<20), "other projects and days are not read")

	mistakes, err := opened.CheckColumns(t.Context(), tables)
	require.NoError(t, err)
	assert.Empty(t, mistakes)
	for want, change := range map[string]func(*sqlq.ClickHouseTable){
		"5:10: ClickHouse has no table or view nosuch; create it, or name another one under the key clickhouse":                                                 func(c *sqlq.ClickHouseTable) { c.Table = "nosuch" },
		"5:10: the columns cannot be read from the table " + server.database + ".otel_logs_1 on ClickHouse: Unknown expression or function identifier `nosuch`": func(c *sqlq.ClickHouseTable) { c.Where = "nosuch = 1" },
		"9:5: the column amount of " + server.database + ".otel_logs_1 on ClickHouse has the type String, not INT64":                                            func(c *sqlq.ClickHouseTable) { c.Columns["amount"] = "log_attributes['amount']" },
		"declare it under the key clickhouse with metadata: map":                                                                                                func(c *sqlq.ClickHouseTable) { c.Metadata = sqlq.MetadataJSON },
	} {
		changed, mapping := *shop, *shop.ClickHouse
		mapping.Columns = map[string]string{"id": "toString(id)", "amount": "toInt64(log_attributes['amount'])", "metadata": "log_attributes"}
		change(&mapping)
		changed.ClickHouse = &mapping
		mistakes, err := opened.CheckColumns(t.Context(), sqlq.Tables{&changed})
		require.NoError(t, err)
		require.NotEmpty(t, mistakes, want)
		assert.ErrorContains(t, mistakes, want)
	}
}

// TestGivenRows checks that a statement reads the rows of a case, and no others.
func TestGivenRows(t *testing.T) {
	server := startServer(t)
	execute(t, server,
		"CREATE TABLE edge_logs (id String, timestamp DateTime64(6, 'UTC'), event_message Nullable(String), project Nullable(String), metadata String) ENGINE = MergeTree ORDER BY timestamp",
		"CREATE TABLE otel (id UUID, t DateTime, project String, event_message String, log_attributes Map(LowCardinality(String), String)) ENGINE = MergeTree ORDER BY t",
		"INSERT INTO edge_logs SELECT 'real', now64(6), 'real', 'real', '{}'")
	opened := open(t, config(server))
	tables := sqlq.Tables{
		{Name: "edge_logs", Aliases: []string{"edge"}, Shipped: true},
		{Name: "orders", ClickHouse: &sqlq.ClickHouseTable{Table: "otel", Metadata: sqlq.MetadataMap, Columns: map[string]string{"timestamp": "t", "id": "toString(id)", "metadata": "log_attributes"}}},
	}
	prepare := func(sql string, given []engine.GivenTable, columns ...string) ([][]any, error) {
		query := queryOf(sql, columns...)
		query.Tables = tables
		statement, err := engine.NewGivenRows(opened).Prepare(t.Context(), sqlq.NewStatement(query, nil, now()), given)
		if err != nil {
			return nil, err
		}
		result, err := opened.Run(t.Context(), statement)
		if err != nil {
			return nil, err
		}
		return result.Rows, nil
	}
	row := json.RawMessage(`{"id": "it's \\ 1", "timestamp": "2026-11-20T12:00:00.5Z", "project": null, "metadata": [{"a": [{"b": 1, "c": "x"}]}]}`)
	given := []engine.GivenTable{{Name: "edge_logs", Rows: []json.RawMessage{row}}, {Name: "orders", Rows: []json.RawMessage{json.RawMessage(
		`{"id": "x", "timestamp": 1763640000000000, "metadata": [{"a": [{"b": 1, "c": "x", "n": null}], "l": [1, 2]}]}`)}}}

	rows, err := prepare("SELECT id, timestamp AS t, project AS p, metadata AS m FROM edge", given, "id STRING", "t TIMESTAMP", "p STRING", "m JSON")
	require.NoError(t, err)
	assert.Equal(t, [][]any{{`it's \ 1`, now().Add(500 * time.Millisecond), nil, json.RawMessage(`[{"a": [{"b": 1, "c": "x"}]}]`)}}, rows)
	rows, err = prepare("SELECT id, timestamp AS t, project AS p, toJSONString(mapSort(metadata)) AS m FROM orders", given, "id STRING", "t TIMESTAMP", "p STRING", "m STRING")
	require.NoError(t, err)
	assert.Equal(t, [][]any{{"x", time.UnixMicro(1763640000000000).UTC(), "", `{"a.b":"1","a.c":"x","l":"[1, 2]"}`}}, rows)
	rows, err = prepare("SELECT id FROM edge_logs", []engine.GivenTable{{Name: "edge_logs"}}, "id STRING")
	require.NoError(t, err)
	assert.Empty(t, rows)

	for want, test := range map[string]struct {
		sql string
		row string
	}{
		"reads the table edge_logs, whose rows the case does not give; give them under tables": {"SELECT id FROM " + server.database + ".edge_logs", `{}`},
		"edge_logs has no column x in ClickHouse":                                              {"SELECT id FROM edge_logs", `{"x": 1}`},
		"column timestamp of edge_logs: ":                                                      {"SELECT id FROM edge_logs", `{"timestamp": "never"}`},
		"column timestamp of edge_logs: must be a time":                                        {"SELECT id FROM edge_logs", `{"timestamp": []}`},
	} {
		_, err := prepare(test.sql, []engine.GivenTable{{Name: "edge_logs", Rows: []json.RawMessage{json.RawMessage(test.row)}}}, "id STRING")
		require.ErrorContains(t, err, want)
	}
}
