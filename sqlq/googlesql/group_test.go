package googlesql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertRows compares the rows of texts with JSON, or with a part of an error.
func assertRows(t *testing.T, want map[string]string) {
	t.Helper()
	db := openLogs(t)
	for text, want := range want {
		rows, err := rowsOf(t.Context(), db, text)
		if message, isError := strings.CutPrefix(want, "error: "); isError {
			require.ErrorContains(t, err, message, text)
			continue
		}
		if assert.NoError(t, err, "%s\n%s", text, rows) {
			assert.JSONEq(t, want, rows, text)
		}
	}
}

// GROUP BY ALL groups by the columns that read the rows. Without any, all rows are one group.
func TestGroupByAll(t *testing.T) {
	t.Parallel()
	assertRows(t, map[string]string{
		"SELECT COUNT(*) AS n FROM UNNEST([1, 2]) AS x GROUP BY ALL":                                                               `[{"n":2}]`,
		"SELECT COUNT(*) AS n FROM UNNEST([1, 2]) AS x WHERE FALSE GROUP BY ALL":                                                   `[{"n":0}]`,
		"SELECT 1 AS a, COUNT(*) AS n FROM UNNEST([1]) AS x WHERE FALSE GROUP BY ALL":                                              `[{"a":1,"n":0}]`,
		"SELECT 1 AS a FROM UNNEST([1, 2]) AS x GROUP BY ALL":                                                                      `[{"a":1}]`,
		"SELECT MOD(x, 2) AS k FROM UNNEST([1, 2, 3]) AS x GROUP BY ALL ORDER BY k":                                                `[{"k":0},{"k":1}]`,
		"SELECT x, COUNT(*) AS n, x + COUNT(*) AS m FROM UNNEST([1, 2, 2]) AS x GROUP BY ALL ORDER BY x":                           `[{"x":1,"n":1,"m":2},{"x":2,"n":2,"m":4}]`,
		"SELECT x, SUM(COUNT(*)) OVER () AS n FROM UNNEST([1, 2, 2]) AS x GROUP BY ALL ORDER BY x":                                 `[{"x":1,"n":3},{"x":2,"n":3}]`,
		"SELECT x, COUNT(*) AS n FROM UNNEST([1, 2, 2]) AS x GROUP BY ALL HAVING COUNT(*) > 1":                                     `[{"x":2,"n":2}]`,
		"SELECT id, (SELECT COUNT(*) AS n FROM UNNEST(metadata) AS m GROUP BY ALL) AS n FROM edge_logs WHERE id > 'b' ORDER BY id": `[{"id":"c","n":2},{"id":"d","n":0},{"id":"e","n":0}]`,
		"SELECT m.region, COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m WHERE m.region = 'us' GROUP BY ALL":                  `[{"region":"us","n":1}]`,
	})
}

