package googlesql_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/functions"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltree"
)

// openLogs returns a database with two tables of logs. Its time zone is UTC, as in the store.
func openLogs(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sqltree.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	require.NoError(t, functions.Register(t.Context(), db))
	for _, statement := range []string{
		"CREATE TABLE edge_logs (id VARCHAR, timestamp TIMESTAMP, event_message VARCHAR, project VARCHAR, metadata JSON)",
		"CREATE TABLE function_logs AS FROM edge_logs",
		`INSERT INTO edge_logs VALUES
			('a', '2026-11-20 10:00:00', 'one', 'acme', '[{"region":"eu","request":[{"method":"GET","path":"/a","headers":[{"host":"x"},{"host":"y"}]}],"response":[{"status_code":200,"time":1.5}]}]'),
			('b', '2026-11-20 10:30:00', 'two', 'acme', '[{"region":null,"request":[{"method":"POST","path":"/b","headers":[]}],"response":[{"status_code":500,"time":10}]}]'),
			('c', '2026-11-20 11:00:00', 'three', 'globex', '[{"region":"us","request":[{"method":"GET","path":"/c"},{"method":"PUT","path":"/d"}],"response":[{"status_code":404}]},{"region":"de"}]'),
			('d', '2026-11-21 00:00:00', NULL, 'globex', NULL),
			('e', '2026-11-21 00:30:00', 'five', NULL, '[]')`,
		`INSERT INTO function_logs VALUES ('f', '2026-11-20 10:00:00', 'six', NULL, '[{"project_ref":"acme","tags":["t1","t2"],"level":"error","size":9007199254740993}]')`,
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	return db
}

// environment has the tables, and a parameter of each kind.
func environment() googlesql.Environment {
	columns := []googlesql.TableColumn{
		{Name: "id", Type: sqlq.String},
		{Name: "timestamp", Type: sqlq.Timestamp},
		{Name: "event_message", Type: sqlq.String},
		{Name: "project", Type: sqlq.String},
		{Name: "metadata", Type: sqlq.JSON, IsMetadata: true},
	}
	return googlesql.Environment{
		Tables: []googlesql.Table{
			{Name: "edge_logs", Aliases: []string{"cloudflare.logs.prod"}, Columns: columns, Fields: sqlq.Members{"region": {}, "request": {"search": {}, "both": {}}, "both": {}}},
			{Name: "function_logs", Aliases: []string{"deno-subhosting-events"}, Columns: columns},
		},
		Params: []googlesql.Param{
			{Name: "now", Type: sqlq.Timestamp}, {Name: "project", Type: sqlq.String}, {Name: "least", Type: sqlq.Int64}, {Name: "ids", Type: sqlq.ArrayOf(sqlq.String)},
		},
	}
}

// rowsOf runs a text, and returns its rows as JSON.
func rowsOf(ctx context.Context, db *sql.DB, text string) (string, error) {
	translation, err := googlesql.Translate(text, environment())
	if err != nil {
		return "", err
	}
	// All parameters are in use, and text as JSON is compared as text.
	wrapped := fmt.Sprintf("SELECT CAST(to_json(coalesce(list(_row), [])) AS VARCHAR) FROM (SELECT * FROM (%s) AS _row WHERE $now IS NOT NULL OR $project IS NULL OR $least IS NULL OR $ids IS NULL) AS _row", translation.SQL)
	var rows string
	err = db.QueryRowContext(ctx, wrapped, sql.Named("now", time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)),
		sql.Named("project", "acme"), sql.Named("least", int64(400)), sql.Named("ids", []string{"a", "c"})).Scan(&rows)
	if err != nil {
		return translation.SQL, err
	}
	return rows, nil
}

