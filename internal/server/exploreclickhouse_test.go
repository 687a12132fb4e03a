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

// ADR 059: a token reads the events of its projects in the table logs.
func TestExploreClickHouse(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	e.ingest("acme", 3)
	e.ingest("globex", 2)
	const count = "SELECT count() AS n FROM logs WHERE source = {source:String}"
	const edge = `{"source":"edge_logs"}`
	for _, test := range []struct {
		token, sql, params, want string
		status                   int
	}{
		{"full", count, edge, `"result":[{"n":5}]`, http.StatusOK},
		{"acme", count, edge, `"result":[{"n":3}]`, http.StatusOK},
		{"both", count, `{"source":"edge_logs","project":"globex"}`, `"result":[{"n":2}]`, http.StatusOK},
		{"acme", count, `{"source":"edge_logs","project":"globex"}`, "the token does not allow this project", http.StatusForbidden},
		{"full", count, "{}", `"message":"source: is required`, http.StatusBadRequest},
		{"full", "SELECT count() AS n FROM logs WHERE {id:Nullable(String)} IS NULL OR id = {id:Nullable(String)}", "{}", `"result":[{"n":5}]`, http.StatusOK},
		{"acme", "SELECT 1 AS one", "{}", `"result":[{"one":1}]`, http.StatusOK},
		{"full", "SELECT id\nFROM edge_logs", "{}", `"line":2,"column":6}`, http.StatusBadRequest},
		{"tenant", count, edge, "the table logs has no column for it", http.StatusForbidden},
	} {
		status, body := e.in(explorehttp.ClickHouse, test.token, explorehttp.Path, test.sql, test.params)
		assert.Equal(t, test.status, status, "%s %s\n%s", test.token, test.sql, body)
		assert.Contains(t, body, test.want, "%s %s", test.token, test.sql)
	}
	status, body := e.in(explorehttp.ClickHouse, "full", explorehttp.CheckPath, "SELECT count() AS n FROM logs WHERE id = {id:String} AND timestamp > {since:Nullable(DateTime)}", "{}")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"parameters":[{"name":"id","type":"STRING","required":true},{"name":"since","type":"TIMESTAMP","required":false}],"bytes":0}`, body)
	status, body = e.in(explorehttp.ClickHouse, "full", explorehttp.CheckPath, "SELECT coun() FROM logs", "{}")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `"line":1,"column":8}`)
}

// The schema of a dialect has its tables and its functions.
func TestExploreSchemaOfClickHouse(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	schemaOf := func(token, dialect string) (schema explorehttp.Schema) {
		require.NoError(t, json.Unmarshal(e.send(token, explorehttp.SchemaPath+"?dialect="+dialect, "", "").Body.Bytes(), &schema))
		return schema
	}
	schema := schemaOf("acme", explorehttp.ClickHouse)
	require.Len(t, schema.Tables, 1)
	logs := schema.Tables[0]
	assert.Equal(t, "logs", logs.Name)
	assert.Equal(t, explorehttp.Column{Name: "log_attributes", Type: "Map(String, String)", Description: logs.Columns[5].Description}, logs.Columns[5])
	assert.Contains(t, logs.Columns[4].Values, "edge_logs", "the sources")
	assert.Contains(t, logs.Columns[3].Values, "ERROR", "the severities")
	assert.Contains(t, logs.Members["request"], "path", "of edge_logs")
	assert.Contains(t, logs.Members["parsed"], "error_severity", "of postgres_logs")
	assert.Contains(t, schema.Functions, explorehttp.Function{
		Name: "quantile", Constants: "level", Params: "Number", Result: "Float64", Note: "The value at a level such as 0.95, interpolated. It is exact here.",
	})
	assert.Contains(t, schema.Dialects, explorehttp.ClickHouse)
	assert.Empty(t, schema.Withheld)
	assert.Empty(t, schemaOf("acme", explorehttp.DuckDB).Functions, "they are not listed")
	schema = schemaOf("tenant", explorehttp.ClickHouse)
	assert.Empty(t, schema.Tables)
	assert.Equal(t, []string{"logs"}, schema.Withheld)
	response := e.send("acme", explorehttp.SchemaPath+"?dialect=mysql", "", "")
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Contains(t, response.Body.String(), "dialect: must be googlesql, clickhouse or duckdb")
}

// A saved query has its SQL in clickhouse.sql, and is served. Other SQL than that over logs would be another dialect there.
func TestExploreSaveClickHouse(t *testing.T) {
	t.Parallel()
	e := newExplores(t, func(config *Config) { config.Dev = true })
	save := func(token, name, sql, more string) (int, string) {
		response := e.send(token, explorehttp.SavePath, `{"name":"`+name+`","dialect":"clickhouse","sql":"`+sql+`"`+more+`}`, "")
		return response.Code, response.Body.String()
	}
	const sql = "SELECT id, {n:Nullable(Int64)} AS n FROM logs WHERE source = {source:String}"
	status, body := save("full", "mine.ids", sql, "")
	require.Equal(t, http.StatusCreated, status, body)
	folder := filepath.Join(e.dir, "mine.ids")
	written, err := os.ReadFile(filepath.Join(folder, "clickhouse.sql"))
	require.NoError(t, err)
	assert.Equal(t, sql+"\n", string(written))
	described, err := os.ReadFile(filepath.Join(folder, "query.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(described), "  - name: source\n    type: STRING\n    required: true")
	assert.NotContains(t, string(described), "    type: INT64\n    required: true", "a Nullable parameter is optional")
	e.reload(t.Context(), false)
	query, found := e.current.Load().catalog.Find("mine.ids")
	require.True(t, found, "a reload serves it: %s", e.log)
	_, language := query.Written()
	assert.Equal(t, "clickhouse", language)

	status, body = save("full", "mine.ids", sql+" ORDER BY id", `,"replace":true`)
	require.Equal(t, http.StatusCreated, status, body)
	written, err = os.ReadFile(filepath.Join(folder, "clickhouse.sql"))
	require.NoError(t, err)
	assert.Equal(t, sql+" ORDER BY id\n", string(written))
	for _, test := range []struct{ name, sql, more, want string }{
		{"mine.one", "SELECT 1 AS one", "", "sql: must read the table logs"},
		{"mine.ids", "SELECT 1 AS one", `,"replace":true`, "sql: must read the table logs"},
		{"mine.one", "SELECT nosuch FROM logs", "", `"line":1,"column":8}`},
		{"mine.ids", "SELECT nosuch FROM logs", `,"replace":true`, "nosuch"},
	} {
		status, body := save("full", test.name, test.sql, test.more)
		assert.Equal(t, http.StatusBadRequest, status, body)
		assert.Contains(t, body, test.want, test.sql)
	}
	assert.NoDirExists(t, filepath.Join(e.dir, "mine.one"))
	status, _ = save("acme", "mine.of-acme", sql, "")
	assert.Equal(t, http.StatusOK, status, "it is downloaded")
	status, body = save("tenant", "mine.of-tenant", sql, "")
	assert.Equal(t, http.StatusForbidden, status, body)
}
