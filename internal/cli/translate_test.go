package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const failedRequests = `SELECT TIMESTAMP_TRUNC(t.timestamp, HOUR) AS hour, COUNTIF(response.status_code >= 500) AS failed
FROM edge_logs AS t
CROSS JOIN UNNEST(metadata) AS m
CROSS JOIN UNNEST(m.response) AS response
WHERE t.timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
GROUP BY hour ORDER BY hour
`

// writeSQL returns a file with SQL.
func writeSQL(t *testing.T, sql string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "query.sql")
	require.NoError(t, os.WriteFile(file, []byte(sql), 0o600))
	return file
}

// A stored query becomes one over the table logs, with remarks, or SQL of the embedded engine.
func TestTranslate(t *testing.T) {
	t.Parallel()
	file := writeSQL(t, failedRequests)
	status, stdout, stderr := runCommand(t, "translate", file, "--to=clickhouse")
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, `-- remark: line 1: a field that an event does not have is '' instead of NULL, so the empty text counts as missing, too
-- remark: line 4: events without response are rows, too, which CROSS JOIN UNNEST leaves out; where it is a list of several, only the first element is there
SELECT
  toStartOfHour(t.timestamp) AS hour,
  countIf(toFloat64OrNull(log_attributes['response.status_code']) >= 500) AS failed
FROM logs AS t
WHERE source = 'edge_logs'
  AND t.timestamp > now() - INTERVAL 1 DAY
GROUP BY hour
ORDER BY hour
`, stdout)
	status, stdout, stderr = runCommand(t, "translate", file, "--to=duckdb")
	assert.Equal(t, statusOK, status, stderr)
	assert.Contains(t, stdout, `FROM "edge_logs"`)
	var out strings.Builder
	command := translateCommand{File: standardInput, To: "clickhouse"}
	require.NoError(t, command.Run(&terminal{stdin: strings.NewReader("SELECT COUNT(*) AS n FROM auth_logs;"), stdout: &out}))
	assert.Equal(t, "SELECT\n  count() AS n\nFROM logs\nWHERE source = 'auth_logs'\n", out.String())
}

// A table of a directory is a log source, and one that nobody knows is, too, with a remark.
func TestTranslateSources(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := runCommand(t, "translate", writeSQL(t, "SELECT id FROM `shop.orders.prod` WHERE @country IS NULL"), "--to=clickhouse", "--tables", writeTables(t, ordersTable))
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, "SELECT\n  id\nFROM logs\nWHERE source = 'orders'\n  AND {country:Nullable(String)} IS NULL\n", stdout)
	status, stdout, stderr = runCommand(t, "translate", writeSQL(t, "SELECT id FROM edge_log"), "--to=clickhouse")
	assert.Equal(t, statusOK, status, stderr)
	assert.Contains(t, stdout, "-- remark: line 1: edge_log is no log source of Supabase that savedq knows, so it is read by this name; did you mean edge_logs?\nSELECT\n  id\nFROM logs\nWHERE source = 'edge_log'\n")
}

// What cannot be translated is an error with its place.
func TestTranslateMistakes(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT id\nFROM edge_logs\nWHERE x ilike 'a'": "query.sql:3:9: ",
		"SELECT ARRAY(SELECT 1) AS x FROM edge_logs":   "query.sql:1:8: structs, ARRAY subqueries and WITH in an expression cannot be written for the table logs",
		"SELECT project FROM edge_logs":                "query.sql:1:8: there is no column project here",
		"":                                             "query.sql:1:1: ",
	} {
		status, stdout, stderr := runCommand(t, "translate", writeSQL(t, sql), "--to=clickhouse")
		assert.Equal(t, statusFailed, status, sql)
		assert.Empty(t, stdout, sql)
		assert.Contains(t, stderr, want, sql)
	}
	status, _, stderr := runCommand(t, "translate", filepath.Join(t.TempDir(), "none.sql"), "--to=clickhouse")
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "none.sql: no such file or directory")
	status, _, stderr = runCommand(t, "translate", "-", "--to=bigquery")
	assert.Equal(t, statusUsage, status)
	assert.Contains(t, stderr, "--to")
	status, _, stderr = runCommand(t, "translate", writeSQL(t, "SELECT id FROM edge_log"), "--to=duckdb")
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "query.sql:1:16: there is no table edge_log; did you mean edge_logs?")
}