// Each construct gives the rows that GoogleSQL's documentation describes.
func TestConstructs(t *testing.T) {
	t.Parallel()
	db := openLogs(t)
	for text, want := range map[string]string{
		// names of functions, and WITH
		"SELECT `LOWER`('A') AS a, `NET.HOST`('b.com') AS b, SAFE.`lower`('C') AS c":                                         `[{"a":"a","b":"b.com","c":"c"}]`,
		"WITH a AS (SELECT 1 AS n) (WITH b AS (SELECT n + 1 AS n FROM a) SELECT n FROM b)":                                   `[{"n":2}]`,
		"WITH a AS (SELECT 1 AS n) (WITH b AS (SELECT n FROM a UNION ALL SELECT 2) SELECT n FROM b ORDER BY n DESC LIMIT 1)": `[{"n":2}]`,
		"(WITH b AS (SELECT 3 AS n) SELECT n FROM b) UNION ALL (WITH b AS (SELECT 4 AS n) SELECT n FROM b) ORDER BY n":       `[{"n":3},{"n":4}]`,
		"SELECT n FROM (WITH b AS (SELECT 3 AS n) (WITH c AS (SELECT n FROM b) SELECT n FROM c))":                            `[{"n":3}]`,
		// COALESCE(array, []), as Studio writes it
		"SELECT id, r.path FROM edge_logs LEFT JOIN UNNEST(COALESCE(metadata, [])) AS m LEFT JOIN UNNEST(IFNULL(m.request, [])) AS r WHERE r.method = 'PUT'":                      `[{"id":"c","path":"/d"}]`,
		"SELECT id, k FROM edge_logs LEFT JOIN UNNEST(metadata) AS m LEFT JOIN UNNEST(COALESCE(m.apikey, [])) AS k LEFT JOIN UNNEST(COALESCE(k.payload, [])) AS p WHERE id = 'd'": `[{"id":"d","k":null}]`,
		"SELECT x FROM UNNEST(COALESCE([1, 2], [])) AS x ORDER BY x": `[{"x":1},{"x":2}]`,
		"SELECT x FROM UNNEST(COALESCE(NULL, [1])) AS x":             `[{"x":1}]`,
		// FROM
		"SELECT id FROM `edge_logs` WHERE project = 'acme' ORDER BY id;":                                                                                            `[{"id":"a"},{"id":"b"}]`,
		"select id from `cloudflare.logs.prod` # comment\n where id in ('d', 'e') -- comment\n order by id desc":                                                    `[{"id":"e"},{"id":"d"}]`,
		"SELECT t.id, FROM deno-subhosting-events AS t":                                                                                                             `[{"id":"f"}]`,
		"SELECT id, r.method FROM edge_logs CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS r ORDER BY id, CAST(r.path AS STRING)":                 `[{"id":"a","method":"GET"},{"id":"b","method":"POST"},{"id":"c","method":"GET"},{"id":"c","method":"PUT"}]`,
		"SELECT id, request.method FROM edge_logs, UNNEST(metadata) AS metadata, UNNEST(metadata.request) AS request WHERE request.path = '/b'":                     `[{"id":"b","method":"POST"}]`,
		"SELECT id, region FROM edge_logs CROSS JOIN UNNEST(metadata) AS metadata ORDER BY id, CAST(region AS STRING)":                                              `[{"id":"a","region":"eu"},{"id":"b","region":null},{"id":"c","region":"de"},{"id":"c","region":"us"}]`,
		"SELECT id, m.region FROM edge_logs LEFT JOIN UNNEST(metadata) AS m WHERE id > 'c' ORDER BY id":                                                             `[{"id":"d","region":null},{"id":"e","region":null}]`,
		"SELECT id, m.region FROM edge_logs AS t LEFT JOIN UNNEST(t.metadata) AS m ON TRUE WHERE id IN ('a', 'd') ORDER BY id":                                      `[{"id":"a","region":"eu"},{"id":"d","region":null}]`,
		"SELECT id, r.path, o FROM edge_logs AS t, t.metadata AS m, m.request AS r WITH OFFSET AS o WHERE o = 1":                                                    `[{"id":"c","path":"/d","o":1}]`,
		"SELECT id, r.path, o FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WITH OFFSET AS o WHERE o > 0":                                           `[{"id":"c","path":"/d","o":1}]`,
		"SELECT id, r.path FROM edge_logs AS t, t.metadata AS m, m.request AS r WHERE r.method = 'PUT'":                                                             `[{"id":"c","path":"/d"}]`,
		"SELECT id, h.host FROM edge_logs CROSS JOIN UNNEST(metadata) m CROSS JOIN UNNEST(m.request) r CROSS JOIN UNNEST(r.headers) h ORDER BY UPPER(h.host)":       `[{"id":"a","host":"x"},{"id":"a","host":"y"}]`,
		"SELECT tag FROM function_logs, UNNEST(metadata) AS m, UNNEST(m.tags) AS tag ORDER BY UPPER(tag)":                                                           `[{"tag":"t1"},{"tag":"t2"}]`,
		"SELECT x, o FROM UNNEST([3, 1]) AS x WITH OFFSET o ORDER BY o":                                                                                             `[{"x":3,"o":0},{"x":1,"o":1}]`,
		"SELECT p.a, b FROM UNNEST([STRUCT(1 AS a, 'x' AS b), (2, NULL)]) AS p ORDER BY a":                                                                          `[{"a":1,"b":"x"},{"a":2,"b":null}]`,
		"SELECT COUNT(*) AS n FROM edge_logs AS a JOIN edge_logs AS b ON a.project = b.project":                                                                     `[{"n":8}]`,
		"SELECT id, a.project FROM edge_logs AS a JOIN edge_logs AS b USING (id) WHERE id = 'a'":                                                                    `[{"id":"a","project":"acme"}]`,
		"SELECT f.id, e.id AS other FROM function_logs AS f FULL JOIN edge_logs AS e ON f.id = e.id WHERE e.id IS NULL OR e.id = 'a' ORDER BY other":                `[{"id":"f","other":null},{"id":null,"other":"a"}]`,
		"SELECT n FROM (SELECT COUNT(*) AS n FROM edge_logs) AS counted":                                                                                            `[{"n":5}]`,
		"SELECT * FROM (SELECT project, id, timestamp FROM edge_logs) PIVOT (COUNT(*) AS n, MAX(timestamp) AS last FOR id IN ('a', 'c' AS third)) ORDER BY project": `[{"project":null,"n_a":0,"last_a":null,"n_third":0,"last_third":null},{"project":"acme","n_a":1,"last_a":"2026-11-20 10:00:00","n_third":0,"last_third":null},{"project":"globex","n_a":0,"last_a":null,"n_third":1,"last_third":"2026-11-20 11:00:00"}]`,
		"SELECT x, y FROM (SELECT 1 AS v, k FROM UNNEST(['x', 'y', 'x']) AS k) PIVOT (SUM(v) FOR k IN ('x', 'y'))":                                                  `[{"x":2,"y":1}]`,
		"SELECT * FROM (SELECT 1 AS v, k FROM UNNEST(['x', NULL, NULL]) AS k) PIVOT (SUM(v) FOR k IN ('x', NULL))":                                                  `[{"x":1,"NULL":2}]`,
		"SELECT id, region, search FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE path = '/b'":                                                 `error: path`,
		"SELECT id, region, search FROM edge_logs, UNNEST(metadata) AS m, UNNEST(request) AS r WHERE r.path = '/b'":                                                 `[{"id":"b","region":null,"search":null}]`,
		"SELECT id, metadata FROM edge_logs, UNNEST(metadata) WHERE region = 'eu'":                                                                                  `[{"id":"a","metadata":[{"region":"eu","request":[{"method":"GET","path":"/a","headers":[{"host":"x"},{"host":"y"}]}],"response":[{"status_code":200,"time":1.5}]}]}]`,
		// SELECT
		"SELECT * EXCEPT (metadata, timestamp, event_message) FROM edge_logs WHERE id = 'a'":                                     `[{"id":"a","project":"acme"}]`,
		"SELECT * EXCEPT (metadata, timestamp, event_message) REPLACE (UPPER(project) AS project) FROM edge_logs WHERE id = 'a'": `[{"id":"a","project":"ACME"}]`,
		"SELECT id FROM proj.order.edge_logs":                                                                                                                       `error: there is no table proj.order.edge_logs`,
		"SELECT DISTINCT project FROM edge_logs ORDER BY project":                                                                                                   `[{"project":null},{"project":"acme"},{"project":"globex"}]`,
		"SELECT project, COUNT(*) AS n FROM edge_logs GROUP BY project ORDER BY n DESC, 1":                                                                          `[{"project":"acme","n":2},{"project":"globex","n":2},{"project":null,"n":1}]`,
		"SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS timestamp, COUNT(*) AS n FROM edge_logs GROUP BY timestamp ORDER BY timestamp LIMIT 1":                          `[{"timestamp":"2026-11-20 10:00:00","n":2}]`,
		"SELECT project, COUNT(*) AS n FROM edge_logs GROUP BY 1 HAVING n > 1 AND MAX(id) < 'c'":                                                                    `[{"project":"acme","n":2}]`,
		"SELECT project, COUNT(*) AS n FROM edge_logs GROUP BY ROLLUP (project) ORDER BY n DESC, project LIMIT 2":                                                   `[{"project":null,"n":5},{"project":"acme","n":2}]`,
		"SELECT project, id, COUNT(*) AS n FROM edge_logs WHERE project = 'acme' GROUP BY GROUPING SETS (project, (project, id)) ORDER BY id":                       `[{"project":"acme","id":null,"n":2},{"project":"acme","id":"a","n":1},{"project":"acme","id":"b","n":1}]`,
		"SELECT id, ROW_NUMBER() OVER (PARTITION BY project ORDER BY timestamp DESC) AS r FROM edge_logs QUALIFY r = 1 ORDER BY id":                                 `[{"id":"b","r":1},{"id":"d","r":1},{"id":"e","r":1}]`,
		"SELECT id, COUNT(*) OVER w AS n FROM edge_logs WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY id LIMIT 2":                     `[{"id":"a","n":1},{"id":"b","n":2}]`,
		"SELECT 1 AS x UNION ALL SELECT 2.5 ORDER BY x DESC":                                                                                                        `[{"x":2.5},{"x":1.0}]`,
		"(SELECT 1 AS x UNION DISTINCT SELECT 1) INTERSECT DISTINCT SELECT 1":                                                                                       `[{"x":1}]`,
		"SELECT 1 AS x EXCEPT DISTINCT SELECT 1":                                                                                                                    `[]`,
		"WITH a AS (SELECT id FROM edge_logs), b AS (SELECT MAX(id) AS id FROM a) SELECT id FROM b":                                                                 `[{"id":"e"}]`,
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r ORDER BY n":                                                  `[{"n":1},{"n":2},{"n":3}]`,
		"WITH edge_logs AS (SELECT id, metadata FROM edge_logs WHERE id = 'a') SELECT m.region FROM edge_logs, UNNEST(metadata) AS m":                               `[{"region":"eu"}]`,
		"WITH x AS (SELECT id, m.request AS request FROM edge_logs, UNNEST(metadata) AS m) SELECT id, r.path FROM x, UNNEST(x.request) AS r WHERE r.method = 'PUT'": `[{"id":"c","path":"/d"}]`,
		"SELECT AS STRUCT 1 AS a, 'x' AS b":                                                                                                                       `[{"a":1,"b":"x"}]`,
		"SELECT AS STRUCT 1, 'x' UNION ALL (SELECT AS STRUCT 2, 'y') ORDER BY 1":                                                                                  `[{"f0_":1,"f1_":"x"},{"f0_":2,"f1_":"y"}]`,
		"SELECT x.a FROM (SELECT AS STRUCT 1 AS a) AS x":                                                                                                          `[{"a":1}]`,
		"WITH x AS (SELECT AS STRUCT 1 AS a, 2 AS b) SELECT x.b, ARRAY(SELECT AS STRUCT a FROM x) AS list FROM x":                                                 `[{"b":2,"list":[{"a":1}]}]`,
		"SELECT * FROM UNNEST([3])":                                                                                                                               `[{"f0_":3}]`,
		"SELECT * FROM UNNEST([3]) WITH OFFSET":                                                                                                                   `[{"f0_":3,"offset":0}]`,
		"SELECT 1 AS a, * FROM UNNEST([STRUCT(2, 3), (4, 5)]) ORDER BY 2":                                                                                         `[{"a":1,"f1_":2,"f2_":3},{"a":1,"f1_":4,"f2_":5}]`,
		"SELECT * EXCEPT (a) FROM UNNEST([STRUCT(2 AS a, 3)])":                                                                                                    `[{"f0_":3}]`,
		"SELECT STRING_AGG(id, '' ORDER BY CAST('x' AS STRING), id DESC) AS ids FROM edge_logs":                                                                   `[{"ids":"edcba"}]`,
		"SELECT id FROM edge_logs ORDER BY CAST('x' AS STRING), id LIMIT 1":                                                                                       `[{"id":"a"}]`,
		"SELECT id FROM ((SELECT id FROM edge_logs) AS a CROSS JOIN (SELECT 1 AS n) AS b) ORDER BY id LIMIT 1":                                                    `[{"id":"a"}]`,
		"SELECT id, IF(r.path = '/b', 0, CAST(r.size AS INT64)) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE id = 'b'":                `[{"id":"b","n":0}]`,
		"SELECT SUM(IF(r.method = 'GET', 0, CAST(r.method AS INT64))) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.method = 'GET'":  `[{"n":0}]`,
		"SELECT SUM(CASE WHEN STARTS_WITH(r.path, '/') THEN 1 ELSE CAST(r.path AS INT64) END) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r": `[{"n":4}]`,
		"SELECT id, SAFE_CAST(r.method AS INT64) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE id = 'b'":                               `[{"id":"b","n":null}]`,
		"SELECT id, LAX_INT64(TO_JSON(r.path)) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE id = 'b'":                                 `[{"id":"b","n":null}]`,
		"SELECT * FROM (SELECT 1 AS v, k FROM UNNEST([1, -2]) AS k) PIVOT (SUM(v) FOR k IN (1, -2))":                                                              `[{"_1":1,"minus_2":1}]`,
		"SELECT * FROM (SELECT 1 AS v, DATE '2026-01-31' AS k) PIVOT (SUM(v) AS n FOR k IN (DATE '2026-01-31'))":                                                  `[{"n_2026_01_31":1}]`,
		"SELECT * FROM (SELECT 1 AS v, NUMERIC '1.5' AS k) PIVOT (SUM(v) FOR k IN (NUMERIC '1.5'))":                                                               `[{"_1_point_5":1}]`,
		"SELECT ARRAY(SELECT AS STRUCT UPPER(x) AS big, COUNT(*) AS n FROM UNNEST(['a', 'A', 'b']) AS x GROUP BY big ORDER BY n) AS a":                            `[{"a":[{"big":"B","n":1},{"big":"A","n":2}]}]`,
		// Fields of structs have the names of the first query, and are found by their place.
		"SELECT [STRUCT(1 AS a, 'x' AS b)] AS r UNION ALL SELECT [(2, 'y')]":                                   `[{"r":[{"a":1,"b":"x"}]},{"r":[{"a":2,"b":"y"}]}]`,
		"SELECT STRUCT(1 AS a, STRUCT(2 AS b) AS c) AS r UNION ALL SELECT STRUCT(3 AS a, STRUCT(4 AS d) AS c)": `[{"r":{"a":1,"c":{"b":2}}},{"r":{"a":3,"c":{"b":4}}}]`,
		// NaN is less than other numbers, and more than NULL.
		"SELECT ARRAY(SELECT CAST(x AS STRING) FROM UNNEST([2.5, CAST('nan' AS FLOAT64), -1e9, NULL, CAST('-inf' AS FLOAT64)]) AS x ORDER BY x) AS a": `[{"a":[null,"nan","-inf","-1000000000","2.5"]}]`,
		"SELECT x IS NULL AS a FROM UNNEST([CAST('nan' AS FLOAT64), NULL, 1.0]) AS x ORDER BY x DESC NULLS FIRST LIMIT 1":                             `[{"a":true}]`,
		"SELECT CAST(x AS STRING) AS x FROM (SELECT DISTINCT x FROM UNNEST([CAST('nan' AS FLOAT64), 1.0]) AS x ORDER BY x DESC LIMIT 1)":              `[{"x":"1"}]`,
		"SELECT CAST(x AS STRING) AS x FROM (SELECT CAST('nan' AS FLOAT64) AS x UNION ALL SELECT 1.0 ORDER BY x DESC LIMIT 1)":                        `[{"x":"1"}]`,
		"SELECT AVG(x) AS mean FROM UNNEST([1.0, 2.0, 6.0]) AS x GROUP BY x > 2 ORDER BY mean DESC, AVG(x)":                                           `[{"mean":6},{"mean":1.5}]`,
		"SELECT x, RANK() OVER (ORDER BY x) AS r FROM UNNEST([1.0, CAST('inf' AS FLOAT64) - CAST('inf' AS FLOAT64)]) AS x WHERE NOT IS_NAN(x)":        `[{"x":1,"r":1}]`,
		"SELECT ARRAY_AGG(CAST(x AS STRING) ORDER BY x DESC) AS a FROM UNNEST([1.0, CAST('nan' AS FLOAT64)]) AS x":                                    `[{"a":["1","nan"]}]`,
		"SELECT IS_NAN(MIN(x)) AS a, IS_NAN(MAX(x)) AS b, MIN(y) AS c FROM UNNEST([STRUCT(CAST('nan' AS FLOAT64) AS x, -2.5 AS y), (1.0, NULL)])":     `[{"a":true,"b":true,"c":-2.5}]`,
		"SELECT x, COUNT(*) OVER (ORDER BY x RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW) AS n FROM UNNEST([1.0, 2.0, 4.0]) AS x ORDER BY x":          `[{"x":1,"n":1},{"x":2,"n":2},{"x":4,"n":1}]`,
		"SELECT STRING_AGG(DISTINCT CAST(x AS STRING), '' ORDER BY CAST(x AS STRING)) AS s FROM UNNEST([1.5]) AS x":                                   `[{"s":"1.5"}]`,
		"SELECT ARRAY_AGG(DISTINCT x ORDER BY x) AS s FROM UNNEST([2.5, 1.5]) AS x":                                                                   `[{"s":[1.5,2.5]}]`,
		// subqueries
		"SELECT id FROM edge_logs AS t WHERE EXISTS (SELECT 1 FROM UNNEST(t.metadata) AS m WHERE m.region = 'de')":                          `[{"id":"c"}]`,
		"SELECT id FROM edge_logs WHERE id IN (SELECT MAX(id) FROM edge_logs GROUP BY project) ORDER BY id":                                 `[{"id":"b"},{"id":"d"},{"id":"e"}]`,
		"SELECT id, (SELECT COUNT(*) FROM UNNEST(metadata)) AS n FROM edge_logs ORDER BY id":                                                `[{"id":"a","n":1},{"id":"b","n":1},{"id":"c","n":2},{"id":"d","n":0},{"id":"e","n":0}]`,
		"SELECT ARRAY(SELECT m.region FROM UNNEST(metadata) AS m ORDER BY UPPER(m.region)) AS regions FROM edge_logs WHERE id = 'c'":        `[{"regions":["de","us"]}]`,
		"SELECT ARRAY(SELECT DISTINCT m.region FROM UNNEST(metadata) AS m WHERE m.region <> 'us') AS regions FROM edge_logs WHERE id = 'c'": `[{"regions":["de"]}]`,
		"SELECT ARRAY(SELECT AS STRUCT id, project FROM edge_logs ORDER BY id LIMIT 1) AS rows_":                                            `[{"rows_":[{"id":"a","project":"acme"}]}]`,
		"SELECT id FROM edge_logs WHERE id IN UNNEST(@ids) ORDER BY id":                                                                     `[{"id":"a"},{"id":"c"}]`,
		"SELECT id FROM edge_logs WHERE id NOT IN UNNEST(['a', NULL])":                                                                      `[]`,
		// metadata (D39)
		"SELECT COUNTIF(r.status_code >= 400) AS errors, MAX(CAST(r.time AS FLOAT64)) AS slowest FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r":          `[{"errors":2,"slowest":10.0}]`,
		"SELECT AVG(r.time) AS mean, COUNT(r.time) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r":                                                   `[{"mean":5.75,"n":2}]`,
		"SELECT r.status_code, COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r GROUP BY r.status_code ORDER BY CAST(r.status_code AS INT64)": `[{"status_code":200.0,"n":1},{"status_code":404.0,"n":1},{"status_code":500.0,"n":1}]`,
		"SELECT id FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r WHERE r.status_code = @least + 4":                                                       `[{"id":"c"}]`,
		"SELECT id FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r WHERE r.time > 1":                                                                       `[{"id":"a"},{"id":"b"}]`,
		"SELECT id, metadata[SAFE_OFFSET(1)].region AS second FROM edge_logs WHERE id IN ('a', 'c') ORDER BY id":                                                          `[{"id":"a","second":null},{"id":"c","second":"de"}]`,
		"SELECT TO_JSON_STRING(m.response) AS j FROM edge_logs, UNNEST(metadata) AS m WHERE id = 'a'":                                                                     `[{"j":"[{\"status_code\":200,\"time\":1.5}]"}]`,
		"SELECT TO_JSON_STRING(STRUCT(metadata, m.region, m.request[OFFSET(0)].path, m.response)) AS j FROM edge_logs, UNNEST(metadata) AS m WHERE id = 'b'":              `[{"j":"{\"metadata\":[{\"region\":null,\"request\":[{\"method\":\"POST\",\"path\":\"/b\",\"headers\":[]}],\"response\":[{\"status_code\":500,\"time\":10}]}],\"region\":null,\"path\":\"/b\",\"response\":[{\"status_code\":500,\"time\":10}]}"}]`,
		"SELECT TO_JSON_STRING(ARRAY_AGG(r ORDER BY id)) AS j FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r WHERE id < 'c'":                              `[{"j":"[{\"status_code\":200,\"time\":1.5},{\"status_code\":500,\"time\":10}]"}]`,
		"SELECT TO_JSON_STRING(t) AS j FROM (SELECT id, r.status_code FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r) AS t WHERE id = 'a'":                `[{"j":"{\"id\":\"a\",\"status_code\":200}"}]`,
		"SELECT CAST(m.size AS INT64) AS size FROM function_logs, UNNEST(metadata) AS m":                                                                                  `[{"size":9007199254740993}]`,
		"SELECT m.level = 'error' AS failed, m.missing IS NULL AS missing, m.tags IS NULL AS tags FROM function_logs, UNNEST(metadata) AS m":                              `[{"failed":true,"missing":true,"tags":false}]`,
		"SELECT id, m.region FROM edge_logs, UNNEST(metadata) AS m WHERE id = 'a' UNION ALL SELECT id, m.level FROM function_logs, UNNEST(metadata) AS m ORDER BY id":     `[{"id":"a","region":"eu"},{"id":"f","region":"error"}]`,
		"SELECT COALESCE(m.region, 'none') AS region FROM edge_logs, UNNEST(metadata) AS m ORDER BY region":                                                               `[{"region":"de"},{"region":"eu"},{"region":"none"},{"region":"us"}]`,
		"SELECT IF(m.region IS NULL, m.region, m.region) AS region FROM edge_logs, UNNEST(metadata) AS m WHERE id = 'a'":                                                  `[{"region":"eu"}]`,
		"SELECT ARRAY_LENGTH(metadata) AS n FROM edge_logs ORDER BY id":                                                                                                   `[{"n":1},{"n":1},{"n":2},{"n":null},{"n":0}]`,
		// expressions
		"SELECT 7 / 2 AS a, -7 / 2 AS b, 2 + 3 * 4 AS c, NOT FALSE AND TRUE AS d":                                                                             `[{"a":3.5,"b":-3.5,"c":14,"d":true}]`,
		"SELECT 'a' || 'b' || NULL AS x, \"double\" AS y, r'raw\\d' AS z, '''it's''' AS w":                                                                    `[{"x":null,"y":"double","z":"raw\\d","w":"it's"}]`,
		"SELECT 'it''s' AS x, \"a\"\"b\" AS y, 'a\\'''b\\\\''' AS z, '' AS e, REGEXP_CONTAINS('it''s 5', 'it''s \\\\d') AS m":                                 `[{"x":"it's","y":"a\"b","z":"a''b\\'","e":"","m":true}]`,
		"SELECT CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS x, IF(1 > 2, 'a', 'b') AS y":                                                                    `[{"x":"b","y":"b"}]`,
		"SELECT [1, 2, 3][0] AS a, [1, 2, 3][ORDINAL(3)] AS b, [1][SAFE_OFFSET(5)] AS c":                                                                      `[{"a":1,"b":3,"c":null}]`,
		"SELECT STRUCT(1 AS a, 'x' AS b).b AS x, (SELECT AS STRUCT 5 AS y).y AS z":                                                                            `[{"x":"x","z":5}]`,
		"SELECT 'a%b' LIKE 'a\\\\%b' AS a, 'axb' LIKE 'a\\\\%b' AS b, 'abc' LIKE ANY ('x%', '%c') AS c":                                                       `[{"a":true,"b":false,"c":true}]`,
		"SELECT NULL IS NULL AS a, 1 IS DISTINCT FROM NULL AS b, (1 = NULL) IS UNKNOWN AS c":                                                                  `[{"a":true,"b":true,"c":true}]`,
		"SELECT 5 BETWEEN 1 AND 10 AS a, 5 NOT IN (1, 2) AS b, 1 << 3 AS c, 6 ^ 3 AS d, ~1 AS e":                                                              `[{"a":true,"b":true,"c":8,"d":5,"e":-2}]`,
		"SELECT event_message::text AS x FROM edge_logs WHERE id = 'a'":                                                                                       `[{"x":"one"}]`,
		"SELECT CURRENT_TIMESTAMP() = @now AS a, CURRENT_DATE AS b":                                                                                           `[{"a":true,"b":"2026-11-20"}]`,
		"SELECT id FROM edge_logs WHERE timestamp > '2026-11-21' AND timestamp < TIMESTAMP '2026-11-21T02:00:00+01:00'":                                       `[{"id":"e"}]`,
		"SELECT APPROX_QUANTILES(x, 4)[OFFSET(2)] AS middle, APPROX_QUANTILES(x, 2) AS parts FROM UNNEST([1, 2, 3, 4, 5]) AS x":                               `[{"middle":3,"parts":[1,3,5]}]`,
		"WITH q AS (SELECT APPROX_QUANTILES(x, 4) AS q FROM UNNEST([1, 2, 3, 4, 5]) AS x) SELECT q[OFFSET(1)] AS a, q[ORDINAL(5)] AS b FROM q":                `[{"a":2,"b":5}]`,
		"SELECT ARRAY_AGG(x IGNORE NULLS ORDER BY x DESC LIMIT 2) AS a, STRING_AGG(CAST(x AS STRING), '-' ORDER BY x) AS b FROM UNNEST([1, NULL, 3, 2]) AS x": `[{"a":[3,2],"b":"1-2-3"}]`,
	} {
		rows, err := rowsOf(t.Context(), db, text)
		if err != nil {
			message, isError := strings.CutPrefix(want, "error: ")
			assert.True(t, isError, "%s\n%s\n%s", text, rows, err)
			require.ErrorContains(t, err, message, text)
			continue
		}
		assert.JSONEq(t, want, rows, text)
	}
}

