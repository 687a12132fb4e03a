package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	engine "savedq/sqlq/clickhouse"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/googlesql/googlesqltest"
	"savedq/sqlq/tables"
)

// googleSettings are those that engines send with printed GoogleSQL.
const googleSettings = "join_use_nulls=1&group_by_use_nulls=1&short_circuit_function_evaluation=force_enable&enable_extended_results_for_datetime_functions=1" +
	"&session_timezone=UTC&precise_float_parsing=1&cast_keep_nullable=0&allow_experimental_correlated_subqueries=1&max_query_size=8388608" +
	"&output_format_json_quote_denormals=1&output_format_json_quote_decimals=1&output_format_json_escape_forward_slashes=0"

// notOnClickHouse is in the messages of what ClickHouse does not have.
const notOnClickHouse = "ClickHouse"

// TestGoogleSQLCases checks that each expression of the cases of GoogleSQL returns on ClickHouse what it returns on BigQuery, or
// is refused. None returns anything else.
func TestGoogleSQLCases(t *testing.T) {
	server := startServer(t)
	files, err := googlesqltest.Read(filepath.Join("..", "..", "googlesql", "testdata", "cases"))
	require.NoError(t, err)
	equal, refused := 0, 0
	for _, file := range files {
		t.Run(filepath.Base(file.Path), func(t *testing.T) {
			for _, c := range file.Cases {
				if isEqual(t, server, c) {
					equal++
				} else {
					refused++
				}
			}
		})
	}
	t.Logf("%d cases are equal, %d are refused", equal, refused)
	assert.Greater(t, equal, 2200, "cases that are no longer refused raise this number, and none may lower it")
}

// isEqual reports whether a case returns what it should, and false for one that is refused.
func isEqual(t *testing.T, server *testServer, c googlesqltest.Case) bool {
	t.Helper()
	isBytes := strings.HasPrefix(c.Want, `b"`)
	expression := "(" + c.SQL + ")"
	if isBytes {
		expression = "TO_BASE64" + expression
	}
	translated, err := googlesql.Translate("SELECT "+expression+" AS c", googlesql.Environment{Target: googlesql.ClickHouse})
	message, isRefused := strings.CutPrefix(c.Want, googlesqltest.Refused)
	if err != nil {
		if isRefused && strings.Contains(err.Error(), message) || c.Want == googlesqltest.Error {
			return true
		}
		assert.Contains(t, err.Error(), notOnClickHouse, c.SQL)
		return false
	}
	status, text := post(t, server, googleSettings, translated.SQL+"\nFORMAT JSONCompactEachRowWithNamesAndTypes")
	if status != http.StatusOK {
		if c.Want == googlesqltest.Error {
			return true
		}
		assert.Contains(t, text, "which "+notOnClickHouse+" has", c.SQL) // a time in another year
		return false
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	require.Len(t, lines, 3, "%s: %s", c.SQL, text)
	var types []string
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &types))
	var row []any
	decoder := json.NewDecoder(strings.NewReader(lines[2]))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&row))
	value := ofClickHouse(t, row[0], types[0])
	if bytes, isText := value.(string); isText && isBytes {
		value, err = base64.StdEncoding.DecodeString(bytes)
		require.NoError(t, err)
	}
	got := googlesqltest.Text(value)
	if isClock.MatchString(c.Want) { // on the first day of 1970
		got = strings.Replace(got, "1970-01-01 ", "", 1)
	}
	if c.Want == "null" && got == "[]" { // as BigQuery returns an array that is NULL
		return true
	}
	assert.Equal(t, c.Want, got, c.SQL)
	return true
}

var isClock = regexp.MustCompile(`^"\d\d:\d\d:\d\d`)

