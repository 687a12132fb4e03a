package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/bigquery/googlesql"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// Rows that are read outside of the bounds can change closed buckets without being noticed.
func TestFindUnbounded(t *testing.T) {
	t.Parallel()
	const bounds = "timestamp >= $from AND timestamp < $to"
	tests := map[string]struct {
		sql  string
		want []string
	}{
		"bounds":                   {"SELECT 1 FROM edge_logs WHERE " + bounds, nil},
		"bounds in brackets":       {"SELECT 1 FROM edge_logs WHERE (project = 'a') AND (" + bounds + ")", nil},
		"bounds with casts":        {"SELECT 1 FROM edge_logs AS l WHERE l.timestamp >= $from::TIMESTAMP AND l.timestamp < CAST($to AS TIMESTAMP)", nil},
		"bounds on the left":       {"SELECT 1 FROM edge_logs WHERE $from <= timestamp AND $to::TIMESTAMP > edge_logs.timestamp", nil},
		"bounds of a join":         {"SELECT 1 FROM edge_logs a JOIN auth_logs b ON (a.id = b.id AND b.timestamp >= $from AND b.timestamp < $to) WHERE a.timestamp >= $from AND a.timestamp < $to", nil},
		"bounds around a subquery": {"SELECT 1 FROM (FROM edge_logs UNION ALL SELECT * FROM edge_logs) AS l WHERE " + bounds, nil},
		"bounds in a subquery":     {"SELECT n FROM (SELECT count(*) AS n FROM edge_logs WHERE " + bounds + ")", nil},
		"bounds in an expression":  {"WITH l AS MATERIALIZED (SELECT * FROM edge_logs WHERE " + bounds + "), m(a) AS (FROM l) SELECT * FROM m, l", nil},
		"buckets from a function":  {"FROM range($from::TIMESTAMP, $to::TIMESTAMP, CASE WHEN true THEN INTERVAL 1 DAY END) AS s(t) LEFT JOIN (SELECT 1 FROM edge_logs WHERE " + bounds + ") AS l ON true", nil},
		"FROM of a function":       {"SELECT extract(hour FROM timestamp), trim(both ' ' FROM x), substring(x FROM 2) FROM edge_logs WHERE a IS DISTINCT FROM b AND " + bounds, nil},
		"other conditions": {
			"SELECT 1 FROM edge_logs WHERE project IS NOT NULL AND " + bounds + " AND id NOT IN ('a', 'b') AND event_message NOT LIKE '%x%' AND NOT starts_with(id, 'x') AND project IS NOT DISTINCT FROM $p " +
				"AND x BETWEEN 1 AND 2 AND project = CASE WHEN a AND b THEN 'a' ELSE 'b' END AND NOT EXISTS (FROM auth_logs AS a WHERE a." + strings.ReplaceAll(bounds, "AND ", "AND a.") + ")", nil,
		},
		"conditions of a left join":   {"FROM range(1) AS s(t) LEFT JOIN edge_logs AS l ON l.project IS NOT NULL AND (l.timestamp >= ($from::TIMESTAMP)) AND (l.timestamp) < TRY_CAST($to AS TIMESTAMP WITH TIME ZONE) AND s.t = l.t", nil},
		"a list that ends at to":      {"FROM generate_series($from::TIMESTAMP, $to::TIMESTAMP, INTERVAL 1 DAY) AS s(t) LEFT JOIN edge_logs l ON l.timestamp >= $from AND l.timestamp < $to WHERE s.t < $to::TIMESTAMP", nil},
		"a limited list of buckets":   {"WITH n AS (SELECT date_trunc('day', timestamp) AS bucket FROM edge_logs WHERE " + bounds + ") SELECT * FROM n WHERE bucket >= $from AND bucket < $to", nil},
		"a join in brackets":          {"FROM (edge_logs a JOIN auth_logs b ON a.id = b.id AND b.timestamp >= $from AND b.timestamp < $to) WHERE a.timestamp >= $from AND $to > a.timestamp", nil},
		"bounds of an inner join":     {"FROM edge_logs a JOIN auth_logs b ON a.timestamp >= $from AND a.timestamp < $to AND b.timestamp >= $from AND b.timestamp < $to", nil},
		"columns of a subquery":       {"SELECT 1 FROM (SELECT DISTINCT id, l.timestamp, f(a, b) AS c FROM edge_logs AS l WHERE id > 'a') WHERE " + bounds, nil},
		"selections in brackets":      {"(SELECT 1 FROM edge_logs WHERE " + bounds + ") UNION ALL (SELECT 2 FROM auth_logs WHERE " + bounds + ") ORDER BY 1", nil},
		"a query in brackets":         {"WITH l AS (FROM edge_logs WHERE " + bounds + ") (SELECT count(*) FROM l)", nil},
		"columns from rows":           {"FROM (SELECT timestamp, project FROM edge_logs WHERE " + bounds + ") PIVOT (count(*) FOR project IN ('a', 'b'))", nil},
		"a statement after WITH":      {"WITH l AS (FROM edge_logs WHERE " + bounds + ") PIVOT l ON project USING count(*)", nil},
		"a statement without SELECT":  {"PIVOT (FROM edge_logs WHERE " + bounds + ") ON project USING count(*)", nil},
		"columns but one":             {"SELECT * EXCEPT (id) FROM edge_logs WHERE " + bounds, nil},
		"two selections":              {"SELECT 1 FROM edge_logs WHERE " + bounds + " UNION ALL SELECT 2 FROM auth_logs WHERE " + bounds, nil},
		"the total of a table":        {"SELECT count(*) / (SELECT count(*) FROM edge_logs) FROM edge_logs WHERE " + bounds, []string{"1:41 edge_logs is read without the bounds; add timestamp >= $from AND timestamp < $to where it is read"}},
		"an expression without":       {"WITH l AS (SELECT project, min(timestamp) AS first FROM edge_logs GROUP BY 1) SELECT * FROM l WHERE first >= $from AND first < $to", []string{"1:57 edge_logs is read without the bounds"}},
		"a join without":              {"SELECT 1 FROM edge_logs a JOIN auth_logs b USING (id) WHERE a." + bounds, []string{"1:15 edge_logs is read without", "1:32 auth_logs is read without"}},
		"a list without":              {"SELECT 1 FROM edge_logs, auth_logs WHERE " + bounds, []string{"1:15 edge_logs is read without", "1:26 auth_logs is read without"}},
		"a subquery without":          {"SELECT 1 FROM (FROM edge_logs)", []string{"1:21 edge_logs is read without"}},
		"the second without":          {"SELECT 1 FROM edge_logs WHERE " + bounds + " UNION ALL SELECT 2 FROM auth_logs", []string{"1:94 auth_logs is read without"}},
		"one bound":                   {"SELECT 1 FROM \"Edge_Logs\" WHERE timestamp < $to", []string{"1:15 edge_logs is read without"}},
		"a filter of an aggregate":    {"SELECT count(*) FILTER (WHERE " + bounds + ") FROM edge_logs", []string{"1:76 edge_logs is read without"}},
		"a file":                      {"SELECT 1 FROM 'edge_'\n'logs'", []string{"1:15 what is read here is not understood; name a table"}},
		"after from":                  {"SELECT 1 FROM edge_logs WHERE timestamp > $from AND timestamp < $to", []string{"1:43 compare timestamp >= $from, because a bucket includes its start and not its end", "1:15 edge_logs"}},
		"until to":                    {"SELECT 1 FROM edge_logs WHERE timestamp >= $from AND $to >= timestamp", []string{"1:54 compare timestamp < $to, because", "1:15 edge_logs"}},
		"between":                     {"SELECT 1 FROM edge_logs WHERE timestamp BETWEEN $from AND $to", []string{"1:49 compare timestamp >= $from", "1:59 compare timestamp < $to", "1:15 edge_logs"}},
		"another time":                {"SELECT 1 FROM edge_logs WHERE timestamp - INTERVAL '7 seconds' >= $from AND timestamp < $to", []string{"1:67 compare $from with the column timestamp itself, in a condition of its own: timestamp >= $from", "1:15 edge_logs"}},
		"the bucket":                  {"SELECT 1 FROM edge_logs WHERE date_trunc('day', timestamp) >= $from AND timestamp < $to", []string{"1:63 compare $from with the column timestamp itself", "1:15 edge_logs"}},
		"a rolling window":            {"SELECT 1 FROM edge_logs WHERE timestamp >= $from - INTERVAL 55 MINUTE AND timestamp < $to::TIMESTAMP + INTERVAL 1 HOUR", []string{"1:44 compare $from with the column timestamp itself", "1:87 compare $to with the column timestamp itself", "1:15 edge_logs"}},
		"a later time":                {"SELECT 1 FROM edge_logs WHERE INTERVAL 1 HOUR + edge_logs.timestamp >= $from AND $to > timestamp + INTERVAL 1 HOUR", []string{"1:72 compare $from with", "1:82 compare $to with", "1:15 edge_logs"}},
		"a qualified name":            {"SELECT count(*) / (SELECT count(*) FROM main.edge_logs) FROM main.edge_logs AS l WHERE " + bounds, []string{"1:41 edge_logs is read without"}},
		"a list after a condition":    {"SELECT 1 FROM edge_logs a JOIN edge_logs b ON f(a.id, b.id), auth_logs WHERE a." + bounds + " AND b." + bounds, []string{"1:15 edge_logs", "1:32 edge_logs", "1:62 auth_logs is read without"}},
		"a name for two tables":       {"WITH edge_logs AS (SELECT count(*) AS n FROM edge_logs) SELECT n FROM edge_logs", []string{"1:46 edge_logs is read without"}},
		"one of two conditions":       {"SELECT 1 FROM edge_logs WHERE (timestamp >= $from AND timestamp < $to) OR project = 'a'", []string{"1:15 edge_logs is read without"}},
		"bounds in OR":                {"SELECT 1 FROM edge_logs WHERE (" + bounds + " OR id = 'a') AND project = 'a'", []string{"1:15 edge_logs is read without"}},
		"bounds beside OR":            {"SELECT 1 FROM edge_logs WHERE (project = 'a' OR project = 'b') AND " + bounds + " AND (a OR b)", nil},
		"bounds in a list of columns": {"SELECT " + bounds + " FROM edge_logs", []string{"1:52 edge_logs is read without"}},
		"bounds that are negated":     {"SELECT 1 FROM edge_logs WHERE NOT (" + bounds + ")", []string{"1:15 edge_logs is read without"}},
		"bounds in CASE":              {"SELECT 1 FROM edge_logs WHERE CASE WHEN true THEN " + bounds + " END", []string{"1:15 edge_logs is read without"}},
		"bounds of another table":     {"SELECT 1 FROM edge_logs a JOIN auth_logs b ON a.id = b.id AND a.timestamp >= $from AND a.timestamp < $to WHERE a.timestamp >= $from AND a.timestamp < $to", []string{"1:32 auth_logs is read without"}},
		"bounds of the outer table":   {"SELECT (SELECT count(*) FROM auth_logs b WHERE a.timestamp >= $from AND a.timestamp < $to) FROM edge_logs a WHERE " + bounds, []string{"1:30 auth_logs is read without"}},
		"a condition that keeps rows": {"FROM auth_logs b LEFT JOIN edge_logs a ON a.timestamp >= $from AND a.timestamp < $to AND b.timestamp >= $from AND b.timestamp < $to", []string{"1:6 auth_logs"}},
		"a right join":                {"FROM auth_logs b RIGHT JOIN edge_logs a ON a.timestamp >= $from AND a.timestamp < $to WHERE b." + strings.ReplaceAll(bounds, "AND ", "AND b."), []string{"1:29 edge_logs"}},
		"the condition of two joins":  {"FROM edge_logs a FULL JOIN auth_logs b JOIN auth_logs c ON c.timestamp >= $from AND c.timestamp < $to ON b.timestamp >= $from AND b.timestamp < $to WHERE a.timestamp >= $from AND a.timestamp < $to", []string{"1:28 auth_logs"}},
		"bounds of a list of buckets": {"FROM range($from, $to, INTERVAL 1 DAY) s(timestamp) JOIN auth_logs l ON l.timestamp < s.timestamp WHERE s.timestamp >= $from AND s.timestamp < $to", []string{"1:58 auth_logs"}},
		"a join in a subquery":        {"FROM (SELECT a.timestamp, b.id FROM edge_logs a JOIN auth_logs b ON true) x WHERE " + bounds, []string{"1:37 edge_logs", "1:54 auth_logs"}},
		"a computed timestamp":        {"FROM (SELECT project, max(timestamp) AS timestamp FROM auth_logs GROUP BY project) WHERE " + bounds, []string{"1:56 auth_logs"}},
		"another timestamp":           {"FROM (SELECT timestamp - INTERVAL 1 HOUR AS timestamp FROM auth_logs) WHERE " + bounds, []string{"1:60 auth_logs"}},
		"a timestamp that is hidden":  {"FROM (SELECT * REPLACE (a AS timestamp) FROM auth_logs) WHERE " + bounds, []string{"1:46 auth_logs"}},
		"a shifted bound": {
			"SELECT 1 FROM edge_logs WHERE timestamp >= CAST($from::TIMESTAMP - INTERVAL 60 SECOND AS TIMESTAMP) AND timestamp < $to", []string{"1:49 $from is neither a bound of timestamp nor in a list of buckets", "1:15 edge_logs"},
		},
		"a bound cast twice":          {"SELECT 1 FROM edge_logs WHERE timestamp >= $from::VARCHAR::TIMESTAMP - INTERVAL 60 SECOND AND timestamp < $to", []string{"1:44 compare $from with the column timestamp itself", "1:15 edge_logs"}},
		"a bound in another zone":     {"SELECT 1 FROM edge_logs WHERE timestamp >= $from::TIMESTAMP AT TIME ZONE 'Europe/Berlin' AND timestamp < $to", []string{"1:15 edge_logs"}},
		"the day of a bound":          {"SELECT 1 FROM edge_logs WHERE timestamp >= $from::DATE AND timestamp < $to", []string{"1:44 compare $from with the column timestamp itself", "1:15 edge_logs"}},
		"TABLE":                       {"WITH b AS (TABLE auth_logs) SELECT 1 FROM edge_logs, b WHERE " + bounds + " UNION ALL TABLE postgres_logs", []string{"1:18 auth_logs", "1:117 postgres_logs"}},
		"PIVOT":                       {"WITH b AS (PIVOT auth_logs ON event_message USING count(*) GROUP BY project) FROM b", []string{"1:18 auth_logs"}},
		"bounds in a function":        {"SELECT 1 FROM edge_logs WHERE if($p = 'all', true, " + bounds + ")", []string{"1:15 edge_logs"}},
		"bounds in a list":            {"SELECT 1 FROM edge_logs WHERE (" + bounds + ") IN (true, false)", []string{"1:15 edge_logs"}},
		"bounds that can be null":     {"SELECT 1 FROM edge_logs WHERE ((" + bounds + ") IS NULL) = false", []string{"1:15 edge_logs"}},
		"bounds beside an arrow":      {"SELECT 1 FROM edge_logs WHERE " + bounds + " AND metadata ->> 'a' = 'b'", []string{"1:83 -> binds less tightly than AND; write it in brackets", "1:15 edge_logs"}},
		"a strange name":              {"SELECT 1 FROM E'auth_logs' WHERE " + bounds, []string{"1:15 what is read here is not understood; name a table"}},
		"a dollar string":             {"SELECT 1 FROM $$auth_logs$$ WHERE " + bounds, []string{"1:15 what is read here is not understood"}},
		"a function with tables":      {"SELECT 1 FROM query_table('auth_logs')", []string{"1:15 QUERY_TABLE can read tables"}},
		"a name in another place":     {"SELECT (WITH auth_logs AS (SELECT 0 AS n) SELECT n FROM auth_logs) FROM auth_logs", []string{"1:73 auth_logs"}},
		"an alias before a table":     {"WITH b AS (SELECT 1) FROM b: auth_logs", []string{"1:28 what is read here is not understood"}},
		"a column case":               {"SELECT timestamp, count(*) AS case, 1 AS end FROM edge_logs GROUP BY 1", []string{"1:51 edge_logs"}},
		"CASE without END":            {"SELECT CASE FROM edge_logs", []string{"1:8 CASE is not closed"}},
		"a column distinct":           {"SELECT count(*) AS distinct FROM edge_logs", []string{"1:34 edge_logs"}},
		"a column end in CASE":        {"FROM edge_logs s WHERE CASE WHEN s.end IS NULL AND " + bounds + " AND true THEN true ELSE true END", []string{"1:6 edge_logs"}},
		"OFFSET":                      {"SELECT 1 FROM edge_logs WHERE " + bounds + " ORDER BY 1 OFFSET 1", []string{"1:81 OFFSET cuts off rows"}},
		"a field named timestamp":     {"FROM (SELECT metadata.timestamp, id FROM edge_logs) WHERE " + bounds, []string{"1:42 edge_logs"}},
		"another name":                {"FROM (SELECT timestamp: t2, * FROM edge_logs) WHERE " + bounds, []string{"1:36 edge_logs"}},
		"other names":                 {"FROM (SELECT timestamp, t2 FROM edge_logs) AS x(a, timestamp) WHERE " + bounds, []string{"1:48 columns get other names here"}},
		"other names of a table":      {"FROM edge_logs AS x(a, timestamp) WHERE " + bounds, []string{"1:20 columns get other names here"}},
		"UNPIVOT":                     {"FROM edge_logs UNPIVOT (timestamp FOR k IN (timestamp, t2)) WHERE " + bounds, []string{"1:6 edge_logs"}},
		"other names of a subquery":   {"FROM edge_logs e WHERE EXISTS (SELECT 1 FROM auth_logs a(id2, time, text) WHERE a.id2 = e.id AND " + bounds + ") AND e." + strings.ReplaceAll(bounds, "AND ", "AND e."), []string{"1:57 columns get other names here"}},
		"the end of the window":       {"SELECT count(*) FILTER (date_diff('second', timestamp, $to::TIMESTAMP) < 15) FROM edge_logs WHERE " + bounds, []string{"1:56 $to is neither a bound of timestamp nor in a list of buckets, so rows can depend on where the window begins or ends"}},
		"the length of the window":    {"SELECT count(*) / date_diff('second', $from, $to) FROM edge_logs WHERE " + bounds, []string{"1:39 $from is neither", "1:46 $to is neither"}},
		"a list of buckets":           {"SELECT unnest(generate_series(time_bucket(INTERVAL 1 DAY, $from::TIMESTAMP), $to::TIMESTAMP - INTERVAL 1 DAY, INTERVAL 1 DAY)) AS day", nil},
		"a query in a list":           {"SELECT unnest((SELECT list(timestamp + ($to - $from)) FROM edge_logs WHERE " + bounds + "))", []string{"1:41 $to is neither", "1:47 $from is neither"}},
		"OFFSET in brackets":          {"SELECT 1 FROM edge_logs WHERE " + bounds + " ORDER BY 1 OFFSET (1)", []string{"1:81 OFFSET cuts off rows"}},
		"a number before FROM":        {"SELECT count(*) * 1. FROM edge_logs", []string{"1:27 edge_logs is read without"}},
		"a number and a keyword":      {"SELECT 1FROM edge_logs", []string{"1:14 edge_logs is read without"}},
		"a no-break space":            {"SELECT 1 FROM\u00a0edge_logs WHERE\u00a0" + bounds + " UNION ALL SELECT 2 FROM\u00a0auth_logs", []string{"1:97 auth_logs is read without"}},
		"a comment that CR ends":      {"SELECT 1 -- one\rFROM edge_logs", []string{"1:22 edge_logs is read without"}},
		"columns by their position":   {"FROM (SELECT timestamp, t2 FROM edge_logs UNION ALL SELECT t2, timestamp FROM auth_logs) WHERE " + bounds, []string{"1:33 edge_logs", "1:79 auth_logs"}},
		"an alias like a schema":      {"FROM (SELECT 1) AS main, main.auth_logs b", []string{"1:26 auth_logs"}},
		"brackets that do not match":  {") FROM edge_logs WHERE (" + bounds, []string{"1:24 ( is not closed", "1:1 this is not understood; begin with WITH or SELECT", "1:8 edge_logs is read without"}},
		"brackets that are not there": {"SELECT 1 FROM (((", []string{"1:15 ( is not closed", "1:16 (", "1:17 ("}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := obstaclesOf(duckdbsql.Dialect{}, test.sql)
			assertObstacles(t, test.want, slices.DeleteFunc(found, func(obstacle string) bool {
				return strings.Contains(obstacle, related) // see TestFindRelated
			}))
		})
	}
}

