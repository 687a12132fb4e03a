package duckdb_test

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

const (
	sandboxYAML = `
id: 5b0c1d2e-3f40-4152-8637-485960718293
name: mine.logs
description: Logs.
cache: 60s
sandbox: enabled
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project.}
  - {name: ids, type: ARRAY<STRING>, description: Ids.}
columns:
  - {name: n, type: INT64, description: Number.}
`
	sandboxSQL = `WITH
  edge_logs AS (SELECT id, timestamp, event_message, metadata FROM edge_logs WHERE project = @project),
  messages AS (SELECT event_message FROM edge_logs),
  chosen AS (SELECT id FROM edge_logs WHERE id IN UNNEST(@ids))
SELECT COUNT(*) AS n FROM chosen`
)

// sandbox runs SQL of callers for the project a of a store that has the project b, too.
type sandbox struct {
	*runner.Runner
	query *sqlq.SavedQuery
}

func openSandbox(t *testing.T, timeout time.Duration) sandbox {
	t.Helper()
	return openSandboxWith(t, timeout, "1")
}

// openSandboxWith opens a sandbox whose project a has a message.
func openSandboxWith(t *testing.T, timeout time.Duration, open string) sandbox {
	t.Helper()
	secret := "SECRET"
	var events []sqlqtest.Event
	for i := range 6 {
		project, message := "b", &secret
		if i%2 == 0 {
			project, message = "a", &open
		}
		events = append(events, sqlqtest.Event{
			ID: "event" + strconv.Itoa(i), Timestamp: time.Date(2026, 3, 1, 10, 0, i, 0, time.UTC), Project: &project, EventMessage: message,
			Metadata: []byte(`[{"request":[{"method":"` + *message + `","size":` + strconv.Itoa(i) + `}]}]`),
		})
	}
	engine := duckdb.New(openStore(t, sqlqtest.Logs{"edge_logs": events}).DB())
	read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{Path: "mine", FS: fstest.MapFS{
		"logs/query.yaml": {Data: []byte(sandboxYAML)}, "logs/query.sql": {Data: []byte(sandboxSQL)},
	}})
	require.NoError(t, err)
	query, found := read.Find("mine.logs")
	require.True(t, found)
	config := sqlqtest.Config(read, engine, time.Now)
	config.SandboxTimeout = timeout
	return sandbox{runner.New(config), query}
}

// run returns the rows as JSON, or the error of the caller with its code.
func (s sandbox) run(t *testing.T, sql string) string {
	t.Helper()
	result, err := s.try(t.Context(), sql)
	require.NoError(t, err, sql)
	return result
}

// try returns an error that is the server's fault.
func (s sandbox) try(ctx context.Context, sql string) (string, error) {
	response, err := s.Run(ctx, runner.Request{Query: s.query, SQL: sql, Params: map[string][]string{"project": {"a"}}})
	if err != nil {
		failure := sqlq.AsError(err)
		if failure.Code == sqlq.Internal {
			return "", err
		}
		return string(failure.Code) + " " + failure.PublicText(""), nil
	}
	return string(response.Result.AppendJSON(nil)), nil
}