// What cannot be translated is refused at its place (D36), with what to write instead.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                        "1:1 there is no SQL",
		"DELETE FROM edge_logs":                   "1:1 the SQL must be one SELECT, so it begins with SELECT or WITH",
		"SELECT 1; SELECT 2":                      "1:11 the SQL must be one statement; remove what follows the semicolon",
		"SELECT id\nFROM edge_log":                "2:6 there is no table edge_log; did you mean edge_logs?",
		"SELECT projct FROM edge_logs":            "1:8 there is no column projct here; did you mean project?",
		"SELECT t.projct FROM edge_logs AS t":     "1:10 t has no column projct; did you mean project?",
		"SELECT id FROM edge_logs, function_logs": "1:8 id is ambiguous: write edge_logs.id or function_logs.id",
		"SELECT path FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r":                       "1:8 path is ambiguous: write m.path or r.path",
		"SELECT id FROM edge_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE project = 'x')": "1:82 project is ambiguous: write m.project or edge_logs.project",
		"SELECT id FROM edge_logs, UNNEST(metadata) AS m ORDER BY m.region":                               "1:58 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT MAX(m.size) AS size FROM edge_logs, UNNEST(metadata) AS m":                                "1:12 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT APPROX_QUANTILES(m.size, 2) AS x FROM edge_logs, UNNEST(metadata) AS m":                   "1:25 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT PERCENTILE_DISC(m.size, 0.5) OVER () AS x FROM edge_logs, UNNEST(metadata) AS m":          "1:24 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT MAX_BY(id, m.size) AS x FROM edge_logs, UNNEST(metadata) AS m":                            "1:19 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT ANY_VALUE(id HAVING MAX m.size) AS x FROM edge_logs, UNNEST(metadata) AS m":               "1:32 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT GREATEST(m.size, m.size) AS x FROM edge_logs, UNNEST(metadata) AS m":                      "1:17 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT RANGE_BUCKET(m.size, [m.other]) AS x FROM edge_logs, UNNEST(metadata) AS m":               "1:21 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT 5 % 2":   "1:10 \"%\" is not expected here, but the end of the query; write MOD(a, b)",
		"SELECT 5 mod 2": "1:14 \"2\" is not expected here, but the end of the query; write MOD(a, b)",
		"SELECT id FROM edge_logs WHERE id ILIKE 'a%'":                    "1:35 \"ILIKE\" is not expected here, but the end of the query; write LOWER(x) LIKE '…'",
		"SELECT id FROM edge_logs WHERE id ~ 'a'":                         "1:35 \"~\" is not expected here, but the end of the query; write REGEXP_CONTAINS(x, r'…')",
		"SELECT COUNT(*) FILTER (WHERE id = 'a') FROM edge_logs":          "1:24 \"(\" is not expected here, but the end of the query; write COUNTIF(condition), or IF(condition, x, NULL) in the aggregate",
		"SELECT TOP 5 id FROM edge_logs":                                  "1:12 \"5\" is not expected here, but the end of the query; write LIMIT at the end",
		"SELECT metadata->>'x' FROM edge_logs":                            "1:17 \">\" is not expected here, but an expression; write JSON_VALUE(x, '$.name')",
		"SELECT id FROM edge_logs LIMIT NULL":                             "1:32 LIMIT cannot be NULL; leave it out, or write a number",
		"SELECT id FROM edge_logs LIMIT -1":                               "1:32 LIMIT must not be negative",
		"SELECT id FROM edge_logs LIMIT 1 OFFSET CAST(NULL AS INT64)":     "1:41 OFFSET cannot be NULL; leave it out, or write a number",
		"SELECT CAST('abc' AS STRING(2))":                                 "1:22 type STRING with a length is not supported; cast to STRING, and cut it with LEFT",
		"SELECT SAFE_CAST(b'abc' AS BYTES(2))":                            "1:28 type BYTES with a length is not supported; cast to BYTES, and cut it with LEFT",
		"SELECT CAST(['abc'] AS ARRAY<STRING(2)>)":                        "1:30 type STRING with a length is not supported; cast to STRING, and cut it with LEFT",
		"SELECT CAST(1.555 AS NUMERIC(4, 2))":                             "1:22 NUMERIC with a precision is not supported; write ROUND(CAST(… AS NUMERIC), 2)",
		"SELECT `no.such.f`(1)":                                           "1:8 function NO.SUCH.F is not supported",
		"SELECT ARRAY_INCLUDES([1], 1)":                                   "1:8 ARRAY_INCLUDES is not supported: use x IN UNNEST(array)",
		"SELECT id FROM edge_logs, UNNEST(metadata) AS m WHERE m.a < m.b": "1:59 the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)",
		"SELECT * FROM edge_logs, UNNEST(metadata) AS m":                  "1:8 the fields of metadata are not known, so * cannot stand for them; write the fields that you need",
		"SELECT @prject":                              "1:8 parameter @prject is not declared; did you mean @project?",
		"SELECT COUNTIFF(TRUE)":                       "1:8 function COUNTIFF is not supported; did you mean COUNTIF?",
		"SELECT 'a' + 1":                              "1:8 a number is needed here, not a value of type STRING",
		"SELECT id FROM edge_logs WHERE id > 5":       "1:35 values of type STRING and INT64 have no >; convert one with CAST",
		"SELECT 1 UNION SELECT 2":                     "1:10 write UNION ALL or UNION DISTINCT",
		"SELECT id FROM edge_logs WHERE COUNT(*) > 1": "1:41 WHERE cannot hold an aggregate; use HAVING",
		"SELECT 'open":                                "1:8 the string has no end; close it with '",
		"SELECT `open\\`":                             "1:8 the name has no end; close it with a backtick",
		"SELECT 1 AS ``":                              "1:13 a name in backticks must not be empty",
		"SELECT /* open":                              "1:8 the comment has no end; close it with */",
		"SELECT '\\q'":                                `1:9 \q is not an escape sequence; write \\ for a backslash, or a raw string r'…'`,
		"SELECT id FROM edge_logs WHERE":              "1:31 the SQL ends where an expression is expected",
		"SELECT id, id FROM edge_logs":                "1:12 the result has two columns named id; give one another alias",
		"SELECT metadata.region FROM edge_logs":       "1:17 objects in metadata are arrays of one, so region is a field of an element; UNNEST the array, or write [OFFSET(0)].region",
		"SELECT m.request.method FROM edge_logs, UNNEST(metadata) AS m":         "1:18 objects in metadata are arrays of one, so method is a field of an element; UNNEST the array, or write [OFFSET(0)].method",
		"SELECT id FROM edge_logs WHERE id IN @ids":                             "1:38 a parameter with a list stands in UNNEST: IN UNNEST(@ids)",
		"SELECT CAST('x' AS STRIN)":                                             "1:20 type STRIN is not supported; did you mean STRING?",
		"SELECT TIMESTAMP_TRUNC(timestamp, HOURS) FROM edge_logs":               "1:35 there is no column HOURS here",
		"SELECT TIMESTAMP '2026-13-01'":                                         `1:8 "2026-13-01" is not a TIMESTAMP`,
		"SELECT x FROM UNNEST([1]) AS x GROUP BY 2":                             "1:41 GROUP BY 2: the query has columns 1 to 1",
		"SELECT 1 AS x ORDER BY x":                                              "1:24 ORDER BY needs a FROM clause",
		"SELECT 1 AS x WHERE TRUE":                                              "1:21 WHERE needs a FROM clause",
		"SELECT DISTINCT 1 AS x":                                                "1:1 SELECT DISTINCT needs a FROM clause",
		"SELECT 1 AS x GROUP BY x":                                              "1:15 GROUP BY needs a FROM clause",
		"SELECT id FROM edge_logs ORDER BY 'x'":                                 "1:35 ORDER BY takes no constant here; write an expression of columns",
		"SELECT STRING_AGG(id, ',' ORDER BY 1) FROM edge_logs":                  "1:36 ORDER BY takes no constant here; write an expression of columns",
		"SELECT COUNT(*) FROM edge_logs GROUP BY 'x'":                           "1:41 GROUP BY takes no constant here; write an expression of columns",
		"SELECT * EXCEPT (id) FROM (SELECT id FROM edge_logs)":                  "1:8 * has no column that EXCEPT does not leave out",
		"SELECT 9223372036854775808":                                            "1:8 9223372036854775808 is not an INT64, which is from -2^63 to 2^63-1; write a NUMERIC, as in NUMERIC '1'",
		"SELECT 0x":                                                             "1:8 0x is not a hexadecimal number such as 0xff",
		"SELECT 0x1g":                                                           "1:8 0x1g is not a hexadecimal number such as 0xff",
		"SELECT id FROM edge_logs QUALIFY id > 'a'":                             "1:37 QUALIFY needs a window function, here or in a column; use WHERE or HAVING",
		"SELECT id, COUNT(*) AS n FROM edge_logs GROUP BY id QUALIFY n > 1":     "1:63 QUALIFY needs a window function, here or in a column; use WHERE or HAVING",
		"SELECT id FROM edge_logs WHERE id LIKE 'a%\\\\'":                       "1:40 a pattern of LIKE ends with a backslash; write two of them for a backslash",
		"SELECT -0x8000000000000001":                                            "1:8 -0x8000000000000001 is not an INT64, which is from -2^63 to 2^63-1; write a NUMERIC, as in NUMERIC '1'",
		"SELECT x + 1e400 FROM UNNEST([1.5]) AS x":                              "1:12 1e400 is not a FLOAT64, which is less than 1.8e308",
		"SELECT -1.8e308":                                                       "1:8 -1.8e308 is not a FLOAT64, which is less than 1.8e308",
		"SELECT ?":                                                              "1:8 parameters have names, such as @project",
		"SELECT * FROM (SELECT 1 AS v, 1.5 AS k) PIVOT (SUM(v) FOR k IN (1.5))": "1:65 the column of a FLOAT64 has no name; give the value an alias, as in IN (1.5 AS high)",
	} {
		_, err := googlesql.Translate(text, environment())
		var mistake *googlesql.Error
		if assert.ErrorAs(t, err, &mistake, text) {
			line, column := sqlq.LineAndColumn(text, mistake.Offset)
			assert.Equal(t, want, fmt.Sprintf("%d:%d %s", line, column, mistake.Message), text)
		}
	}
}

