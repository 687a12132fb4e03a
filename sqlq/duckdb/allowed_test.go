package duckdb_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// A saved query can read the tables of the store, and nothing else; it changes nothing.
func TestCheckRejectsWhatIsNotAllowed(t *testing.T) {
	t.Parallel()
	const (
		table  = "the table function %s is not allowed; use the tables of the store, or one of generate_series, json_each, json_tree, range, repeat, repeat_row, unnest"
		scalar = "the function %s is not allowed, because it "
		view   = "the view %s is internal to DuckDB and not allowed; use the tables of the store"
		show   = "SHOW, DESCRIBE and SUMMARIZE are not allowed; a saved query is a SELECT"
		kind   = "is not a SELECT, or has a PIVOT without IN"
	)
	logging := strings.ReplaceAll(table, "%s", "enable_logging")
	engine := duckdb.New(openStore(t, nil).DB())
	for sql, want := range map[string]string{
		"SELECT 'x' AS n FROM enable_logging('QueryLog', storage := 'file', storage_path := '/tmp/x')":          "1:22: " + logging,
		"SELECT\n  'ü' AS n\nFROM ENABLE_LOGGING('QueryLog')":                                                   "3:6: " + logging,
		"SELECT 'x' AS n FROM \"Enable_Logging\"('QueryLog')":                                                   "1:22: " + logging,
		"SELECT 'x' AS n FROM main.enable_logging('QueryLog')":                                                  "1:22: " + logging,
		"SELECT 'x' AS n FROM system.main.enable_logging('QueryLog')":                                           "1:22: " + logging,
		"FROM enable_logging('QueryLog')":                                                                       "1:6: " + logging,
		"WITH a AS (FROM enable_logging('QueryLog')) SELECT 'x' AS n FROM a":                                    "1:17: " + logging,
		"WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM a, enable_logging('x')) SELECT n FROM a":    "1:63: " + logging,
		"SELECT (SELECT count(*) FROM enable_logging('QueryLog')) AS n":                                         "1:30: " + logging,
		"SELECT 1 AS n WHERE EXISTS (FROM enable_logging('QueryLog'))":                                          "1:34: " + logging,
		"SELECT 1 AS n FROM edge_logs JOIN LATERAL (FROM enable_logging(id)) ON true":                           "1:49: " + logging,
		"SELECT 1 AS n UNION ALL (SELECT 1 FROM enable_logging('QueryLog'))":                                    "1:40: " + logging,
		"SELECT 1 AS n FROM range((SELECT count(*) FROM enable_logging('x')))":                                  "1:48: " + logging,
		"SELECT 1 AS n FROM edge_logs WHERE id IN (FROM enable_logging('x')) ORDER BY (FROM enable_logging(1))": "1:48: " + logging,
		"SELECT [(FROM enable_logging(x)) FOR x IN ['a']] AS n":                                                 "1:15: " + logging,
		"SELECT 1 AS n FROM (PIVOT (FROM enable_logging('x')) ON a IN (1) USING sum(b))":                        "1:33: " + logging,
		"FROM query('SELECT 1 AS n')":                                                                           strings.ReplaceAll(table, "%s", "query"),
		"FROM query_table('edge_logs')":                                                                         strings.ReplaceAll(table, "%s", "query_table"),
		"FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1 AS n'))":                                 strings.ReplaceAll(table, "%s", "json_execute_serialized_sql"),
		"FROM read_text('/etc/hostname')":                                                                       strings.ReplaceAll(table, "%s", "read_text"),
		"FROM checkpoint()":                                                                                     strings.ReplaceAll(table, "%s", "checkpoint"),
		"FROM duckdb_settings()":                                                                                strings.ReplaceAll(table, "%s", "duckdb_settings"),
		"SELECT setseed(0.5) AS n":                                                                              "1:8: " + strings.ReplaceAll(scalar, "%s", "setseed") + "changes the state of the engine",
		"SELECT 'x' || WRITE_LOG('x') AS n":                                                                     strings.ReplaceAll(scalar, "%s", "write_log"),
		"SELECT list_transform([1], lambda x: nextval('s')) AS n":                                               strings.ReplaceAll(scalar, "%s", "nextval"),
		"SELECT [current_setting(x) FOR x IN ['memory_limit']] AS n":                                            strings.ReplaceAll(scalar, "%s", "current_setting"),
		"SELECT main.getvariable('x') AS n":                                                                     strings.ReplaceAll(scalar, "%s", "getvariable"),
		"SELECT getenv('HOME') AS n":                                                                            strings.ReplaceAll(scalar, "%s", "getenv"),
		"SELECT id.sleep_ms() AS n FROM edge_logs":                                                              strings.ReplaceAll(scalar, "%s", "sleep_ms"),
		"SELECT sum(1) FILTER (pg_sleep(10) IS NULL) AS n":                                                      strings.ReplaceAll(scalar, "%s", "pg_sleep"),
		"SELECT 1 AS n FROM duckdb_logs":                                                                        "1:20: " + strings.ReplaceAll(view, "%s", "duckdb_logs"),
		"SELECT 1 AS n FROM PG_Catalog.pg_settings":                                                             strings.ReplaceAll(view, "%s", "pg_settings"),
		"SELECT 1 AS n FROM information_schema.tables":                                                          strings.ReplaceAll(view, "%s", "tables"),
		"SHOW TABLES":                                        show,
		"DESCRIBE edge_logs":                                 show,
		"SUMMARIZE edge_logs":                                show,
		"SELECT 1 AS n FROM (DESCRIBE edge_logs)":            show,
		"EXPLAIN SELECT 1 AS n":                              kind,
		"CALL enable_logging('QueryLog')":                    kind,
		"PRAGMA version":                                     kind,
		"SET memory_limit = '1GB'":                           kind,
		"SET VARIABLE x = 1":                                 kind,
		"RESET memory_limit":                                 kind,
		"ATTACH ':memory:' AS other":                         kind,
		"DETACH other":                                       kind,
		"USE main":                                           kind,
		"COPY edge_logs TO '/tmp/x.csv'":                     kind,
		"COPY (SELECT 1) TO '/tmp/x.csv'":                    kind,
		"EXPORT DATABASE '/tmp/x'":                           kind,
		"INSTALL httpfs":                                     kind,
		"LOAD httpfs":                                        kind,
		"CREATE TABLE t AS SELECT 1":                         kind,
		"CREATE MACRO m() AS TABLE FROM enable_logging('x')": kind,
		"INSERT INTO edge_logs (id) SELECT '1' RETURNING id AS n": kind,
		"UPDATE edge_logs SET id = '1' RETURNING id AS n":         kind,
		"DELETE FROM edge_logs RETURNING id AS n":                 kind,
		"DROP TABLE edge_logs":                                    kind,
		"ALTER TABLE edge_logs ADD COLUMN x INTEGER":              kind,
		"CHECKPOINT":            kind,
		"VACUUM":                kind,
		"BEGIN":                 kind,
		"PREPARE p AS SELECT 1": kind,
		"EXECUTE p":             kind,
		"PIVOT edge_logs ON project USING count(*)":                                  kind,
		"SELECT 1 AS n FROM (PIVOT edge_logs ON project USING count(*))":             kind,
		"SELECT 1 AS n; DROP TABLE edge_logs":                                        kind,
		"SELECT 1 AS n; SELECT 2 AS n":                                               "is not one statement; a saved query is one SELECT",
		"WITH a AS (DELETE FROM edge_logs RETURNING id) SELECT count(*) AS n FROM a": "A CTE needs a SELECT",
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			_, err := engine.Check(t.Context(), savedQuery(sql, sqlq.Column{Name: "n", Type: sqlq.JSON}))
			var mistakes sqlq.FileErrors
			require.ErrorAs(t, err, &mistakes)
			assert.Contains(t, err.Error(), want)
			assert.True(t, strings.HasPrefix(err.Error(), "test/duckdb.sql"), err)
		})
	}
}

