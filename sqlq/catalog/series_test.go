package catalog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/bigquery/googlesql"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
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

const seriesSQL = `SELECT date_trunc('day', timestamp) AS at, count(*) AS n
FROM edge_logs AS "Logs"
WHERE $span <> '' AND $free <> '' AND timestamp >= $from AND timestamp < $to
GROUP BY at
`

func TestReadSeries(t *testing.T) {
	t.Parallel()
	read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(seriesYAML, seriesSQL), Path: "mine"})
	require.NoError(t, err)
	query, _ := read.Find("visits")
	names := query.Series.Names
	query.Series.Names = nil
	assert.Equal(t, &sqlq.Series{
		Column: 0, Param: 0, Exact: true, Endless: true, Descending: true, Lateness: 10 * time.Minute,
		Windows: map[string]sqlq.Window{
			"hour": {Length: time.Hour, Bucket: 5 * time.Minute},
			"week": {Length: 7 * 24 * time.Hour, Bucket: 24 * time.Hour},
		},
	}, query.Series)
	assert.Subset(t, names, []string{"edge_logs", "logs", "count"})
	assert.Contains(t, names, "day", "DuckDB takes a string for a table: FROM 'edge_logs'")
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
			_, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(strings.Replace(seriesYAML, test.from, test.to, 1), seriesSQL), Path: "mine"})
			assert.ErrorContains(t, err, "mine/errors/query.yaml"+test.want)
		})
	}
}

// A file that lacks any line is read to its end: a running server must survive each edit.
func TestReadSeriesWithoutALine(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(seriesYAML, "\n")
	for from := range lines {
		for to := from + 1; to <= len(lines); to++ {
			file := strings.Join(lines[:from], "") + strings.Join(lines[to:], "")
			require.NotPanics(t, func() {
				_, _ = catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(file, seriesSQL), Path: "mine"})
			}, file)
		}
	}
}

// SQL without the bounds would compute the whole window in each run.
func TestReadReportsSeriesWithoutBounds(t *testing.T) {
	t.Parallel()
	_, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(seriesYAML, strings.Replace(seriesSQL, " AND timestamp < $to", "", 1)), Path: "mine"})
	require.ErrorContains(t, err, "mine/errors/query.yaml:12:9: a series needs the bounds $from and $to, but duckdb.sql does not use $to")
	_, err = catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(goodYAML, strings.Replace(goodSQL, "LIMIT", "AND timestamp > $from LIMIT", 1)), Path: "mine"})
	require.ErrorContains(t, err, "parameter $from is not declared under params in query.yaml, and there is no series that would set it", "only series have bounds")
}

// Rows that are not cached cannot be reused.
func TestSeriesWithoutCache(t *testing.T) {
	t.Parallel()
	read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(strings.Replace(seriesYAML, "cache: 60s", "cache: disabled", 1), seriesSQL), Path: "mine"})
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
		read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(seriesYAML, strings.Replace(seriesSQL, "GROUP BY at\n", "GROUP BY at\nHAVING "+call+"\n", 1)), Path: "mine"})
		require.NoError(t, err)
		query, _ := read.Find("visits")
		assert.Equal(t, want, query.Series.Approximate, call)
	}
}

// What makes the rows of a bucket depend on others, or on the run, is a warning.
func TestSeriesObstacles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ sql, want string }{
		"now":             {"AND timestamp < $now", "6:17: rows of the series cannot be reused: $now makes closed buckets depend on the time of the run; use $from and $to"},
		"limit":           {"AND true LIMIT 5", "LIMIT cuts off rows, and which ones depends on other buckets"},
		"window function": {"AND (SELECT sum(1) OVER ()) > 0", "OVER computes over rows of other buckets"},
		"clock":           {"AND timestamp < current_timestamp", "CURRENT_TIMESTAMP gives another time in each run"},
		"age":             {"AND ago(INTERVAL 1 HOUR) < timestamp", "AGO gives another time in each run"},
		"start of DuckDB": {"AND timestamp < pg_postmaster_start_time()", "PG_POSTMASTER_START_TIME gives another time in each run"},
		"relative time":   {"AND timestamp > $since", "6:17: rows of the series cannot be reused: the default of $since is relative to now and makes closed buckets depend on the time of the run"},
		"random":          {"AND random () < 0.5", "RANDOM gives something else in each run"},
		"distinct on":     {"AND (SELECT DISTINCT ON (1) 1) = 1", "DISTINCT ON chooses rows"},
		"sample":          {"AND (SELECT 1 USING SAMPLE 10%) = 1", "USING SAMPLE chooses rows at random"},
		"quoted function": {"AND \"random\"() < 0.5", "RANDOM gives something else in each run"},
		"quoted clock":    {"AND timestamp < \"current_timestamp\"", "CURRENT_TIMESTAMP gives another time in each run"},
		"positional join": {"AND 1 IN (SELECT 1 FROM range(1) POSITIONAL JOIN range(2))", "POSITIONAL computes over rows of other buckets"},
		"another table":   {"AND (SELECT count(*) FROM auth_logs) > 0", "auth_logs is read without the bounds; add timestamp >= $from AND timestamp < $to where it is read"},
		"quoted column":   {"AND \"limit\" = 1 AND \"sample\" = 2", "none"},
		"column sample":   {"AND sample < 0.5", "none"},
		"column":          {"AND random < 0.5 AND \"Now\" = 1", "none"},
		"string":          {"AND 'limit over random() $now' <> 'limit'", "none"},
		"comment":         {"-- limit", "none"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sql := strings.Replace(seriesSQL, "GROUP BY at\n", "GROUP BY at\nHAVING true\n"+test.sql+"\n", 1)
			yaml := seriesYAML
			if strings.Contains(test.sql, "$since") {
				yaml = strings.Replace(yaml, "columns:", "  - {name: since, type: TIMESTAMP, default: now-12h, description: Start.}\ncolumns:", 1)
			}
			read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(yaml, sql), Path: "mine"})
			require.NoError(t, err)
			query, _ := read.Find("visits")
			if test.want == "none" {
				assert.Empty(t, query.Series.Obstacles)
				return
			}
			require.NotEmpty(t, query.Series.Obstacles)
			require.ErrorContains(t, query.Series.Obstacles, test.want)
			assert.ErrorContains(t, query.Warnings(), test.want)
		})
	}
}