// Advice to write a CAST is for types that have one, in comparisons, lists and set operations alike.
func TestAdviceToCast(t *testing.T) {
	t.Parallel()
	types := map[string]string{
		"STRING": "id", "BYTES": "CAST(id AS BYTES)", "INT64": "LENGTH(id)", "FLOAT64": "SQRT(LENGTH(id))", "NUMERIC": "CAST(LENGTH(id) AS NUMERIC)", "BOOL": "id LIKE 'a'",
		"TIMESTAMP": "timestamp", "DATETIME": "DATETIME(timestamp)", "DATE": "DATE(timestamp)", "TIME": "TIME(timestamp)", "INTERVAL": "timestamp - timestamp",
		"JSON": "PARSE_JSON(id)", "ARRAY<STRING>": "SPLIT(id)", "ARRAY<INT64>": "[LENGTH(id)]",
	}
	translates := func(text string) error {
		_, err := googlesql.Translate(text, environment())
		return err
	}
	advised := 0
	for name, x := range types {
		for other, y := range types {
			hasCast := translates(fmt.Sprintf("SELECT CAST(%s AS %s) AS n FROM edge_logs", x, other)) == nil ||
				translates(fmt.Sprintf("SELECT CAST(%s AS %s) AS n FROM edge_logs", y, name)) == nil
			for _, text := range []string{
				fmt.Sprintf("SELECT id FROM edge_logs WHERE (%s) = (%s)", x, y), fmt.Sprintf("SELECT id FROM edge_logs WHERE (%s) < (%s)", x, y),
				fmt.Sprintf("SELECT COALESCE(%s, %s) AS n FROM edge_logs", x, y), fmt.Sprintf("SELECT CASE WHEN id = 'a' THEN %s ELSE %s END AS n FROM edge_logs", x, y),
				fmt.Sprintf("SELECT %s AS n FROM edge_logs UNION ALL SELECT %s AS n FROM edge_logs", x, y),
			} {
				err := translates(text)
				if err == nil {
					continue
				}
				message := err.Error()
				if strings.Contains(message, "stands beside") || strings.Contains(message, "have no ") || strings.Contains(message, "in the query before") {
					assert.Equal(t, hasCast, strings.HasSuffix(message, "; convert one with CAST"), "%s: %s", text, message)
					advised++
				}
			}
		}
	}
	assert.Greater(t, advised, 500)
	for text, want := range map[string]string{
		"SELECT id FROM edge_logs WHERE DATE '2026-01-02' - DATE(timestamp) = 1": "values of type INTERVAL and INT64 have no =; TIMESTAMP_DIFF and DATE_DIFF are numbers, and INTERVAL n DAY is an INTERVAL",
		"SELECT id FROM edge_logs WHERE timestamp > 5":                           "values of type TIMESTAMP and INT64 have no >; UNIX_MICROS(x) is a number, and TIMESTAMP_MICROS(n) a TIMESTAMP",
		"SELECT id FROM edge_logs WHERE DATE(timestamp) > 5":                     "values of type DATE and INT64 have no >; UNIX_DATE(x) is a number, and DATE_FROM_UNIX_DATE(n) a DATE",
		"SELECT id FROM edge_logs WHERE PARSE_JSON(id) = 5":                      "values of type JSON and INT64 have no =; read the JSON with STRING, INT64, FLOAT64, BOOL or JSON_VALUE",
		"SELECT id FROM edge_logs WHERE SPLIT(id) = id":                          "values of type ARRAY<STRING> and STRING have no =; no CAST converts one to the other",
	} {
		require.ErrorContains(t, translates(text), want, text)
	}
}

