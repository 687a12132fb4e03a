package shape_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/series/shape"
	"savedq/sqlq/sqltree"
)

// open returns an open parser.
func open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sqltree.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// parse returns the shape of SQL.
func parse(t *testing.T, db *sql.DB, dialect sqlq.Dialect, text string) *shape.Text {
	t.Helper()
	if dialect.RunsGoogleSQL() {
		parsed, err := googlesql.Shape(text, nil)
		require.NoError(t, err, text)
		return parsed
	}
	tree, err := sqltree.Parse(t.Context(), db, text)
	require.NoError(t, err, text)
	return sqltree.Shape(db, text, tree)
}

// find returns the series of SQL, whose buckets are in the column day.
func find(t *testing.T, db *sql.DB, dialect sqlq.Dialect, text string) *sqlq.Series {
	t.Helper()
	parsed := parse(t, db, dialect, text)
	query := &sqlq.SavedQuery{
		SQL: text, SQLFile: "q.sql",
		Columns: []sqlq.Column{{Name: "day"}, {Name: "n"}},
		Params:  []sqlq.Param{{Name: "interval", Allowed: []string{"days", "hours"}}, {Name: "since", Type: sqlq.Timestamp, Default: []string{"now-1d"}}},
		Series: &sqlq.Series{Param: 0, Windows: map[string]sqlq.Window{
			"days": {Length: 7 * 24 * time.Hour, Bucket: 24 * time.Hour}, "hours": {Length: 24 * time.Hour, Bucket: time.Hour},
		}},
	}
	if !strings.Contains(text, "interval") {
		query.Series.Param = -1
		query.Series.Windows = map[string]sqlq.Window{"": {Length: 7 * 24 * time.Hour, Bucket: 24 * time.Hour}}
	}
	shape.Find(t.Context(), db, parsed, query)
	return query.Series
}

// obstacles returns what prevents reuse, with the places.
func obstacles(t *testing.T, db *sql.DB, dialect sqlq.Dialect, text string) []string {
	t.Helper()
	var found []string
	for _, obstacle := range find(t, db, dialect, text).Obstacles {
		found = append(found, fmt.Sprintf("%d:%d %s", obstacle.Line, obstacle.Column, strings.TrimPrefix(obstacle.Message, "rows of the series cannot be reused: ")))
	}
	return found
}

const (
	grouped = `WITH e AS (SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY 1),
 a AS (SELECT time_bucket(INTERVAL 1 DAY, timestamp)::TIMESTAMP AS start, count(*) AS n FROM auth_logs GROUP BY ALL) `
	list = "generate_series($from::TIMESTAMP, $to::TIMESTAMP - INTERVAL 1 DAY, INTERVAL 1 DAY)"
)