// D40: SQL of a caller reads the WITH clauses, with the parameters of the saved query.
func TestSandbox(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, time.Minute)
	for sql, want := range map[string]string{
		"SELECT COUNT(*) AS n FROM edge_logs":                                                                       `[{"n":3}]`,
		"SELECT event_message, COUNT(*) AS n FROM messages GROUP BY event_message;":                                 `[{"event_message":"1","n":3}]`,
		"WITH x AS (SELECT id FROM edge_logs) SELECT MAX(id) AS id FROM x":                                          `[{"id":"event4"}]`,
		"WITH messages AS (SELECT 1 AS n) SELECT n FROM messages":                                                   "INVALID_ARGUMENT line 1, column 6: WITH has two queries named messages",
		"SELECT n FROM (WITH messages AS (SELECT 1 AS n) SELECT n FROM messages)":                                   `[{"n":1}]`,
		"(SELECT id FROM edge_logs ORDER BY id LIMIT 1)":                                                            `[{"id":"event0"}]`,
		"SELECT 1 AS `Status Code`, 'it''s' AS b":                                                                   `[{"Status Code":1,"b":"it's"}]`,
		"SELECT 1 AS `Status Code`, 'it\\'s' AS b":                                                                  `[{"Status Code":1,"b":"it's"}]`,
		"SELECT @project AS p":                                                                                      `[{"p":"a"}]`,
		"SELECT id FROM edge_logs WHERE id IN UNNEST(@ids)":                                                         `[]`,
		"SELECT r.method, r.size FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY id LIMIT 1": `[{"method":"1","size":0}]`,
		"SELECT metadata FROM edge_logs ORDER BY id LIMIT 1":                                                        `[{"metadata":[{"request":[{"method":"1","size":0}]}]}]`,
		"SELECT id, timestamp FROM edge_logs QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1":                           `[{"id":"event0","timestamp":1772359200000000}]`,
		"SELECT SUBSTR(TO_JSON_STRING(metadata), 1, 10) AS j FROM edge_logs LIMIT 1":                                `[{"j":"[{\"request"}]`,
		"-- a comment\nSELECT /* another */ 1 AS n # and one":                                                       `[{"n":1}]`,
		"SELECT CONCAT(event_message, 'x') AS k, COUNT(*) AS n FROM edge_logs GROUP BY k":                           `[{"k":"1x","n":3}]`,
		"SELECT CONCAT(event_message, 'x') AS k, COUNT(*) AS n FROM edge_logs GROUP BY CONCAT(event_message, 'x')":  `[{"k":"1x","n":3}]`,
		"SELECT b'\\x41' AS b, r'a\\d' AS r, \"q\" AS q, '''t'''  AS t":                                             `[{"b":"QQ==","r":"a\\d","q":"q","t":"t"}]`,
		"SELECT STRUCT(1 AS `a b`, [1, 2] AS c) AS s":                                                               `[{"s":{"a b":1,"c":[1,2]}}]`,
		"SELECT NUMERIC '1.50' AS n, TIME '10:00:00' AS t, DATE '2026-02-28' AS d":                                  `[{"n":1.5,"t":"10:00:00","d":"2026-02-28"}]`,
		// mistakes (D36)
		"SELECT\n  x\nFROM edge_logs":                            "INVALID_ARGUMENT line 2, column 3: there is no column x here",
		"SELECT id FROM edge_log":                                "INVALID_ARGUMENT line 1, column 16: there is no table edge_log; did you mean edge_logs?",
		"SELECT 1 AS n FROM nothing_like_it":                     "INVALID_ARGUMENT line 1, column 20: there is no table nothing_like_it; the tables are edge_logs, messages, chosen",
		"SELECT LOWWER(event_message) AS x FROM messages":        "INVALID_ARGUMENT line 1, column 8: function LOWWER is not supported; did you mean LOWER?",
		"SELECT event_message,\n  COUNT(*) AS n FROM messages":   "INVALID_ARGUMENT line 1, column 8: event_message is neither grouped nor in an aggregate; add it to GROUP BY",
		"SELECT id FROM edge_logs HAVING id > ''":                "INVALID_ARGUMENT id is neither grouped nor in an aggregate; add it to GROUP BY",
		"SELECT PARSE_JSON(CONCAT(id, '{')) AS j FROM edge_logs": "INVALID_ARGUMENT a text is not valid JSON; SAFE.PARSE_JSON returns NULL for it",
		"SELECT id FROM edge_logs LIMIT -1":                      "INVALID_ARGUMENT line 1, column 32: LIMIT must not be negative",
		"SELECT CAST('x' AS INT64) AS n FROM edge_logs":          "INVALID_ARGUMENT a value cannot be converted to INT64; SAFE_CAST returns NULL for it",
		"SELECT 1 AS n, 2 AS n":                                  "INVALID_ARGUMENT line 1, column 16: the result has two columns named n; give one another alias",
	} {
		got := s.run(t, sql)
		if strings.HasPrefix(want, "INVALID") {
			assert.True(t, strings.HasPrefix(got, want), "%s\n%s", sql, got)
			continue
		}
		assert.Equal(t, want, got, sql)
	}
}

// D38: functions that read the clock return the time of the request in SQL of callers, too.
func TestSandboxReadsClock(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, time.Minute)
	for _, now := range []string{"CURRENT_TIMESTAMP()", "CURRENT_TIMESTAMP", "current_timestamp", "SAFE.CURRENT_TIMESTAMP()"} {
		assert.Equal(t, `[{"same":true,"day":true,"hour":true}]`, s.run(t, "SELECT "+now+" = CURRENT_TIMESTAMP() AS same, DATE("+now+") = CURRENT_DATE('UTC') AND CURRENT_DATE = CURRENT_DATE() AS day, "+
			"DATETIME("+now+") = CURRENT_DATETIME() AND TIME("+now+") = CURRENT_TIME() AS hour FROM edge_logs LIMIT 1"), now)
	}
	assert.Equal(t, `[{"n":3}]`, s.run(t, "SELECT COUNT(*) AS n FROM edge_logs WHERE timestamp < CURRENT_TIMESTAMP()"))
	response, err := s.Run(t.Context(), runner.Request{Query: s.query, SQL: "SELECT CURRENT_TIMESTAMP() AS n", Params: map[string][]string{"project": {"a"}}})
	require.NoError(t, err)
	assert.Equal(t, response.AsOf, response.Result.Rows[0][0])
}