// ofClickHouse returns a value of ClickHouse as one that [googlesqltest.Text] writes.
func ofClickHouse(t *testing.T, value any, typ string) any {
	t.Helper()
	if value == nil {
		return nil
	}
	if element, isArray := strings.CutPrefix(typ, "Array("); isArray {
		list, isList := value.([]any)
		require.True(t, isList)
		for i := range list {
			list[i] = ofClickHouse(t, list[i], strings.TrimSuffix(element, ")"))
		}
		return list
	}
	if inner, isNullable := strings.CutPrefix(typ, "Nullable("); isNullable {
		typ = strings.TrimSuffix(inner, ")")
	}
	text := fmt.Sprint(value)
	switch {
	case typ == "Bool":
		return value
	case typ == "Int64":
		number, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		return number
	case typ == "Float64":
		number, err := strconv.ParseFloat(strings.TrimPrefix(text, "-nan"), 64)
		if text == "-nan" {
			return math.NaN()
		}
		require.NoError(t, err)
		return number
	case strings.HasPrefix(typ, "Decimal("):
		number, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		return number
	case strings.HasPrefix(typ, "DateTime64("):
		return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Subqueries, joins, arrays, groups and orders return on ClickHouse what GoogleSQL says.
// The whole metadata of a map is the object with its paths, in a list like the metadata of other events.
func TestGoogleSQLWholeMap(t *testing.T) {
	server := startServer(t)
	execute(t, server, "CREATE TABLE mapped (id String, metadata Map(String, String)) ENGINE = Memory",
		`INSERT INTO mapped VALUES ('a', {'request.path': '/a"ü'}), ('b', {})`)
	table := googlesql.Table{
		Name: "mapped", Columns: []googlesql.TableColumn{{Name: "id", Type: sqlq.String}, {Name: "metadata", Type: sqlq.JSON, IsMetadata: true}},
		ClickHouse: &sqlq.ClickHouseTable{Metadata: sqlq.MetadataMap},
	}
	for sql, want := range map[string]string{
		"SELECT TO_JSON_STRING(metadata) AS c FROM mapped ORDER BY id":                    `"[{\"request.path\":\"/a\\\"ü\"}]" "[{}]"`,
		"SELECT TO_JSON_STRING(m) AS c FROM mapped, UNNEST(metadata) AS m WHERE id = 'a'": `"{\"request.path\":\"/a\\\"ü\"}"`,
	} {
		translated, err := googlesql.Translate(sql, googlesql.Environment{Target: googlesql.ClickHouse, Tables: []googlesql.Table{table}})
		require.NoError(t, err, sql)
		assert.Equal(t, want, rowsOf(t, server, translated.SQL), sql)
	}
}

// A server starts with all shipped saved queries, on tables of savedq's own and on Logflare's.
func TestShippedQueries(t *testing.T) {
	server := startServer(t)
	createTables(t, server, tables.Shipped().Sources())
	execute(t, server, "CREATE TABLE otel_logs_1 (id UUID, source_name LowCardinality(String), project String, event_message String, timestamp DateTime64(9), "+
		"log_attributes Map(LowCardinality(String), String)) ENGINE = MergeTree ORDER BY (project, source_name, toDateTime(timestamp))")
	for _, otelLogs := range []string{"", "otel_logs_1"} {
		settings := config(server)
		settings.OTelLogs = otelLogs
		read, err := catalog.Read(engine.Dialect{OTelLogs: otelLogs})
		require.NoError(t, err)
		opened := open(t, settings)
		for _, query := range read.Queries() {
			_, err := opened.Check(t.Context(), query)
			require.NoError(t, err, "%s on %q", query.Name, otelLogs)
		}
	}
}

func TestGoogleSQLQueries(t *testing.T) {
	server := startServer(t)
	for sql, want := range map[string]string{
		// Rows that a correlated subquery does not find.
		"SELECT (SELECT COUNT(*) FROM (SELECT 1 AS y UNION ALL SELECT 2) AS u WHERE u.y = t.x) AS c FROM UNNEST([1, 5]) AS t_x CROSS JOIN (SELECT 5 AS x) AS t ORDER BY 1": "0 0",
		"SELECT (SELECT MAX(e) FROM UNNEST([x, 7]) AS e) AS c FROM UNNEST([CAST(NULL AS INT64)]) AS x":                                                                     "7",
		"SELECT ARRAY_LENGTH(ARRAY(SELECT e FROM UNNEST([x, 7]) AS e)) AS c FROM UNNEST([CAST(NULL AS INT64)]) AS x":                                                       "2",
		"SELECT EXISTS (SELECT 1 FROM UNNEST([x, 7]) AS e WHERE e IS NULL) AS c FROM UNNEST([CAST(NULL AS INT64)]) AS x":                                                   "true",
		"SELECT 3 NOT IN (SELECT x FROM (SELECT 1 AS x UNION ALL SELECT NULL) AS t) AS c":                                                                                  "null",
		"SELECT 3 NOT IN (SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) AS t) AS c":                                                                                     "true",
		"SELECT x AS c FROM UNNEST([3, NULL, 1]) AS x ORDER BY x":                                                                                                          "null 1 3",
		"SELECT x AS c FROM UNNEST([3, NULL, 1]) AS x ORDER BY x DESC":                                                                                                     "3 1 null",
		"SELECT x AS c FROM UNNEST([3, NULL, 1]) AS x ORDER BY x NULLS LAST LIMIT 2 OFFSET 1":                                                                              "3 null",
		"SELECT x AS c FROM UNNEST([1.0, CAST('nan' AS FLOAT64), NULL]) AS x ORDER BY x":                                                                                   "null NaN 1.0",
		"SELECT x AS c FROM UNNEST([1.0, CAST('nan' AS FLOAT64), NULL]) AS x ORDER BY x NULLS LAST":                                                                        "NaN 1.0 null",
		"SELECT COUNT(*) AS c FROM UNNEST([CAST('nan' AS FLOAT64), -CAST('nan' AS FLOAT64), 0.0, -0.0]) AS x GROUP BY x ORDER BY 1":                                        "2 2",
		"SELECT o AS c FROM (SELECT 1 AS id, ARRAY<INT64>[] AS a UNION ALL SELECT 2, [5, 6]) AS t LEFT JOIN UNNEST(t.a) AS e WITH OFFSET AS o ORDER BY id, o":              "null 0 1",
		"SELECT e AS c FROM (SELECT 1 AS id, [1, 9] AS a UNION ALL SELECT 2, [2]) AS t JOIN UNNEST(t.a) AS e ON e > t.id ORDER BY 1":                                       "9",
		"SELECT b.y AS c FROM (SELECT 1 AS x UNION ALL SELECT 2) AS a LEFT JOIN (SELECT 2 AS x, 'two' AS y) AS b ON a.x = b.x ORDER BY a.x":                                `null "two"`,
		"SELECT SUM(x) AS c FROM UNNEST([1, 2, 3]) AS x GROUP BY ROLLUP(MOD(x, 2)) ORDER BY GROUPING(MOD(x, 2)), 1":                                                        "2 4 6",
		"SELECT x AS c FROM UNNEST([3, 1, 2]) AS x WHERE TRUE QUALIFY ROW_NUMBER() OVER (ORDER BY x DESC) = 1":                                                             "3",
		"SELECT COUNT(*) AS c FROM (SELECT 1 AS x) AS t WHERE FALSE":                                                                                                       "0",
		"SELECT SUM(x) AS c FROM (SELECT 1 AS x) AS t WHERE FALSE":                                                                                                         "null",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n AS c FROM r ORDER BY n":                                                    "1 2 3",
		"(SELECT 1 AS c UNION DISTINCT SELECT 1) EXCEPT DISTINCT SELECT 2":                                                                                                 "1",
		"SELECT IF(x = 0, -1, DIV(10, x)) AS c FROM UNNEST([0, 5]) AS x ORDER BY 1":                                                                                        "-1 2",
		"SELECT (SELECT AS STRUCT 1 AS a, 'b' AS b).b AS c":                                                                                                                `"b"`,
		"SELECT STRING_AGG(x, '-' ORDER BY x DESC) AS c FROM UNNEST(['a', 'ab', NULL, 'b']) AS x":                                                                          `"b-ab-a"`,
	} {
		translated, err := googlesql.Translate(sql, googlesql.Environment{Target: googlesql.ClickHouse})
		require.NoError(t, err, sql)
		assert.Equal(t, want, rowsOf(t, server, translated.SQL), sql)
	}
}

// rowsOf returns the values of the first column.
func rowsOf(t *testing.T, server *testServer, sql string) string {
	t.Helper()
	status, text := post(t, server, googleSettings, sql+"\nFORMAT JSONCompactEachRowWithNamesAndTypes")
	require.Equal(t, http.StatusOK, status, "%s: %s", sql, text)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var types []string
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &types))
	var got []string
	for _, line := range lines[2:] {
		var row []any
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&row))
		got = append(got, googlesqltest.Text(ofClickHouse(t, row[0], types[0])))
	}
	return strings.Join(got, " ")
}

