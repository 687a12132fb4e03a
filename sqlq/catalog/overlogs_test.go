package catalog_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/clickhouse"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
)

const overLogsYAML = `id: 22222222-2222-4222-8222-222222222222
name: mine.slow
description: Slow requests.
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project.}
  - {name: least, type: INT64, default: 100, description: Least.}
columns:
  - {name: n, type: INT64, description: N.}
`

const overLogsSQL = "SELECT count() AS n FROM logs WHERE source = 'edge_logs' AND toInt32OrZero(log_attributes['response.origin_time']) > {least:Int64}"

// readFolder reads a folder with one saved query.
func readFolder(t *testing.T, dialect sqlq.Dialect, files map[string]string) (*sqlq.SavedQuery, error) {
	t.Helper()
	folder := fstest.MapFS{"slow/query.yaml": {Data: []byte(overLogsYAML)}}
	for name, text := range files {
		folder["slow/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	read, err := catalog.Read(dialect, catalog.Directory{Path: "mine", FS: folder})
	if err != nil {
		return nil, err
	}
	query, ok := read.Find("mine.slow")
	require.True(t, ok)
	return query, nil
}

// ADR 063: alone in its folder, clickhouse.sql over the table logs runs on the embedded engine and on ClickHouse, with the
// rows of the project.
func TestOverLogs(t *testing.T) {
	t.Parallel()
	query, err := readFolder(t, duckdbsql.Dialect{}, map[string]string{"clickhouse.sql": overLogsSQL})
	require.NoError(t, err)
	assert.Contains(t, query.SQL, "project = $project")
	assert.Contains(t, query.SQL, "$least")
	assert.Equal(t, "mine/slow/clickhouse.sql", query.SQLFile)
	written, _ := query.Written()
	assert.Equal(t, overLogsSQL, written)
	assert.Greater(t, len(query.Tables), 8, "all log sources")
	query, err = readFolder(t, clickhouse.Dialect{}, map[string]string{"clickhouse.sql": overLogsSQL})
	require.NoError(t, err)
	assert.Contains(t, query.SQL, "FROM `edge_logs` WHERE project = {project:String}")
	assert.NotContains(t, query.SQL, "postgres_logs")
	_, err = readFolder(t, googlesql.Dialect{}, map[string]string{"clickhouse.sql": overLogsSQL})
	require.ErrorContains(t, err, "mine/slow/clickhouse.sql:1:1: SQL over the table logs runs on the embedded engine and on ClickHouse, not on bigquery")
}

// What is ClickHouse's own SQL stays so: beside query.sql, or over other tables.
func TestOwnSQLOfClickHouse(t *testing.T) {
	t.Parallel()
	const ofEdge = "SELECT count() AS n FROM edge_logs WHERE project = {project:String} AND {least:Int64} > 0 SETTINGS join_algorithm = 'hash'"
	const ofOwnLogs = "SELECT count() AS n FROM db.logs WHERE project = {project:String} AND {least:Int64} > 0"
	const besides = overLogsSQL + " AND {project:String} != ''"
	google := "SELECT COUNT(*) AS n FROM edge_logs WHERE project = @project AND @least > 0"
	for _, files := range []map[string]string{{"clickhouse.sql": ofEdge}, {"clickhouse.sql": ofOwnLogs}, {"clickhouse.sql": besides, "query.sql": google}} {
		query, err := readFolder(t, clickhouse.Dialect{}, files)
		require.NoError(t, err)
		assert.Equal(t, files["clickhouse.sql"], query.SQL)
		assert.Nil(t, query.Translation)
	}
	query, err := readFolder(t, duckdbsql.Dialect{}, map[string]string{"clickhouse.sql": besides, "query.sql": google})
	require.NoError(t, err)
	assert.Equal(t, "mine/slow/query.sql", query.SQLFile)
}

// A mistake has its place in clickhouse.sql.
func TestMistakesOverLogs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT count() AS n FROM logs WHERE {least:Int64} > nope":                          "mine/slow/clickhouse.sql:1:53: there is no column nope",
		"SELECT count() AS n FROM logs\nWHERE {least:Bool}":                                 "mine/slow/clickhouse.sql:2:7: the parameter least is declared as INT64, which is no Bool here",
		"SELECT count() AS n FROM logs WHERE {least:Int64} > {most:Int64}":                  "mine/slow/clickhouse.sql:1:53: parameter {most is not declared under params in query.yaml",
		"SELECT count() AS n FROM logs":                                                     "mine/slow/query.yaml:6:12: parameter \"least\" is declared but clickhouse.sql does not use {least",
		"SELECT count() AS n FROM logs, url('http://localhost') WHERE {least:Int64} > 0":    "mine/slow/clickhouse.sql:1:32: the table function url is not allowed",
		"SELECT count() AS n FROM logs WHERE {least:Int64} > 0 SETTINGS join_use_nulls = 1": "mine/slow/clickhouse.sql:1:55: SETTINGS are not supported",
	} {
		for _, dialect := range []sqlq.Dialect{duckdbsql.Dialect{}, clickhouse.Dialect{}} {
			_, err := readFolder(t, dialect, map[string]string{"clickhouse.sql": text})
			assert.ErrorContains(t, err, want, text)
		}
	}
}
