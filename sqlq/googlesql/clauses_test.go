package googlesql_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sales is a WITH clause for the cases of clauses.
const sales = `WITH sales AS (
	SELECT 'pear' AS item, 'fruit' AS kind, 3 AS amount UNION ALL SELECT 'leek', 'green', 5 UNION ALL SELECT 'pear', 'fruit', 4 UNION ALL SELECT 'plum', 'fruit', NULL)
`

// checkRows runs queries behind the WITH clause of sales, and compares their rows.
func checkRows(t *testing.T, cases map[string]string) {
	t.Helper()
	db := openLogs(t)
	for text, want := range cases {
		rows, err := rowsOf(t.Context(), db, sales+text)
		if message, isError := strings.CutPrefix(want, "error: "); isError {
			require.ErrorContains(t, err, message, text)
			continue
		}
		require.NoError(t, err, "%s\n%s", text, rows)
		assert.JSONEq(t, want, rows, text)
	}
}

func TestPipes(t *testing.T) {
	t.Parallel()
	checkRows(t, map[string]string{
		"FROM sales |> WHERE kind = 'green'":                                                                                                                        `[{"item":"leek","kind":"green","amount":5}]`,
		"FROM sales |> WHERE kind = 'fruit' |> WHERE amount > 3":                                                                                                    `[{"item":"pear","kind":"fruit","amount":4}]`,
		"FROM sales |> SELECT item, amount + 1 AS more |> WHERE more = 6":                                                                                           `[{"item":"leek","more":6}]`,
		"FROM sales AS s |> SELECT s.item |> ORDER BY item DESC |> LIMIT 1":                                                                                         `[{"item":"plum"}]`,
		"FROM sales |> SELECT DISTINCT item |> ORDER BY item":                                                                                                       `[{"item":"leek"},{"item":"pear"},{"item":"plum"}]`,
		"FROM sales |> ORDER BY amount DESC |> LIMIT 1 OFFSET 1 |> SELECT amount":                                                                                   `[{"amount":4}]`,
		"FROM sales |> ORDER BY item, amount |> LIMIT 3 |> LIMIT 1 |> SELECT item":                                                                                  `[{"item":"leek"}]`,
		"FROM sales |> EXTEND amount * 2 AS twice, |> WHERE twice > 8 |> SELECT item, twice":                                                                        `[{"item":"leek","twice":10}]`,
		"FROM sales |> EXTEND SUM(amount) OVER w AS total WINDOW w AS (PARTITION BY item) |> WHERE total = 7 |> SELECT amount |> ORDER BY 1":                        `[{"amount":3},{"amount":4}]`,
		"FROM sales |> SET amount = amount + 1, kind = UPPER(kind) |> WHERE amount = 6":                                                                             `[{"item":"leek","kind":"GREEN","amount":6}]`,
		"FROM sales |> DROP kind, item |> WHERE amount = 5":                                                                                                         `[{"amount":5}]`,
		"FROM sales |> RENAME amount AS n, kind k |> WHERE n = 5":                                                                                                   `[{"item":"leek","k":"green","n":5}]`,
		"FROM sales |> AS s |> JOIN (SELECT 5 AS amount, 'x' AS mark) AS m ON s.amount = m.amount |> SELECT s.item, mark":                                           `[{"item":"leek","mark":"x"}]`,
		"FROM sales |> LEFT JOIN (SELECT 5 AS amount, 'x' AS mark) USING (amount) |> WHERE kind = 'green' |> SELECT item, mark":                                     `[{"item":"leek","mark":"x"}]`,
		"FROM sales AS a |> CROSS JOIN sales AS b |> WHERE a.amount = b.amount - 1 |> SELECT a.item AS x, b.item AS y |> ORDER BY x, y":                             `[{"x":"pear","y":"leek"},{"x":"pear","y":"pear"}]`,
		"FROM sales |> AGGREGATE COUNT(*) AS n, SUM(amount) AS total":                                                                                               `[{"n":4,"total":12}]`,
		"FROM sales |> AGGREGATE SUM(amount) AS total GROUP BY item |> ORDER BY item":                                                                               `[{"item":"leek","total":5},{"item":"pear","total":7},{"item":"plum","total":null}]`,
		"FROM sales |> AGGREGATE GROUP AND ORDER BY kind DESC":                                                                                                      `[{"kind":"green"},{"kind":"fruit"}]`,
		"FROM sales |> AGGREGATE COUNT(*) AS n GROUP AND ORDER BY LENGTH(kind) AS long, item DESC |> WHERE n = 2":                                                   `[{"long":5,"item":"pear","n":2}]`,
		"FROM sales |> AGGREGATE COUNT(*) AS n DESC, GROUP BY item, kind ASC":                                                                                       `[{"item":"pear","kind":"fruit","n":2},{"item":"plum","kind":"fruit","n":1},{"item":"leek","kind":"green","n":1}]`,
		"FROM sales |> AGGREGATE SUM(amount) AS total GROUP BY kind |> AGGREGATE MAX(total) AS most":                                                                `[{"most":7}]`,
		"FROM sales |> SELECT item |> DISTINCT |> ORDER BY item":                                                                                                    `[{"item":"leek"},{"item":"pear"},{"item":"plum"}]`,
		"FROM sales AS s |> DISTINCT |> SELECT s.amount |> WHERE amount IS NULL":                                                                                    `[{"amount":null}]`,
		"FROM sales |> SELECT item |> UNION ALL (SELECT 'a'), (SELECT 'b') |> ORDER BY item |> LIMIT 2":                                                             `[{"item":"a"},{"item":"b"}]`,
		"FROM sales |> SELECT item |> EXCEPT DISTINCT (SELECT 'pear') |> ORDER BY item":                                                                             `[{"item":"leek"},{"item":"plum"}]`,
		"FROM sales |> SELECT item |> INTERSECT DISTINCT (SELECT 'pear')":                                                                                           `[{"item":"pear"}]`,
		"FROM sales |> SELECT item, amount |> PIVOT (SUM(amount) FOR item IN ('pear', 'leek' AS leeks)) AS p":                                                       `[{"pear":7,"leeks":5}]`,
		"SELECT 1 AS a, 2 AS b |> UNPIVOT (n FOR label IN (a, b)) |> ORDER BY n":                                                                                    `[{"n":1,"label":"a"},{"n":2,"label":"b"}]`,
		"SELECT item FROM sales |> WHERE item = 'leek'":                                                                                                             `[{"item":"leek"}]`,
		"(SELECT item FROM sales) |> WHERE item = 'leek'":                                                                                                           `[{"item":"leek"}]`,
		"SELECT (FROM sales |> AGGREGATE COUNT(*) AS n) AS n, x IN (FROM sales |> SELECT item) AS has FROM UNNEST(['plum']) AS x":                                   `[{"n":4,"has":true}]`,
		"SELECT x.n FROM (FROM sales |> AGGREGATE COUNT(*) AS n) AS x":                                                                                              `[{"n":4}]`,
		"FROM edge_logs |> WHERE id = 'a' |> CROSS JOIN UNNEST(metadata) AS m |> SELECT id, m.region":                                                               `[{"id":"a","region":"eu"}]`,
		"FROM sales |> WHERE item = 'leek' |> WITH t AS (SELECT 5 AS amount, 'x' AS mark) |> JOIN t USING (amount) |> SELECT item, mark":                            `[{"item":"leek","mark":"x"}]`,
		"FROM sales AS s |> WITH t AS (SELECT 5 AS amount), u AS (FROM t), |> WHERE s.amount IN (SELECT amount FROM u) |> SELECT s.item":                            `[{"item":"leek"}]`,
		"SELECT 1 AS k |> WITH t AS (SELECT 2) |> EXTEND 1 AS x |> WITH v AS (SELECT 3, 4) |> UNION ALL (FROM v) |> AGGREGATE COUNT(*) AS n, SUM(k + x) AS total":   `[{"n":2,"total":9}]`,
		"FROM sales |> SELECT item |> WITH sales2 AS (SELECT 'a' AS item) |> UNION ALL (FROM sales2) |> EXCEPT DISTINCT (SELECT item FROM sales) |> SELECT item":    `[{"item":"a"}]`,
		"FROM UNNEST([1]) AS k |> WITH RECURSIVE t AS (SELECT 2 AS k UNION ALL SELECT k + 1 FROM t WHERE k < 4) |> UNION ALL (FROM t) |> AGGREGATE SUM(k) AS total": `[{"total":10}]`,
		"SELECT (FROM UNNEST([3]) AS x |> WITH t AS (SELECT 3 AS y) |> WHERE x IN (SELECT y FROM t)) AS c":                                                          `[{"c":3}]`,
		"(SELECT 'leek' AS item) AS s |> JOIN sales ON sales.item = s.item |> SELECT s.item, amount":                                                                `[{"item":"leek","amount":5}]`,
		"SELECT WITH AGGREGATION_THRESHOLD OPTIONS(threshold=2, privacy_unit_column=amount) kind, COUNT(*) AS n FROM sales GROUP BY kind":                           `[{"kind":"fruit","n":3}]`,
		"SELECT WITH AGGREGATION_THRESHOLD OPTIONS(privacy_unit_column=item, threshold=1) kind FROM sales GROUP BY kind HAVING COUNT(*) = 1":                        `[{"kind":"green"}]`,
		"SELECT WITH AGGREGATION_THRESHOLD OPTIONS(threshold=5, privacy_unit_column=item) COUNT(*) AS n FROM sales":                                                 `[]`,
		"SELECT WITH AGGREGATION_THRESHOLD OPTIONS(threshold=5) COUNT(*) AS n FROM sales":                                                                           "error: needs both",
		"FROM sales |> WITH t AS (SELECT 1 AS a) |> WITH t AS (SELECT 2 AS a) |> SELECT item":                                                                       "error: WITH has two queries named t",
		"FROM t |> WITH t AS (SELECT 1 AS a) |> SELECT a":                                                                                                           "error: there is no table t",
		"FROM sales |> EXTEND 1 AS x |> SELECT sales.item":                                                                                                          "error: sales is a table that this query does not read",
		"FROM sales |> DROP size":                                      "error: * has no column size to leave out",
		"FROM sales |> RENAME size AS s":                               "error: there is no column size to rename",
		"FROM sales |> AGGREGATE COUNT(*) AS n GROUP BY 1":             "error: GROUP BY of a pipe takes expressions",
		"FROM sales |> AGGREGATE COUNT(*) AS n GROUP BY ROLLUP (item)": "error: GROUP BY ROLLUP is not supported in a pipe",
		"FROM sales |> TABLESAMPLE SYSTEM (1 PERCENT)":                 "error: the pipe operator TABLESAMPLE is not supported",
		"FROM sales |> 5":                                              "error: the pipe operator 5 is not supported",
		"FROM sales |>":                                                "error: the pipe operator  is not supported",
		"FROM sales |> WHERE COUNT(*) > 1":                             "error: WHERE cannot hold an aggregate",
	})
}