// Metadata is read from JSON text, with objects that are plain or in lists of one, and from a map of paths.
func TestGoogleSQLMetadata(t *testing.T) {
	server := startServer(t)
	columns := []googlesql.TableColumn{{Name: "id", Type: sqlq.String}, {Name: "metadata", Type: sqlq.JSON, IsMetadata: true}}
	execute(t, server,
		"CREATE TABLE listed (id String, metadata Nullable(String)) ENGINE = Memory",
		`INSERT INTO listed VALUES ('a', '[{"request": [{"method": "GET", "size": 3, "ok": true}], "tags": ["x", "y"]}]'), ('b', '[]'), ('c', NULL)`,
		"CREATE TABLE plain (id String, metadata String) ENGINE = Memory",
		`INSERT INTO plain VALUES ('a', '{"request": {"method": "GET", "size": 3, "ok": true}, "tags": ["x", "y"]}'), ('b', '{}'), ('c', '')`,
		"CREATE TABLE mapped (id String, metadata Map(String, String)) ENGINE = Memory",
		`INSERT INTO mapped VALUES ('a', {'request.method': 'GET', 'request.size': '3', 'request.ok': 'true'}), ('b', {}), ('c', {'request.method': ''})`)
	for _, table := range []googlesql.Table{
		{Name: "listed", Columns: columns},
		{Name: "plain", Columns: columns},
		{Name: "mapped", Columns: columns, ClickHouse: &sqlq.ClickHouseTable{Metadata: sqlq.MetadataMap}},
	} {
		for sql, want := range map[string]string{
			"SELECT id AS c FROM %s, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.method = 'GET'":                          `"a"`,
			"SELECT r.method AS c FROM %s LEFT JOIN UNNEST(metadata) AS m LEFT JOIN UNNEST(m.request) AS r ORDER BY id":             `"GET" null null`,
			"SELECT CAST(r.size AS INT64) + 1 AS c FROM %s, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.size IS NOT NULL": "4",
			"SELECT CAST(r.ok AS BOOL) AS c FROM %s, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE id = 'a'":                  "true",
			"SELECT id AS c FROM %s WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.size > 2)":    `"a"`,
			"SELECT metadata[SAFE_OFFSET(0)].request[SAFE_OFFSET(0)].method AS c FROM %s ORDER BY id":                               `"GET" null null`,
		} {
			sql = fmt.Sprintf(sql, table.Name)
			translated, err := googlesql.Translate(sql, googlesql.Environment{Target: googlesql.ClickHouse, Tables: []googlesql.Table{table}})
			require.NoError(t, err, sql)
			assert.Equal(t, want, rowsOf(t, server, translated.SQL), sql)
		}
	}
}

