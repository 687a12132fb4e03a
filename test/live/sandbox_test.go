package live_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sandboxYAML = `id: 3c1e6a2f-5b4d-4c3a-9f8e-7d6c5b4a3928
name: mine.logs
description: Number of edge logs.
cache: 60s
sandbox: enabled
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project reference.}
columns:
  - {name: count, type: INT64, description: Number of edge logs.}
`

const sandboxSQL = `WITH edge_logs AS (SELECT id, timestamp, metadata FROM edge_logs WHERE project = @project)
SELECT COUNT(*) AS count FROM edge_logs
`

// writeSandbox makes a directory with one folder of a saved query with a sandbox.
func writeSandbox(t *testing.T) string {
	t.Helper()
	directory := writeQuery(t, sandboxYAML, sandboxSQL)
	folder := filepath.Join(directory, "slowest")
	require.NoError(t, os.Rename(filepath.Join(folder, "duckdb.sql"), filepath.Join(folder, "query.sql")))
	return directory
}

// D40: callers send SQL to a saved query with a sandbox on every interface, and get the rows, or an error with the
// place in their text.
func TestSandbox(t *testing.T) {
	t.Parallel()
	data, queries := filepath.Join(t.TempDir(), "data"), writeSandbox(t)
	loadSamples(t, data)
	const sql = "SELECT 'x' AS `A b`, COUNT(*) > 0 AS many FROM edge_logs"
	const want = `{"result":[{"A b":"x","many":true}]}`
	outcome := run(t, "query", "mine.logs", "project=acme", "--sql", sql, "--format", "json", "--data", data, "--queries", queries)
	assert.Equal(t, want+"\n", outcome.stdout, outcome.stderr)
	outcome = run(t, "query", "mine.logs", "project=acme", "--sql", "SELECT x", "--data", data, "--queries", queries)
	assert.Contains(t, outcome.stderr, "sql: line 1, column 8: there is no column x here")
	outcome = run(t, "query", "logs.all", "project=acme", "--sql", "SELECT 1 AS n", "--data", data)
	assert.Contains(t, outcome.stderr, `logs.all has no sandbox; --sql needs "sandbox: enabled" in its query.yaml`)

	s := serve(t, "--data", data, "--queries", queries)
	const path = "/api/endpoints/query/mine.logs?project=acme"
	assert.Equal(t, want, s.get(t, path+"&sql="+url.QueryEscape(sql)))
	assert.Equal(t, want, s.get(t, "/api/endpoints/query/3c1e6a2f-5b4d-4c3a-9f8e-7d6c5b4a3928?project=acme&sql="+url.QueryEscape(sql)))
	assert.Equal(t, want, body(t, s.send(t, http.MethodPost, path, strings.NewReader(`{"sql":"`+sql+`"}`))))
	assert.Regexp(t, `^{"result":\[{"count":\d+}\]}$`, s.get(t, path), "no SQL is the saved query itself")
	assert.Equal(t, s.get(t, path), s.get(t, path+"&sql="))

	// The cache knows SQL by its meaning, not by its spaces and comments.
	again := s.send(t, http.MethodGet, path+"&sql="+url.QueryEscape(strings.ReplaceAll(sql, " FROM", "\n-- all\n  FROM")), nil)
	assert.Equal(t, "HIT", again.Header.Get("X-Cache"))
	assert.Equal(t, want, body(t, again))

	var answer struct {
		MineLogsSQL struct {
			Columns   []struct{ Name, Type string }
			Rows      []map[string]any
			Truncated bool
		} `json:"mineLogsSql"`
	}
	s.graphql(t, `{ mineLogsSql(project: "acme", sql: "SELECT COUNT(*) > 0 AS many FROM edge_logs") { columns { name type } rows truncated } }`, &answer)
	assert.Equal(t, []map[string]any{{"many": true}}, answer.MineLogsSQL.Rows)
	assert.Equal(t, []struct{ Name, Type string }{{"many", "BOOL"}}, answer.MineLogsSQL.Columns)
	assert.Contains(t, s.get(t, "/openapi.json"), `"description":"A SELECT in GoogleSQL to run in place of the endpoint's own. It reads edge_logs.`)

	for target, message := range map[string]string{
		path + "&sql=SELECT%20x":                                         `"sql: line 1, column 8: there is no column x here"`,
		path + "&sql=SELECT+1+AS+n&sql=SELECT+2+AS+n":                    `"sql: is given 2 times; give it once"`,
		path + "&lql=select":                                             `"lql: this saved query runs its own SQL only; leave lql out"`,
		"/api/endpoints/query/logs.all?project=acme&sql=SELECT%201":      `"sql: this saved query runs its own SQL only; leave sql out"`,
		"/api/endpoints/query/mine.logs?sql=SELECT%201":                  `"project: is required and must not be empty"`,
		path + "&sql=" + url.QueryEscape("SELECT 1 AS n FROM auth_logs"): `"sql: line 1, column 20: there is no table auth_logs; the tables are edge_logs"`,
	} {
		response := s.send(t, http.MethodGet, target, nil)
		text, err := read(t, response)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode, target)
		assert.Contains(t, text, message, target)
	}
	for document, message := range map[string]string{
		`{ mineLogsSql(project: \"acme\", sql: \"SELECT x\") { rows } }`: "sql: line 1, column 8: there is no column x here",
		`{ mineLogsSql(project: \"acme\", sql: \" \") { rows } }`:        "sql: must not be empty",
		`{ mineLogsSql(project: \"acme\") { rows } }`:                    `argument \"sql\" of type \"String!\" is required`,
		`{ mineLogs(project: \"acme\", sql: \"SELECT 1\") { count } }`:   `Unknown argument \"sql\"`,
	} {
		response := s.send(t, http.MethodPost, "/graphql", strings.NewReader(`{"query":"`+document+`"}`))
		text, err := read(t, response)
		require.NoError(t, err)
		assert.Contains(t, text, message, document)
	}
}

