package catalog_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
)

const seriesYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11
name: visits
description: Visits.
cache: 60s
params:
  - {name: span, type: STRING, allowed: [hour, week], default: hour, description: Time span.}
  - {name: free, type: STRING, description: Free text.}
columns:
  - {name: at, type: TIMESTAMP, description: Start of the bucket.}
  - {name: n, type: INT64, description: Number.}
series:
  column: at
  param: span
  start: exact
  end: none
  order: descending
  lateness: 10m
  windows:
    - {value: hour, length: 1h, bucket: 5m}
    - {value: week, length: 7d, bucket: 1d}
`

const seriesSQL = `SELECT time_bucket(CASE $span WHEN 'week' THEN INTERVAL 1 DAY ELSE INTERVAL 5 MINUTE END, timestamp) AS at, count(*) AS n
FROM edge_logs AS "Logs"
WHERE $free <> ''
GROUP BY 1
`

func TestReadSeries(t *testing.T) {
	t.Parallel()
	read, err := readMine(folder(seriesYAML, seriesSQL))
	require.NoError(t, err)
	query, _ := read.Find("visits")
	assert.Equal(t, &sqlq.Series{
		Column: 0, Param: 0, Exact: true, Endless: true, Descending: true, Lateness: 10 * time.Minute,
		Windows: map[string]sqlq.Window{
			"hour": {Length: time.Hour, Bucket: 5 * time.Minute},
			"week": {Length: 7 * 24 * time.Hour, Bucket: 24 * time.Hour},
		},
		Tables: []string{"edge_logs"},
	}, query.Series)
}

// Both series that are shipped can be reused, on each engine.
func TestShippedSeries(t *testing.T) {
	t.Parallel()
	for _, dialect := range []sqlq.Dialect{duckdbsql.Dialect{}, googlesql.Dialect{}} {
		shipped, err := catalog.Read(dialect)
		require.NoError(t, err)
		for _, name := range []string{"functions.invocation-stats", "usage.api-counts"} {
			query, _ := shipped.Find(name)
			require.NotNil(t, query.Series, name)
			assert.Empty(t, query.Series.Obstacles, name)
		}
	}
}

func TestReadReportsMistakesInSeries(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ from, to, want string }{
		"unknown key":               {"lateness:", "late:", `:17:3: unknown key "late"; the keys are column, param, windows, start, end, order, lateness`},
		"no column":                 {"  column: at\n", "", `:12:3: key "column" is missing`},
		"no columns":                {"columns:\n  - {name: at, type: TIMESTAMP, description: Start of the bucket.}\n  - {name: n, type: INT64, description: Number.}\n", "", `:9:11: column "at" is not among the columns`},
		"an empty list of columns":  {"columns:\n  - {name: at, type: TIMESTAMP, description: Start of the bucket.}\n  - {name: n, type: INT64, description: Number.}\n", "columns: []\n", `:10:11: column "at" is not among the columns`},
		"unknown column":            {"column: at", "column: when", `:12:11: column "when" is not among the columns`},
		"column of another type":    {"column: at", "column: n", `:12:11: column "n" has the type INT64; the start of a bucket is a TIMESTAMP, DATETIME or DATE`},
		"unknown parameter":         {"param: span", "param: spam", `:13:10: parameter "spam" is not declared`},
		"parameter without values":  {"param: span", "param: free", `:13:10: parameter "free" must be a STRING with allowed values, which windows lists`},
		"value that is not allowed": {"value: week", "value: month", `:20:7: "month" is not among the allowed values of parameter "span"`},
		"parameter without default": {", default: hour", "", `:13:10: parameter "span" must be required or have a default, because each run needs a window`},
		"value without a window":    {"    - {value: week, length: 7d, bucket: 1d}\n", "", `:19:5: the allowed value "week" of parameter "span" has no window`},
		"two windows for a value":   {"value: week", "value: hour", `:20:7: there are two windows for "hour"`},
		"value without parameter":   {"  param: span\n", "", `:18:15: value needs param, which names the parameter that selects the window`},
		"bucket of no whole number": {"bucket: 5m", "bucket: 7m", `:19:41: bucket 7m does not divide a day; buckets are counted from midnight in UTC, such as 1s, 5m, 1h or 1d`},
		"bucket of a week":          {"length: 7d, bucket: 1d", "length: 14d, bucket: 7d", `:20:42: bucket 7d does not divide a day`},
		"window below a bucket":     {"length: 1h, bucket: 5m", "length: 1m, bucket: 5m", `:19:29: length is shorter than bucket`},
		"negative length":           {"length: 1h", "length: -1h", `:19:29: length must be a duration of whole seconds, such as 30s, 5m, 1h or 7d`},
		"bucket below a second":     {"bucket: 5m", "bucket: 1ms", `:19:41: bucket must be a duration of whole seconds`},
		"unknown start":             {"start: exact", "start: now", `:14:10: start "now" is unknown; use one of bucket, exact`},
		"reserved parameter":        {"name: free", "name: from", `:12:3: parameter "from" is set for every series and must not be declared (line 7)`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, seriesYAML, test.from)
			_, err := readMine(folder(strings.Replace(seriesYAML, test.from, test.to, 1), seriesSQL))
			assert.ErrorContains(t, err, "mine/errors/query.yaml"+test.want)
		})
	}
}

// A file that lacks some lines is read to its end: a running server must survive each edit.
func TestReadSeriesWithoutALine(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(seriesYAML, "\n")
	for i := range lines {
		file := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
		require.NotPanics(t, func() {
			_, _ = readMine(folder(file, seriesSQL))
		}, file)
	}
}

// Tables that cannot be bounded need conditions of their own, or a run would compute more than its range.
func TestSeriesThatCannotBeBounded(t *testing.T) {
	t.Parallel()
	const bounds = "WHERE timestamp >= $from AND timestamp < $to AND "
	for name, change := range map[string][2]string{
		"schema": {"FROM edge_logs", "FROM main.edge_logs"},
		"pivot":  {`FROM edge_logs AS "Logs"`, "FROM (PIVOT edge_logs ON project)"},
	} {
		sql := strings.Replace(seriesSQL, change[0], change[1], 1)
		_, err := readMine(folder(seriesYAML, sql))
		require.ErrorContains(t, err, "mine/errors/query.yaml:12:9: the tables of the series cannot be bounded", name)
		require.ErrorContains(t, err, "or read only rows with timestamp >= $from AND timestamp < $to", name)
		read, err := readMine(folder(seriesYAML, strings.Replace(sql, "WHERE ", bounds, 1)))
		require.NoError(t, err, name)
		query, _ := read.Find("visits")
		assert.NotEmpty(t, query.Warnings(), name)
	}
	_, err := readMine(folder(goodYAML, strings.Replace(goodSQL, "LIMIT", "AND timestamp > $from LIMIT", 1)))
	require.ErrorContains(t, err, "parameter $from is not declared under params in query.yaml, and there is no series that would set it", "only series have bounds")
}

// third is the dialect of an engine whose SQL nothing here reads.
type third struct{ duckdbsql.Dialect }

func (third) Name() string { return "third" }

// A series without a shape is run whole, and needs bounds of its own. Those in GoogleSQL have one on every engine.
func TestSeriesWithoutShape(t *testing.T) {
	t.Parallel()
	const google = "SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS `at`, COUNT(*) AS n FROM edge_logs WHERE @free != '' AND @span != '' GROUP BY 1"
	for name, test := range map[string]struct {
		dialect         sqlq.Dialect
		file, sql, want string
	}{
		"an unknown language": {third{}, "third.sql", "SELECT 1 AS at, 2 AS n WHERE $free = $span AND $from < $to", "mine/errors/third.sql:1:1: rows of the series cannot be reused: SQL of this engine is not read; write query.sql"},
		"more than is read": {
			googlesql.Dialect{},
			"bigquery.sql", "SELECT 1 AS `at`, 2 AS n FROM edge_logs\nNATURAL JOIN auth_logs WHERE @free = @span AND @from < @to",
			"mine/errors/bigquery.sql:2:1: rows of the series cannot be reused: NATURAL JOIN is not supported; write USING with the columns",
		},
		"GoogleSQL": {third{}, "query.sql", google, "mine/errors/query.sql:1:1: rows of the series cannot be reused: at is not the start of the bucket"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(sql string) (*catalog.Catalog, error) {
				files := fstest.MapFS{"errors/query.yaml": {Data: []byte(seriesYAML)}, "errors/" + test.file: {Data: []byte(sql)}}
				return catalog.Read(test.dialect, catalog.Directory{FS: files, Path: "mine"})
			}
			mine, err := read(test.sql)
			require.NoError(t, err)
			query, _ := mine.Find("visits")
			require.ErrorContains(t, query.Warnings(), test.want)
			if test.sql != google {
				_, err = read(strings.NewReplacer("@from", "@to", "$from", "$to").Replace(test.sql))
				require.ErrorContains(t, err, "mine/errors/query.yaml:12:9: the tables of the series cannot be bounded")
				return
			}
			assert.Equal(t, []string{"edge_logs"}, query.Series.Tables)
		})
	}
}

// Rows that are not cached cannot be reused.
func TestSeriesWithoutCache(t *testing.T) {
	t.Parallel()
	read, err := readMine(folder(strings.Replace(seriesYAML, "cache: 60s", "cache: disabled", 1), seriesSQL))
	require.NoError(t, err)
	query, _ := read.Find("visits")
	assert.ErrorContains(t, query.Warnings(), "mine/errors/query.yaml:12:9: rows of the series cannot be reused: the saved query is not cached; set cache")
}

// Values that differ in each run are known by the functions that are called, and not by other words.
func TestApproximateSeries(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]bool{
		"approx_quantile(1, 0.5) > 0": true, "\"APPROX_COUNT_DISTINCT\" (1) > 0": true, "true AND 'approx_' <> 'approx_count'": false, "approx_rows > 0": false, "approximate(1) > 0": false,
	} {
		read, err := readMine(folder(seriesYAML, strings.Replace(seriesSQL, "GROUP BY 1\n", "GROUP BY 1\nHAVING "+call+"\n", 1)))
		require.NoError(t, err)
		query, _ := read.Find("visits")
		assert.Equal(t, want, query.Series.Approximate, call)
	}
}

// What prevents reuse is a warning, at its place in the file.
func TestSeriesObstacles(t *testing.T) {
	t.Parallel()
	read, err := readMine(folder(seriesYAML, strings.Replace(seriesSQL, "GROUP BY 1\n", "GROUP BY 1\nHAVING random() < 0.5\nORDER BY 1 LIMIT 5\n", 1)))
	require.NoError(t, err)
	query, _ := read.Find("visits")
	require.ErrorContains(t, query.Warnings(), "mine/errors/duckdb.sql:5:8: rows of the series cannot be reused: RANDOM returns something else in each run")
	assert.ErrorContains(t, query.Warnings(), "mine/errors/duckdb.sql:6:18: rows of the series cannot be reused: LIMIT and OFFSET cut off rows")
}