// Numbers in metadata have the digits that they were sent with, on each level, and texts that look like JSON are left as they are.
func TestGoogleSQLMetadataNumbers(t *testing.T) {
	server := startServer(t)
	execute(t, server, "CREATE TABLE numbers (id String, metadata Nullable(String)) ENGINE = Memory",
		`INSERT INTO numbers VALUES ('a', '[{"l": [{"n": 1.0, "o": {"p": -0}, "t": "x: 2.50, \\"3.0\\"", "s": [1.50, "4.0", null]}], "big": 123456789012345678, "exp": 1e2}]'), `+
			`('b', '{"l": {"n": "1.0", "o": {"p": 7}, "t": "Mozilla/5.0", "s": [2]}, "big": 5, "exp": "1e2"}'), ('c', '[{"l": [{"n": {"q": 0.10}, "s": []}]}]'), ('d', '1.5')`)
	table := googlesql.Table{Name: "numbers", Columns: []googlesql.TableColumn{{Name: "id", Type: sqlq.String}, {Name: "metadata", Type: sqlq.JSON, IsMetadata: true}}}
	const from = " FROM numbers LEFT JOIN UNNEST(metadata) AS m LEFT JOIN UNNEST(m.l) AS l ORDER BY id"
	for sql, want := range map[string]string{
		"SELECT CAST(l.n AS STRING) AS c" + from:   `"1.0" "1.0" "{\"q\":0.1}" null`,
		"SELECT CAST(m.big AS STRING) AS c" + from: `"123456789012345678" "5" null null`,
		"SELECT CAST(m.exp AS STRING) AS c" + from: `"100.0" "1e2" null null`,
		"SELECT CAST(l.n AS FLOAT64) AS c FROM numbers, UNNEST(metadata) AS m, UNNEST(m.l) AS l WHERE id <> 'c' ORDER BY id": "1.0 1.0",
		"SELECT CAST(l.t AS STRING) AS c" + from: `"x: 2.50, \"3.0\"" "Mozilla/5.0" null null`,
		"SELECT TO_JSON_STRING(l.o) AS c" + from: `"{\"p\":-0}" "{\"p\":7}" "null" "null"`,
		"SELECT CAST(s AS STRING) AS c FROM numbers, UNNEST(metadata) AS m, UNNEST(m.l) AS l, UNNEST(l.s) AS s ORDER BY id, 1": `null "1.5" "4.0" "2"`,
		"SELECT ARRAY_TO_STRING(ARRAY(SELECT CAST(s AS STRING) FROM UNNEST(l.s) AS s), '|', 'NULL') AS c" + from:               `"1.5|4.0|NULL" "2" "" ""`,
		"SELECT l.n IS NULL AS c" + from: "false false false true",
		"SELECT CAST(metadata[SAFE_OFFSET(0)].l[SAFE_OFFSET(0)].s[SAFE_OFFSET(0)] AS STRING) AS c FROM numbers ORDER BY id": `"1.5" "2" null null`,
	} {
		translated, err := googlesql.Translate(sql, googlesql.Environment{Target: googlesql.ClickHouse, Tables: []googlesql.Table{table}})
		require.NoError(t, err, sql)
		assert.Equal(t, want, rowsOf(t, server, translated.SQL), sql)
	}
}

