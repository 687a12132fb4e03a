package server

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/explorehttp"
)

// in returns the status and the body of the response to SQL of a token in a dialect.
func (e *explores) in(dialect, token, path, sql, params string) (status int, body string) {
	e.t.Helper()
	text, err := json.Marshal(sql)
	require.NoError(e.t, err)
	response := e.send(token, path, `{"dialect":"`+dialect+`","sql":`+string(text)+`,"params":`+params+`}`, "")
	return response.Code, response.Body.String()
}

// ADR 049: with --dev, a token without limits runs what it could write to a folder.
func TestExploreDuckDB(t *testing.T) {
	t.Parallel()
	e := newExplores(t, func(config *Config) { config.Dev = true })
	e.ingest("acme", 3)
	e.ingest("globex", 2)
	for _, test := range []struct{ sql, params, want string }{
		{"FROM edge_logs SELECT project, count(*) AS n GROUP BY ALL ORDER BY project;", "{}", `"result":[{"project":"acme","n":3},{"project":"globex","n":2}]`},
		{"SELECT id FROM main.edge_logs WHERE project = $project ORDER BY id DESC LIMIT 1 -- last", `{"project":"acme"}`, `"result":[{"id":"acme2"}]`},
		{"SELECT count(*) AS n FROM edge_logs WHERE $project IS NULL OR project = $project", "{}", `"result":[{"n":5}]`},
		{"SELECT list_transform([1, 2], lambda x: x + $n) AS l, $since + INTERVAL 1 DAY AS t", `{"n":1,"since":"2026-03-01T00:00:00Z"}`, `"result":[{"l":[2,3],"t":1772409600000000}]`},
		{"WITH edge_logs AS (SELECT 1 AS a) FROM edge_logs", "{}", `"columns":[{"name":"a","type":"INT64"}],"truncated":false`},
		{"SELECT date_trunc('minute', timestamp) AS minute, count(*) AS events FROM edge_logs WHERE timestamp > $now - INTERVAL 1 HOUR GROUP BY ALL ORDER BY minute", "{}", `"name":"minute","type":"TIMESTAMP"`},
		{"SELECT i FROM range(20000) t(i)", "{}", `"truncated":true`},
	} {
		status, body := e.in(explorehttp.DuckDB, "full", "/api/explore", test.sql, test.params)
		assert.Equal(t, http.StatusOK, status, "%s\n%.300s", test.sql, body)
		assert.Contains(t, body, test.want, test.sql)
	}
	status, body := e.in(explorehttp.DuckDB, "full", "/api/explore/parameters", "SELECT id FROM edge_logs WHERE timestamp > $since AND ($id IS NULL OR id = $id)", "{}")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"parameters":[{"name":"since","type":"TIMESTAMP","required":true},{"name":"id","type":"STRING","required":false}]}`, body)
}

// ADR 049: SQL in DuckDB's dialect changes nothing, and reads nothing but the tables. Mistakes have their place.
func TestExploreDuckDBRejects(t *testing.T) {
	t.Parallel()
	e := newExplores(t, func(config *Config) { config.Dev = true })
	for sql, want := range map[string]string{
		"SELECT id\nFROM nothing":                                   `"line":2,"column":6`,
		"SELECT nosuch FROM edge_logs":                              `"line":1,"column":8`,
		"SELECT FROM":                                               `"argument":"sql"`,
		"SELECT count(*) FROM edge_logs":                            "the name of column 1",
		"SELECT CAST(id AS INTEGER) AS n FROM (VALUES ('x')) v(id)": `"argument":"sql"`,
		"SELECT id FROM edge_logs WHERE id = $id":                   `"message":"id: is required`,
		"DELETE FROM edge_logs":                                     "is not a SELECT",
		"DELETE FROM edge_logs RETURNING id":                        "is not a SELECT",
		"WITH d AS (DELETE FROM edge_logs RETURNING id) FROM d":     `"argument":"sql"`,
		"SELECT 1 AS a; DROP TABLE edge_logs":                       `"argument":"sql"`,
		"COPY (SELECT 1) TO '/tmp/x'":                               "is not a SELECT",
		"SET threads = 1":                                           "is not a SELECT",
		"PRAGMA database_list":                                      "is not a SELECT",
		"ATTACH '/tmp/x.db'":                                        "is not a SELECT",
		"INSTALL httpfs":                                            "is not a SELECT",
		"EXPLAIN ANALYZE SELECT 1":                                  "is not a SELECT",
		"SELECT * FROM read_csv('/etc/passwd')":                     "the table function read_csv is not allowed",
		"SELECT * FROM read_text('/etc/passwd')":                    "the table function read_text is not allowed",
		"SELECT * FROM glob('/*')":                                  "the table function glob is not allowed",
		"SELECT * FROM '/etc/passwd'":                               "is not the name of a table",
		"SELECT * FROM duckdb_settings()":                           "the table function duckdb_settings is not allowed",
		"SELECT * FROM query('SELECT 1')":                           "the table function query is not allowed",
		"SELECT * FROM query_table('edge_logs')":                    "the table function query_table is not allowed",
		"SELECT * FROM duckdb_tables":                               "is internal to DuckDB",
		"SELECT table_name FROM information_schema.tables":          "is internal to DuckDB",
		"SELECT getenv('HOME') AS h":                                "the function getenv is not allowed",
		"SELECT (SELECT current_setting('threads')) AS s":           "the function current_setting is not allowed",
		"SUMMARIZE edge_logs":                                       `"argument":"sql"`,
	} {
		status, body := e.in(explorehttp.DuckDB, "full", "/api/explore", sql, "{}")
		assert.Equal(t, http.StatusBadRequest, status, "%s\n%s", sql, body)
		assert.Contains(t, body, want, sql)
	}
	response := e.send("full", "/api/explore", `{"dialect":"mysql","sql":"SELECT 1 AS a"}`, "")
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Contains(t, response.Body.String(), "dialect: must be googlesql, clickhouse or duckdb")
}

