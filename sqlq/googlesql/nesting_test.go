package googlesql_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// grouped is a FROM clause of numbers by k.
const grouped = " FROM UNNEST([STRUCT(1 AS k, NUMERIC '10' AS v, 10 AS n, 'B' AS s), (2, 3, 3, 'a'), (2, 3, 5, 'b')])"

// A HAVING, a QUALIFY or an ORDER BY takes what a SELECT takes.
func TestValuesOfAggregatesInEachClause(t *testing.T) {
	t.Parallel()
	values := []string{
		"AVG(v)", "AVG(DISTINCT v)", "SUM(v) / COUNT(*)", "SAFE_DIVIDE(SUM(v), COUNT(*))", "DIV(SUM(v), NUMERIC '2')", "ARRAY_LENGTH(APPROX_TOP_COUNT(n, 1))", "APPROX_TOP_COUNT(n, 1)[OFFSET(0)].value",
		"APPROX_QUANTILES(n, 2)[OFFSET(1)]", "INITCAP(MAX(s))", "INSTR(MAX(s), 'b', 1)", "REVERSE(MIN(s))", "STRING_AGG(DISTINCT LOWER(s) ORDER BY LOWER(s))", "ARRAY_TO_STRING(ARRAY_AGG(s), ',')",
		"TO_JSON_STRING(ARRAY_AGG(n))", "STDDEV_SAMP(n)", "(SELECT COUNT(*) FROM UNNEST(ARRAY_AGG(n)) AS x WHERE x > 4)", "ROUND(VAR_POP(n), 2)",
	}
	db := openLogs(t)
	for _, value := range values {
		rows, err := rowsOf(t.Context(), db, "SELECT k, "+value+" AS x"+grouped+" GROUP BY k ORDER BY k")
		require.NoError(t, err, value)
		for _, text := range []string{
			"SELECT k, " + value + " AS x" + grouped + " GROUP BY k HAVING " + value + " IS NULL OR " + value + " = " + value + " ORDER BY k",
			"SELECT k, " + value + " AS x" + grouped + " GROUP BY k HAVING COUNT(*) > 0 QUALIFY ROW_NUMBER() OVER (ORDER BY " + value + ") > 0 ORDER BY k, " + value,
		} {
			got, err := rowsOf(t.Context(), db, text)
			if assert.NoError(t, err, "%s\n%s", text, got) {
				assert.JSONEq(t, rows, got, text)
			}
		}
	}
}

// A subquery reads columns of all queries around it, also where DuckDB computes its lists in a function.
func TestSubqueriesInSubqueries(t *testing.T) {
	t.Parallel()
	assertRows(t, map[string]string{
		"SELECT ARRAY(SELECT AS STRUCT y, ARRAY(SELECT z FROM UNNEST([1, 2]) AS z WHERE z <= x AND z <= y) AS zs FROM UNNEST([1, 2]) AS y) AS a FROM UNNEST([1, 2]) AS x ORDER BY x":                                              `[{"a":[{"y":1,"zs":[1]},{"y":2,"zs":[1]}]},{"a":[{"y":1,"zs":[1]},{"y":2,"zs":[1,2]}]}]`,
		"SELECT (SELECT (SELECT MAX(z) FROM UNNEST([1, 2, 3]) AS z WHERE z < x) FROM UNNEST([1]) AS y) AS a FROM UNNEST([2, 3]) AS x ORDER BY x":                                                                                  `[{"a":1},{"a":2}]`,
		"SELECT x FROM UNNEST([2, 3]) AS x WHERE EXISTS (SELECT 1 FROM UNNEST([1, 2]) AS y WHERE EXISTS (SELECT 1 FROM UNNEST([1, 2]) AS z WHERE z = x AND y = z))":                                                               `[{"x":2}]`,
		"SELECT (SELECT INSTR(s, 'a', 1) FROM UNNEST([1]) AS y) AS a, (SELECT INITCAP(s) FROM UNNEST([1]) AS y) AS b FROM UNNEST(['ba']) AS s":                                                                                    `[{"a":2,"b":"Ba"}]`,
		"SELECT (SELECT NUMERIC '1' / x FROM UNNEST([1]) AS y) AS a, (SELECT SAFE.LN(CAST(-x AS FLOAT64)) FROM UNNEST([1]) AS y) AS b FROM UNNEST([NUMERIC '2']) AS x":                                                            `[{"a":0.5,"b":null}]`,
		"SELECT (SELECT RANGE_BUCKET(x, [1, 2, 3]) FROM UNNEST([1]) AS y) AS a, (SELECT JSON_VALUE_ARRAY(TO_JSON([x])) FROM UNNEST([1]) AS y) AS b FROM UNNEST([2]) AS x":                                                         `[{"a":2,"b":["2"]}]`,
		"SELECT id, ARRAY(SELECT AS STRUCT r.path, ARRAY(SELECT h.host FROM UNNEST(r.headers) AS h WHERE h.host != edge_logs.id) AS hosts FROM UNNEST(metadata) AS m, UNNEST(m.request) AS r) AS a FROM edge_logs WHERE id = 'a'": `[{"id":"a","a":[{"path":"/a","hosts":["x","y"]}]}]`,
		"SELECT (SELECT COUNT(z) FROM UNNEST([x]) AS y LEFT JOIN UNNEST([y, 2]) AS z ON z = y) AS a FROM UNNEST([2, 3]) AS x ORDER BY x":                                                                                          `[{"a":2},{"a":1}]`,
		"SELECT (SELECT COUNT(*) FROM UNNEST([1, 2]) AS a JOIN UNNEST([1, 2]) AS b ON a = b AND a < x) AS n FROM UNNEST([2, 3]) AS x ORDER BY x":                                                                                  `[{"n":1},{"n":2}]`,
	})
}