func TestSetOperationsByName(t *testing.T) {
	t.Parallel()
	const two = "SELECT 1 AS a, 'x' AS b %s SELECT 'y' AS b, 2 AS a ORDER BY a"
	const other = "SELECT 1 AS a, 'x' AS b %s SELECT 'y' AS b, 2.5 AS c ORDER BY b"
	checkRows(t, map[string]string{
		strings.Replace(two, "%s", "UNION ALL BY NAME", 1):                                                                 `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`,
		strings.Replace(two, "%s", "UNION ALL STRICT CORRESPONDING", 1):                                                    `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`,
		strings.Replace(two, "%s", "UNION ALL CORRESPONDING", 1):                                                           `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`,
		strings.Replace(two, "%s", "UNION ALL BY NAME ON (a)", 1):                                                          `[{"a":1},{"a":2}]`,
		strings.Replace(other, "%s", "INNER UNION ALL BY NAME", 1):                                                         `[{"b":"x"},{"b":"y"}]`,
		strings.Replace(other, "%s", "UNION ALL CORRESPONDING", 1):                                                         `[{"b":"x"},{"b":"y"}]`,
		strings.Replace(other, "%s", "UNION ALL CORRESPONDING BY (b)", 1):                                                  `[{"b":"x"},{"b":"y"}]`,
		strings.Replace(other, "%s", "LEFT OUTER UNION ALL BY NAME", 1):                                                    `[{"a":1,"b":"x"},{"a":null,"b":"y"}]`,
		strings.Replace(other, "%s", "FULL UNION ALL BY NAME", 1):                                                          `[{"a":1,"b":"x","c":null},{"a":null,"b":"y","c":2.5}]`,
		strings.Replace(other, "%s", "FULL OUTER UNION ALL BY NAME ON (c, b)", 1):                                          `[{"c":null,"b":"x"},{"c":2.5,"b":"y"}]`,
		"SELECT item, amount FROM sales EXCEPT DISTINCT BY NAME SELECT 5 AS amount, 'leek' AS item ORDER BY amount":        `[{"item":"plum","amount":null},{"item":"pear","amount":3},{"item":"pear","amount":4}]`,
		"SELECT item, amount FROM sales INNER INTERSECT DISTINCT BY NAME SELECT 5 AS amount, 1 AS more":                    `[{"amount":5}]`,
		"SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS a UNION ALL BY NAME SELECT 5 AS a, 6 AS b ORDER BY a": `[{"a":1,"b":2},{"a":4,"b":3},{"a":5,"b":6}]`,
		"FROM sales |> SELECT item, kind |> UNION ALL BY NAME (SELECT 'k' AS kind, 'i' AS item) |> WHERE kind = 'k'":       `[{"item":"i","kind":"k"}]`,
		"SELECT sum FROM (SELECT 1 AS sum LEFT JOIN sales ON TRUE)":                                                        "error: is not expected here",
		strings.Replace(other, "%s", "UNION ALL BY NAME", 1):                                                               "error: has no column a",
		"SELECT 1 AS a UNION ALL BY NAME SELECT 1 AS a, 2 AS b":                                                            "error: the first query of UNION has no column b",
		"SELECT 1 AS a UNION ALL CORRESPONDING SELECT 2 AS b":                                                              "error: no column with the same name",
		"SELECT 1 AS a UNION ALL BY NAME ON (c) SELECT 2 AS a":                                                             "error: not every query of UNION has a column c",
		"SELECT 1 AS a, 2 AS a UNION ALL BY NAME SELECT 2 AS a":                                                            "error: two columns named a",
		"SELECT 1 AS a FULL UNION ALL SELECT 2 AS a":                                                                       "error: FULL UNION needs BY NAME",
		"SELECT 1 AS a UNION ALL BY NAME SELECT 2 AS a UNION ALL SELECT 3 AS a":                                            "error: different set operations need brackets",
	})
}

