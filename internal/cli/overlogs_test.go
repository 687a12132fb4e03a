package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// "new" makes a folder of ClickHouse's SQL over the table logs, with the types that the SQL says.
func TestNewOverLogs(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "queries")
	sql := writeFile(t, filepath.Join(t.TempDir(), "slow.sql"), "SELECT toStartOfHour(timestamp) AS hour, count() AS n, any(log_attributes) AS sample\n"+
		"FROM logs WHERE source = {source:String} AND toInt32OrZero(log_attributes['response.origin_time']) > {least:Int64} GROUP BY hour ORDER BY hour")
	status, stdout, stderr := runCommand(t, "new", "mine.slow", "--sql", sql, "--dialect", "clickhouse", "--queries", directory)
	require.Equal(t, statusOK, status, stderr)
	assert.Contains(t, stdout, "is ClickHouse's SQL over the table logs, which runs on the embedded engine and on ClickHouse.\n")
	assert.FileExists(t, filepath.Join(directory, "mine.slow", "clickhouse.sql"))
	yaml, err := os.ReadFile(filepath.Join(directory, "mine.slow", "query.yaml"))
	require.NoError(t, err)
	for _, want := range []string{"  - name: source\n    type: STRING\n", "  - name: least\n    type: INT64\n", "  - name: hour\n    type: TIMESTAMP\n", "  - name: n\n    type: INT64\n", "  - name: sample\n    type: JSON\n"} {
		assert.Contains(t, string(yaml), want)
	}
	status, _, stderr = runCommand(t, "new", "mine.wrong", "--sql", writeFile(t, filepath.Join(t.TempDir(), "wrong.sql"), "SELECT nope FROM logs"), "--dialect", "clickhouse", "--queries", directory)
	assert.NotEqual(t, statusOK, status)
	assert.Contains(t, stderr, "wrong.sql:1:8: there is no column nope")
	status, _, stderr = runCommand(t, "new", "mine.other", "--sql", sql, "--dialect", "clickhouse", "--engine", "bigquery", "--bigquery-project", "p", "--bigquery-dataset", "d", "--queries", directory)
	assert.NotEqual(t, statusOK, status)
	assert.Contains(t, stderr, "--dialect: SQL over the table logs runs on the embedded engine and on ClickHouse, not on bigquery")
}

// The cases of a saved query over the table logs give events, of which it reads those of its project.
func TestOverLogsCases(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	folder := filepath.Join(directory, "mine.slow")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "tests"), 0o755))
	writeFile(t, filepath.Join(folder, "query.yaml"), `id: 33333333-3333-4333-8333-333333333333
name: mine.slow
description: Slow requests by hour.
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project.}
  - {name: least, type: INT64, default: 100, description: Milliseconds.}
columns:
  - {name: hour, type: TIMESTAMP, description: Hour.}
  - {name: n, type: INT64, description: Requests.}
`)
	writeFile(t, filepath.Join(folder, "clickhouse.sql"), `SELECT toStartOfHour(timestamp) AS hour, count() AS n
FROM logs
WHERE source = 'edge_logs' AND toInt32OrZero(log_attributes['response.origin_time']) > {least:Int64}
GROUP BY hour
ORDER BY hour
`)
	writeFile(t, filepath.Join(folder, "tests", "cases.yaml"), `cases:
  - name: slow ones of the project
    now: 2026-11-20T12:00:00Z
    params: {project: a}
    events:
      edge_logs:
        - {project: a, timestamp: 2026-11-20T10:05:00Z, event_message: x, metadata: [{response: [{origin_time: 200}]}]}
        - {project: a, timestamp: 2026-11-20T10:15:00Z, event_message: x, metadata: [{response: [{origin_time: 50}]}]}
        - {project: b, timestamp: 2026-11-20T10:25:00Z, event_message: x, metadata: [{response: [{origin_time: 300}]}]}
      auth_logs:
        - {project: a, timestamp: 2026-11-20T10:35:00Z, event_message: x, metadata: [{response: [{origin_time: 400}]}]}
    expect:
      rows:
        - {hour: 2026-11-20T10:00:00Z, n: 1}
`)
	status, stdout, stderr := runCommand(t, "check", "--queries", directory)
	assert.Equal(t, statusOK, status, stdout+stderr)
	status, stdout, stderr = runCommand(t, "test", "mine.slow", "--queries", directory)
	assert.Equal(t, statusOK, status, stdout+stderr)
}

// ClickHouse's SQL over the table logs is translated for DuckDB.
func TestTranslateOverLogs(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := runCommand(t, "translate", writeSQL(t, "SELECT count() AS n FROM logs WHERE source = {source:String}"), "--from=clickhouse", "--to=duckdb")
	assert.Equal(t, statusOK, status, stderr)
	assert.Contains(t, stdout, "$source")
	assert.Contains(t, stdout, "all_logs")
	status, _, stderr = runCommand(t, "translate", writeSQL(t, "SELECT count() AS n\nFROM edge_logs"), "--from=clickhouse", "--to=duckdb")
	assert.NotEqual(t, statusOK, status)
	assert.Contains(t, stderr, ":2:6: there is no table edge_logs; its rows are in logs")
	status, _, stderr = runCommand(t, "translate", writeSQL(t, "SELECT 1"), "--from=clickhouse", "--to=clickhouse")
	assert.NotEqual(t, statusOK, status)
	assert.Contains(t, stderr, "--to: the SQL is ClickHouse's already")
}