// related is a part of what is reported of tables that are not joined on the bucket.
const related = "so its rows can be those of other buckets"

// Rows that are related to rows of other buckets change with them, so closed buckets change without being noticed.
func TestFindRelated(t *testing.T) {
	t.Parallel()
	const (
		bounds  = "timestamp >= $from AND timestamp < $to"
		grouped = "WITH e AS (SELECT day, count(*) AS n FROM edge_logs WHERE " + bounds + " GROUP BY 1), a AS (SELECT time_bucket(INTERVAL 1 DAY, timestamp)::TIMESTAMP start, count(*) FROM auth_logs WHERE " + bounds + " GROUP BY 1) "
	)
	for name, test := range map[string]struct {
		sql  string
		want []string
	}{
		"by id": {
			"SELECT 1 FROM edge_logs e LEFT JOIN auth_logs a ON a.id = e.id AND a.timestamp >= $from AND a.timestamp < $to WHERE e.timestamp >= $from AND e.timestamp < $to",
			[]string{"1:37 it is not clear that auth_logs is joined on the bucket, so its rows can be those of other buckets; join what is grouped by bucket, as in USING (day)"},
		},
		"using an id":              {"SELECT 1 FROM (FROM edge_logs WHERE " + bounds + ") e JOIN (FROM auth_logs WHERE " + bounds + ") a USING (id)", []string{"1:90 it is not clear that auth_logs is joined"}},
		"by nothing":               {grouped + "SELECT * FROM e, a", []string{"1:195 it is not clear that auth_logs is joined"}},
		"by everything":            {grouped + "SELECT * FROM e CROSS JOIN range(2) CROSS JOIN a", []string{"1:195 it is not clear that auth_logs is joined"}},
		"in brackets":              {grouped + "SELECT * FROM range(2) JOIN (e JOIN a ON true) ON true", []string{"1:195 it is not clear that auth_logs is joined"}},
		"the brackets":             {grouped + "SELECT * FROM e JOIN (range(2) JOIN a ON true) ON true", []string{"1:195 it is not clear that auth_logs is joined"}},
		"each column":              {grouped + "SELECT * FROM e NATURAL JOIN a", []string{"1:195 it is not clear that auth_logs is joined"}},
		"the same rows":            {grouped + "SELECT * FROM e JOIN e AS other ON e.n < other.n", []string{"1:43 it is not clear that edge_logs is joined"}},
		"the second of two":        {grouped + "SELECT * FROM e JOIN a ON e.day = a.start JOIN e AS other ON e.n = other.n", []string{"1:43 it is not clear that edge_logs is joined"}},
		"a lateral join":           {grouped + "SELECT * FROM e, LATERAL (SELECT count(*) FROM a WHERE a.start < e.day)", []string{"1:195 it is not clear that auth_logs is joined"}},
		"a function":               {grouped + "SELECT * FROM e, unnest((SELECT list(start) FROM a))", []string{"1:195 it is not clear that auth_logs is joined"}},
		"later or equal":           {grouped + "SELECT * FROM e JOIN a ON e.day >= a.start", []string{"1:195 it is not clear that auth_logs is joined"}},
		"the bucket or another":    {grouped + "SELECT * FROM e JOIN a ON e.day = a.start OR e.n = 1", []string{"1:195 it is not clear that auth_logs is joined"}},
		"the bucket of one table":  {grouped + "SELECT * FROM e JOIN a ON e.day = e.day", []string{"1:195 it is not clear that auth_logs is joined"}},
		"another day":              {grouped + "SELECT * FROM e JOIN a ON e.day = a.start + INTERVAL 1 DAY", []string{"1:195 it is not clear that auth_logs is joined", "1:304 this shifts times"}},
		"a total":                  {grouped + "SELECT day, n / (SELECT sum(n) FROM e) FROM e", []string{"1:43 edge_logs is read in an expression beside another table, so its rows can be those of other buckets; join what is grouped by bucket, as in USING (day)"}},
		"a comparison":             {grouped + "SELECT * FROM e WHERE n > (SELECT avg(n) FROM e)", []string{"1:43 edge_logs is read in an expression"}},
		"in HAVING":                {grouped + "SELECT day FROM e GROUP BY 1 HAVING sum(n) > (SELECT avg(n) FROM e)", []string{"1:43 edge_logs is read in an expression"}},
		"NOT EXISTS":               {"SELECT 1 FROM edge_logs e WHERE " + "e.timestamp >= $from AND e.timestamp < $to AND NOT EXISTS (SELECT 1 FROM auth_logs a WHERE " + bounds + " AND a.id = e.id)", []string{"1:106 auth_logs is read in an expression"}},
		"in a condition of a join": {grouped + "SELECT * FROM e JOIN range(2) ON n IN (SELECT n FROM a)", []string{"1:195 auth_logs is read in an expression"}},
		"in brackets after UNION":  {"WITH both AS ((SELECT 1 FROM edge_logs WHERE " + bounds + ") UNION ALL (SELECT 2 FROM auth_logs WHERE " + bounds + ")) SELECT * FROM both x, both y", []string{"1:30 it is not clear that edge_logs is joined"}},
		"ON the bucket":            {grouped + "SELECT * FROM e LEFT JOIN a ON e.n > 1 AND (a.start = e.day)", nil},
		"USING the bucket":         {grouped + "SELECT * FROM e JOIN e AS other USING (n, day)", nil},
		"at the same time":         {"SELECT 1 FROM edge_logs e JOIN auth_logs a ON e.timestamp = a.timestamp WHERE e.timestamp >= $from AND e.timestamp < $to AND a.timestamp >= $from AND a.timestamp < $to", nil},
		"ON computed buckets":      {"SELECT 1 FROM edge_logs e JOIN auth_logs a ON e.id = a.id AND date_trunc('day', e.timestamp) = date_trunc('day', a.timestamp) WHERE e.timestamp >= $from AND e.timestamp < $to AND a.timestamp >= $from AND a.timestamp < $to", nil},
		"ON a shifted bucket":      {"SELECT 1 FROM edge_logs e JOIN auth_logs a ON date_trunc('day', e.timestamp) = date_trunc('day', a.timestamp) + INTERVAL 1 DAY WHERE e.timestamp >= $from AND e.timestamp < $to AND a.timestamp >= $from AND a.timestamp < $to", []string{"1:32 it is not clear that auth_logs is joined", "1:111 this shifts times"}},
		"ON another bucket":        {"SELECT 1 FROM edge_logs e JOIN auth_logs a ON date_trunc('day', e.sent) = date_trunc('day', a.timestamp) WHERE e.timestamp >= $from AND e.timestamp < $to AND a.timestamp >= $from AND a.timestamp < $to", []string{"1:32 it is not clear that auth_logs is joined"}},
		"with a list of buckets":   {grouped + "SELECT * FROM generate_series($from, $to, INTERVAL 1 DAY) s(day) LEFT JOIN e ON s.day = e.day LEFT JOIN a ON a.start = s.day", nil},
		"beside a list of buckets": {grouped + "SELECT s.day, (SELECT n FROM e WHERE e.day = s.day), (SELECT n FROM a WHERE start = s.day) FROM generate_series($from, $to, INTERVAL 1 DAY) s(day)", nil},
		"in several selections":    {grouped + "SELECT * FROM e UNION ALL SELECT * FROM a", nil},
		"without tables":           {grouped + "SELECT day, (SELECT max(x) FROM range(3) r(x)) FROM e", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertObstacles(t, test.want, obstaclesOf(duckdbsql.Dialect{}, test.sql))
		})
	}
}