// D31: SQL whose shape keeps rows of different buckets apart.
func TestAllowed(t *testing.T) {
	t.Parallel()
	db := open(t)
	for name, sql := range map[string]string{
		"grouped by number":      "SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY 1 ORDER BY 1",
		"grouped by all":         "SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY ALL",
		"grouped by alias":       "SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY day",
		"grouped by expression":  "SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY event_message, date_trunc('day', timestamp)",
		"by moment":              "SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY timestamp",
		"rows":                   "SELECT time_bucket(INTERVAL '1 day', e.timestamp) AS day, 1 AS n FROM edge_logs AS e WHERE e.event_message = 'x' AND e.timestamp >= $from AND $to::TIMESTAMP > e.timestamp",
		"a date":                 "SELECT timestamp::DATE AS day, count(DISTINCT id) FILTER (id > 'a') AS n FROM edge_logs GROUP BY 1",
		"arithmetic":             "SELECT make_timestamp(epoch_us(timestamp) // 86400000000 * 86400000000) AS day, 1 AS n FROM edge_logs",
		"by the parameter":       "SELECT date_trunc(CASE $interval WHEN 'days' THEN 'day' ELSE 'hour' END, timestamp) AS day, 1 AS n FROM edge_logs",
		"buckets of a query":     "SELECT date_trunc('day', x.t) AS day, n FROM (SELECT timestamp AS t, 1 AS n FROM edge_logs) x",
		"renamed":                "SELECT t AS day, n FROM (SELECT date_trunc('day', timestamp), 1 FROM edge_logs) x(t, n)",
		"renamed by WITH":        "WITH x(t, n) AS (SELECT date_trunc('day', timestamp), 1 FROM edge_logs) SELECT x.t AS day, n FROM x",
		"star":                   "SELECT * FROM (SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM (FROM edge_logs))",
		"star without a column":  "SELECT * EXCLUDE (x) FROM (SELECT date_trunc('day', timestamp) AS day, 1 AS n, 2 AS x FROM edge_logs)",
		"UNION ALL":              grouped + "FROM e UNION ALL FROM a ORDER BY 1",
		"UNION ALL of a table":   "SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM (FROM edge_logs WHERE id > 'a' UNION ALL FROM edge_logs WHERE id < 'a')",
		"a name of a clause":     `SELECT date_trunc('day', timestamp) AS day, 1 AS "limit" FROM edge_logs`,
		"USING":                  grouped + "SELECT day, e.n FROM e JOIN e AS other USING (n, day)",
		"ON":                     grouped + "SELECT e.day, e.n FROM e LEFT JOIN a ON e.n > 1 AND (a.start = e.day)",
		"a comma":                grouped + "SELECT e.day, e.n FROM e, a WHERE e.day = a.start",
		"FULL JOIN":              grouped + "SELECT coalesce(e.day, a.start) AS day, e.n FROM e FULL JOIN a ON e.day = a.start",
		"computed buckets":       "SELECT date_trunc('day', e.timestamp) AS day, 1 AS n FROM edge_logs e JOIN auth_logs a ON e.id = a.id AND date_trunc('day', e.timestamp) = date_trunc('day', a.timestamp)",
		"SEMI JOIN":              grouped + "SELECT day, n FROM e SEMI JOIN a ON a.start = e.day",
		"with constants":         grouped + "SELECT day, n FROM e CROSS JOIN range(2) LEFT JOIN (VALUES (1)) v(x) ON v.x = e.n",
		"constants before":       grouped + "SELECT day, n FROM (VALUES (1)) v(x) RIGHT JOIN e ON v.x = e.n",
		"values of a row":        "SELECT date_trunc('day', timestamp) AS day, u.x AS n FROM edge_logs, unnest(from_json(metadata, '[\"JSON\"]')) AS u(x)",
		"a list of buckets":      grouped + "SELECT s.day, n FROM " + list + " s(day) LEFT JOIN e ON s.day = e.day LEFT JOIN a ON a.start = s.day",
		"a list in a query":      grouped + "SELECT s.day, n FROM (SELECT unnest(" + list + ") AS day) s LEFT JOIN e USING (day)",
		"range":                  grouped + "SELECT s.range AS day, n FROM range($from, $to::TIMESTAMP, INTERVAL 1 DAY) s LEFT JOIN e ON range = e.day",
		"a window of the bucket": grouped + "SELECT day, row_number() OVER (PARTITION BY n, e.day ORDER BY n) AS n FROM e QUALIFY n < 3",
		"DISTINCT":               "SELECT DISTINCT date_trunc('day', timestamp) AS day, event_message AS n FROM edge_logs",
		"a query of constants":   grouped + "SELECT day, n FROM e WHERE n IN (SELECT x FROM (VALUES (1), (2)) v(x) LIMIT 1)",
		"HAVING":                 "SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY ALL HAVING count(*) > 1",
		"columns like functions": `SELECT date_trunc('day', timestamp) AS day, "random" + now + age + u.user AS n FROM edge_logs u WHERE "error" AND u.current_date`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, obstacles(t, db, duckdbsql.Dialect{}, sql))
		})
	}
}