// Parameters without a type get that of their use.
func TestDescribe(t *testing.T) {
	t.Parallel()
	env := environment()
	env.Params = nil
	description, err := googlesql.Describe(`
		SELECT id, timestamp, COUNTIF(CAST(r.status_code AS INT64) >= @least) AS errors, ARRAY_AGG(project) AS projects
		FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r
		WHERE project = @project AND timestamp >= @start AND id IN UNNEST(@ids) AND (@all OR m.region = @region) AND DATE(timestamp) = @day
		GROUP BY id, timestamp LIMIT @limit`, env)
	require.NoError(t, err)
	shown, err := json.Marshal(description.Params)
	require.NoError(t, err)
	assert.JSONEq(t, `[{"Name":"least","Type":"INT64"},{"Name":"project","Type":"STRING"},{"Name":"start","Type":"TIMESTAMP"},{"Name":"ids","Type":"ARRAY<STRING>"},
		{"Name":"all","Type":"BOOL"},{"Name":"region","Type":"STRING"},{"Name":"day","Type":"DATE"},{"Name":"limit","Type":"INT64"}]`, string(shown))
	var columns []string
	for _, column := range description.Columns {
		columns = append(columns, column.Name+" "+string(column.Type))
	}
	assert.Equal(t, []string{"id STRING", "timestamp TIMESTAMP", "errors INT64", "projects ARRAY<STRING>"}, columns)
}

