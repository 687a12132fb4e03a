package googlesql_test

import "testing"

// A join with an array has the rows for which its condition is true, in every form of the array and of the condition.
func TestArrayJoins(t *testing.T) {
	t.Parallel()
	const lists = "(SELECT 1 AS id, [1, 2] AS l, [STRUCT(1 AS id, 'x' AS v), (7, 'y')] AS s UNION ALL SELECT 2, [5], NULL UNION ALL SELECT 3, [], NULL) AS t"
	assertRows(t, map[string]string{
		// An array of no table is a source like any other.
		"SELECT a, b FROM UNNEST([1, 2]) AS a JOIN UNNEST([1, 3]) AS b ON a = b":                                                                                       `[{"a":1,"b":1}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a INNER JOIN UNNEST([1, 2]) AS b ON a < b":                                                                                 `[{"a":1,"b":2}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a LEFT JOIN UNNEST([1, 3]) AS b ON a = b ORDER BY a":                                                                       `[{"a":1,"b":1},{"a":2,"b":null}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a LEFT OUTER JOIN UNNEST([3]) AS b ON FALSE ORDER BY a":                                                                    `[{"a":1,"b":null},{"a":2,"b":null}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a RIGHT JOIN UNNEST([1, 3]) AS b ON a = b ORDER BY b":                                                                      `[{"a":1,"b":1},{"a":null,"b":3}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a FULL JOIN UNNEST([1, 3]) AS b ON a = b ORDER BY a, b":                                                                    `[{"a":null,"b":3},{"a":1,"b":1},{"a":2,"b":null}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a JOIN UNNEST([3]) AS b ON NULL":                                                                                           `[]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a JOIN UNNEST([3]) AS b ORDER BY a":                                                                                        `[{"a":1,"b":3},{"a":2,"b":3}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a LEFT JOIN UNNEST(CAST(NULL AS ARRAY<INT64>)) AS b ORDER BY a":                                                            `[{"a":1,"b":null},{"a":2,"b":null}]`,
		"SELECT a, b FROM UNNEST([1, 2]) AS a WITH OFFSET JOIN UNNEST([3, 4]) AS b WITH OFFSET USING (offset) ORDER BY a":                                              `[{"a":1,"b":3},{"a":2,"b":4}]`,
		"SELECT a, b FROM UNNEST([1, NULL]) AS a WITH OFFSET AS o JOIN UNNEST([3, NULL]) AS b WITH OFFSET AS p ON o = p ORDER BY a":                                    `[{"a":null,"b":null},{"a":1,"b":3}]`,
		"SELECT o, a, b FROM UNNEST([1]) AS a WITH OFFSET o FULL JOIN UNNEST([3, 4]) AS b WITH OFFSET o USING (o) ORDER BY o":                                          `[{"o":0,"a":1,"b":3},{"o":1,"a":null,"b":4}]`,
		"SELECT * FROM UNNEST([1, 2]) AS a FULL JOIN UNNEST([2, 3]) AS a USING (a) ORDER BY 1":                                                                         `[{"a":1},{"a":2},{"a":3}]`,
		"SELECT a FROM UNNEST([1, 2]) AS a RIGHT JOIN UNNEST([2, 3]) AS a USING (a) ORDER BY a":                                                                        `[{"a":2},{"a":3}]`,
		"SELECT a + 1 AS a FROM UNNEST([1, 2]) AS a JOIN UNNEST([2.0, 3.0]) AS a USING (a)":                                                                            `[{"a":3}]`,
		"SELECT id, b FROM edge_logs JOIN UNNEST(['a', 'x']) AS b ON id = b":                                                                                           `[{"id":"a","b":"a"}]`,
		"SELECT id, x FROM edge_logs JOIN UNNEST([STRUCT('a' AS id, 5 AS x)]) USING (id)":                                                                              `[{"id":"a","x":5}]`,
		"SELECT e.id, b.x FROM edge_logs AS e LEFT JOIN UNNEST([STRUCT('a' AS id, 5 AS x)]) AS b USING (id) WHERE id < 'c' ORDER BY 1":                                 `[{"id":"a","x":5},{"id":"b","x":null}]`,
		"SELECT * FROM UNNEST([STRUCT(1 AS k, 2 AS j, 'a' AS v), (1, 3, 'b')]) AS x LEFT JOIN UNNEST([STRUCT(1 AS k, 3 AS j, 'c' AS w)]) AS y USING (k, j) ORDER BY v": `[{"k":1,"j":2,"v":"a","w":null},{"k":1,"j":3,"v":"b","w":"c"}]`,
		"SELECT a, b, c FROM UNNEST([1, 2]) AS a JOIN UNNEST([2, 3]) AS b ON a = b JOIN UNNEST([3, 4]) AS c ON c = b + 1":                                              `[{"a":2,"b":2,"c":3}]`,
		"SELECT s.a FROM UNNEST([STRUCT(STRUCT(1 AS x, NULL AS y) AS a)]) AS s JOIN UNNEST([STRUCT(STRUCT(1 AS x, CAST(NULL AS INT64) AS y) AS a)]) AS u USING (a)":    `[]`,
		// An array of a table before it is split for each row.
		"SELECT t.id, x FROM " + lists + " JOIN UNNEST(l) AS x ON x > 1 ORDER BY x":                                                                                             `[{"id":1,"x":2},{"id":2,"x":5}]`,
		"SELECT t.id, x FROM " + lists + " JOIN t.l AS x ON x > t.id ORDER BY x":                                                                                                `[{"id":1,"x":2},{"id":2,"x":5}]`,
		"SELECT t.id, x FROM " + lists + " LEFT JOIN UNNEST(t.l) AS x ON x = 2 ORDER BY id":                                                                                     `[{"id":1,"x":2},{"id":2,"x":null},{"id":3,"x":null}]`,
		"SELECT t.id, x FROM " + lists + " LEFT JOIN t.l AS x ORDER BY id, x":                                                                                                   `[{"id":1,"x":1},{"id":1,"x":2},{"id":2,"x":5},{"id":3,"x":null}]`,
		"SELECT t.id, x, o FROM " + lists + " LEFT JOIN t.l AS x WITH OFFSET o ON o = 1 ORDER BY id":                                                                            `[{"id":1,"x":2,"o":1},{"id":2,"x":null,"o":null},{"id":3,"x":null,"o":null}]`,
		"SELECT t.id, x, o FROM " + lists + ", t.l AS x WITH OFFSET AS o WHERE o = 1":                                                                                           `[{"id":1,"x":2,"o":1}]`,
		"SELECT id, v FROM " + lists + " JOIN UNNEST(s) USING (id)":                                                                                                             `[{"id":1,"v":"x"}]`,
		"SELECT id, v FROM " + lists + " LEFT JOIN t.s AS e USING (id) ORDER BY id":                                                                                             `[{"id":1,"v":"x"},{"id":2,"v":null},{"id":3,"v":null}]`,
		"SELECT * EXCEPT (l, s) FROM " + lists + " LEFT JOIN t.s AS e USING (id) ORDER BY id":                                                                                   `[{"id":1,"v":"x"},{"id":2,"v":null},{"id":3,"v":null}]`,
		"SELECT id, x FROM " + lists + " JOIN UNNEST(l) AS x WITH OFFSET AS id USING (id)":                                                                                      `[{"id":1,"x":2}]`,
		"SELECT t.id, x, y FROM " + lists + ", UNNEST(l) AS x JOIN UNNEST([2, 5]) AS y ON x = y ORDER BY x":                                                                     `[{"id":1,"x":2,"y":2},{"id":2,"x":5,"y":5}]`,
		"SELECT t.id, x, z FROM " + lists + " LEFT JOIN UNNEST(l) AS x ON x = 5 JOIN (SELECT 2 AS id, 'z' AS z) USING (id)":                                                     `[{"id":2,"x":5,"z":"z"}]`,
		"SELECT id, x, z FROM " + lists + " LEFT JOIN UNNEST(l) AS x ON x = 5 JOIN (SELECT 2 AS n, 'z' AS z) AS u ON u.n = t.id":                                                `[{"id":2,"x":5,"z":"z"}]`,
		"SELECT COUNT(*) AS n FROM " + lists + " LEFT JOIN UNNEST(l) AS x ON x = 5 WHERE x IS NULL":                                                                             `[{"n":2}]`,
		"SELECT id FROM " + lists + " WHERE EXISTS (SELECT 1 FROM UNNEST(t.l) AS x JOIN UNNEST([5]) AS y ON x = y)":                                                             `[{"id":2}]`,
		"SELECT id, ARRAY(SELECT a + b FROM UNNEST(t.l) AS a WITH OFFSET JOIN UNNEST([10, 20]) AS b WITH OFFSET USING (offset) ORDER BY a) AS n FROM " + lists + " ORDER BY id": `[{"id":1,"n":[11,22]},{"id":2,"n":[15]},{"id":3,"n":[]}]`,
		"SELECT id FROM " + lists + " RIGHT JOIN UNNEST(t.l) AS x ON TRUE":                                                                                                      `error: RIGHT JOIN does not take an array of the table before it`,
		"SELECT id FROM " + lists + " FULL JOIN t.l AS x ON x = 1":                                                                                                              `error: FULL JOIN does not take an array of the table before it`,
		"SELECT 1 FROM edge_logs AS e JOIN UNNEST([1]) AS e ON TRUE":                                                                                                            `error: FROM has two tables named e`,
		"SELECT 1 FROM edge_logs JOIN UNNEST([1]) AS k USING (k)":                                                                                                               `error: USING needs one column k on each side`,
		"SELECT 1 FROM edge_logs JOIN UNNEST([1]) AS k ON COUNT(*) > 1":                                                                                                         `error: cannot hold an aggregate`,
		"SELECT 1 FROM cloudflare.logs.prod WITH OFFSET":                                                                                                                        `error: WITH OFFSET is for arrays`,
		"SELECT a, b FROM UNNEST([1, 2, 3]) AS a LEFT JOIN UNNEST(ARRAY(SELECT x FROM UNNEST([1, 2, 3]) AS x WHERE x < a)) AS b ON b > 1 ORDER BY a":                            `[{"a":1,"b":null},{"a":2,"b":null},{"a":3,"b":2}]`,
		// Fields of metadata, also nested ones.
		"SELECT e.id, m.region FROM edge_logs AS e JOIN UNNEST(e.metadata) AS m ON m.region = 'us'":                                                                                `[{"id":"c","region":"us"}]`,
		"SELECT e.id, m.region FROM edge_logs AS e LEFT JOIN e.metadata AS m ON m.region = 'us' ORDER BY id":                                                                       `[{"id":"a","region":null},{"id":"b","region":null},{"id":"c","region":"us"},{"id":"d","region":null},{"id":"e","region":null}]`,
		"SELECT e.id, r.path FROM edge_logs AS e JOIN e.metadata AS m ON m.region = 'us' LEFT JOIN UNNEST(m.request) AS r ON r.path > '/c'":                                        `[{"id":"c","path":"/d"}]`,
		"SELECT e.id, r.path, o FROM edge_logs AS e, UNNEST(metadata) AS m LEFT JOIN m.request AS r WITH OFFSET o ON o = 1 WHERE e.id < 'c' ORDER BY id":                           `[{"id":"a","path":null,"o":null},{"id":"b","path":null,"o":null}]`,
		"SELECT e.id, t FROM edge_logs AS e JOIN function_logs AS f ON f.id > e.id JOIN UNNEST(f.metadata) AS m ON m.level = 'error' LEFT JOIN m.tags AS t ON t = e.id LIMIT 1":    `[{"id":"a","t":null}]`,
		"SELECT id, (SELECT COUNT(*) FROM UNNEST(e.metadata) AS m LEFT JOIN UNNEST(m.request) AS r ON r.method = 'PUT') AS n FROM edge_logs AS e ORDER BY n DESC, id DESC LIMIT 2": `[{"id":"c","n":2},{"id":"b","n":1}]`,
	})
}