// Errors of SQL of callers quote no value, because the engine can evaluate an expression for rows that a condition
// hides from the caller.
func TestSandboxErrorsQuoteNoValues(t *testing.T) {
	t.Parallel()
	const value = `OWN-VALUE-{"a":[}`
	s := openSandboxWith(t, time.Minute, value)
	var failing []string
	names := make(map[string]bool)
	for _, group := range googlesql.Functions() {
		for _, function := range group.Functions {
			names[function.Name] = true
		}
	}
	for name := range names {
		for _, args := range []string{
			"event_message", "event_message, event_message", "event_message, '$.a'", "'%d', event_message", "'%Y-%m', event_message", "event_message, timestamp",
			"timestamp, event_message", "event_message, 1", "event_message, -1", "event_message, event_message, event_message", "DATE(timestamp), event_message", "[event_message]",
			"PARSE_JSON(event_message)", "'a', event_message, 'b'", "LENGTH(event_message) - 1000", "1 << 62, LENGTH(event_message)",
		} {
			failing = append(failing, name+"("+args+")")
		}
	}
	for _, declared := range []string{"INT64", "FLOAT64", "NUMERIC", "BIGNUMERIC", "BOOL", "BYTES", "DATE", "DATETIME", "TIME", "TIMESTAMP", "JSON"} {
		failing = append(failing, "CAST(event_message AS "+declared+")")
	}
	failing = append(failing, "ERROR(event_message)", "ERROR('it is ' || event_message)", "ERROR((SELECT MAX(event_message) FROM messages))", "IF(event_message = 'x', 1, ERROR(CONCAT(event_message)))",
		"1 / (LENGTH(event_message) - LENGTH(event_message))", "[1][LENGTH(event_message)]", "9223372036854775807 + LENGTH(event_message)", "'a' LIKE event_message || '\\\\'", "REGEXP_CONTAINS('a', event_message || '(')",
		"CAST(LENGTH(event_message) * 1e300 AS INT64)", "DATE_ADD(DATE '9999-12-31', INTERVAL LENGTH(event_message) DAY)", "EXTRACT(YEAR FROM CAST(event_message AS DATE))")
	failures := 0
	for _, expression := range failing {
		for _, sql := range []string{"SELECT " + expression + " AS x FROM edge_logs", "SELECT 1 AS x FROM edge_logs WHERE CAST(" + expression + " AS STRING) = 'x'"} {
			got, err := s.try(t.Context(), sql)
			require.NoError(t, err, sql)
			if !strings.HasPrefix(got, "INVALID_ARGUMENT ") {
				continue
			}
			failures++
			for _, quoted := range []string{"OWN-VALUE", "SECRET", "Input", "Error:", "LINE"} {
				assert.NotContains(t, got, quoted, sql)
			}
		}
	}
	assert.Greater(t, failures, 500)
	assert.Equal(t, "INVALID_ARGUMENT my own words", s.run(t, "SELECT ERROR('my own words') AS x FROM edge_logs"))
}

// functionNames are all functions of DuckDB.
//
//go:embed testdata/functions.txt
var functionNames string