// A place in the SQL that runs leads back to the author's text.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const written = "SELECT\n  id,\n  UPPER(project) AS p\nFROM edge_logs"
	translation, err := googlesql.Translate(written, environment())
	require.NoError(t, err)
	query := &sqlq.SavedQuery{SQL: translation.SQL, Translation: translation, SQLFile: "query.sql"}
	assert.Equal(t, sqlq.Place{File: "query.sql", Line: 3, Column: 3}, query.PlaceInSQL(2, 5), translation.SQL)
}

// Whatever the text is, the translation ends with SQL or with a mistake in the text.
func FuzzTranslate(f *testing.F) {
	for _, text := range []string{
		"SELECT id, r.method FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE project = @project ORDER BY 1 LIMIT 5",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT ARRAY_AGG(n ORDER BY n)[OFFSET(0)] FROM r",
		"SELECT CAST(x AS ARRAY<STRUCT<a INT64>>) FROM (SELECT 1 x) PIVOT (COUNT(*) FOR x IN (1)) WINDOW w AS (ORDER BY 1)",
		"SELECT EXTRACT(WEEK(MONDAY) FROM CURRENT_DATE) = INTERVAL 5 DAY, b'\\x00' r'\\' \"\"\"q\"\"\" -- c",
		"SELECT (SELECT AS STRUCT 1 a, [2] b).b[SAFE_OFFSET(@least)] IN UNNEST(@ids) OR NOT EXISTS (SELECT 1)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		translation, err := googlesql.Translate(text, environment())
		if err == nil {
			assert.NotEmpty(t, translation.SQL)
			return
		}
		var mistake *googlesql.Error
		require.ErrorAs(t, err, &mistake)
		assert.LessOrEqual(t, mistake.Offset, len(text))
		assert.NotEmpty(t, mistake.Message)
	})
}