func TestUnpivot(t *testing.T) {
	t.Parallel()
	checkRows(t, map[string]string{
		"SELECT * FROM (SELECT 'p' AS x, 1 AS q1, 2 AS q2, NULL AS q3) UNPIVOT (n FOR quarter IN (q1, q2, q3)) ORDER BY n":                      `[{"x":"p","n":1,"quarter":"q1"},{"x":"p","n":2,"quarter":"q2"}]`,
		"SELECT * FROM (SELECT 1 AS q1, NULL AS q2) AS s UNPIVOT INCLUDE NULLS (n FOR quarter IN (q1, q2 AS 'second')) AS u ORDER BY u.quarter": `[{"n":1,"quarter":"q1"},{"n":null,"quarter":"second"}]`,
		"SELECT * FROM (SELECT 1 AS q1, 2 AS q2) UNPIVOT EXCLUDE NULLS (n FOR quarter IN (q1 1, q2 AS 2)) ORDER BY quarter":                     `[{"n":1,"quarter":1},{"n":2,"quarter":2}]`,
		"SELECT * FROM (SELECT 1 AS a, 2 AS b, 3 AS c, NULL AS d) UNPIVOT ((x, y) FOR half IN ((a, b) AS 'first', (c, d))) ORDER BY x":          `[{"x":1,"y":2,"half":"first"},{"x":3,"y":null,"half":"c_d"}]`,
		"SELECT unpivot.x FROM (SELECT 1 AS x) AS unpivot":                                                                                      `[{"x":1}]`,
		"SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT ((x, y) FOR half IN (a, b))":                                                             "error: is not expected here",
		"SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT ((x, y) FOR half IN ((a)))":                                                              "error: UNPIVOT has 1 columns here, and 2 names",
		"SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (x FOR half IN (a AS 1.5))":                                                              "error: the label of a column in UNPIVOT is a STRING or an INT64",
		"SELECT * FROM (SELECT 1 AS a, 'b' AS b) UNPIVOT (x FOR half IN (a, b))":                                                                "error: INT64",
		"SELECT * FROM (SELECT 1 AS a) UNPIVOT (x FOR half IN (c))":                                                                             "error: has no column c",
	})
}