// D40: what SQL of a caller must not do is refused, whatever form it has: tables beside the WITH clauses, files,
// settings, the clock, statements, functions that are not in the table, and texts that are too large.
func TestSandboxRefuses(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, time.Minute)
	attacks := refusedSQL()
	add := func(format string, names ...string) {
		for _, name := range names {
			attacks = append(attacks, fmt.Sprintf(format, name))
		}
	}
	for _, source := range tables.Shipped() {
		add("SELECT 1 AS n FROM %s", "main."+source.Name, "`main."+source.Name+"`", "`main`.`"+source.Name+"`", "`"+source.Aliases[0]+"`", source.Aliases[0], "logs.main."+source.Name)
		if source.Name != "edge_logs" {
			add("SELECT 1 AS n FROM %s", source.Name, "`"+source.Name+"`", strings.ToUpper(source.Name), "edge_logs, "+source.Name, "(SELECT * FROM "+source.Name+")")
			add("SELECT %s AS n", "(SELECT COUNT(*) FROM "+source.Name+")", "EXISTS (SELECT 1 FROM "+source.Name+")", "ARRAY(SELECT id FROM "+source.Name+")", "1 IN (SELECT 1 FROM "+source.Name+")")
			add("WITH x AS (SELECT * FROM %s) SELECT 1 AS n FROM x", source.Name)
			add("SELECT 1 AS n UNION ALL SELECT 1 FROM %s", source.Name)
			add("SELECT 1 AS n FROM edge_logs AS e JOIN %s AS f ON e.id = f.id", source.Name)
		}
	}
	add("SELECT %s AS x", "@now", "@NOW", "@`now`")
	add("WITH %s FROM auth_logs", "`auth_log\u017f` AS (SELECT '' AS event_message) SELECT event_message", "`AUTH_LOG\u017f` AS (SELECT '' AS id) SELECT id", "`auth_logs ` AS (SELECT '' AS id) SELECT id")
	add("SELECT 1 AS n FROM %s, auth_logs", "(WITH auth_logs AS (SELECT 1 AS n) SELECT n FROM auth_logs)")
	assert.Greater(t, len(attacks), 200)
	for _, sql := range attacks {
		got := s.run(t, sql)
		assert.True(t, strings.HasPrefix(got, "INVALID_ARGUMENT "), "%.200s\n%.200s", sql, got)
		assert.NotContains(t, got, "SECRET", sql)
	}
}

