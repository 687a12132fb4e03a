package googlesql_test

import (
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// outputOf runs a text with the columns that its description has, and returns its rows as JSON.
func outputOf(t *testing.T, db *sql.DB, text string) string {
	t.Helper()
	env := environment()
	described, err := googlesql.Describe(text, env)
	require.NoError(t, err, text)
	env.Columns = described.Columns
	translation, err := googlesql.Translate(text, env)
	require.NoError(t, err, text)
	var rows string
	wrapped := "SELECT CAST(to_json(coalesce(list(_row), [])) AS VARCHAR) FROM (SELECT * FROM (" + translation.SQL + ") AS _row WHERE $now IS NOT NULL) AS _row"
	require.NoError(t, db.QueryRowContext(t.Context(), wrapped, sql.Named("now", time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))).Scan(&rows), translation.SQL)
	return rows
}

// BYTES are base64, and INTERVAL and TIME are strings as CAST writes them, in whatever value and by whatever way.
func TestOutput(t *testing.T) {
	t.Parallel()
	db := openLogs(t)
	const bytes, interval, clock = `"/wA="`, `"1-2 0 0:0:3.500"`, `"10:00:00.500"`
	for source, want := range map[string]string{
		"b'\\xff\\x00'": bytes,
		"INTERVAL 14 MONTH + INTERVAL 3500 MILLISECOND": interval,
		"TIME '10:00:00.5'":                             clock,
	} {
		for form, wanted := range map[string]string{
			"SELECT v AS x FROM t":                                                                   `[{"x":` + want + `}]`,
			"SELECT [v, NULL] AS x FROM t":                                                           `[{"x":[` + want + `,null]}]`,
			"SELECT STRUCT(v AS a, 1 AS b) AS x FROM t":                                              `[{"x":{"a":` + want + `,"b":1}}]`,
			"SELECT STRUCT(STRUCT(v AS c) AS a) AS x FROM t":                                         `[{"x":{"a":{"c":` + want + `}}}]`,
			"SELECT [STRUCT(v AS a, [v] AS b)] AS x FROM t":                                          `[{"x":[{"a":` + want + `,"b":[` + want + `]}]}]`,
			"SELECT IF(TRUE, NULL, STRUCT(v AS a)) AS x FROM t":                                      `[{"x":null}]`,
			"SELECT t AS x FROM t":                                                                   `[{"x":{"v":` + want + `}}]`,
			"SELECT * FROM t":                                                                        `[{"v":` + want + `}]`,
			"SELECT v AS x FROM t UNION ALL SELECT v FROM t WHERE FALSE":                             `[{"x":` + want + `}]`,
			"SELECT v AS x FROM t UNION DISTINCT SELECT v FROM t":                                    `[{"x":` + want + `}]`,
			"(SELECT v AS x FROM t) INTERSECT DISTINCT (SELECT v FROM t)":                            `[{"x":` + want + `}]`,
			"SELECT ANY_VALUE(v) AS x, MIN(v) AS y, MAX(v) AS z FROM t":                              `[{"x":` + want + `,"y":` + want + `,"z":` + want + `}]`,
			"SELECT ARRAY_AGG(v) AS x FROM t":                                                        `[{"x":[` + want + `]}]`,
			"SELECT ARRAY_AGG(STRUCT(v AS a)) AS x FROM t":                                           `[{"x":[{"a":` + want + `}]}]`,
			"SELECT ARRAY(SELECT v FROM t) AS x":                                                     `[{"x":[` + want + `]}]`,
			"SELECT (SELECT v FROM t) AS x":                                                          `[{"x":` + want + `}]`,
			"SELECT FIRST_VALUE(v) OVER () AS x FROM t":                                              `[{"x":` + want + `}]`,
			"SELECT LAG(v) OVER (ORDER BY v) AS x FROM t":                                            `[{"x":null}]`,
			"SELECT v AS x, COUNT(*) AS n FROM t GROUP BY v":                                         `[{"x":` + want + `,"n":1}]`,
			"SELECT v AS x, COUNT(*) AS n FROM t GROUP BY ROLLUP (v) HAVING v IS NOT NULL":           `[{"x":` + want + `,"n":1}]`,
			"SELECT COALESCE(v, v) AS x, IF(TRUE, v, v) AS y, CASE WHEN TRUE THEN v END AS z FROM t": `[{"x":` + want + `,"y":` + want + `,"z":` + want + `}]`,
			"SELECT * FROM (SELECT 1 AS k, v FROM t) PIVOT (MAX(v) FOR k IN (1 AS x))":               `[{"x":` + want + `}]`,
			"SELECT x FROM t, UNNEST([STRUCT(v AS a)]) AS x":                                         `[{"x":{"a":` + want + `}}]`,
			"SELECT u.v AS x FROM (SELECT DISTINCT v FROM t) AS u":                                   `[{"x":` + want + `}]`,
			"SELECT STRUCT(v AS a) AS x, v AS y FROM t ORDER BY y LIMIT 1":                           `[{"x":{"a":` + want + `},"y":` + want + `}]`,
		} {
			text := "WITH t AS (SELECT " + source + " AS v) " + form
			assert.JSONEq(t, wanted, outputOf(t, db, text), text)
		}
	}
	for text, want := range map[string]string{
		// BigQuery has no NULL array in results, but knows it everywhere else.
		"SELECT x, x IS NULL AS n FROM (SELECT CAST(NULL AS ARRAY<INT64>) AS x)":             `[{"x":[],"n":true}]`,
		"SELECT STRUCT(CAST(NULL AS ARRAY<STRING>) AS a, 1 AS b) AS x":                       `[{"x":{"a":[],"b":1}}]`,
		"SELECT [STRUCT(CAST(NULL AS ARRAY<BYTES>) AS a)] AS x":                              `[{"x":[{"a":[]}]}]`,
		"SELECT ARRAY_AGG(y) AS x FROM UNNEST(CAST([] AS ARRAY<INT64>)) AS y":                `[{"x":[]}]`,
		"SELECT IF(y = 1, [TIME '10:00:00'], NULL) AS x FROM UNNEST([1, 2]) AS y ORDER BY y": `[{"x":["10:00:00"]},{"x":[]}]`,
		"SELECT IF(TRUE, NULL, STRUCT([1] AS a)) AS x":                                       `[{"x":null}]`,
		// In base64, the order would be another one.
		"SELECT x FROM UNNEST([b'\\xff', b'a', b'\\x00']) AS x ORDER BY x":                                    `[{"x":"AA=="},{"x":"YQ=="},{"x":"/w=="}]`,
		"SELECT DISTINCT x FROM UNNEST([b'\\xff', b'a']) AS x ORDER BY 1 DESC LIMIT 1":                        `[{"x":"/w=="}]`,
		"SELECT b'\\xff' AS x UNION ALL SELECT b'a' ORDER BY x":                                               `[{"x":"YQ=="},{"x":"/w=="}]`,
		"SELECT TO_JSON_STRING(STRUCT(b'\\xff' AS a, [b'a'] AS b, INTERVAL 25 MONTH AS c)) AS x":              `[{"x":"{\"a\":\"/w==\",\"b\":[\"YQ==\"],\"c\":\"P2Y1M\"}"}]`,
		"SELECT TO_JSON(STRUCT(b'\\xff' AS a)) AS x":                                                          `[{"x":{"a":"/w=="}}]`,
		"SELECT CAST(INTERVAL -25 MONTH AS STRING) AS a, CAST(INTERVAL 0 DAY AS STRING) AS b":                 `[{"a":"-2-1 0 0:0:0","b":"0-0 0 0:0:0"}]`,
		"SELECT CAST(INTERVAL -3 DAY - INTERVAL 90061 SECOND AS STRING) AS a, INTERVAL 7 MICROSECOND AS b":    `[{"a":"0-0 -3 -25:1:1","b":"0-0 0 0:0:0.000007"}]`,
		"SELECT TO_JSON_STRING([INTERVAL 0 DAY, INTERVAL -90 SECOND, INTERVAL 30520 MILLISECOND, NULL]) AS x": `[{"x":"[\"P0Y\",\"PT-1M-30S\",\"PT30.52S\",null]"}]`,
	} {
		assert.JSONEq(t, want, outputOf(t, db, text), text)
	}
}

// A row of a table as one value has the columns with the types that they have on their own.
func TestRowAsValue(t *testing.T) {
	t.Parallel()
	db := openLogs(t)
	for _, text := range []string{"SELECT el AS x FROM edge_logs AS el WHERE id = 'b'", "SELECT ANY_VALUE(el) AS x FROM edge_logs AS el WHERE id = 'b'", "SELECT STRUCT(id, metadata) AS x FROM edge_logs WHERE id = 'b'"} {
		var rows []struct {
			X struct {
				ID       string
				Metadata []struct{ Request []struct{ Path string } }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(outputOf(t, db, text)), &rows), text)
		require.Len(t, rows, 1, text)
		assert.Equal(t, "/b", rows[0].X.Metadata[0].Request[0].Path, text)
		described, err := googlesql.Describe(text, environment())
		require.NoError(t, err, text)
		fields := described.Columns[0].Fields
		assert.Equal(t, sqlq.JSON, fields[len(fields)-1].Type, text)
	}
	array := outputOf(t, db, "SELECT ARRAY_AGG(el) AS x FROM edge_logs AS el WHERE id = 'b'")
	assert.Contains(t, array, `"metadata":[{`)
}
