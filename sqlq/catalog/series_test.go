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
		"unknown key":               {"lateness:", "late:", `:16:3: unknown key "late"; the keys are column, param, windows, start, end, order, lateness`},
		"no column":                 {"  column: at\n", "", `:11:3: key "column" is missing`},
		"unknown column":            {"column: at", "column: when", `:11:11: column "when" is not among the columns`},
		"column of another type":    {"column: at", "column: n", `:11:11: column "n" has the type INT64; the start of a bucket is a TIMESTAMP, DATETIME or DATE`},
		"unknown parameter":         {"param: span", "param: spam", `:12:10: parameter "spam" is not declared`},
		"parameter without values":  {"param: span", "param: free", `:12:10: parameter "free" must be a STRING with allowed values, which windows lists`},
		"value that is not allowed": {"value: week", "value: month", `:19:7: "month" is not among the allowed values of parameter "span"`},
		"parameter without default": {", default: hour", "", `:12:10: parameter "span" must be required or have a default, because each run needs a window`},
		"value without a window":    {"    - {value: week, length: 7d, bucket: 1d}\n", "", `:18:5: the allowed value "week" of parameter "span" has no window`},
		"two windows for a value":   {"value: week", "value: hour", `:19:7: there are two windows for "hour"`},
		"value without parameter":   {"  param: span\n", "", `:17:15: value needs param, which names the parameter that selects the window`},
		"bucket of no whole number": {"bucket: 5m", "bucket: 7m", `:18:41: bucket 7m does not divide a day; buckets are counted from midnight in UTC, such as 1s, 5m, 1h or 1d`},
		"bucket of a week":          {"length: 7d, bucket: 1d", "length: 14d, bucket: 7d", `:19:42: bucket 7d does not divide a day`},
		"window below a bucket":     {"length: 1h, bucket: 5m", "length: 1m, bucket: 5m", `:18:29: length is shorter than bucket`},
		"negative length":           {"length: 1h", "length: -1h", `:18:29: length must be a duration of whole seconds, such as 30s, 5m, 1h or 7d`},
		"bucket below a second":     {"bucket: 5m", "bucket: 1ms", `:18:41: bucket must be a duration of whole seconds`},
		"unknown start":             {"start: exact", "start: now", `:13:10: start "now" is unknown; use one of bucket, exact`},
		"reserved parameter":        {"name: free", "name: from", `:11:3: parameter "from" is set for every series and must not be declared (line 6)`},
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

// SQL without the bounds would compute the whole window in each run.
func TestReadReportsSeriesWithoutBounds(t *testing.T) {
	t.Parallel()
	_, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(seriesYAML, strings.Replace(seriesSQL, " AND timestamp < $to", "", 1)), Path: "mine"})
	require.ErrorContains(t, err, "mine/errors/query.yaml:11:9: a series needs the bounds $from and $to, but duckdb.sql does not use $to")
	_, err = catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(goodYAML, strings.Replace(goodSQL, "LIMIT", "AND timestamp > $from LIMIT", 1)), Path: "mine"})
	require.ErrorContains(t, err, "parameter $from is not declared under params", "only series have bounds")
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
		"relative time":   {"AND timestamp > $since", "6:17: rows of the series cannot be reused: the default of $since is relative to now and makes closed buckets depend on the time of the run"},
		"random":          {"AND random () < 0.5", "RANDOM gives something else in each run"},
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