// refusedSQL returns SQL that no caller may run, whatever tables there are.
func refusedSQL() (attacks []string) {
	add := func(format string, names ...string) {
		for _, name := range names {
			attacks = append(attacks, fmt.Sprintf(format, name))
		}
	}
	add("SELECT * FROM %s", "information_schema.tables", "INFORMATION_SCHEMA.TABLES", "duckdb_tables", "sqlite_master", "pg_catalog.pg_class", "`region-us`.INFORMATION_SCHEMA.JOBS",
		"'/etc/passwd'", "\"/etc/passwd\"", "`/etc/passwd`", "`file.csv`", "`s3://bucket/key`", "read_csv('/etc/passwd')", "read_text('/etc/passwd')", "read_blob('/etc/passwd')", "read_parquet('x')",
		"glob('*')", "duckdb_settings()", "duckdb_secrets()", "pragma_database_list()", "query('SELECT 1')", "query_table('edge_logs')", "range(10)", "generate_series(1, 10)", "unnest",
		"EXTERNAL_QUERY('x', 'SELECT 1')", "ML.PREDICT(MODEL m, TABLE t)", "edge_logs FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()", "edge_logs TABLESAMPLE SYSTEM (10 PERCENT)", "TABLE edge_logs", "`edge_logs`.`x`")
	add("%s", "SET memory_limit = '1GB'", "PRAGMA database_list", "ATTACH 'x.db'", "COPY edge_logs TO 'x'", "INSTALL httpfs", "LOAD httpfs", "CALL x()", "EXPORT DATABASE 'x'", "CREATE TABLE x AS SELECT 1",
		"DROP TABLE edge_logs", "DELETE FROM edge_logs", "INSERT INTO edge_logs VALUES (1)", "UPDATE edge_logs SET id = 1", "EXPLAIN SELECT 1", "DESCRIBE edge_logs", "SHOW TABLES", "VALUES (1)",
		"BEGIN", "DECLARE x INT64", "EXECUTE IMMEDIATE 'SELECT 1'", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE edge_logs", ";", "-- nothing", ")", "SELECT 1) SELECT 2", "SELECT 1) AS x, (SELECT 2")
	add("SELECT %s AS x", "@now", "@NOW", "@`now`", "@from", "@to", "@other", "@@version", "@@session.x",
		"GENERATE_TIMESTAMP_TRUNC_ARRAY(1, 'DAY_HOUR')", "any.generate_timestamp_trunc_array(1, 'DAY_HOUR')", "getenv('HOME')", "current_setting('memory_limit')", "version()", "SESSION_USER()", "current_user", "`x\"y`", "`a.b`", "1 AS `a\"b`, 2",
		"nextval('x')", "ERROR(1)", "$project", "?", "{{x}}", "edge_logs.", "x'", "'x", "'''x", "`x", "/* x", "'\\")
	add("WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT %s FROM x", "n")
	add("SELECT MAX(n) AS n FROM (%s)", "WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT n FROM x", "SELECT n FROM (WITH recursive x AS (SELECT 1 AS n UNION ALL SELECT n FROM x) SELECT n FROM x)")
	add("WITH x AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM x) SELECT %s FROM x", "n")
	add("WITH x AS (SELECT * FROM y), y AS (SELECT * FROM x) SELECT %s FROM x", "1 AS n")
	add("SELECT %s AS x", strings.Repeat("(", 1<<20), strings.Repeat("(", 15_000)+"1"+strings.Repeat(")", 15_000), strings.Repeat("NOT ", 7000)+"TRUE", strings.Repeat("- ", 10_000)+"1", strings.Repeat("CASE WHEN ", 3000),
		strings.Repeat("1+", 15_000)+"1", strings.Repeat("'a' || ", 4000)+"'a'", strings.Repeat("TO_JSON_STRING(", 55)+"1"+strings.Repeat(")", 55), strings.Repeat("[", 15_000), strings.Repeat("STRUCT(", 4000),
		"1"+strings.Repeat(", (SELECT 1)", 50), "1 FROM edge_logs"+strings.Repeat(", edge_logs", 30), "1"+strings.Repeat(" UNION ALL SELECT 1", 60), strings.Repeat("x", 40_000), "'\xff'",
		"1 FROM edge_logs WHERE TRUE"+strings.Repeat(" AND "+strings.Repeat("UPPER(", 7)+"event_message"+strings.Repeat(")", 7)+" = 'a'", 100),
		strings.TrimSuffix(strings.Repeat("UPPER(UPPER(UPPER(UPPER(event_message)))), ", 300), ", ")+" FROM edge_logs")
	add("SELECT %s AS x", "REPEAT('x', 1000000000)", "REPEAT(REPEAT('x', 100000), 100000)", "LPAD('x', 1000000000)", "RPAD('x', 1000000000, 'y')", "REPLACE(REPEAT('a', 200000), 'a', 'bbbbbbbb')",
		"REGEXP_REPLACE(REPEAT('a', 200000), 'a', 'bbbbbbbb')", "ARRAY_LENGTH(GENERATE_ARRAY(1, 1000000000))", "ARRAY_LENGTH(GENERATE_ARRAY(1, 1000000000, 2))", "ARRAY_LENGTH(GENERATE_ARRAY(-9223372036854775807, 9223372036854775807))", "(SELECT SUM(ARRAY_LENGTH(GENERATE_ARRAY(1, n * 20000))) FROM UNNEST([1, 2]) AS n)",
		"ARRAY_LENGTH(GENERATE_DATE_ARRAY(DATE '0001-01-01', DATE '9999-12-31'))", "ARRAY_LENGTH(GENERATE_TIMESTAMP_ARRAY(TIMESTAMP '1970-01-01', TIMESTAMP '2026-01-01', INTERVAL 1 SECOND))",
		"TO_HEX(CAST(REPEAT('x', 200000) AS BYTES))", "ARRAY_TO_STRING(GENERATE_ARRAY(1, 1000), REPEAT('x', 1000))", "FORMAT('%1000000000d', 1)", "FORMAT('%.1000000000f', 1.0)", "1/0", "CAST('x' AS INT64)")
	add("WITH a AS (SELECT REPEAT('x', 200000) AS x), b AS (SELECT %s AS x FROM a), c AS (SELECT %[1]s AS x FROM b) SELECT LENGTH(x) AS n FROM c", "CONCAT(x, x)", "x || x", "TO_JSON_STRING([x, x])", "IF(TRUE, CONCAT(x, x), x)")
	add("WITH a AS (SELECT REPEAT('x', 200000) AS x), b AS (SELECT %s AS x FROM a), c AS (SELECT [x, x] AS y FROM b) SELECT ARRAY_LENGTH(y) AS n FROM c", "STRUCT(x AS p, x AS q)", "(SELECT AS STRUCT x AS p, x AS q)")
	nested := "x"
	for range 8 {
		nested = "CONCAT(" + nested + ", CAST(n AS STRING))"
	}
	const rows = " FROM (SELECT n, REPEAT('x', 30000 + n) AS x FROM UNNEST(GENERATE_ARRAY(1, 100)) AS n)"
	add("SELECT SUM(%s) AS n"+rows, "LENGTH("+nested+")", "LENGTH("+strings.Repeat("x || ", 30)+"x)", "LENGTH(CONCAT("+strings.Repeat("x, ", 400)+"x))", "LENGTH(REPEAT(x, 5))", "LENGTH(INITCAP(x))", "LENGTH(REVERSE(x))",
		"ARRAY_LENGTH(["+strings.Repeat("x, ", 30)+"x])", "ARRAY_LENGTH(ARRAY_CONCAT([x, x], [x, x]))", "ARRAY_LENGTH(SPLIT(x, ''))", "ARRAY_LENGTH(REGEXP_EXTRACT_ALL(x, '.'))", "ARRAY_LENGTH(TO_CODE_POINTS(x))",
		"LENGTH(TO_JSON_STRING(STRUCT(x AS a, x AS b, x AS c, x AS d)))", "LENGTH(FORMAT('%s%s%s%s%s', x, x, x, x, x))", "LENGTH(FORMAT('"+strings.Repeat("%1000d", 60)+"'"+strings.Repeat(", n", 60)+"))", "LENGTH(REPLACE(x, 'x', 'xxxxx'))",
		"LENGTH(REGEXP_REPLACE(x, '.', 'xxxxx'))", "LENGTH(TO_BASE64(CAST(CONCAT(x, x) AS BYTES)))", "LENGTH(LPAD(x, 100000))", "INSTR(x, 'y', 1, 2)", "IF(CONTAINS_SUBSTR(CONCAT(x, x), CONCAT(x, x)), 1, 0)",
		"LENGTH(CAST(CONCAT(x, x) AS BYTES))", "ARRAY_LENGTH(JSON_QUERY_ARRAY(CONCAT('[1', REPEAT(',1', 10000), ']')))", "ARRAY_LENGTH(GENERATE_ARRAY(1, n * 1000))", "ARRAY_LENGTH(ARRAY(SELECT ARRAY_LENGTH(GENERATE_ARRAY(1, 1000 * m)) FROM UNNEST([1, 100]) AS m))", "LENGTH(ARRAY_TO_STRING([x, x, x, x], ','))",
		"ARRAY_LENGTH(ARRAY(SELECT REPEAT(x, 5) FROM UNNEST([1, 2, 3]) AS y))")
	add("SELECT %s AS n"+rows, strings.TrimSuffix(strings.Repeat("UPPER(x), ", 30), ", "), "STRING_AGG(x)", "ARRAY_AGG(x)", "ARRAY_AGG(STRUCT(x AS y))", "STRING_AGG(x) OVER (ORDER BY n)", "ARRAY_AGG(x) OVER (ORDER BY n)")
	return attacks
}

