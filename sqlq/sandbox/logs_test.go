package sandbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/clickhouse"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sandbox"
	"savedq/sqlq/tables"
)

const logsYAML = `id: 11111111-1111-4111-8111-111111111111
name: mine.logs
description: Logs.
cache: 900s
warm: 300s
sandbox: logs
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project.}
  - {name: iso_timestamp_start, type: TIMESTAMP, description: Start.}
columns:
  - {name: id, type: STRING, description: Id.}
`

const logsSQL = "SELECT id FROM edge_logs WHERE project = @project AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '2000-01-01')"

// codeOf returns the code of an error.
func codeOf(t *testing.T, err error) sqlq.Code {
	t.Helper()
	var failure *sqlq.Error
	require.ErrorAs(t, err, &failure)
	return failure.Code
}

// D52: SQL of a caller reads the table logs with the rows of the project and the times, whatever it says.
func TestLogs(t *testing.T) {
	t.Parallel()
	saved, err := read(duckdbsql.Dialect{}, logsYAML, logsSQL)
	require.NoError(t, err)
	sandboxes := sandbox.New(duckdbsql.Dialect{}, 0)
	for _, sql := range []string{
		"SELECT id, timestamp, log_attributes FROM logs WHERE source = 'edge_logs'",
		"SELECT id, timestamp, log_attributes FROM (SELECT * FROM logs) AS t",
		"WITH t AS (SELECT * FROM logs) SELECT id, timestamp, log_attributes FROM t",
	} {
		query, err := sandboxes.Query(saved, sql, nil)
		require.NoError(t, err, sql)
		assert.Contains(t, query.SQL, "$project", sql)
		assert.Contains(t, query.SQL, "$iso_timestamp_start", sql)
		assert.Equal(t, saved, query.Callers.Saved)
		assert.Zero(t, query.Warm)
		var types []sqlq.Type
		for _, column := range query.Columns {
			types = append(types, column.Type)
		}
		assert.Equal(t, []sqlq.Type{sqlq.String, sqlq.Datetime, sqlq.JSON}, types, sql)
	}
	for sql, want := range map[string]string{
		"SELECT id FROM edge_logs":                           "sql: line 1, column 16: ",
		"SELECT name FROM system.tables":                     "sql: line 1, column 18: ",
		"SELECT id FROM logs WHERE source = {wanted:String}": "sql: the parameter wanted is not declared; write its value",
		"": "sql: the SQL is empty; write a SELECT",
	} {
		_, err := sandboxes.Query(saved, sql, nil)
		require.Error(t, err, sql)
		assert.Equal(t, sqlq.InvalidArgument, codeOf(t, err), sql)
		assert.Contains(t, err.Error(), want, sql)
	}
}

// A project whose rows callers read is needed, and no other scope can hold.
func TestCheckLogs(t *testing.T) {
	t.Parallel()
	for old, test := range map[string]struct{ change, want string }{
		"scope: project, required: true": {"required: true", "needs a parameter with scope: project"},
		"  - {name: iso_timestamp_start, type: TIMESTAMP, description: Start.}": {
			"  - {name: iso_timestamp_start, type: STRING, scope: tier, allowed: [FREE], description: Start.}", "no column for the scope tier of the parameter iso_timestamp_start",
		},
	} {
		_, err := read(duckdbsql.Dialect{}, strings.Replace(logsYAML, old, test.change, 1), strings.Replace(logsSQL, "@iso_timestamp_start", "CAST(@iso_timestamp_start AS TIMESTAMP)", 1))
		assert.ErrorContains(t, err, test.want)
	}
}

// Exploring reads the rows that the limits of a token allow, and refuses limits that the table has no column for.
func TestExploreLogs(t *testing.T) {
	t.Parallel()
	sql := "SELECT count() AS n FROM logs WHERE source = {source:String} AND ({path:Nullable(String)} IS NULL OR event_message = {path:Nullable(String)})"
	query, err := sandbox.ExploreLogs("duckdb", tables.Shipped(), []sandbox.Limit{{Name: "project", IsProject: true}}, sql)
	require.NoError(t, err)
	assert.Equal(t, []string{"project", "source", "path"}, query.ParamNames())
	assert.True(t, query.Params[1].Required)
	assert.False(t, query.Params[2].Required)
	derived, err := sandbox.New(duckdbsql.Dialect{}, 0).Query(query, sql, nil)
	require.NoError(t, err)
	assert.Contains(t, derived.SQL, "$project")
	_, err = sandbox.ExploreLogs("duckdb", tables.Shipped(), []sandbox.Limit{{Name: "country"}}, sql)
	assert.Equal(t, sqlq.PermissionDenied, codeOf(t, err))
	_, err = sandbox.ExploreLogs("bigquery", tables.Shipped(), nil, sql)
	assert.ErrorContains(t, err, "runs on the embedded engine and on ClickHouse, not on bigquery")
}

// On ClickHouse, SQL of callers is written in ClickHouse's SQL, and knows where the operator's tables have their rows.
func TestOnClickHouse(t *testing.T) {
	t.Parallel()
	limits := []sandbox.Limit{{Name: "project", IsProject: true}}
	for _, test := range []struct {
		dialect clickhouse.Dialect
		want    string
	}{{clickhouse.Dialect{}, "JSON"}, {clickhouse.Dialect{OTelLogs: "otel"}, "metadata['request.method']"}} {
		sandboxes := sandbox.New(test.dialect, 0)
		saved, err := read(test.dialect, logsYAML, logsSQL)
		require.NoError(t, err)
		query, err := sandboxes.Query(saved, "SELECT log_attributes['request.method'] AS m FROM logs WHERE source = 'edge_logs'", nil)
		require.NoError(t, err)
		const over = "SELECT log_attributes['request.method'] AS m FROM logs"
		explored, err := sandbox.ExploreLogs("clickhouse", tables.Shipped(), limits, over)
		require.NoError(t, err)
		overLogs, err := sandboxes.Query(explored, over, nil)
		require.NoError(t, err)
		const google = "SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.method = 'GET'"
		explored, err = sandbox.Explore("clickhouse", tables.Shipped(), limits, google)
		require.NoError(t, err)
		overTables, err := sandboxes.Query(explored, google, nil)
		require.NoError(t, err)
		for _, sql := range []string{query.SQL, overLogs.SQL, overTables.SQL} {
			assert.Contains(t, sql, "{project:", sql)
			assert.Contains(t, sql, "`edge_logs`", sql)
			assert.Contains(t, strings.NewReplacer("t1.log_attributes", "metadata", "`", "").Replace(sql), test.want, sql)
			assert.NotContains(t, sql, "$project", sql)
		}
	}
}