// An expression of keys is a key where GROUP BY names it, and is computed from the keys elsewhere. A set of keys that occurs
// several times gives its rows as often.
func TestGroupingSets(t *testing.T) {
	t.Parallel()
	const pair = " FROM UNNEST([STRUCT(1 AS a, 2 AS b)]) "
	assertRows(t, map[string]string{
		"SELECT a, UPPER(a) AS u, COUNT(*) AS n FROM UNNEST(['x']) AS a GROUP BY ROLLUP (a, UPPER(a)) ORDER BY a":                                                                         `[{"a":null,"u":null,"n":1},{"a":"x","u":"X","n":1},{"a":"x","u":"X","n":1}]`,
		"SELECT a, UPPER(a) AS u, COUNT(*) AS n FROM UNNEST(['x']) AS a GROUP BY ROLLUP (a, u) ORDER BY a, u":                                                                             `[{"a":null,"u":null,"n":1},{"a":"x","u":null,"n":1},{"a":"x","u":"X","n":1}]`,
		"SELECT a, UPPER(a) AS u, COUNT(*) AS n FROM UNNEST(['x']) AS a GROUP BY CUBE (1, 2) ORDER BY a, u":                                                                               `[{"a":null,"u":null,"n":1},{"a":null,"u":"X","n":1},{"a":"x","u":null,"n":1},{"a":"x","u":"X","n":1}]`,
		"SELECT a, a + 1 AS b FROM UNNEST([5]) AS a GROUP BY GROUPING SETS (a, a + 1) ORDER BY a":                                                                                         `[{"a":null,"b":null},{"a":5,"b":6}]`,
		"SELECT a + 1 AS b, GROUPING(a) AS g, GROUPING(a + 1) AS h FROM UNNEST([5]) AS a GROUP BY CUBE (a, a + 1) ORDER BY g, h":                                                          `[{"b":6,"g":0,"h":0},{"b":6,"g":0,"h":1},{"b":null,"g":1,"h":0},{"b":null,"g":1,"h":1}]`,
		"SELECT a + 1 AS b, a + 2 AS c FROM UNNEST([5]) AS a GROUP BY ROLLUP (a) HAVING GROUPING(a) = 0":                                                                                  `[{"b":6,"c":7}]`,
		"SELECT MOD(a, 2) AS k, COUNT(*) AS n FROM UNNEST([1, 2, 3]) AS a GROUP BY ROLLUP (MOD(a, 2)) ORDER BY k":                                                                         `[{"k":null,"n":3},{"k":0,"n":1},{"k":1,"n":2}]`,
		"SELECT IF(GROUPING(UPPER(a)) = 1, 'all', UPPER(a)) AS v, COUNT(*) AS n FROM UNNEST(['x', 'x']) AS a GROUP BY ROLLUP (UPPER(a)) HAVING COUNT(*) > 1 OR UPPER(a) = 'X' ORDER BY v": `[{"v":"X","n":2},{"v":"all","n":2}]`,
		"SELECT UPPER(a) AS u, COUNT(*) AS n FROM UNNEST(['x']) AS a GROUP BY ROLLUP (a, UPPER(a)) HAVING UPPER(a) IS NOT NULL":                                                           `[{"u":"X","n":1},{"u":"X","n":1}]`,
		"SELECT UPPER(m.region) AS u, COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m WHERE m.region = 'us' GROUP BY ROLLUP (m.region, UPPER(m.region)) ORDER BY u DESC":              `[{"u":"US","n":1},{"u":"US","n":1},{"u":null,"n":1}]`,
		"SELECT COUNT(*) AS n FROM (SELECT a, b" + pair + "GROUP BY CUBE (a, a, b, a))":                                                                                                   `[{"n":16}]`,
		"SELECT a, b, COUNT(*) AS n FROM (SELECT a, b" + pair + "GROUP BY CUBE (a, a, b, a)) GROUP BY a, b ORDER BY a, b":                                                                 `[{"a":null,"b":null,"n":1},{"a":null,"b":2,"n":1},{"a":1,"b":null,"n":7},{"a":1,"b":2,"n":7}]`,
		"SELECT a, b, COUNT(*) AS n FROM (SELECT a, b" + pair + "GROUP BY ROLLUP (a, b, a)) GROUP BY a, b ORDER BY a, b":                                                                  `[{"a":null,"b":null,"n":1},{"a":1,"b":null,"n":1},{"a":1,"b":2,"n":2}]`,
		"SELECT a, b, COUNT(*) AS n" + pair + "GROUP BY GROUPING SETS (a, (a, b), (b, a), (), ()) ORDER BY a, b":                                                                          `[{"a":null,"b":null,"n":1},{"a":null,"b":null,"n":1},{"a":1,"b":null,"n":1},{"a":1,"b":2,"n":1},{"a":1,"b":2,"n":1}]`,
		"SELECT a, b, COUNT(*) AS n" + pair + "GROUP BY a, ROLLUP (b) ORDER BY a, b":                                                                                                      `[{"a":1,"b":null,"n":1},{"a":1,"b":2,"n":1}]`,
	})
}