// Every function that is not one of GoogleSQL which has the same meaning on all engines is refused.
func TestSandboxRefusesFunctionsOfDuckDB(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, time.Minute)
	names := strings.Fields(functionNames)
	assert.Greater(t, len(names), 500)
	harmless := make(map[string]bool)
	for _, name := range names {
		got := s.run(t, "SELECT "+name+"('/etc/passwd') AS x")
		if !strings.HasPrefix(got, "INVALID_ARGUMENT ") {
			harmless[name] = true
		}
	}
	for name := range harmless {
		assert.NotRegexp(t, "read|file|glob|env|setting|secret|query|pragma|duckdb|parquet|csv|now|current", name)
	}
}

// D40: no SQL of a caller sees rows that a parameter of the saved query excludes: neither in rows nor in errors, in
// whatever order the engine evaluates conditions.
func TestSandboxHidesOtherProjects(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, time.Minute)
	for _, sql := range sideChannels() {
		got := s.run(t, sql)
		assert.True(t, strings.HasPrefix(got, "["), "%s\n%s", sql, got)
		assert.NotContains(t, got, "SECRET", sql)
		for _, hidden := range []string{"event1", "event3", "event5"} {
			assert.NotContains(t, got, hidden, sql)
		}
	}
}

// Usual SQL does not notice the share of what it makes, also of messages that are long.
func TestSandboxLimits(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, time.Minute)
	const rows = " FROM (SELECT n, REPEAT('ab c', 1000) AS x FROM UNNEST(GENERATE_ARRAY(1, 3)) AS n)"
	for sql, want := range map[string]string{
		"SELECT MAX(LENGTH(CONCAT(UPPER(x), ' ', CAST(n AS STRING), ': ', LOWER(x)))) AS n" + rows:                             `[{"n":8004}]`,
		"SELECT MAX(LENGTH(REGEXP_REPLACE(REPLACE(x, 'a', '<a>'), ' ', '_'))) AS n" + rows:                                     `[{"n":6000}]`,
		"SELECT ARRAY_LENGTH(SPLIT(x, ' ')) AS n, LENGTH(FORMAT('%s %d', x, n)) AS m" + rows + " LIMIT 1":                      `[{"n":1001,"m":4002}]`,
		"SELECT CONCAT(UPPER(LEFT(x, 1)), n) AS k, COUNT(*) AS c" + rows + " GROUP BY UPPER(LEFT(x, 1)), n ORDER BY k LIMIT 1": `[{"k":"A1","c":1}]`,
		"SELECT CONCAT(UPPER(LEFT(x, 1)), 'y') AS k, COUNT(*) AS n" + rows + " GROUP BY CONCAT(UPPER(LEFT(x, 1)), 'y')":        `[{"k":"Ay","n":3}]`,
		"SELECT LENGTH(STRING_AGG(x)) AS n, ARRAY_LENGTH(ARRAY_AGG(x)) AS m" + rows:                                            `[{"n":12002,"m":3}]`,
		"SELECT ARRAY(SELECT CONCAT(y, 'z') FROM UNNEST(['a', 'b']) AS y ORDER BY y) AS a":                                     `[{"a":["az","bz"]}]`,
		"SELECT MAX(ARRAY_LENGTH(ARRAY(SELECT x FROM UNNEST([1, 2]) AS y))) AS n" + rows:                                       `[{"n":2}]`,
		"SELECT MAX(ARRAY_LENGTH(ARRAY(SELECT y FROM UNNEST(SPLIT(x, 'a')) AS y))) AS n" + rows:                                `[{"n":1001}]`,
		"SELECT REPEAT('x', 10000) LIKE '%x_%x_%x_%x_%x_%y' AS x":                                                              `[{"x":false}]`,
		"SELECT 'a.b\\n%' LIKE '%.__%\\\\%' AS x, 'axb' NOT LIKE '%.%_' AS y":                                                  `[{"x":true,"y":true}]`,
		"SELECT SAFE.REPEAT('x', 1000000) AS x":                                                                                `[{"x":null}]`,
		"SELECT IF(n > 5, REPEAT(x, 1000000), 'y') AS y" + rows + " LIMIT 1":                                                   `[{"y":"y"}]`,
	} {
		assert.Equal(t, want, s.run(t, sql), sql)
	}
}

