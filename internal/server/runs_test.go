package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runsOf returns the rows of SQL over savedq_runs, with what waits to be written.
func (e *explores) runsOf(token, sql string) string {
	e.t.Helper()
	e.runs.Write(e.t.Context())
	return e.run(token, sql, `{}`)
}

// Each interface notes its runs, with the token, the arguments and what came of it.
func TestRunsOfInterfaces(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	for _, path := range []string{"/api/endpoints/mine.changing?p1=2", "/api/endpoints/mine.changing?p1=2", "/api/endpoints/mine.changing?p1=x"} {
		e.get(path)
	}
	post := func(path, body string) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response := httptest.NewRecorder()
		e.handler.ServeHTTP(response, request)
		require.Equal(t, http.StatusOK, response.Code, response.Body)
	}
	for range 2 { // the second response is encoded already
		post("/graphql", `{"query":"{ mineChanging(p1: 2) { first } }"}`)
	}
	post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mine_changing","arguments":{"p1":2}}}`)
	require.Contains(t, e.run("acme", "SELECT COUNT(*) AS n FROM edge_logs", `{}`), `"n":0`)
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(e.runsOf("full", "SELECT query, interface, token, subject, project, arguments, cache, row_count, bytes > 0 AS has_bytes, duration_ms >= 0 AS took, code FROM savedq_runs ORDER BY timestamp")), &rows))
	require.Len(t, rows, 7)
	hash := rows[0]["arguments"]
	assert.Regexp(t, "^[0-9a-f]{16}$", hash)
	row := func(via, cache string) map[string]any {
		return map[string]any{"query": "mine.changing", "interface": via, "token": "no-auth", "subject": nil, "project": nil, "arguments": hash, "cache": cache, "row_count": 1.0, "has_bytes": true, "took": true, "code": nil}
	}
	assert.Equal(t, []map[string]any{
		row("rest", "MISS"), row("rest", "HIT"),
		{"query": "mine.changing", "interface": "rest", "token": "no-auth", "subject": nil, "project": nil, "arguments": nil, "cache": nil, "row_count": 0.0, "has_bytes": false, "took": true, "code": "INVALID_ARGUMENT"},
		row("graphql", "HIT"), row("graphql", "HIT"), row("mcp", "HIT"),
		{"query": "explore", "interface": "explore", "token": "acme", "subject": nil, "project": "acme", "arguments": rows[6]["arguments"], "cache": "OFF", "row_count": 1.0, "has_bytes": true, "took": true, "code": nil},
	}, rows)
}

// A token sees the runs of its own projects only, and a token that is limited otherwise none: that one of its
// parameters is named like a column does not make the rows its own.
func TestRunsOfTenants(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	for _, token := range []string{"acme", "signed", "full", "both"} {
		for range 2 {
			require.Contains(t, e.run(token, "SELECT COUNT(*) AS n FROM edge_logs", `{}`), `"n":0`, token)
		}
	}
	const list = "SELECT token, project, COUNT(*) AS n FROM savedq_runs GROUP BY token, project ORDER BY token, project"
	const ofAcme, ofGlobex = `{"token":"acme","project":"acme","n":2}`, `{"token":"idp","project":"globex","n":2}`
	all := e.runsOf("full", list)
	assert.JSONEq(t, `[`+ofAcme+`,{"token":"both","project":null,"n":2},{"token":"full","project":null,"n":2},`+ofGlobex+`]`, all)
	assert.JSONEq(t, `[`+ofAcme+`]`, e.run("acme", list, `{}`))
	assert.JSONEq(t, `[`+ofGlobex+`]`, e.run("signed", list, `{}`))
	assert.JSONEq(t, `[`+ofAcme+`,`+ofGlobex+`]`, e.run("both", list, `{}`))
	assert.Contains(t, e.run("none", list, `{}`), "INVALID_ARGUMENT")
	for _, sql := range []string{
		"SELECT token FROM SAVEDQ_RUNS", "SELECT token FROM `savedq_runs`", "SELECT r.token FROM savedq_runs AS r CROSS JOIN savedq_runs AS s",
		"SELECT token FROM (SELECT * FROM savedq_runs)", "WITH x AS (SELECT * FROM savedq_runs) SELECT token FROM x",
		"SELECT (SELECT STRING_AGG(token) FROM savedq_runs) AS token", "SELECT token FROM savedq_runs WHERE project = 'globex' OR TRUE",
		"SELECT token FROM edge_logs RIGHT JOIN savedq_runs ON FALSE", "SELECT token FROM savedq_runs UNION ALL SELECT subject FROM savedq_runs",
		"SELECT TO_JSON_STRING(r) AS token FROM savedq_runs AS r", "SELECT MAX(token) AS token FROM savedq_runs GROUP BY ROLLUP(project)",
	} {
		got := e.run("acme", sql, `{"project":["globex"]}`) // which it may not ask for
		assert.Contains(t, got, "PERMISSION_DENIED", sql)
		got = e.run("acme", sql, `{}`)
		for _, hidden := range []string{"idp", "globex", "full", "both"} {
			assert.NotContains(t, got, hidden, sql)
		}
	}
	for _, name := range []string{"main.savedq_runs", "`main.savedq_runs`", "`main`.`savedq_runs`", "savedq.main.savedq_runs", "all_logs"} {
		assert.Contains(t, e.run("acme", "SELECT * FROM "+name, `{}`), "INVALID_ARGUMENT", name)
	}
	assert.Contains(t, e.run("tenant", "SELECT * FROM savedq_runs", `{}`), "the token is limited to certain values of tenant")
	var schema struct {
		Tables []struct {
			Name    string
			Columns []struct{ Name, Type, Description string }
		}
	}
	require.NoError(t, json.Unmarshal(e.send("acme", "/api/explore/schema", "", "").Body.Bytes(), &schema))
	last := schema.Tables[len(schema.Tables)-1]
	assert.Equal(t, "savedq_runs", last.Name, "completion knows the table")
	assert.Len(t, last.Columns, 12)
}

// A saved query over the runs is cached for its caching time, as over any table: its own runs are rows that do not
// make it run again, and entries of other saved queries stay.
func TestRunsCauseNoRuns(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	e.writeFile("query.yaml", `id: 11111111-1111-4111-8111-111111111111
name: mine.changing
description: Runs.
cache: 900s
warm: 300s
columns:
  - {name: n, type: INT64, description: N.}
`)
	e.writeFile("query.sql", "SELECT COUNT(*) AS n FROM savedq_runs")
	e.writeFile("duckdb.sql", "SELECT count(*) AS n FROM savedq_runs")
	require.False(t, e.reload(t.Context(), false), e.log.String())
	for range 5 {
		response := e.get("/api/endpoints/mine.changing")
		require.JSONEq(t, `{"result":[{"n":0}]}`, response.Body.String())
		e.runs.Write(t.Context())
	}
	assert.JSONEq(t, `[{"cache":"HIT","n":4},{"cache":"MISS","n":1}]`, e.run("full", "SELECT cache, COUNT(*) AS n FROM savedq_runs GROUP BY cache ORDER BY cache", `{}`))
}