// Functions that are nested as deeply as a caller may are decided once each: twice at each level would never end.
func TestNestedFunctions(t *testing.T) {
	t.Parallel()
	const depth = 50
	for _, call := range []string{"SAFE.SUBSTR(…, 1, 2)", "SAFE_CAST(CONCAT(…, 'x') AS STRING)", "IF(TRUE, …, 'b')", "TRIM(…)", "ARRAY(SELECT (SELECT x) FROM UNNEST(…) AS x)", "ARRAY(SELECT ARRAY_LENGTH(…) FROM UNNEST([1]) AS x)"} {
		before, behind, _ := strings.Cut(call, "…")
		innermost := map[bool]string{true: "NULL", false: "'a'"}[strings.HasPrefix(call, "ARRAY")]
		_, err := googlesql.Translate("SELECT "+strings.Repeat(before, depth)+innermost+strings.Repeat(behind, depth)+" AS x", googlesql.Environment{})
		require.NoError(t, err, call)
	}
	for _, nested := range []string{"SPLIT(ARRAY_TO_STRING(…, ',') || 'x')", "CASE … WHEN 1 THEN 1 WHEN 2 THEN 2 END", "IF((1, 1) IN ((1, 1), (1, …)), 1, 2)"} {
		before, behind, _ := strings.Cut(nested, "…")
		_, err := googlesql.Translate("SELECT "+strings.Repeat(before, 30)+"NULL"+strings.Repeat(behind, 30)+" AS x", googlesql.Environment{})
		require.ErrorContains(t, err, "the SQL is too complex; nest fewer functions", nested)
	}
}

// WITH in an expression can put one node into so many places that a look at each would never end.
func TestRepeatedNodes(t *testing.T) {
	t.Parallel()
	sandbox, err := googlesql.NewSandbox("WITH t AS (SELECT 'a' AS id, 1 AS n, [1, 2] AS l) SELECT 1 AS n FROM t", googlesql.Environment{})
	require.NoError(t, err)
	for _, expression := range []struct {
		first, step, last string
		steps             int // at most half of a caller's SELECTs, if they are such
	}{
		{"id = 'x'", "… AND …", "…", 40},
		{"n", "… + …", "… > 1", 40},
		{"id", "REPLACE(…, …, …)", "… = 'a'", 40},
		{"l", "ARRAY(SELECT e + ARRAY_LENGTH(…) + ARRAY_LENGTH(…) FROM UNNEST(…) AS e WHERE ARRAY_LENGTH(…) > 1)", "ARRAY_LENGTH(…) > 1", 18},
		{"n", "(SELECT MAX(e + … + …) FROM UNNEST([…]) AS e)", "… > 1", 18},
	} {
		var steps strings.Builder
		for i := range expression.steps {
			_, _ = fmt.Fprintf(&steps, ", x%d AS %s", i+1, strings.ReplaceAll(expression.step, "…", fmt.Sprintf("x%d", i)))
		}
		last := strings.ReplaceAll(expression.last, "…", fmt.Sprintf("x%d", expression.steps))
		with := "WITH(x0 AS " + expression.first + steps.String() + ", " + last + ")"
		for _, text := range []string{
			"SELECT 1 AS a FROM t WHERE " + with,
			"SELECT COUNT(*) AS a FROM t GROUP BY ROLLUP(n), " + with + " HAVING GROUPING(" + with + ") = 0",
			"SELECT (SELECT 1 FROM t AS v CROSS JOIN UNNEST(v.l) AS z WHERE " + with + ") AS a FROM t",
			"SELECT COUNT(*) AS c, " + with + " AS w FROM t GROUP BY ALL",
		} {
			query, err := sandbox.Query(text)
			if err == nil {
				_, err = query.Translate(googlesql.MostRowBytes)
			}
			require.Error(t, err, text)
			assert.Regexp(t, "^(the SQL is too complex; nest fewer functions|GROUPING takes an expression that GROUP BY has as a key)$", err.Error(), text)
		}
	}
}