// Structs are compared field by field: what is unknown because of a NULL is NULL.
func TestStructsWithNull(t *testing.T) {
	t.Parallel()
	const rows = "UNNEST([STRUCT(STRUCT(1 AS x, CAST(NULL AS INT64) AS y) AS s, 'n' AS k), ((1, 2), 'e'), ((3, NULL), 'd')])"
	assertRows(t, map[string]string{
		"SELECT k, s = (1, 2) AS a, s != (1, 2) AS b, s IN ((1, 2), (5, 5)) AS c, s NOT IN ((1, 2)) AS d, NULLIF(s, (1, 2)) IS NULL AS e, CASE s WHEN (1, 2) THEN 'x' ELSE 'y' END AS f, s IS DISTINCT FROM (1, 2) AS g FROM " + rows + " ORDER BY k": `[
			{"k":"d","a":false,"b":true,"c":false,"d":true,"e":false,"f":"y","g":true},{"k":"e","a":true,"b":false,"c":true,"d":false,"e":true,"f":"x","g":false},{"k":"n","a":null,"b":null,"c":null,"d":null,"e":false,"f":"y","g":true}]`,
		"SELECT k FROM " + rows + " WHERE s = (1, 2)":                                                              `[{"k":"e"}]`,
		"SELECT k FROM " + rows + " WHERE NOT s = (1, 2)":                                                          `[{"k":"d"}]`,
		"SELECT k FROM " + rows + " WHERE s NOT IN ((1, 2), (5, NULL)) ORDER BY k":                                 `[{"k":"d"}]`,
		"SELECT a.k FROM " + rows + " AS a JOIN " + rows + " AS b ON a.s = b.s":                                    `[{"k":"e"}]`,
		"SELECT k FROM " + rows + " QUALIFY ROW_NUMBER() OVER (PARTITION BY s = (1, 2) ORDER BY k) = 1 ORDER BY k": `[{"k":"d"},{"k":"e"},{"k":"n"}]`,
		"SELECT COUNT(*) AS n FROM (SELECT DISTINCT s FROM (SELECT (1, NULL) AS s UNION ALL SELECT (1, NULL)))":    `[{"n":1}]`,
		"SELECT COUNT(*) AS n FROM " + rows + " GROUP BY NULLIF(s, s) ORDER BY n":                                  `[{"n":1},{"n":1},{"n":1}]`,
		"SELECT (1, (2, NULL)) = (1, (3, NULL)) AS a, (1, (2, NULL)) = (1, (2, NULL)) AS b":                        `[{"a":false,"b":null}]`,
		"SELECT NULLIF([1], [1]) AS a":                                                                             `error: cannot be compared`,
		"SELECT (1, 2) IN UNNEST([(1, 2)]) AS a":                                                                   `error: IN takes a list of structs only`,
	})
}

// A frame that ends before it begins has no rows, for every function.
func TestEmptyFrames(t *testing.T) {
	t.Parallel()
	want := make(map[string]string)
	for _, frame := range []string{"RANGE BETWEEN 1 PRECEDING AND 20 PRECEDING", "RANGE BETWEEN 20 FOLLOWING AND 1 FOLLOWING", "ROWS BETWEEN 1 PRECEDING AND 20 PRECEDING", "ROWS BETWEEN 20 FOLLOWING AND 1 FOLLOWING"} {
		for function, none := range map[string]string{
			"COUNT(*)": "0", "COUNT(x)": "0", "COUNTIF(x > 0)": "0", "COUNT(DISTINCT x)": "0", "APPROX_COUNT_DISTINCT(x)": "0", "SUM(x)": "null", "SUM(CAST(x AS NUMERIC))": "null",
			"AVG(x)": "null", "AVG(CAST(x AS NUMERIC))": "null", "MIN(x)": "null", "MAX(x)": "null", "ANY_VALUE(x)": "null", "ARRAY_AGG(x)": "null", "STRING_AGG(CAST(x AS STRING))": "null",
			"LOGICAL_AND(x > 0)": "null", "BIT_OR(x)": "null", "STDDEV(x)": "null", "VAR_POP(x)": "null", "CORR(x, x)": "null", "COVAR_POP(x, x)": "null", "FIRST_VALUE(x)": "null", "LAST_VALUE(x)": "null", "NTH_VALUE(x, 1)": "null",
		} {
			for _, order := range []string{"", " DESC"} {
				text := fmt.Sprintf("SELECT DISTINCT TO_JSON_STRING(n) AS n FROM (SELECT %s OVER (ORDER BY x%s %s) AS n FROM UNNEST(GENERATE_ARRAY(1, 300)) AS x)", function, order, frame)
				want[text] = fmt.Sprintf(`[{"n":%q}]`, none)
			}
		}
	}
	want["SELECT COUNT(*) OVER (ORDER BY x ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) AS n FROM UNNEST([1]) AS x"] = "error: a frame that starts at CURRENT ROW cannot end at PRECEDING"
	want["SELECT COUNT(*) OVER (ORDER BY x RANGE BETWEEN 1 FOLLOWING AND 1 PRECEDING) AS n FROM UNNEST([1]) AS x"] = "error: cannot end at PRECEDING"
	assertRows(t, want)
}