// A query of a WITH clause hides a table behind it, and not in the queries before it, where the table is mapped or not.
func TestGoogleSQLHiddenTable(t *testing.T) {
	server := startServer(t)
	execute(t, server, "CREATE TABLE orders (id String) ENGINE = Memory", "INSERT INTO orders VALUES ('own')",
		"CREATE TABLE stored (key String) ENGINE = Memory", "INSERT INTO stored VALUES ('mapped')")
	opened := open(t, config(server))
	for name, table := range map[string]*sqlq.Table{
		"own":    {Name: "orders"},
		"mapped": {Name: "orders", ClickHouse: &sqlq.ClickHouseTable{Table: "stored", Columns: map[string]string{"id": "key", "timestamp": "now64(6)", "event_message": "''", "project": "''", "metadata": "''"}}},
	} {
		for sql, want := range map[string]string{
			"WITH a AS (SELECT id FROM orders), orders AS (SELECT 'hidden' AS id) SELECT a.id || ' ' || o.id AS c FROM a CROSS JOIN Orders AS o":     name + " hidden",
			"WITH orders AS (SELECT id || '!' AS id FROM orders) SELECT id AS c FROM ORDERS":                                                         name + "!",
			"SELECT o.id || ' ' || (SELECT MAX(x.id) FROM (WITH orders AS (SELECT 'inner' AS id) SELECT id FROM orders) AS x) AS c FROM orders AS o": name + " inner",
		} {
			query := queryOf("", "c STRING")
			query.Tables = sqlq.Tables{table}
			translation, err := engine.Dialect{}.FromGoogleSQL(query, sql)
			require.NoError(t, err, sql)
			query.SQL, query.Translation = translation.SQL, translation
			result, err := runQuery(t.Context(), opened, query)
			require.NoError(t, err, "%s: %s", sql, translation.SQL)
			assert.Equal(t, [][]any{{want}}, result.Rows, "%s on %s", sql, name)
		}
	}
}