// ADR 049: whoever could not write a folder cannot send DuckDB's SQL, to any path, and is not offered it.
func TestExploreDuckDBIsForDevelopers(t *testing.T) {
	t.Parallel()
	dev, serving := newExplores(t, func(config *Config) { config.Dev = true }), newExplores(t, unchanged)
	for _, test := range []struct {
		*explores
		token string
		want  []string
	}{{dev, "full", []string{"googlesql", "clickhouse", "duckdb"}}, {dev, "acme", []string{"googlesql", "clickhouse"}}, {dev, "signed", []string{"googlesql", "clickhouse"}}, {serving, "full", []string{"googlesql", "clickhouse"}}} {
		e := test.explores
		var schema explorehttp.Schema
		require.NoError(t, json.Unmarshal(e.send(test.token, "/api/explore/schema", "", "").Body.Bytes(), &schema))
		assert.Equal(t, test.want, schema.Dialects)
		if len(test.want) > 2 {
			continue
		}
		for _, path := range []string{"/api/explore", "/api/explore/parameters"} {
			status, body := e.in(explorehttp.DuckDB, test.token, path, "SELECT id FROM edge_logs", "{}")
			assert.Equal(t, http.StatusBadRequest, status, body)
			assert.Contains(t, body, "dialect: duckdb is for a developer's own server")
		}
		response := e.send(test.token, "/api/explore/save", `{"name":"mine.ids","dialect":"duckdb","sql":"SELECT id FROM edge_logs"}`, "")
		assert.Equal(t, http.StatusBadRequest, response.Code, response.Body)
		assert.NoDirExists(t, filepath.Join(e.dir, "mine.ids"))
	}
}

// A saved query has its SQL in the file of its dialect, and is served.
func TestExploreSaveDuckDB(t *testing.T) {
	t.Parallel()
	e := newExplores(t, func(config *Config) { config.Dev = true })
	response := e.send("full", "/api/explore/save", `{"name":"mine.ids","dialect":"duckdb","sql":"FROM edge_logs SELECT id"}`, "")
	require.Equal(t, http.StatusCreated, response.Code, response.Body)
	written, err := os.ReadFile(filepath.Join(e.dir, "mine.ids", "duckdb.sql"))
	require.NoError(t, err)
	assert.Equal(t, "FROM edge_logs SELECT id\n", string(written))
	e.reload(t.Context(), false)
	_, found := e.current.Load().catalog.Find("mine.ids")
	assert.True(t, found, "a reload serves it: %s", e.log)
}