// LIKE matches the same texts in callers' SQL and in saved queries, where DuckDB does it, with constant patterns and others.
func TestSandboxLike(t *testing.T) {
	t.Parallel()
	s, db := openSandbox(t, time.Minute), openStore(t, sqlqtest.Logs{}).DB()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string, most int) string {
		var out strings.Builder
		for range random.IntN(most) {
			out.WriteString(from[random.IntN(len(from))])
		}
		return strings.ReplaceAll(strings.ReplaceAll(out.String(), `\`, `\\`), "\n", `\n`)
	}
	var constant, computed, want []string
	for range 400 {
		text := pick([]string{"a", "b", "%", "_", `\`, ".", "é", "\n", "(", "E", "Q"}, 8)
		pattern := pick([]string{"a", "b", "%", "%", "_", `\%`, `\_`, `\\`, ".", "é", "\n", "(", `\E`, `\Q`}, 7)
		constant = append(constant, fmt.Sprintf("'%s' LIKE '%s'", text, pattern))
		computed = append(computed, fmt.Sprintf("'%s' LIKE CONCAT('%s', LEFT(event_message, 0))", text, pattern))
		translated, err := googlesql.Translate("SELECT "+constant[len(constant)-1]+" AS x", googlesql.Environment{})
		require.NoError(t, err)
		var matches bool
		require.NoError(t, db.QueryRowContext(t.Context(), translated.SQL).Scan(&matches), translated.SQL)
		want = append(want, strconv.FormatBool(matches))
	}
	for i := range constant {
		got := s.run(t, "SELECT "+constant[i]+" AS x, "+computed[i]+" AS y FROM edge_logs LIMIT 1")
		assert.Equal(t, fmt.Sprintf(`[{"x":%[1]s,"y":%[1]s}]`, want[i]), got, computed[i])
	}
	assert.Equal(t, `[{"a":null,"b":null,"c":false}]`,
		s.run(t, "SELECT event_message LIKE NULLIF('%a%_', LEFT('%a%_', 4)) AS a, NULLIF('a', 'a') LIKE CONCAT('%a%_', id) AS b, REPEAT('x', 8000) LIKE CONCAT('%x_%x_%x_%x_%x_%y', LEFT(id, 0)) AS c FROM edge_logs LIMIT 1"))
}

// All expressions that make texts share the same bytes, however often they are printed.
func TestSandboxShares(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, time.Minute)
	const made = "REPEAT(event_message, 200000)"
	for sql, share := range map[string]string{
		"SELECT " + made + " AS x":                                                    "REPEAT needs more than 131072 bytes",
		"SELECT " + made + " AS x, " + made + " AS y":                                 "REPEAT needs more than 65536 bytes",
		"SELECT LENGTH(LOWER(" + made + ")) AS x":                                     "REPEAT needs more than 32768 bytes", // with two copies in a lambda
		"SELECT ''" + strings.Repeat(" || REPEAT(event_message, 2000)", 55) + " AS x": "REPEAT needs more than 595 bytes",
	} {
		assert.Contains(t, s.run(t, sql+" FROM edge_logs"), share, "%.100s", sql)
	}
}

// D40: SQL of a caller that never ends does so at its own time limit, and what takes too much memory at its share of
// it. Saved queries run meanwhile.
func TestSandboxBounds(t *testing.T) {
	t.Parallel()
	s := openSandbox(t, 500*time.Millisecond)
	const rows = "UNNEST(GENERATE_ARRAY(1, 200000)) AS %s"
	endless := "SELECT COUNT(*) AS n FROM " + fmt.Sprintf(rows, "a") + ", " + fmt.Sprintf(rows, "b") + ", " + fmt.Sprintf(rows, "c") + " WHERE a + b + c = -1"
	ended := make(chan string)
	for i := range 6 { // more than may run at once
		go func() {
			outcome, err := s.try(t.Context(), fmt.Sprintf("%s AND a != %d", endless, i))
			ended <- fmt.Sprint(outcome, err)
		}()
	}
	response, err := s.Run(t.Context(), runner.Request{Query: s.query, Params: map[string][]string{"project": {"a"}, "ids": {"event0"}}})
	require.NoError(t, err)
	assert.Equal(t, `[{"n":1}]`, string(response.Result.AppendJSON(nil)))
	for range 6 {
		assert.Regexp(t, "^(DEADLINE_EXCEEDED|UNAVAILABLE) ", <-ended)
	}
}

// The memory that SQL of a caller may take is a part of DuckDB's.
func TestSandboxMemory(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "100MB")
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	query := savedQuery("SELECT count(DISTINCT 'text' || (a.range * 100000 + b.range)::VARCHAR) AS n FROM range(100000) a, range(100000) b", sqlq.Column{Name: "n", Type: sqlq.Int64})
	query.Callers = &sqlq.CallersSQL{Saved: query}
	_, err = duckdb.New(store.DB()).Run(t.Context(), sqlq.Statement{Query: query})
	var failure *sqlq.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, sqlq.ResourceExhausted, failure.Code)
}

// sideChannels returns SQL that would fail, or read more, if it ran on rows of other projects of edge_logs.
func sideChannels() []string {
	return []string{
		"SELECT event_message FROM edge_logs WHERE CAST(event_message AS INT64) = 1",
		"SELECT event_message FROM messages WHERE CAST(event_message AS INT64) = 1",
		"SELECT CAST(event_message AS INT64) AS n FROM edge_logs",
		"SELECT MAX(CAST(event_message AS INT64)) AS n FROM edge_logs",
		"SELECT COUNT(*) AS n FROM edge_logs AS a JOIN edge_logs AS b ON CAST(a.event_message AS INT64) = CAST(b.event_message AS INT64)",
		"SELECT id FROM edge_logs WHERE IF(event_message LIKE 'SEC%', ERROR(event_message), TRUE)",
		"SELECT id FROM edge_logs WHERE 1 / CAST(event_message AS INT64) > 0",
		"SELECT id FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE CAST(r.method AS INT64) = 1",
		"SELECT id FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.method = 'SECRET'",
		"SELECT id FROM edge_logs ORDER BY CAST(event_message AS INT64)",
		"SELECT id, SUM(CAST(event_message AS INT64)) OVER () AS n FROM edge_logs",
		"SELECT id FROM edge_logs WHERE id IN (SELECT id FROM edge_logs WHERE CAST(event_message AS INT64) = 1)",
		"SELECT (SELECT MAX(CAST(event_message AS INT64)) FROM edge_logs) AS n",
		"SELECT event_message, COUNT(*) AS n FROM edge_logs GROUP BY event_message HAVING MAX(CAST(event_message AS INT64)) = 1",
		"SELECT id FROM edge_logs WHERE @project = 'b' OR TRUE",
		"SELECT a.id FROM edge_logs AS a LEFT JOIN edge_logs AS b ON CAST(b.event_message AS INT64) = 1 AND a.id = b.id",
	}
}