// Values are compared with each of several. Strings beside each other are one. WITH names parts of an expression.
func TestQuantifiedAndNamedExpressions(t *testing.T) {
	t.Parallel()
	checkRows(t, map[string]string{
		"SELECT 2 = ANY (1, 2) AS a, 2 = SOME (1, NULL) AS b, 2 < ALL (3, 4) AS c, 2 != ALL (1, 2) AS d, 2 <= ANY (1, 1) AS e": `[{"a":true,"b":null,"c":true,"d":false,"e":false}]`,
		"SELECT 2 = ANY UNNEST([1, 2]) AS a, 2 != ALL UNNEST([1, 2]) AS b, 'leek' = ANY (SELECT item FROM sales) AS c":         `[{"a":true,"b":false,"c":true}]`,
		"SELECT 2 < ANY UNNEST([1, 2]) AS a": "error: < ANY takes a list of values",
		"SELECT 'abc' LIKE ANY UNNEST(['x%', 'a%']) AS a, 'abc' LIKE ALL ('a%', '%d') AS b, 'abc' LIKE SOME ('%c', NULL) AS c, 'abc' NOT LIKE ALL ('x', 'y') AS d": `[{"a":true,"b":false,"c":true,"d":true}]`,
		"SELECT item LIKE ANY (SELECT LEFT(item, 2) || '%' FROM sales AS s WHERE s.kind = sales.kind) AS a FROM sales LIMIT 1":                                     `[{"a":true}]`,
		"SELECT 'leek' LIKE ANY UNNEST(ARRAY(SELECT item FROM sales)) AS a, 'x' LIKE ANY (SELECT item FROM sales) AS b":                                            `[{"a":true,"b":false}]`,
		"SELECT 'a' LIKE ANY 'b' AS a":                                              "error: is not expected here",
		"SELECT 'a' \"b\" r'\\c' /* more */ '''d''' AS s, TO_HEX(b'a' b\"b\") AS b": `[{"s":"ab\\cd","b":"6162"}]`,
		"SELECT 'a' b'b' AS s":                                                      "error: a string is not expected here",
		"SELECT 'a'\"b\" AS s":                                                      "error: strings beside each other need a space",
		"SELECT WITH(a AS 2, b AS a * 3, CONCAT(CAST(a AS STRING), '-', CAST(b AS STRING))) AS x":                                  `[{"x":"2-6"}]`,
		"SELECT item, WITH(a AS SUM(amount), IF(a > 5, a, NULL)) AS x FROM sales WHERE kind = 'fruit' GROUP BY item ORDER BY item": `[{"item":"pear","x":7},{"item":"plum","x":null}]`,
		"SELECT WITH(5) AS x":                    "error: is not expected here",
		"SELECT WITH(a AS 5, b) AS x":            "error: there is no column b",
		"SELECT AS VALUE STRUCT(1 AS a, 2 AS b)": `[{"a":1,"b":2}]`,
		"SELECT AS VALUE 5":                      `[{"f0_":5}]`,
		"SELECT t.a FROM (SELECT AS VALUE STRUCT(item AS a) FROM sales WHERE amount = 5) AS t": `[{"a":"leek"}]`,
		"SELECT ARRAY(SELECT AS VALUE x * 2 FROM UNNEST([1, 2]) AS x ORDER BY x) AS l":         `[{"l":[2,4]}]`,
		"SELECT ARRAY(SELECT AS VALUE STRUCT(x AS a) FROM UNNEST([1]) AS x) AS l":              `[{"l":[{"a":1}]}]`,
		"SELECT AS VALUE 1, 2": "error: SELECT AS VALUE has one value",
	})
}