// An aggregate has a row of no rows, so a subquery with one exists.
func TestExistingAggregates(t *testing.T) {
	t.Parallel()
	assertRows(t, map[string]string{
		"SELECT EXISTS (SELECT COUNT(*) FROM UNNEST([1]) AS x WHERE x > 5) AS a, EXISTS (SELECT x + 1 FROM UNNEST([1]) AS x WHERE x > 5) AS b": `[{"a":true,"b":false}]`,
		"SELECT EXISTS (SELECT x FROM UNNEST([1, 2]) AS x WHERE x > y) AS a FROM UNNEST([1, 2]) AS y ORDER BY y":                               `[{"a":true},{"a":false}]`,
	})
}

// A NULL in LIMIT or OFFSET is an error, also from a parameter. DuckDB would take it for no limit.
func TestLimitOfAParameter(t *testing.T) {
	t.Parallel()
	db := openLogs(t)
	for _, clause := range []string{"LIMIT @least", "LIMIT 1 OFFSET @least", "LIMIT CAST(@project AS INT64)"} {
		translation, err := googlesql.Translate("SELECT id, @project AS p FROM edge_logs WHERE @least IS NULL OR @least > 0 OR TRUE ORDER BY id "+clause, environment())
		require.NoError(t, err, clause)
		for _, test := range []struct {
			least, project any
			isRead         bool
		}{{int64(1), "1", true}, {nil, nil, false}} {
			var count int
			err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM ("+translation.SQL+")", sql.Named("least", test.least), sql.Named("project", test.project)).Scan(&count)
			if !test.isRead {
				require.Error(t, err, clause)
				continue
			}
			require.NoError(t, err, clause)
			assert.Equal(t, 1, count, clause)
		}
	}
}

// An empty array has the type of the arrays beside it, also of arrays in metadata.
func TestEmptyArrays(t *testing.T) {
	t.Parallel()
	assertRows(t, map[string]string{
		"SELECT COALESCE(NULL, []) AS a, IFNULL(['a'], []) AS b, IF(FALSE, ['a'], []) AS c, CASE WHEN FALSE THEN ['a'] ELSE [] END AS d": `[{"a":[],"b":["a"],"c":[],"d":[]}]`,
		"SELECT COALESCE([], ['a']) AS a, ARRAY_CONCAT([], ['a'], []) AS b, ['a'] || [] AS c, [] || [] AS d, ARRAY_LENGTH([]) AS e":      `[{"a":[],"b":["a"],"c":["a"],"d":[],"e":0}]`,
		"SELECT IF(FALSE, [STRUCT('a' AS x)], []) AS a, CASE WHEN TRUE THEN [] WHEN FALSE THEN [DATE '2026-01-02'] END AS b":             `[{"a":[],"b":[]}]`,
		"SELECT COALESCE(x, []) AS a FROM UNNEST([STRUCT(['a'] AS x), STRUCT(NULL)])":                                                    `[{"a":["a"]},{"a":[]}]`,
		"SELECT id, COALESCE(m.request, []) AS a FROM edge_logs, UNNEST(metadata) AS m WHERE id IN ('b', 'c') AND m.region IS NULL":      `[{"id":"b","a":[{"method":"POST","path":"/b","headers":[]}]}]`,
		"SELECT id, COALESCE(m.request, []) AS a FROM edge_logs, UNNEST(metadata) AS m WHERE id = 'c' AND m.region = 'de'":               `[{"id":"c","a":[]}]`,
		"SELECT id, r.method FROM edge_logs, UNNEST(metadata) AS m, UNNEST(IF(m.region = 'eu', m.request, [])) AS r ORDER BY id":         `[{"id":"a","method":"GET"}]`,
		"SELECT IFNULL(1, [])": "error: IFNULL does not take (INT64, ARRAY<INT64>)",
	})
}