// What DuckDB reads JSON with must not call itself for each bracket: 400,000 of them, which a sender can put into a message, would end
// the server. The last part of the test runs what is allowed over such a message.
func TestCheckRejectsRecursionOverJSON(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	engine := duckdb.New(store.DB())
	for _, expression := range []string{
		"json_contains(event_message, '1')", "JSON_CONTAINS(metadata, '1')", "main.json_contains(event_message, '1')", "event_message.json_structure()",
		"json_structure(event_message)", "json_group_structure(event_message::JSON)", "json_merge_patch('{}'::JSON, event_message::JSON)",
		"list_transform([event_message], lambda m: json_structure(m))", "event_message::JSON::VARIANT", "TRY_CAST(event_message::JSON AS VARIANT)",
		"[event_message::JSON]::VARIANT[]", "{'a': event_message::JSON}::STRUCT(a VARIANT)", "event_message::JSON::MAP(VARCHAR, VARIANT)",
		"cast_to_type(event_message::JSON, NULL::VARIANT)", "CASE WHEN true THEN event_message::JSON ELSE 1::VARIANT END", "variant_typeof(event_message)",
		"variant_bytes_to_variant(event_message::BLOB)", "(SELECT json_structure(event_message))",
	} {
		_, err := engine.Check(t.Context(), savedQuery("SELECT "+expression+" AS n FROM edge_logs", sqlq.Column{Name: "n", Type: sqlq.JSON, Nullable: true}))
		require.ErrorContains(t, err, "not allowed, because it ends the server if a text has many brackets in each other; use", expression)
	}
	for _, expression := range []string{"json_pretty(event_message)", "JSON_PRETTY(metadata)", "event_message.json_pretty()"} {
		_, err := engine.Check(t.Context(), savedQuery("SELECT "+expression+" AS n FROM edge_logs", sqlq.Column{Name: "n", Type: sqlq.String, Nullable: true}))
		require.ErrorContains(t, err, "the function json_pretty is not allowed, because it indents each line by the brackets around it", expression)
	}
	for name, text := range map[string]string{
		"lists":   "repeat('[', 400000) || repeat(']', 400000)",
		"objects": `repeat('{"a":', 400000) || '1' || repeat('}', 400000)`,
		"open":    "repeat('[', 400000)",
	} {
		for _, expression := range []string{
			"x::JSON", "json(x)", "json_valid(x)", "json_array_length(x)", "json_extract(x, '$.a')", "x -> '$[0]'", "x ->> '$[*]'", "json_exists(x, '$..b')", "json_keys(x)",
			"json_type(x)", "json_value(x, '$.a')", "json_quote(x)", "to_json({'a': x::JSON})", "json_object('a', x::JSON)", "json_group_array(x::JSON)", "json_group_object('a', x::JSON)",
			"from_json(x, '[\"JSON\"]')", "json_transform(x, '{\"a\":\"VARCHAR\"}')", "x::JSON::JSON[]", "x::JSON::STRUCT(a JSON)", "x::JSON::MAP(VARCHAR, VARCHAR)", "x::JSON::BIGINT",
			"x::VARCHAR[][]", "x::STRUCT(a VARCHAR)", "x::MAP(VARCHAR, VARCHAR)", "x::JSON = x::JSON", "hash(x::JSON)", "regexp_matches('a', x)", "(SELECT count(*) FROM json_each(x))",
		} {
			query := savedQuery("SELECT to_json(length(("+expression+")::VARCHAR)) AS n FROM (SELECT "+text+" AS x)", sqlq.Column{Name: "n", Type: sqlq.JSON, Nullable: true})
			_, err := engine.Run(t.Context(), sqlq.NewStatement(query, nil, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
			if name != "open" && strings.HasPrefix(expression, "json") {
				require.NoError(t, err, name+" "+expression)
			} // The others can be an error.
		}
	}
}

// Everything else that a SELECT can be is allowed.
func TestCheckAllowsEverySelect(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for _, sql := range []string{
		"SELECT count(*) AS n FROM edge_logs",
		"FROM edge_logs SELECT count(*) AS n",
		"VALUES (1)",
		"(SELECT 1 AS n)",
		"WITH a AS (VALUES (1)) SELECT n FROM a AS b(n)",
		"WITH pg_settings AS (SELECT 1 AS n) FROM pg_settings",
		"SELECT id AS n FROM main.edge_logs",
		"SELECT unnest(generate_series(1, 3)) AS n",
		"SELECT j.value AS n FROM edge_logs, json_each(metadata) AS j",
		"SELECT i AS n FROM range(3) numbers(i) UNION SELECT i FROM generate_series(3) numbers(i)",
		"SELECT 'enable_logging(''QueryLog'')' AS n -- FROM enable_logging('x')",
		"SELECT n FROM (SELECT 1 AS enable_logging, 2 AS n) AS getenv",
		"SELECT a AS n FROM (PIVOT (SELECT 'a' AS k, 1 AS v) ON k IN ('a') USING sum(v))",
		"SELECT row_number() OVER (ORDER BY id) AS n FROM edge_logs QUALIFY n = 1",
		"SELECT max(id) FILTER (project = $now::VARCHAR) AS n FROM edge_logs GROUP BY ALL",
		"SELECT random() + epoch(now()) AS n",
	} {
		query := savedQuery(sql, sqlq.Column{Name: "n", Type: sqlq.JSON})
		if sql == "VALUES (1)" {
			query.Columns[0].Name = "col0"
		}
		_, err := engine.Check(t.Context(), query)
		require.NoError(t, err, sql)
	}
}

// Every function that DuckDB has was looked at. A new version of DuckDB with another one
// fails this test until somebody has decided whether saved queries may use it: see
// allowed.go, then add its name to the file.
func TestEveryFunctionIsKnown(t *testing.T) {
	t.Parallel()
	rows, err := openStore(t, nil).DB().QueryContext(t.Context(), `
		SELECT DISTINCT CASE WHEN function_type LIKE '%table%' THEN 'table ' WHEN function_type = 'pragma' THEN 'pragma ' ELSE 'scalar ' END || lower(function_name) AS function
		FROM duckdb_functions() WHERE NOT starts_with(function_name, 'icu_collate_') ORDER BY function`)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	var functions []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		functions = append(functions, name)
	}
	require.NoError(t, rows.Err())
	known, err := os.ReadFile(filepath.Join("testdata", "functions.txt"))
	require.NoError(t, err)
	for _, function := range functions {
		assert.Contains(t, strings.Split(string(known), "\n"), function, "a function that nobody has looked at")
	}
}