// D31: everything else runs whole, and has the place of the reason.
func TestObstacles(t *testing.T) {
	t.Parallel()
	db := open(t)
	const (
		notStart = "day is not the start of the bucket"
		together = "GROUP BY puts rows of different buckets together"
		notOn    = "this is not joined on the bucket"
		inValue  = "rows of a query in an expression"
	)
	for name, test := range map[string]struct {
		sql  string
		want []string
	}{
		"wider buckets":         {"SELECT date_trunc('month', timestamp) AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"weeks":                 {"SELECT date_trunc('week', timestamp) AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"narrower buckets":      {"SELECT date_trunc('hour', timestamp) AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"shifted buckets":       {"SELECT date_trunc('day', timestamp) + INTERVAL 1 DAY AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"local days":            {"SELECT date_trunc('day', timestamp - INTERVAL 30 MINUTE) AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"moments":               {"SELECT timestamp AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"another time":          {"SELECT date_trunc('day', sent) AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"another parameter":     {"SELECT date_trunc($unit, timestamp) AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"swapped windows":       {"SELECT date_trunc(CASE $interval WHEN 'days' THEN 'hour' ELSE 'day' END, timestamp) AS day, 1 AS n FROM edge_logs", []string{notStart}},
		"last seen":             {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM (SELECT event_message, max(timestamp) AS timestamp FROM edge_logs GROUP BY 1)", []string{"1:132 " + together, notStart}},
		"a total":               {grouped + "SELECT r.day, r.n FROM (SELECT sum(n), unnest(list(e)) AS r FROM e GROUP BY ALL)", []string{notStart, together}},
		"several groups":        {"SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs GROUP BY ROLLUP (1)", []string{"several sets of groups"}},
		"LIMIT":                 {grouped + "SELECT day, n FROM e ORDER BY n LIMIT 3", []string{"LIMIT and OFFSET cut off rows"}},
		"OFFSET":                {grouped + "SELECT day, n FROM e ORDER BY n OFFSET (1)", []string{"LIMIT and OFFSET cut off rows"}},
		"DISTINCT ON":           {grouped + "SELECT DISTINCT ON (n) day, n FROM e", []string{"DISTINCT ON chooses rows"}},
		"UNION":                 {grouped + "FROM e UNION FROM a", []string{"UNION compares rows"}},
		"EXCEPT":                {grouped + "FROM e EXCEPT FROM a", []string{"EXCEPT compares rows"}},
		"UNION by position":     {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM (FROM edge_logs UNION ALL FROM auth_logs)", []string{notStart}},
		"UNION of other things": {grouped + "SELECT day, n FROM (SELECT day, n FROM e UNION ALL SELECT n, start FROM a)", []string{notStart}},
		"a window":              {grouped + "SELECT day, sum(n) OVER (ORDER BY day) AS n FROM e", []string{"2:130 a window function computes over rows of other buckets"}},
		"a window of others":    {grouped + "SELECT day, rank() OVER (PARTITION BY n ORDER BY day) AS n FROM e", []string{"a window function"}},
		"by id":                 {"SELECT date_trunc('day', e.timestamp) AS day, 1 AS n FROM edge_logs e LEFT JOIN auth_logs a ON a.id = e.id", []string{"1:81 " + notOn}},
		"by nothing":            {grouped + "SELECT day, e.n FROM e, a", []string{notOn}},
		"later":                 {grouped + "SELECT day, e.n FROM e JOIN a ON e.day >= a.start", []string{notOn}},
		"the bucket or another": {grouped + "SELECT day, e.n FROM e JOIN a ON e.day = a.start OR e.n = 1", []string{notOn}},
		"the bucket of one":     {grouped + "SELECT day, e.n FROM e JOIN a ON e.day = e.day", []string{notOn}},
		"another day":           {grouped + "SELECT day, e.n FROM e JOIN a ON e.day = a.start + INTERVAL 1 DAY", []string{notOn}},
		"LEFT JOIN and WHERE":   {grouped + "SELECT day, e.n FROM e LEFT JOIN a ON true WHERE e.day = a.start", []string{notOn}},
		"NATURAL":               {grouped + "SELECT day, e.n FROM e NATURAL JOIN a", []string{"a join that is NATURAL"}},
		"ASOF":                  {grouped + "SELECT day, e.n FROM e ASOF JOIN a ON e.day >= a.start", []string{"a join that is ASOF"}},
		"LATERAL":               {grouped + "SELECT day, x FROM e, LATERAL (SELECT count(*) AS x FROM a WHERE a.start < e.day)", []string{notOn}},
		"constants kept":        {grouped + "SELECT day, n FROM (VALUES (1)) v(x) LEFT JOIN e ON v.x = e.n", []string{"keeps rows that belong to no bucket"}},
		"a share":               {grouped + "SELECT day, n / (SELECT sum(n) FROM e) AS n FROM e", []string{inValue}},
		"NOT EXISTS":            {grouped + "SELECT day, n FROM e WHERE NOT EXISTS (SELECT 1 FROM a WHERE a.n = e.n)", []string{inValue}},
		"in HAVING":             {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs GROUP BY 1 HAVING count(*) > (SELECT count(*) FROM auth_logs)", []string{inValue}},
		"in ORDER BY":           {grouped + "SELECT day, n FROM e ORDER BY day, n - (SELECT max(n) FROM e)", []string{inValue}},
		"now":                   {"SELECT date_trunc('day', timestamp) AS day, now() AS n FROM edge_logs", []string{"1:45 NOW returns something else"}},
		"a clock":               {"SELECT date_trunc('day', timestamp) AS day, current_timestamp AS n FROM edge_logs", []string{"CURRENT_TIMESTAMP returns something else"}},
		"chance":                {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs WHERE random() < 0.5", []string{"RANDOM returns something else"}},
		"a sample":              {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs TABLESAMPLE 10%", []string{"a sample chooses"}},
		"$now":                  {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs WHERE timestamp < $now", []string{"$now makes closed buckets depend"}},
		"a relative default":    {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs WHERE timestamp > $since", []string{"the default of $since"}},
		"another bound":         {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs WHERE timestamp >= $from - INTERVAL 1 DAY", []string{"$from is not used in a list"}},
		"from what is not time": {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs WHERE id >= $from", []string{"$from is not used in a list"}},
		"the length":            {"SELECT date_trunc('day', timestamp) AS day, date_diff('s', $from, $to) AS n FROM edge_logs", []string{"$from is not used", "$to is not used"}},
		"a longer list":         {"SELECT unnest(generate_series($from, $to::TIMESTAMP, INTERVAL 1 DAY)) AS day, 1 AS n", []string{"$from is not used", "$to is not used", notStart}},
		"the length of a list":  {grouped + "SELECT day, n / len(" + list + ") AS n FROM e", []string{"$from is not used", "$to is not used"}},
		"a list and a table":    {"SELECT unnest(" + list + ") AS day, count(*) AS n FROM edge_logs", []string{"1:8 a list of buckets next to a table"}},
		"a list and a query":    {grouped + "SELECT s.day, x.n FROM (SELECT unnest(" + list + ") AS day) s, (SELECT count(*) AS n FROM edge_logs) x", []string{notOn}},
		"days of the end":       {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs WHERE timestamp::DATE < $to::DATE", []string{"$to is not used in a list"}},
		"a quoted clock":        {"SELECT date_trunc('day', timestamp) AS day, \"current_timestamp\" AS n FROM edge_logs", []string{"CURRENT_TIMESTAMP returns something else"}},
		"a place":               {"SELECT date_trunc('day', timestamp) AS day, rowid AS n FROM edge_logs", []string{"ROWID returns something else"}},
		"a schema":              {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM main.edge_logs", []string{"edge_logs has a schema"}},
		"a table in two ways":   {"SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs UNION ALL SELECT date_trunc('day', timestamp), 2 FROM Edge_Logs", []string{"1:121 the table is named edge_logs and Edge_Logs"}},
		"a hidden table":        {"WITH edge_logs AS (SELECT * FROM edge_logs) SELECT date_trunc('day', timestamp) AS day, 1 AS n FROM edge_logs", []string{"1:34 a common table expression has the name of the table edge_logs"}},
		"a pivot":               {"SELECT day, a AS n FROM (FROM edge_logs PIVOT (count(*) FOR id IN ('a') GROUP BY day))", []string{"PIVOT can relate rows", notStart}},
		"a recursive query":     {"WITH RECURSIVE r AS (SELECT date_trunc('day', timestamp) AS day FROM edge_logs UNION ALL SELECT day + INTERVAL 1 DAY FROM r) FROM r", []string{"this can relate rows", notStart}},
		"no table":              {"SELECT 1 AS n", []string{notStart}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := obstacles(t, db, duckdbsql.Dialect{}, test.sql)
			if assert.Len(t, found, len(test.want), found) {
				for _, want := range test.want {
					assert.Contains(t, strings.Join(found, "\n"), want)
				}
			}
		})
	}
}

// D31: GoogleSQL has the same shapes.
func TestGoogleSQL(t *testing.T) {
	t.Parallel()
	db := open(t)
	for sql, want := range map[string][]string{
		"SELECT TIMESTAMP_TRUNC(t.timestamp, DAY) AS day, COUNT(*) AS n FROM `edge_logs` AS t CROSS JOIN UNNEST(t.metadata) AS m WHERE t.timestamp >= TIMESTAMP(@from) AND t.timestamp < @to AND m.x = \"it's @no\" GROUP BY day": nil,
		"SELECT DATETIME(d) AS day, 1 AS n FROM (SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS d FROM edge_logs AS t, t.metadata AS m CROSS JOIN UNNEST(m.request) AS r)":                                                             nil,
		"SELECT DATE(timestamp) AS day, p[OFFSET(1)] AS n FROM edge_logs # a comment":                                                                                                                                             nil,
		"SELECT day, 1 AS n FROM UNNEST(GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 DAY), INTERVAL 1 DAY)) AS day":                                                                                              nil,
		"SELECT TIMESTAMP_TRUNC(timestamp, MONTH) AS day, 1 AS n FROM edge_logs":                                                                                                                                                  {"day is not the start"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, RANK() OVER (ORDER BY x) AS n FROM edge_logs":                                                                                                                             {"1:48 a window function"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs WHERE timestamp < CURRENT_TIMESTAMP()":                                                                                                              {"1:88 CURRENT_TIMESTAMP"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs WHERE timestamp < @now AND id > CAST(@from AS STRING)":                                                                                              {"1:88 @now makes", "1:107 @from is not used"},
		"SELECT DATETIME_TRUNC(d, DAY) AS day, COUNT(*) AS n FROM (SELECT DATETIME(timestamp) AS d FROM edge_logs) GROUP BY ALL":                                                                                                  nil,
		"SELECT TIMESTAMP_SECONDS(DIV(UNIX_SECONDS(timestamp), 86400) * 86400) AS day, APPROX_COUNT_DISTINCT(id) AS n FROM edge_logs GROUP BY 1":                                                                                  nil,
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY, 'Europe/Berlin') AS day, 1 AS n FROM edge_logs":                                                                                                                                   {"day is not the start"},
		"SELECT CASE @interval WHEN 'days' THEN TIMESTAMP_TRUNC(timestamp, DAY) ELSE TIMESTAMP_TRUNC(timestamp, HOUR) END AS day, 1 AS n FROM edge_logs":                                                                          nil,
		"SELECT CASE @interval WHEN 'days' THEN TIMESTAMP_TRUNC(timestamp, HOUR) ELSE TIMESTAMP_TRUNC(timestamp, DAY) END AS day, 1 AS n FROM edge_logs":                                                                          {"day is not the start"},
		"FROM edge_logs |> WHERE id > 'a' |> EXTEND TIMESTAMP_TRUNC(timestamp, DAY) AS day |> AGGREGATE COUNT(*) AS n GROUP BY day":                                                                                               nil,
		"FROM edge_logs |> AGGREGATE COUNT(*) AS n GROUP BY TIMESTAMP_TRUNC(timestamp, MONTH) AS day":                                                                                                                             {"day is not the start", "GROUP BY puts"},
		"FROM edge_logs |> SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS d, 1 AS n |> RENAME d AS day":                                                                                                                                nil,
		"SELECT * EXCEPT (id) FROM (SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n, id FROM edge_logs)":                                                                                                                    nil,
		"SELECT * EXCEPT (day) FROM (SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n, id FROM edge_logs)":                                                                                                                   {"day is not the start"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, RANK() OVER (w ORDER BY id) AS n FROM edge_logs WINDOW v AS (PARTITION BY DATE(timestamp)), w AS (v)":                                                                     nil,
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, RANK() OVER w AS n FROM edge_logs WINDOW w AS (ORDER BY id)":                                                                                                              {"1:48 a window function"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs UNION ALL BY NAME SELECT 2 AS n, TIMESTAMP_TRUNC(timestamp, DAY) AS day FROM auth_logs":                                                             nil,
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs UNION ALL SELECT 2 AS n, TIMESTAMP_TRUNC(timestamp, DAY) AS day FROM auth_logs":                                                                     {"day is not the start"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs EXCEPT DISTINCT (SELECT TIMESTAMP_TRUNC(timestamp, DAY), 2 FROM auth_logs ORDER BY 1)":                                                              {"EXCEPT compares rows"},
		"(SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs ORDER BY 1) ORDER BY 2 LIMIT 3":                                                                                                                    {"1:100 LIMIT and OFFSET"},
		"SELECT day, a AS n FROM (SELECT id, TIMESTAMP_TRUNC(timestamp, DAY) AS day FROM edge_logs) PIVOT (COUNT(*) FOR id IN ('a'))":                                                                                             nil,
		"SELECT day, a AS n FROM (SELECT id, 1 AS day FROM edge_logs) PIVOT (COUNT(*) FOR id IN ('a'))":                                                                                                                           {"day is not the start", "GROUP BY puts"},
		"SELECT day, n FROM (SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs) JOIN (SELECT CURRENT_DATE() AS day) USING (day)":                                                                               {"CURRENT_DATE returns"},
		"SELECT day, n FROM (SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs) JOIN UNNEST([DATE '2026-01-01']) AS day USING (day)":                                                                           nil,
		"SELECT day, n FROM UNNEST([DATE '2026-01-01']) AS day LEFT JOIN (SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs) USING (day)":                                                                      {"keeps rows", "day is not the start"},
		"WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs WHERE id IN (SELECT 'a' FROM r)":                                                  {"this can relate", "rows of a query in an expression"},
		"WITH RECURSIVE r AS (SELECT 1 AS x) SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, r.x AS n FROM edge_logs, r":                                                                                                           nil,
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m) AND ARRAY_LENGTH(ARRAY(SELECT 1)) > 0":                                                           nil,
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM edge_logs WHERE EXISTS (SELECT 1 FROM auth_logs) OR ARRAY_LENGTH(ARRAY(SELECT id FROM auth_logs)) > 0":                                                        {"1:76 rows of a query", "1:125 rows of a query"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, COUNT(*) AS n FROM edge_logs GROUP BY GROUPING SETS ((1), (1, id))":                                                                                                       {"several sets of groups"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, `user` AS n FROM edge_logs WHERE SESSION_USER() = 'a' AND day > @since":                                                                                                   {"1:81 SESSION_USER", "the default of @since"},
		"SELECT DAY AS day, 1 AS n FROM (SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day FROM edge_logs)":                                                                                                                           nil,
		"SELECT t AS day, 1 AS n FROM UNNEST(GENERATE_TIMESTAMP_TRUNC_ARRAY(7, 'DAY_DAY')) AS t":                                                                                                                                  {"GENERATE_TIMESTAMP_TRUNC_ARRAY returns", "day is not the start"},
		"SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, 1 AS n FROM `my.own.table`":                                                                                                                                               {"1:60 table has a schema"},
	} {
		found := obstacles(t, db, googlesql.Dialect{}, sql)
		if assert.Len(t, found, len(want), "%s: %v", sql, found) {
			for i := range want {
				assert.Contains(t, strings.Join(found, "\n"), want[i], sql)
			}
		}
	}
}

// An engine for which GoogleSQL is translated knows its tables under all of their names, and their columns.
func TestTranslatedTables(t *testing.T) {
	t.Parallel()
	env := &googlesql.Environment{Tables: []googlesql.Table{
		{Name: "edge_logs", Aliases: []string{"cloudflare.logs.prod"}, Columns: []googlesql.TableColumn{{Name: "id", Type: sqlq.String}, {Name: "timestamp", Type: sqlq.Timestamp}}},
		{Name: "auth_logs", Columns: []googlesql.TableColumn{{Name: "id", Type: sqlq.String}, {Name: "timestamp", Type: sqlq.Timestamp}}},
	}}
	db := open(t)
	text, err := googlesql.Shape("SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, APPROX_COUNT_DISTINCT(id) AS n "+
		"FROM (SELECT * FROM cloudflare.logs.prod UNION ALL SELECT * FROM AUTH_LOGS UNION ALL SELECT * FROM `cloudflare.logs.prod`) GROUP BY 1", env)
	require.NoError(t, err)
	query := &sqlq.SavedQuery{Columns: []sqlq.Column{{Name: "day"}}, Series: &sqlq.Series{Param: -1, Windows: map[string]sqlq.Window{"": {Length: 7 * 24 * time.Hour, Bucket: 24 * time.Hour}}}}
	assert.True(t, shape.Find(t.Context(), db, text, query))
	assert.Empty(t, query.Series.Obstacles)
	assert.Equal(t, []string{"auth_logs", "edge_logs"}, query.Series.Tables)
	assert.False(t, query.Series.Approximate, "they are exact where they are translated")
	_, err = googlesql.Shape("SELECT 1 FROM", env)
	var mistake *googlesql.Error
	require.ErrorAs(t, err, &mistake)
	assert.Equal(t, 13, mistake.Offset)
}

// A run reads only the tables of the SQL, and common table expressions are none.
func TestTables(t *testing.T) {
	t.Parallel()
	sql := grouped + "SELECT day, n FROM e JOIN (FROM 'postgres_logs') AS p ON p.timestamp = e.day"
	assert.Equal(t, []string{"auth_logs", "edge_logs", "postgres_logs"}, find(t, open(t), duckdbsql.Dialect{}, sql).Tables)
}

// Each function of DuckDB that returns something else in each run, or whose stability is not known, is
// on the list, but error, which ends the run. The macros are made of functions that are.
func TestChangingFunctions(t *testing.T) {
	t.Parallel()
	db := open(t)
	rows, err := db.QueryContext(t.Context(), "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate') AND stability <> 'CONSISTENT' AND function_name <> 'error' OR regexp_matches(macro_definition, 'current_|now\\(|txid')")
	require.NoError(t, err)
	defer func() { assert.NoError(t, rows.Close()) }()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		found := obstacles(t, db, duckdbsql.Dialect{}, "SELECT date_trunc('day', timestamp) AS day, "+name+"(1) AS n FROM edge_logs")
		assert.NotEmpty(t, found, name)
	}
	require.NoError(t, rows.Err())
}