// Columns of PIVOT without an alias have the names that BigQuery gives them.
func TestPivotNames(t *testing.T) {
	t.Parallel()
	all := make(map[string]string)
	for of, want := range map[string]string{
		"[1] AS k) PIVOT (SUM(v) FOR k IN (100, -5, 0x10, NULL, 7 AS seven))":                          `{"_100":null,"minus_5":null,"_16":null,"NULL":null,"seven":null}`,
		"[1] AS k) PIVOT (SUM(v) AS s, COUNT(*) AS c FOR k IN (100, -5, NULL, 7 AS seven))":            `{"s_100":null,"c_100":0,"s_minus_5":null,"c_minus_5":0,"s_NULL":null,"c_NULL":0,"s_seven":null,"c_seven":0}`,
		"[NUMERIC '1'] AS k) PIVOT (SUM(v) FOR k IN (1.50, -0.25, 3))":                                 `{"_1_point_5":null,"minus_0_point_25":null,"_3":null}`,
		"[NUMERIC '1'] AS k) PIVOT (SUM(v) AS s FOR k IN (1.5, NUMERIC '-2.5'))":                       `{"s_1_point_5":null,"s_minus_2_point_5":null}`,
		"[TRUE] AS k) PIVOT (SUM(v) FOR k IN (TRUE, FALSE))":                                           `{"true":1,"false":null}`,
		"[TRUE] AS k) PIVOT (SUM(v) AS s FOR k IN (TRUE))":                                             `{"s_true":1}`,
		"['a'] AS k) PIVOT (SUM(v) FOR k IN ('a', '', 'b c'))":                                         `{"a":1,"empty_string_value":null,"b c":null}`,
		"['a'] AS k) PIVOT (SUM(v) AS s FOR k IN ('a', '', '1'))":                                      `{"s_a":1,"s__empty_string_value":null,"s_1":null}`,
		"[DATE '2020-01-02'] AS k) PIVOT (SUM(v) FOR k IN (DATE '2020-01-02', '2020-1-3'))":            `{"_2020_01_02":1,"_2020_01_03":null}`,
		"[DATE '2020-01-02'] AS k) PIVOT (SUM(v) AS s FOR k IN (DATE '2020-01-02', '2020-1-3', NULL))": `{"s_2020_01_02":1,"s_2020_01_03":null,"s_NULL":null}`,
		"[TIMESTAMP '2020-01-02'] AS k) PIVOT (SUM(v) AS s FOR k IN ('2020-01-02' AS day, NULL))":      `{"s_day":1,"s_NULL":null}`,
		"[TIMESTAMP '2020-01-02'] AS k) PIVOT (SUM(v) FOR k IN ('2020-01-02'))":                        `error: the column of a TIMESTAMP has no name`,
		"[1.5] AS k) PIVOT (SUM(v) FOR k IN (1))":                                                      `error: the column of a FLOAT64 has no name`,
		"[b'a'] AS k) PIVOT (SUM(v) FOR k IN (b'a'))":                                                  `error: the column of a BYTES has no name`,
		"[1] AS k) PIVOT (SUM(v), COUNT(*) FOR k IN (1))":                                              `error: each needs an alias`,
	} {
		array, rest, _ := strings.Cut(of, " AS k)")
		if !strings.HasPrefix(want, "error: ") {
			want = "[" + want + "]"
		}
		all["SELECT * FROM (SELECT 1 AS v, k FROM UNNEST("+array+") AS k)"+rest] = want
	}
	assertRows(t, all)
}