// A struct has its fields by their number, too, and JSON its members by their name.
func TestSubscripts(t *testing.T) {
	t.Parallel()
	assertRows(t, map[string]string{
		"SELECT STRUCT(1, 'a')[0] AS a, STRUCT(1, 'a')[OFFSET(1)] AS b, STRUCT(1, 'a')[ORDINAL(1)] AS c":                                 `[{"a":1,"b":"a","c":1}]`,
		"WITH dates AS (SELECT DATE '2026-01-02' AS d) SELECT dates[0] AS a, dates[OFFSET(0)] AS b FROM dates":                           `[{"a":"2026-01-02","b":"2026-01-02"}]`,
		"SELECT JSON '{\"a\":{\"b c\":[1,2]}}'['a']['b c'][1] AS a, JSON '{\"a\":1}'['b'] AS b, JSON '[1]'['a'] AS c, JSON '{}'[0] AS d": `[{"a":2,"b":null,"c":null,"d":null}]`,
		"SELECT STRUCT(1)[1]":                           "error: the struct has 1 fields, and none at this index",
		"SELECT STRUCT(1)[SAFE_OFFSET(0)]":              "error: a struct takes no SAFE_OFFSET; write [OFFSET(0)], or the name of the field",
		"SELECT STRUCT(1)[x] FROM UNNEST([0]) AS x":     "error: the index of a field of a struct must be a constant",
		"SELECT JSON '[1]'[OFFSET(0)]":                  "error: JSON takes no OFFSET; write the name of a member or the index of an element alone",
		"SELECT JSON '[1]'[x] FROM UNNEST(['a']) AS x":  "error: the name of a member of JSON must be a constant, as in x['name']",
		"SELECT STRUCT()":                               "error: a struct without fields is not supported",
		"SELECT " + doubledStruct(12) + ".a":            "error: a struct has at most 10000 fields, with those of the structs in it",
		"SELECT " + doubledStruct(40) + ".a":            "error: a struct has at most 10000 fields, with those of the structs in it",
		"SELECT CAST(NULL AS STRUCT<>)":                 "error: ",
		"SELECT STRUCT(1 AS a, 2 AS A)":                 "error: a struct with two fields named A is not supported; give one another name",
		"SELECT CAST(NULL AS STRUCT<a INT64, a INT64>)": "error: a struct with two fields named a is not supported; give one another name",
		"SELECT t FROM (SELECT 1 AS a, 2 AS A) AS t":    "error: a struct with two fields named A is not supported; give one another name",
	})
}