// Equal buckets are not those of the series if they are wider or shifted.
func TestFindOtherBuckets(t *testing.T) {
	t.Parallel()
	const (
		bounds = " WHERE timestamp >= $from AND timestamp < $to"
		days   = "(SELECT date_trunc('day', timestamp) AS day, count(*) AS n FROM edge_logs" + bounds + " GROUP BY 1) e"
		shifts = "this shifts times, so rows can be those of other buckets"
	)
	join := func(other string) string {
		return "SELECT day, e.n - a.n, count(*) - 1\nFROM " + days + "\nLEFT JOIN (SELECT " + other + " AS day, count(*) AS n FROM auth_logs" + bounds + " GROUP BY 1) a USING (day)"
	}
	for name, test := range map[string]struct {
		sql  string
		want []string
	}{
		"the same":            {join("date_trunc('day', timestamp)"), nil},
		"the same, qualified": {join("date_trunc('day', auth_logs.timestamp)"), nil},
		"the same in a cast":  {join("date_trunc('day', timestamp)::TIMESTAMP"), nil},
		"a difference of times": {
			join("date_trunc('day', timestamp)") + " WHERE now - timestamp > 1", []string{"3:166 " + shifts},
		},
		"wider": {
			join("date_trunc('month', timestamp)"), []string{"3:19 this computes other buckets than line 2, and tables are joined on buckets, so their rows can be those of other buckets"},
		},
		"a wider one beside": {
			"WITH m AS (SELECT day, date_trunc('day', timestamp) AS d, date_trunc('month', timestamp) AS h FROM edge_logs" + bounds + "), x AS (SELECT date_trunc('month', timestamp) AS h FROM auth_logs" + bounds + ") FROM m JOIN x USING (h)",
			[]string{"1:59 this computes other buckets", "1:170 this computes other buckets"},
		},
		"ON wider ones": {
			"SELECT date_trunc('day', e.timestamp) AS day FROM edge_logs e JOIN auth_logs a ON date_trunc('month', e.timestamp) = date_trunc('month', a.timestamp) AND a.timestamp >= $from AND a.timestamp < $to WHERE e.timestamp >= $from AND e.timestamp < $to",
			[]string{"1:83 this computes other buckets", "1:118 this computes other buckets"},
		},
		"shifted":              {join("date_trunc('day', timestamp) + INTERVAL 1 DAY"), []string{"3:48 " + shifts}},
		"shifted first":        {join("INTERVAL 1 DAY + date_trunc('day', timestamp)"), []string{"3:34 " + shifts}},
		"shifted after a cast": {join("date_trunc('day', timestamp)::TIMESTAMP - to_days(1)"), []string{"3:59 " + shifts}},
		"shifted in brackets":  {join("(date_trunc('day', timestamp)) + to_days(1)"), []string{"3:50 " + shifts}},
		"shifted within":       {join("date_trunc('day', timestamp - INTERVAL 1 DAY)"), []string{"3:19 this computes other buckets", "3:47 " + shifts}},
		"shifted by a function": {
			join("date_add(date_trunc('day', timestamp), INTERVAL 1 DAY)"), []string{"3:19 " + shifts},
		},
		"a list of buckets": {
			"FROM generate_series($from, $to::TIMESTAMP - INTERVAL 1 DAY, INTERVAL 1 DAY) s(day) LEFT JOIN " + days + " USING (day) LEFT JOIN (SELECT date_trunc('day', timestamp) AS day FROM auth_logs" + bounds + ") a USING (day)", nil,
		},
		"shifted, and not joined": {"SELECT date_trunc('day', timestamp) + INTERVAL 1 HOUR AS day FROM edge_logs" + bounds, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertObstacles(t, test.want, obstaclesOf(duckdbsql.Dialect{}, test.sql))
		})
	}
}

