package duckdb_test

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

const seriesSandboxYAML = `
id: 5b0c1d2e-3f40-4152-8637-485960718294
name: mine.hours
description: Hours.
cache: 60s
sandbox: enabled
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project.}
%scolumns:
  - {name: hour, type: TIMESTAMP, nullable: false, description: Hour.}
  - {name: n, type: INT64, description: Number.}
series:
  column: hour
%s`

// SQL of callers reads the rows of the whole window of a series, with or without its bounds in the SQL of the author
// or of the caller.
func TestSandboxOfSeries(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	project := "a"
	var events []sqlqtest.Event
	for i, ago := range []time.Duration{time.Minute, 90 * time.Minute, 5 * time.Hour, 48 * time.Hour, -3 * time.Hour} {
		events = append(events, sqlqtest.Event{ID: fmt.Sprint("event", i), Timestamp: now.Add(-ago), Project: &project, Metadata: []byte(`[{}]`)})
	}
	engine := duckdb.New(openStore(t, sqlqtest.Logs{"edge_logs": events}).DB())
	const (
		period  = "  - {name: period, type: STRING, allowed: [short, long], default: long, description: Period.}\n"
		one     = "  windows:\n    - {length: 2h, bucket: 1h}\n"
		several = "  param: period\n  windows:\n    - {value: short, length: 2h, bucket: 1h}\n    - {value: long, length: 6h, bucket: 1h}\n"
		bounds  = " AND timestamp >= @from AND timestamp < @to"
		final   = " SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, COUNT(*) AS n FROM logs%s GROUP BY hour ORDER BY hour"
	)
	for name, series := range map[string]struct {
		params, windows, period string
		rows                    int
	}{
		"one window": {"", one, "", 2}, "short": {period, several, "short", 2}, "long": {period, several, "long", 3}, "default": {period, several, "", 3},
		"exact": {"", one + "  start: exact\n", "", 2}, "endless": {"", one + "  end: none\n", "", 3},
	} {
		for bounded, sql := range map[string]string{
			"by the table":   "WITH logs AS (SELECT id, timestamp FROM edge_logs WHERE project = @project)" + fmt.Sprintf(final, ""),
			"by the author":  "WITH logs AS (SELECT id, timestamp FROM edge_logs WHERE project = @project" + bounds + ")" + fmt.Sprintf(final, ""),
			"under its name": "WITH edge_logs AS (SELECT id, timestamp FROM edge_logs WHERE project = @project" + bounds + "), logs AS (SELECT * FROM edge_logs)" + fmt.Sprintf(final, ""),
		} {
			t.Run(name+" "+bounded, func(t *testing.T) {
				t.Parallel()
				yaml := fmt.Sprintf(seriesSandboxYAML, series.params, series.windows)
				if series.params != "" {
					sql = "WITH unused AS (SELECT @period AS period), " + sql[len("WITH "):]
				}
				read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{Path: "mine", FS: fstest.MapFS{"hours/query.yaml": {Data: []byte(yaml)}, "hours/query.sql": {Data: []byte(sql)}}})
				require.NoError(t, err)
				query, found := read.Find("mine.hours")
				require.True(t, found)
				s := runner.New(sqlqtest.Config(read, engine, func() time.Time { return now }))
				params := map[string][]string{"project": {"a"}}
				if series.period != "" {
					params["period"] = []string{series.period}
				}
				for callers, want := range map[string]string{
					"":                               "",
					"SELECT COUNT(*) AS n FROM logs": fmt.Sprintf(`[{"n":%d}]`, series.rows),
					"SELECT COUNT(*) AS n FROM logs WHERE timestamp >= @from":          fmt.Sprintf(`[{"n":%d}]`, series.rows),
					"SELECT @from < @to AS n":                                          `[{"n":true}]`,
					"SELECT 1 AS n":                                                    `[{"n":1}]`,
					"WITH mine AS (SELECT * FROM logs) SELECT COUNT(*) AS n FROM mine": fmt.Sprintf(`[{"n":%d}]`, series.rows),
				} {
					response, err := s.Run(t.Context(), runner.Request{Query: query, SQL: callers, Params: params})
					require.NoError(t, err, callers)
					if want != "" {
						assert.Equal(t, want, string(response.Result.AppendJSON(nil)), callers)
					}
				}
				_, err = s.Run(t.Context(), runner.Request{Query: query, SQL: "WITH edge_logs AS (SELECT 1 AS n) SELECT n FROM edge_logs", Params: params})
				if err != nil {
					assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
				}
			})
		}
	}
}