// What DuckDB's binder would refuse is refused before, with its place and what works.
func TestNoMistakeIsLeftToTheBinder(t *testing.T) {
	t.Parallel()
	const numbers = " FROM UNNEST([1]) AS k"
	for text, want := range map[string]string{
		"SELECT GROUPING(k)" + numbers:                                                                      "1:8 GROUPING needs GROUP BY, with the expression as one of its keys",
		"SELECT k" + numbers + " WHERE GROUPING(k) = 0":                                                     "1:38 GROUPING needs GROUP BY, with the expression as one of its keys",
		"SELECT GROUPING(k + 1)" + numbers + " GROUP BY k":                                                  "1:19 GROUPING takes an expression that GROUP BY has as a key",
		"SELECT GROUPING(1)" + numbers + " GROUP BY ROLLUP(k)":                                              "1:17 GROUPING takes an expression that GROUP BY has as a key",
		"SELECT SUM(SUM(k))" + numbers:                                                                      "1:12 SUM cannot hold another aggregate; compute that in a subquery",
		"SELECT COUNT(1 + MAX(k))" + numbers + " GROUP BY k":                                                "1:16 COUNT cannot hold another aggregate; compute that in a subquery",
		"SELECT COUNT(ROW_NUMBER() OVER ())" + numbers:                                                      "1:14 COUNT cannot hold a window function; compute that in a subquery",
		"SELECT SUM(RANK() OVER (ORDER BY k)) OVER ()" + numbers:                                            "1:12 SUM cannot hold a window function; compute that in a subquery",
		"SELECT SUM(k) OVER (PARTITION BY ROW_NUMBER() OVER ())" + numbers:                                  "1:34 PARTITION BY cannot hold a window function; compute that in a subquery",
		"SELECT SUM(k) OVER (ORDER BY ROW_NUMBER() OVER ())" + numbers:                                      "1:30 ORDER BY of a window cannot hold a window function; compute that in a subquery",
		"SELECT k" + numbers + " WHERE ROW_NUMBER() OVER () = 1":                                            "1:59 WHERE cannot hold a window function; use QUALIFY",
		"SELECT COUNT(*)" + numbers + " HAVING ROW_NUMBER() OVER () = 1":                                    "1:67 HAVING cannot hold a window function; use QUALIFY",
		"SELECT k" + numbers + " GROUP BY ROW_NUMBER() OVER ()":                                             "1:41 GROUP BY cannot hold a window function; compute that in a subquery",
		"SELECT ROW_NUMBER() OVER () AS r" + numbers + " GROUP BY r":                                        "1:8 GROUP BY cannot hold a window function; compute that in a subquery",
		"SELECT k" + numbers + " GROUP BY COUNT(*)":                                                         "1:41 rows cannot be grouped by an aggregate; compute that in a subquery",
		"SELECT k" + numbers + " JOIN UNNEST([1]) AS j ON RANK() OVER () = j":                               "1:72 the condition of a join cannot hold a window function; compute that in a subquery",
		"SELECT SUM(k) OVER w" + numbers:                                                                    "1:20 there is no window w; declare it, as in WINDOW w AS (…), at the end of the SELECT",
		"SELECT SUM(k) OVER (w ORDER BY k)" + numbers:                                                       "1:20 there is no window w; declare it, as in WINDOW w AS (…), at the end of the SELECT",
		"SELECT SUM(k) OVER (RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)" + numbers:                          "1:35 RANGE with a distance needs ORDER BY one number",
		"SELECT SUM(k) OVER (ORDER BY k, k RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING)" + numbers:            "1:65 RANGE with a distance needs ORDER BY one number",
		"SELECT SUM(1) OVER (ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM UNNEST(['a']) AS s": "1:30 RANGE with a distance needs ORDER BY a number, not a value of type STRING; convert a time with UNIX_SECONDS or UNIX_DATE",
		"SELECT SUM(k) OVER (ORDER BY k ROWS BETWEEN k PRECEDING AND CURRENT ROW)" + numbers:                "1:45 the distance of PRECEDING must be a number or a parameter",
		"SELECT SUM(k) OVER (ORDER BY k ROWS BETWEEN -1 PRECEDING AND CURRENT ROW)" + numbers:               "1:45 the distance of PRECEDING must not be negative",
		"SELECT SUM(k) OVER (ORDER BY k ROWS BETWEEN 'a' PRECEDING AND CURRENT ROW)" + numbers:              "1:45 a number is needed here, not a value of type STRING",
		"SELECT PERCENTILE_CONT(k, 2) OVER ()" + numbers:                                                    "1:27 the percentile of PERCENTILE_CONT is from 0 to 1",
		"SELECT PERCENTILE_DISC(k, k) OVER ()" + numbers:                                                    "1:27 the percentile of PERCENTILE_DISC must be a constant",
		"SELECT (SELECT COUNT(*) FROM UNNEST([1]) AS y LEFT JOIN UNNEST([1]) AS z ON z < k)" + numbers:      "1:79 the condition of a LEFT JOIN in a subquery cannot read a table of the query around it; move that to a WHERE, or join the table first",
	} {
		_, err := googlesql.Translate(text, environment())
		var mistake *googlesql.Error
		if assert.ErrorAs(t, err, &mistake, text) {
			line, column := sqlq.LineAndColumn(text, mistake.Offset)
			assert.Equal(t, want, placed(line, column, mistake.Message), text)
		}
	}
}

func placed(line, column int, message string) string {
	return fmt.Sprintf("%d:%d %s", line, column, message)
}

// doubledStruct is a struct of two structs, each of them of two others, and so on.
func doubledStruct(depth int) string {
	var steps strings.Builder
	for i := range depth {
		_, _ = fmt.Fprintf(&steps, ", x%d AS STRUCT(x%d AS a, x%d AS b)", i+1, i, i)
	}
	return "WITH(x0 AS STRUCT(1 AS a, 2 AS b)" + steps.String() + fmt.Sprintf(", x%d)", depth)
}