func TestFindUnboundedInGoogleSQL(t *testing.T) {
	t.Parallel()
	dialect := googlesql.Dialect{}
	assertObstacles(t, nil, obstaclesOf(dialect, "SELECT 1 FROM `edge_logs` AS t CROSS JOIN UNNEST(t.metadata) AS m WHERE t.timestamp >= TIMESTAMP(@from) AND t.timestamp < @to"))
	assertObstacles(t, nil, obstaclesOf(dialect, "SELECT 1 FROM edge_logs AS t, t.metadata AS m CROSS JOIN UNNEST(m.request) AS r WITH OFFSET AS o WHERE timestamp >= @from AND timestamp < @to"))
	assertObstacles(t, nil, obstaclesOf(dialect, "SELECT (SELECT COUNT(*) FROM t.metadata), 1 FROM edge_logs AS t WHERE timestamp >= @from AND timestamp < @to AND EXISTS (SELECT 1 FROM t.metadata AS m WHERE m.x = 1)"))
	assertObstacles(t, []string{"1:16 the pipe syntax |> is not understood", "1:6 edge_logs is read without"}, obstaclesOf(dialect, "FROM edge_logs |> AGGREGATE max(timestamp) AS timestamp GROUP BY project |> WHERE timestamp >= @from AND timestamp < @to"))
	assertObstacles(t, []string{"1:54 @from is neither a bound", "1:15 edge_logs"}, obstaclesOf(dialect, "SELECT 1 FROM edge_logs WHERE timestamp >= TIMESTAMP(@from - INTERVAL 10 MINUTE) AND timestamp < @to"))
	assertObstacles(t, nil, obstaclesOf(dialect, "SELECT 1 FROM UNNEST(GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 DAY), INTERVAL 1 DAY)) AS timestamp"))
	assertObstacles(t, []string{"1:67 compare timestamp < @to", "1:15 edge_logs is read without the bounds; add timestamp >= @from AND timestamp < @to where it is read"}, obstaclesOf(dialect, "SELECT 1 FROM edge_logs WHERE timestamp >= @from AND timestamp <= @to"))
}

// obstaclesOf returns what is found in SQL, with its places.
func obstaclesOf(dialect sqlq.Dialect, sql string) (obstacles []string) {
	findUnbounded(dialect, sql, "day", func(use sqltext.Use, format string, args ...any) {
		obstacles = append(obstacles, fmt.Sprintf("%d:%d ", use.Line, use.Column)+fmt.Sprintf(format, args...))
	})
	return obstacles
}

func assertObstacles(t *testing.T, want, found []string) {
	t.Helper()
	if assert.Len(t, found, len(want), found) {
		for i := range want {
			assert.Contains(t, found[i], want[i])
		}
	}
}

func FuzzFindUnbounded(f *testing.F) {
	f.Add("WITH l (a) AS (SELECT 1 FROM edge_logs WHERE timestamp >= $from::TIMESTAMP AND $to > timestamp) FROM l, (l UNION FROM x) ORDER BY 1")
	f.Fuzz(func(_ *testing.T, sql string) {
		for _, dialect := range []sqlq.Dialect{duckdbsql.Dialect{}, googlesql.Dialect{}} {
			findUnbounded(dialect, sql, "day", func(sqltext.Use, string, ...any) {})
		}
	})
}