// Values are returned as BigQuery returns them: BYTES in base64, TIME and INTERVAL as strings, and no array is NULL.
func TestGoogleSQLOutput(t *testing.T) {
	server := startServer(t)
	for sql, want := range map[string]string{
		"SELECT b'\\xff\\x00' AS c":               `"/wA="`,
		"SELECT TIME '10:00:00.5' AS c":           `"10:00:00.500"`,
		"SELECT INTERVAL 14 MONTH AS c":           `"1-2 0 0:0:0"`,
		"SELECT CAST(NULL AS ARRAY<INT64>) AS c":  `[]`,
		"SELECT [1, NULL] AS c, STRUCT([2] AS a)": `[1, null]`,
	} {
		env := googlesql.Environment{Target: googlesql.ClickHouse}
		described, err := googlesql.Describe(sql, env)
		require.NoError(t, err, sql)
		env.Columns = described.Columns
		translated, err := googlesql.Translate(sql, env)
		require.NoError(t, err, sql)
		assert.Equal(t, want, rowsOf(t, server, translated.SQL), sql)
	}
}

// What ClickHouse cannot have with GoogleSQL's meaning is refused, with its place and with what works.
func TestGoogleSQLRefusals(t *testing.T) {
	refusals := map[string]string{
		"SELECT DATE '1899-12-31' AS c":                                                         "the year 1899 is not supported on ClickHouse, whose times are from 1900 to 2299",
		"SELECT JSON_SET(JSON '{}', '$.a', 1) AS c":                                             "JSON_SET is not supported on ClickHouse; make the JSON with TO_JSON(STRUCT(…))",
		"SELECT CAST('1' AS TIME FORMAT 'SS') AS c":                                             "CAST of a STRING AS TIME with FORMAT is not supported on ClickHouse; use PARSE_TIME",
		"SELECT CAST(1 AS STRING FORMAT '9') AS c":                                              "CAST of a number with FORMAT is not supported on ClickHouse; use FORMAT('%.2f', x)",
		"SELECT SUM(x WHERE x > 1) AS c FROM UNNEST([1]) AS x":                                  "WHERE in an aggregate is not supported on ClickHouse; write IF(condition, x, NULL) as its argument",
		"SELECT PERCENTILE_CONT(x, 0 RESPECT NULLS) OVER () AS c FROM UNNEST([1]) AS x":         "RESPECT NULLS of PERCENTILE_CONT is not supported on ClickHouse",
		"SELECT STDDEV(NUMERIC '1') AS c":                                                       "STDDEV is not supported on ClickHouse; write it of CAST(… AS FLOAT64)",
		"SELECT a.x AS c FROM (SELECT 1 AS x) AS a LEFT JOIN (SELECT 2 AS y) AS b ON a.x < b.y": "a LEFT JOIN without = between columns of both sides is not supported on ClickHouse",
		"SELECT (SELECT MAX(a.x) FROM (SELECT 1 AS y) AS b) AS c FROM (SELECT 1 AS x) AS a":     "a subquery that reads columns of the query around it in this way is not supported on ClickHouse; join the tables",
	}
	for _, sql := range slices.Sorted(maps.Keys(refusals)) {
		_, err := googlesql.Translate(sql, googlesql.Environment{Target: googlesql.ClickHouse})
		require.EqualError(t, err, refusals[sql], sql)
	}
}