// A list of DuckDB is there for some thousand rows at a time, so it must not hold a text of a caller for each element. It
// may hold what it is made of.
func TestSandboxListsOfTexts(t *testing.T) {
	t.Parallel()
	sandbox, err := googlesql.NewSandbox("WITH x AS (SELECT 'a' AS text, [1, 2] AS numbers) SELECT 1 AS n FROM x", googlesql.Environment{})
	require.NoError(t, err)
	for selected, isList := range map[string]bool{
		"n": true, "n + 1": true, "text": false, "CONCAT(text, n)": false, "[n]": false, "STRUCT(text)": false,
	} {
		query, err := sandbox.Query("SELECT ARRAY_LENGTH(ARRAY(SELECT " + selected + " FROM UNNEST(numbers) AS n)) AS c FROM x")
		require.NoError(t, err, selected)
		translation, err := query.Translate(googlesql.MostRowBytes)
		require.NoError(t, err, selected)
		if isList {
			assert.NotContains(t, translation.SQL, "ARRAY(", selected)
		} else {
			assert.Contains(t, translation.SQL, "ARRAY(", selected)
		}
	}
}

// Callers read the WITH clauses that a saved query begins with, and not those of its pipe operators. Their own can be in either
// place.
func TestSandboxPipes(t *testing.T) {
	t.Parallel()
	sandbox, err := googlesql.NewSandbox("WITH x AS (SELECT 1 AS n) FROM x |> WITH y AS (SELECT 2 AS n) |> UNION ALL (FROM y)", googlesql.Environment{})
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, sandbox.Names())
	for text, want := range map[string]string{
		"FROM x |> WITH z AS (SELECT 2 AS n) |> UNION ALL (FROM z)":                            "",
		"WITH a AS (FROM x) FROM a |> WITH z AS (FROM a) |> JOIN z USING (n)":                  "",
		"FROM x |> WITH z AS (SELECT SUM(n WHERE n > 1 HAVING MAX n) AS n FROM x) |> DISTINCT": "",
		"FROM y": "there is no table y",
		"FROM x |> WITH z AS (FROM y) |> UNION ALL (FROM z)":                         "there is no table y",
		"FROM x |> WITH RECURSIVE z AS (SELECT 1 AS n) |> UNION ALL (FROM z)":        "WITH RECURSIVE is not allowed here",
		"FROM x |> WITH z AS (SELECT 1 AS n) |> UNION ALL (SELECT n FROM `#piped1`)": "a name can have letters",
	} {
		query, err := sandbox.Query(text)
		if want != "" {
			require.ErrorContains(t, err, want, text)
			continue
		}
		require.NoError(t, err, text)
		_, err = query.Translate(googlesql.MostRowBytes)
		require.NoError(t, err, text)
	}
}

// Each kind of operator and function counts for the limits of callers' SQL, in a row and in all. ANDs and ORs in a row are one.
func TestSandboxLimitsOperators(t *testing.T) {
	t.Parallel()
	sandbox, err := googlesql.NewSandbox("WITH x AS (SELECT 1 AS n, 'a' AS s, [[1]] AS l) SELECT n FROM x", googlesql.Environment{})
	require.NoError(t, err)
	chain := func(first, part string) func(n int) string {
		return func(n int) string { return first + strings.Repeat(part, n) }
	}
	chains := map[string]func(n int) string{
		"+": chain("1", "+1"), "-": chain("n", " - n"), "*": chain("n", "*1"), "||": chain("s", "||'a'"), "<<": chain("1", "<<1"), ">>": chain("n", ">>1"),
		"|": chain("n", "|1"), "^": chain("n", "^1"), "&": chain("n", "&1"), "::": chain("n", "::INT64"),
		"[]":    chain("l", "[0]"),
		"field": chain("STRUCT(1 AS a)", ".a"),
		"levels": func(n int) string {
			return "n" + strings.Repeat("*1", n/4) + strings.Repeat("+1", n/4) + strings.Repeat("<<1", n/4) + strings.Repeat("|1", n/4+n%4)
		},
		"behind brackets": func(n int) string { return "(n" + strings.Repeat("+1", n/2) + ")" + strings.Repeat("+1", n-n/2) },
		"in a call":       func(n int) string { return "ABS(n" + strings.Repeat("+1", n-1) + ")" },
		"in CASE":         func(n int) string { return "CASE WHEN TRUE THEN n" + strings.Repeat("+1", n-1) + " END" },
		"in IN":           func(n int) string { return "1 IN (n" + strings.Repeat("+1", n-1) + ")" },
		"in LIKE":         func(n int) string { return "s LIKE s" + strings.Repeat("||'a'", n-1) },
		"in a subquery":   func(n int) string { return "(SELECT n" + strings.Repeat("+1", n) + ")" },
		"in an aggregate": func(n int) string { return "SUM(n" + strings.Repeat("+1", n-1) + ")" },
	}
	for name, chain := range chains {
		_, err := sandbox.Query("SELECT " + chain(61) + " AS c FROM x")
		require.ErrorContains(t, err, "the SQL has too many operators in a row: at most 60", name)
		if name == "[]" || name == "field" || name == "<<" {
			continue // the types end, or DuckDB's own nesting
		}
		_, err = sandbox.Query("SELECT " + chain(50) + " AS c FROM x")
		require.NoError(t, err, name)
	}
	for _, text := range []string{
		"SELECT n = 1" + strings.Repeat(" OR n = 2", 300) + " AS c FROM x",
		"SELECT TRUE" + strings.Repeat(" AND n IN (1, 2)", 300) + " AS c FROM x",
		"SELECT " + strings.Repeat("n + 1, ", 700) + "n FROM x",
	} {
		_, err := sandbox.Query(text)
		require.NoError(t, err, text)
	}
	for _, part := range []string{"n + 1", "ABS(n)", "NOT TRUE", "n::STRING", "CAST(n AS STRING)", "l[0]", "n BETWEEN 1 AND 2", "n IS NULL", "[n]", "n = 1", "s LIKE 'a'"} {
		_, err := sandbox.Query("SELECT " + strings.Repeat(part+", ", 800) + part + " FROM x")
		require.ErrorContains(t, err, "the SQL has too many operators and functions: at most 800", part)
	}
}