// D40: only a token with sandbox may send SQL, within its other limits.
func TestSandboxNeedsItsToken(t *testing.T) {
	t.Parallel()
	data, queries := filepath.Join(t.TempDir(), "data"), writeSandbox(t)
	loadSamples(t, data)
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	created := map[string]string{}
	var entries strings.Builder
	entries.WriteString("tokens:\n")
	for name, flags := range map[string][]string{"plain": nil, "sandbox": {"--sandbox"}, "project": {"--sandbox", "--projects", "other"}} {
		made := run(t, append([]string{"token", "new", "--name", name}, flags...)...)
		require.Zero(t, made.status, made.stderr)
		_, entry, _ := strings.Cut(made.stdout, "\ntokens:\n")
		created[name] = regexp.MustCompile(`savedq_[\w-]{43}`).FindString(made.stdout)
		entries.WriteString(entry)
	}
	require.NoError(t, os.WriteFile(tokens, []byte(entries.String()), 0o600))
	s := serve(t, "--data", data, "--queries", queries, "--tokens", tokens)
	const count = "/api/endpoints/mine.logs?sql=SELECT%20COUNT(*)%20AS%20n%20FROM%20edge_logs"
	for _, test := range []struct {
		token, target, want string
		status              int
	}{
		{"sandbox", count + "&project=acme", `{"result":[{"n":`, http.StatusOK},
		{"plain", count + "&project=acme", `"the token may not send SQL; use one with sandbox, or leave sql out"`, http.StatusForbidden},
		{"plain", "/api/endpoints/mine.logs?project=acme", `{"result":[{"count":`, http.StatusOK},
		{"project", count, `{"result":[{"n":0}]}`, http.StatusOK},
		{"project", count + "&project=acme", `"project: the token does not allow this project"`, http.StatusForbidden},
	} {
		s.token = created[test.token]
		response := s.send(t, http.MethodGet, test.target, nil)
		text, err := read(t, response)
		require.NoError(t, err)
		assert.Equal(t, test.status, response.StatusCode, test)
		assert.Contains(t, text, test.want, test)
	}
}
