package clickhousesql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/clickhousesql"
)

// A client of ClickHouse asks what a server is and has, in the words of the clients that people use.
func TestClient(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	env := environment()
	env.IsClient = true
	for _, test := range []struct{ client, sql, want string }{
		{"clickhouse-go", "SELECT displayName(), version(), revision(), timezone()", `["savedq","26.5.0.0",54460,"UTC"]`},
		{"clickhouse-java", "SELECT currentUser() AS user, timezone() AS timezone, version() AS version LIMIT 1", `["default","UTC","26.5.0.0"]`},
		{"any", "SELECT 1", `[1]`},
		{"Grafana", "SELECT version()", `["26.5.0.0"]`},
		{"Grafana", "SHOW DATABASES", `["default"]`},
		{"Grafana", `SHOW TABLES FROM "default"`, `["logs"]`},
		{"Grafana", "SHOW TABLES", `["logs"]`},
		{"any", "show full tables in default like 'l%';", `["logs"]`},
		{"any", "SHOW TABLES ILIKE 'X'", ``},
		{"any", "SHOW TABLES FROM system", ``},
		{"any", "SHOW DATABASES LIKE 'def%'", `["default"]`},
		{"Grafana", "SELECT name FROM system.databases ORDER BY name", `["default"]`},
		{"Grafana", "SELECT name FROM system.tables WHERE database = 'default' ORDER BY name", `["logs"]`},
		{"Grafana", "SELECT name, type, table FROM system.columns WHERE database IN ('default') AND table = 'logs' LIMIT 1", `["id","String","logs"]`},
		{"Grafana", "SELECT name, is_aggregate, case_insensitive, alias_to, origin, syntax FROM system.functions WHERE name = 'quantile' LIMIT 10000", `["quantile",1,0,"","System","quantile(level)(Number)"]`},
		{"Metabase", "SELECT value='1' FROM system.settings WHERE name='cloud_mode'", ``},
		{"Metabase", "SELECT count(*) > 0 FROM system.databases WHERE name = 'default'", `[1]`},
		{"Metabase", "WITH s AS (SELECT version() AS ver, splitByChar('.', ver) AS verSplit) SELECT s.ver, toInt32(verSplit[1]), toInt32(verSplit[2]) FROM s", `["26.5.0.0",26,5]`},
		{"Metabase", "SELECT `default`.`logs`.`id` AS `id` FROM `default`.`logs` ORDER BY `default`.`logs`.`id` LIMIT 1", `["aut000"]`},
		{"clickhouse-java", "SELECT name AS TABLE_SCHEM, '' AS TABLE_CATALOG FROM system.databases ORDER BY name", `["default",""]`},
		{
			"clickhouse-java", "SELECT '' AS TABLE_CAT, t.database AS TABLE_SCHEM, t.name AS TABLE_NAME, if(t.is_temporary = 1, concat('Temporary', t.engine), t.engine) AS TABLE_TYPE, t.comment AS REMARKS, " +
				"CAST(null as Nullable(String)) AS TYPE_CAT, d.engine AS TYPE_SCHEM FROM system.tables t JOIN system.databases d ON system.tables.database = system.databases.name " +
				"WHERE t.database LIKE '%' AND t.name LIKE 'logs' AND (t.is_temporary = 0)",
			`["","default","logs","View","The events of all log sources.",null,"Atomic"]`,
		},
		{
			"clickhouse-java", "SELECT database AS TABLE_SCHEM, table AS TABLE_NAME, name AS COLUMN_NAME, type AS TYPE_NAME, toInt32(IF (numeric_scale == 0, NULL, numeric_scale)) as DECIMAL_DIGITS, " +
				"toInt32(numeric_precision_radix) AS NUM_PREC_RADIX, toInt32(position(type, 'Nullable(') >= 1 ?1 : 0) as NULLABLE, system.columns.comment AS REMARKS, " +
				"system.columns.default_expression AS COLUMN_DEF, character_octet_length::Nullable(Int32) AS CHAR_OCTET_LENGTH, toInt32(system.columns.position) AS ORDINAL_POSITION, " +
				"position(upper(type), 'NULLABLE') >= 1 ? 'YES' : 'NO' AS IS_NULLABLE FROM system.columns WHERE database LIKE '%' AND table LIKE 'logs' AND name LIKE 'source' " +
				"ORDER BY TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION",
			"[\"default\",\"logs\",\"source\",\"String\",null,null,0,\"name of the log source, such as `edge_logs`\",\"\",null,5,\"NO\"]",
		},
		{"DBeaver", "SELECT count() FROM (SELECT name as TABLE_NAME, engine as TABLE_TYPE, database as TABLE_SCHEM, comment as REMARKS, * FROM system.tables\nWHERE database = 'default' and name='logs')", `[1]`},
		{"any", "WITH logs AS (SELECT 1 AS x) SELECT x FROM logs", `[1]`},
		{"any", "WITH logs AS (SELECT 1 AS x) SELECT count() > 1 FROM default.logs", `[1]`},
	} {
		got, err := rowsOf(t, store.DB(), test.sql, env)
		if !assert.NoError(t, err, "%s: %s", test.client, test.sql) {
			continue
		}
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		assert.Equal(t, want, append([]string(nil), got...), "%s: %s", test.client, test.sql)
	}
	got, err := rowsOf(t, store.DB(), "DESC TABLE \"default\".\"logs\"", env)
	require.NoError(t, err)
	require.Len(t, got, 6)
	assert.Contains(t, got, `["id","String","","","id of the event","",""]`)
	for sql, want := range map[string]string{
		"SELECT * FROM system.users":          "there is no table system.users; there are system.databases, system.tables, ",
		"SELECT * FROM system.query_log":      "there is no table system.query_log",
		"SELECT * FROM other.logs":            "there is no table other.logs; the only table is logs",
		"SELECT * FROM default.edge_logs":     "its rows are in logs: FROM logs WHERE source = 'edge_logs'",
		"SELECT * FROM system.numbers(10)":    "the table function system.numbers is not allowed",
		"DESCRIBE TABLE system.tables":        "there is no description of system.tables; the table is logs",
		"DESC (SELECT 1)":                     "expected a table or a subquery, found (",
		"SHOW GRANTS":                         "only SELECT is supported, not SHOW",
		"SHOW TABLES LIKE x":                  "expected a pattern such as 'l%', found x",
		"SHOW TABLES; SELECT 1":               "expected the end of the text, found SELECT",
		"SELECT version(1)":                   "version is not allowed",
		"SELECT getSetting('x')":              "getSetting is not allowed",
		"SELECT default.logs.nosuch FROM logs": "there is no column default.logs.nosuch",
	} {
		_, err := clickhousesql.Describe(sql, env)
		assert.ErrorContains(t, err, want, sql)
	}
}
