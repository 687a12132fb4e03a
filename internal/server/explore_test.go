package server

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/explorehttp"
	"savedq/internal/api/format"
	"savedq/internal/api/mcp"
	"savedq/internal/auth"
	"savedq/internal/engines"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/duckdb"
)

// explorableEngine compiles SQL in the process of the test.
type explorableEngine struct {
	engines.Engine
	t *testing.T
}

func (e explorableEngine) Checker(ctx context.Context, _ engines.Environment) (engines.Checker, error) {
	store, err := logstore.OpenEmpty(ctx)
	require.NoError(e.t, err)
	return storeChecker{duckdb.New(store.DB()), store}, nil
}

type storeChecker struct {
	*duckdb.Engine
	store *logstore.Store
}

func (c storeChecker) Close() error { return c.store.Close() }

// explores is a server with tokens that may explore.
type explores struct {
	*reloads
	keyring *auth.Keyring
	guarded http.Handler
}

// newExplores returns a server that holds events of two projects.
func newExplores(t *testing.T, change func(*Config)) *explores {
	t.Helper()
	r := newReloads(t, func(config *Config) {
		config.Engine = explorableEngine{config.Engine, t}
		change(config)
	})
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{
			{Token: auth.FullAccess("full"), Hash: auth.HashOf("full")},
			{Token: auth.Token{Name: "reader", Sandbox: true, Ingest: true}, Hash: auth.HashOf("reader")},
			{Token: auth.Token{Name: "acme", Projects: []string{"acme"}, Explore: true}, Hash: auth.HashOf("acme")},
			{Token: auth.Token{Name: "both", Projects: []string{"acme", "globex"}, Explore: true, Endpoints: []string{"mine.changing"}}, Hash: auth.HashOf("both")},
			{Token: auth.Token{Name: "none", Projects: []string{}, Explore: true}, Hash: auth.HashOf("none")},
			{Token: auth.Token{Name: "tenant", Issuer: "idp", Subject: "u", Bound: map[string][]string{"tenant": {"x"}}, Explore: true}, Hash: auth.HashOf("tenant")},
			{Token: auth.Token{Name: "signed", Issuer: "idp", Subject: "u", Projects: []string{"globex"}, Explore: true}, Hash: auth.HashOf("signed")},
		}, nil
	})
	require.NoError(t, err)
	explore := auth.Require(r.handlers().Explore, auth.MayExplore, r.config.Logger, r.errors.Write)
	mux := http.NewServeMux()
	mux.Handle(explorehttp.Path, explore)
	mux.Handle(explorehttp.Path+"/", explore)
	mux.Handle(mcp.Path, r.handlers().MCP)
	return &explores{r, keyring, auth.Handler(mux, auth.HandlerConfig{Keyring: keyring, Clock: r.config.Clock, Logger: r.config.Logger, WriteError: r.errors.Write})}
}

// ingest stores events of a project.
func (e *explores) ingest(project string, events int) {
	e.t.Helper()
	var lines strings.Builder
	for i := range events {
		_, _ = fmt.Fprintf(&lines, `{"id":"%s%d","timestamp":"2026-03-01T10:00:00Z","project":"%[1]s","event_message":"x"}`+"\n", project, i)
	}
	request := httptest.NewRequestWithContext(e.t.Context(), http.MethodPost, "/api/logs?source=edge_logs", strings.NewReader(lines.String()))
	request.Header.Set("Content-Type", "application/x-ndjson")
	response := httptest.NewRecorder()
	auth.NoAuth(e.handlers().Ingest.JSON).ServeHTTP(response, request)
	require.Equal(e.t, http.StatusOK, response.Code, response.Body)
	require.NoError(e.t, e.writer.WaitStored(e.t.Context()))
}

func (e *explores) send(token, path, body, accept string) *httptest.ResponseRecorder {
	e.t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	request := httptest.NewRequestWithContext(e.t.Context(), method, path, strings.NewReader(body))
	request.Header.Set("X-Api-Key", token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", accept)
	response := httptest.NewRecorder()
	e.guarded.ServeHTTP(response, request)
	return response
}

// run returns the rows of SQL, or the body of the error.
func (e *explores) run(token, sql, params string) string {
	e.t.Helper()
	text, err := json.Marshal(sql)
	require.NoError(e.t, err)
	response := e.send(token, "/api/explore", `{"sql":`+string(text)+`,"params":`+params+`}`, "")
	if response.Code != http.StatusOK {
		return response.Body.String()
	}
	var body struct {
		Result       json.RawMessage `json:"result"`
		Milliseconds float64         `json:"milliseconds"`
	}
	require.NoError(e.t, json.Unmarshal(response.Body.Bytes(), &body))
	assert.Positive(e.t, body.Milliseconds)
	return string(body.Result)
}

// tool returns what the tool of SQL returns over MCP: rows as text, or the text of an error.
func (e *explores) tool(token, sql string) string {
	e.t.Helper()
	arguments, err := json.Marshal(map[string]string{"sql": sql})
	require.NoError(e.t, err)
	response := e.send(token, mcp.Path, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explore","arguments":`+string(arguments)+`}}`, "application/json, text/event-stream")
	var message struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent struct{ Rows json.RawMessage }
		}
		Error struct{ Message string }
	}
	require.NoError(e.t, json.Unmarshal(response.Body.Bytes(), &message), response.Body)
	if rows := message.Result.StructuredContent.Rows; rows != nil {
		return string(rows)
	}
	if len(message.Result.Content) == 0 {
		return message.Error.Message
	}
	return message.Result.Content[0].Text
}

// ADR 049: a token reads rows of its projects only, whatever it sends as their parameter.
func TestExploreByToken(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	e.ingest("acme", 3)
	e.ingest("globex", 2)
	const count = "SELECT project, COUNT(*) AS n FROM edge_logs GROUP BY project ORDER BY project"
	const emptyOrIn = "SELECT COUNT(*) AS n FROM edge_logs WHERE ARRAY_LENGTH(@ids) = 0 OR id IN UNNEST(@ids)"
	const ofAcme, ofGlobex = `[{"project":"acme","n":3}]`, `[{"project":"globex","n":2}]`
	const ofBoth = `[{"project":"acme","n":3},{"project":"globex","n":2}]`
	const denied = `{"error":{"code":"PERMISSION_DENIED","message":"project: the token does not allow this project","argument":"project"}}`
	for _, test := range []struct{ token, sql, params, want string }{
		{"full", count, "{}", ofBoth},
		{"full", "SELECT COUNT(*) AS n FROM edge_logs WHERE project = @project", `{"project":"acme"}`, `[{"n":3}]`},
		{"full", "SELECT @n + 1 AS n, @ids AS ids, @b AS b, @t AS t, @f AS f FROM (SELECT 1 AS one) WHERE 'a' IN UNNEST(@ids) AND @b AND @t > TIMESTAMP '2026-01-01' AND @f > 0.5", `{"n":1,"ids":["a","b"],"b":true,"t":"2026-03-01T00:00:00Z","f":1.5}`, `[{"n":2,"ids":["a","b"],"b":true,"t":1772323200000000,"f":1.5}]`},
		{"full", "SELECT COUNT(*) AS n FROM edge_logs WHERE @project IS NULL OR project = @project", `{}`, `[{"n":5}]`},
		{"full", "SELECT COUNT(*) AS n FROM edge_logs WHERE project = @project", `{"project":null}`, `[{"n":0}]`},
		{"full", "SELECT COUNT(*) AS n FROM edge_logs WHERE project = @project", `{}`, `{"error":{"code":"INVALID_ARGUMENT","message":"project: is required and must not be empty","argument":"project"}}`},
		{"full", emptyOrIn, `{"ids":[]}`, `[{"n":5}]`},
		{"full", emptyOrIn, `{"ids":["acme0"]}`, `[{"n":1}]`},
		{"full", emptyOrIn, `{"ids":["acme0","globex1"]}`, `[{"n":2}]`},
		{"full", emptyOrIn, `{"ids":[]}`, `[{"n":5}]`},
		{"full", emptyOrIn, `{}`, `{"error":{"code":"INVALID_ARGUMENT","message":"ids: is required and must not be empty","argument":"ids"}}`},
		{"full", "SELECT @n + 1 AS n", `{"n":"x"}`, `{"error":{"code":"INVALID_ARGUMENT","message":"n: `},
		{"full", "SELECT 1 AS n", `{"n":{"a":1}}`, `{"error":{"code":"INVALID_ARGUMENT","message":"n: must be a string, a number, a boolean, null, or a list of these","argument":"n"}}`},
		{"full", "SELECT id\nFROM egde_logs", `{}`, `{"error":{"code":"INVALID_ARGUMENT","message":"sql: line 2, column 6: there is no table egde_logs; did you mean edge_logs?","argument":"sql","line":2,"column":6}}`},
		{"full", " ", `{}`, `{"error":{"code":"INVALID_ARGUMENT","message":"sql: is required","argument":"sql"}}`},
		{"acme", count, "{}", ofAcme},
		{"acme", count, `{"project":"acme"}`, ofAcme},
		{"acme", count, `{"project":"globex"}`, denied},
		{"acme", count, `{"project":["globex","acme"]}`, `{"error":{"code":"INVALID_ARGUMENT","message":"project: is given 2 times; give it once","argument":"project"}}`},
		{"acme", count, `{"project":[]}`, ofAcme},
		{"acme", count, `{"project":null}`, ofAcme},
		{"acme", count, `{"Project":"globex","PROJECT":"globex"}`, ofAcme},
		{"acme", "SELECT COUNT(*) AS n FROM edge_logs WHERE project = @Project", `{"Project":"globex"}`, `[{"n":3}]`},
		{"acme", "SELECT COUNT(*) AS n FROM edge_logs WHERE project IN ('acme', 'globex')", `{}`, `[{"n":3}]`},
		{"both", count, "{}", ofBoth},
		{"both", count, `{"project":"globex"}`, ofGlobex},
		{"both", count, `{"project":["acme","globex"]}`, ofBoth},
		{"both", count, `{"project":["acme","initech"]}`, denied},
		{"both", count, `{"project":"initech"}`, denied},
		{"signed", count, `{}`, ofGlobex},
		{"signed", count, `{"project":"acme"}`, denied},
		{"none", count, "{}", `{"error":{"code":"INVALID_ARGUMENT","message":"project: is required`},
		{"none", count, `{"project":"acme"}`, denied},
		{"tenant", count, "{}", `{"error":{"code":"PERMISSION_DENIED","message":"the token is limited to certain values of tenant, and no table has that column"}}`},
		{"reader", count, "{}", `{"error":{"code":"PERMISSION_DENIED","message":"the token may not explore; use one with explore"}}`},
	} {
		got := e.run(test.token, test.sql, test.params)
		assert.True(t, strings.HasPrefix(got, test.want), "%s %s %s\n%s", test.token, test.sql, test.params, got)
		if test.params != "{}" {
			continue
		}
		switch got := e.tool(test.token, test.sql); { // over MCP it is the same
		case test.token == "reader":
			assert.Equal(t, `there is no tool "explore"; tools/list has the tools of your token`, got)
		case strings.Contains(test.want, "is required and must not be empty"):
			assert.Contains(t, got, "this tool takes no parameters; write the value into the SQL")
		default:
			assert.True(t, strings.HasPrefix(got, test.want), "%s %s\n%s", test.token, test.sql, got)
		}
	}
	assert.Equal(t, http.StatusForbidden, e.send("reader", "/api/explore/schema", "", "").Code)
	assert.Equal(t, http.StatusForbidden, e.send("reader", "/api/explore/save", `{"name":"a","sql":"SELECT 1 AS a"}`, "").Code)
	assert.Equal(t, http.StatusUnauthorized, e.send("x", "/api/explore", `{}`, "").Code)
	assert.Equal(t, http.StatusNotFound, e.send("full", "/api/explore/x", "", "").Code)
	assert.Equal(t, http.StatusMethodNotAllowed, e.send("full", "/api/explore", "", "").Code)
}

// Rows have the formats of REST, and say what was cut.
func TestExploreFormats(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	response := e.send("acme", "/api/explore", `{"sql":"SELECT n, CAST(n AS STRING) AS t FROM UNNEST(GENERATE_ARRAY(1, 20000)) AS n ORDER BY n"}`, "text/csv")
	assert.Equal(t, http.StatusOK, response.Code, response.Body)
	csv, found := format.Find("csv")
	require.True(t, found)
	assert.Equal(t, csv.ContentType(), response.Header().Get("Content-Type"))
	assert.Equal(t, "true", response.Header().Get("X-Truncated"))
	assert.Equal(t, "no-store", response.Header().Get("Cache-Control"))
	assert.Equal(t, 10_001, strings.Count(response.Body.String(), "\n"))
	response = e.send("acme", "/api/explore", `{"sql":"SELECT STRUCT(1 AS a) AS s, NUMERIC '1.50' AS n LIMIT 1"}`, "")
	assert.Contains(t, response.Body.String(), `{"columns":[{"name":"s","type":"STRUCT","fields":[{"name":"a","type":"INT64"}]},{"name":"n","type":"NUMERIC"}],"truncated":false,"milliseconds":`)
	assert.Contains(t, response.Body.String(), `,"result":[{"s":{"a":1},"n":1.5}]}`)
	for _, body := range []string{`{"sql":1}`, `{"sql":"SELECT 1 AS a","x":1}`, `{"sql":"SELECT 1 AS a"}{}`, `[]`, `x`, `{"sql":"SELECT 1 AS a","sql":"SELECT 2 AS a"}`, `{"sql":"SELECT @a AS a","params":{"a":1,"a":2}}`, "{\"sql\":\"SELECT '\xff' AS a\"}", `{"sql":"` + strings.Repeat("x", 300<<10) + `"}`} {
		assert.Equal(t, http.StatusBadRequest, e.send("acme", "/api/explore", body, "").Code, "%.40s", body)
	}
}

// The schema has what the token may read.
func TestExploreSchema(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	var schema explorehttp.Schema
	require.NoError(t, json.Unmarshal(e.send("acme", "/api/explore/schema", "", "").Body.Bytes(), &schema))
	assert.Equal(t, "edge_logs", schema.Tables[0].Name)
	assert.Equal(t, explorehttp.Column{Name: "metadata", Type: "ARRAY<STRUCT>", Description: "Details of the event."}, schema.Tables[0].Columns[4])
	assert.Contains(t, schema.Tables[0].Members["request"], "path")
	assert.Equal(t, []string{"project"}, schema.Parameters)
	assert.Greater(t, len(schema.Functions), 100)
	assert.Empty(t, schema.Withheld)
	assert.Nil(t, schema.Tables[0].Size, "the files have the rows of others")
	assert.False(t, schema.Saves)
	require.NoError(t, json.Unmarshal(e.send("tenant", "/api/explore/schema", "", "").Body.Bytes(), &schema))
	assert.Empty(t, schema.Tables)
	assert.Contains(t, schema.Withheld, "edge_logs")
}

// Parameters have the types that their use tells. A bound one comes first, and the SQL is not run.
func TestExploreParameters(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	for _, test := range []struct{ token, sql, want string }{
		{
			"full", "SELECT id FROM edge_logs WHERE timestamp > @since AND (@id IS NULL OR id = @id) AND id IN UNNEST(@ids)",
			`{"name":"since","type":"TIMESTAMP","required":true},{"name":"id","type":"STRING","required":false},{"name":"ids","type":"ARRAY<STRING>","required":true}`,
		},
		{"full", "SELECT 1 AS one", ""},
		{
			"acme", "SELECT @n + 1 AS n, NOT @no AS b FROM edge_logs",
			`{"name":"project","type":"STRING","required":true},{"name":"n","type":"FLOAT64","required":true},{"name":"no","type":"BOOL","required":true}`,
		},
	} {
		response := e.send(test.token, "/api/explore/parameters", fmt.Sprintf(`{"sql":%q}`, test.sql), "")
		assert.JSONEq(t, `{"parameters":[`+test.want+`]}`, response.Body.String(), test.sql)
	}
	response := e.send("full", "/api/explore/parameters", `{"sql":"SELECT @a FROM nothing"}`, "")
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Contains(t, response.Body.String(), `"column":16`)
}

// A check returns a mistake as a result, and what is wrong with the request itself as an error.
func TestExploreCheck(t *testing.T) {
	t.Parallel()
	e := newExplores(t, unchanged)
	for _, test := range []struct {
		token, body, want string
		status            int
	}{
		{"full", `{"sql":"SELECT id FROM edge_logs WHERE timestamp > @since"}`, `{"parameters":[{"name":"since","type":"TIMESTAMP","required":true}],"bytes":0}`, http.StatusOK},
		{"acme", `{"sql":"SELECT id FROM edge_logs"}`, `"required":true}]}`, http.StatusOK},
		{"full", `{"sql":"SELECT id FROM egde_logs"}`, `"message":"sql: line 1, column 16: there is no table egde_logs; did you mean edge_logs?","argument":"sql","line":1,"column":16}}`, http.StatusOK},
		{"full", `{"sql":"SELECT"}`, `"mistake":{"message":"sql: line 1`, http.StatusOK},
		{"full", `{"sql":"SELECT 'é' + FROM edge_logs"}`, `"line":1,"column":15}}`, http.StatusOK},
		{"acme", `{"sql":"SELECT id FROM savedq_runs"}`, `"parameters":[],"mistake":{`, http.StatusOK},
		{"reader", `{"sql":"SELECT 1 AS one"}`, `PERMISSION_DENIED`, http.StatusForbidden},
		{"none", `{"sql":"SELECT id FROM nothing"}`, `"mistake":{`, http.StatusOK},
		{"full", `{"sql":"SELECT 1 AS one","dialect":"duckdb"}`, `"argument":"dialect"`, http.StatusOK},
		{"full", `{"sql":""}`, `"argument":"sql"`, http.StatusBadRequest},
		{"full", `{"sql":1}`, `INVALID_ARGUMENT`, http.StatusBadRequest},
	} {
		response := e.send(test.token, "/api/explore/check", test.body, "")
		assert.Equal(t, test.status, response.Code, test.body)
		assert.Contains(t, response.Body.String(), test.want, test.body)
	}
}

const saved = `{"name":"mine.paths","sql":"SELECT id FROM edge_logs WHERE project = @project AND timestamp > @since","description":"Ids."}`

// Without --dev the folder is downloaded.
func TestExploreSaveDownloads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		token string
		dev   bool
	}{{"full", false}, {"acme", true}} {
		e := newExplores(t, func(config *Config) { config.Dev = test.dev })
		response := e.send(test.token, "/api/explore/save", saved, "")
		require.Equal(t, http.StatusOK, response.Code, response.Body)
		assert.Equal(t, `attachment; filename="mine.paths.zip"`, response.Header().Get("Content-Disposition"))
		archive, err := zip.NewReader(bytes.NewReader(response.Body.Bytes()), int64(response.Body.Len()))
		require.NoError(t, err)
		files := make(map[string]string)
		for _, file := range archive.File {
			opened, err := file.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(opened)
			require.NoError(t, err)
			files[file.Name] = string(content)
		}
		assert.Equal(t, "SELECT id FROM edge_logs WHERE project = @project AND timestamp > @since\n", files["mine.paths/query.sql"])
		assert.Contains(t, files["mine.paths/query.yaml"], "name: mine.paths\ndescription: \"Ids.\"\n")
		assert.Contains(t, files["mine.paths/query.yaml"], "  - name: since\n    type: TIMESTAMP\n")
		assert.NoDirExists(t, filepath.Join(e.dir, "mine.paths"))
	}
}

// With --dev the folder is written, and replaces nothing.
func TestExploreSaveWrites(t *testing.T) {
	t.Parallel()
	e := newExplores(t, func(config *Config) { config.Dev, config.Queries.OmitShipped = true, nil })
	response := e.send("full", "/api/explore/save", saved, "")
	require.Equal(t, http.StatusCreated, response.Code, response.Body)
	assert.JSONEq(t, `{"name":"mine.paths"}`, response.Body.String())
	written, err := os.ReadFile(filepath.Join(e.dir, "mine.paths", "query.sql"))
	require.NoError(t, err)
	assert.Contains(t, string(written), "@since")
	e.reload(t.Context(), false)
	_, found := e.current.Load().catalog.Find("mine.paths")
	assert.True(t, found, "a reload serves it: %s", e.log)

	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(e.dir, "mine.link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "absent"), filepath.Join(e.dir, "mine.dangling")))
	for body, want := range map[string]string{
		saved: `name: \"mine.paths\" exists already; choose another name`,
		strings.Replace(saved, "mine.paths", "mine.link", 1):                                `name: \"mine.link\" exists already; choose another name`,
		strings.Replace(saved, "mine.paths", "mine.dangling", 1):                            `name: \"mine.dangling\" exists already; choose another name`,
		strings.Replace(saved, "mine.paths", "../mine", 1):                                  "is not a name",
		strings.Replace(saved, "mine.paths", "/etc/mine", 1):                                "is not a name",
		strings.Replace(saved, "mine.paths", "Mine", 1):                                     "is not a name",
		strings.Replace(saved, "mine.paths", "", 1):                                         "is not a name",
		strings.Replace(saved, "mine.paths", "logs.all", 1):                                 "the saved query could not be used",
		strings.Replace(saved, "mine.paths", "mine.changing", 1):                            `name: \"mine.changing\" exists already`,
		"{\"name\":\"mine.other\",\"sql\":\"SELECT 1 AS `A!B`\"}":                           "line 1, column 13: a name can have letters, digits",
		`{"name":"mine.other","sql":"SELECT id FROM nothing"}`:                              `,"line":1,"column":16}`,
		`{"name":"mine.other","sql":"SELECT id FROM edge_logs; DROP TABLE edge_logs"}`:      `"argument":"sql"`,
		`{"name":"mine.other","sql":"DELETE FROM edge_logs"}`:                               `"argument":"sql"`,
		`{"name":"mine.other","sql":"SELECT * FROM read_csv('/etc/passwd')"}`:               `"argument":"sql"`,
		`{"name":"mine.last","sql":"SELECT id FROM edge_logs","description":"\"\nid: x #"}`: "",
	} {
		response := e.send("full", "/api/explore/save", body, "")
		if want == "" {
			assert.Equal(t, http.StatusCreated, response.Code, response.Body)
			continue
		}
		assert.Equal(t, http.StatusBadRequest, response.Code, "%s\n%s", body, response.Body)
		assert.Contains(t, response.Body.String(), want, body)
	}
	entries, err := os.ReadDir(e.dir)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	assert.ElementsMatch(t, []string{"mine.changing", "mine.dangling", "mine.last", "mine.link", "mine.paths"}, names, "nothing else is left")
	inside, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, inside)
}

// With --dev, the SQL of a saved query is replaced in its folder, whose query.yaml stays, if it can still be used.
func TestExploreReplaces(t *testing.T) {
	t.Parallel()
	e := newExplores(t, func(config *Config) { config.Dev, config.Queries.OmitShipped = true, nil })
	require.Equal(t, http.StatusCreated, e.send("full", "/api/explore/save", saved, "").Code)
	folder := filepath.Join(e.dir, "mine.paths")
	yaml, err := os.ReadFile(filepath.Join(folder, "query.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.md"), []byte("Notes."), 0o600))
	replace := func(token, name, sql string) *httptest.ResponseRecorder {
		return e.send(token, "/api/explore/save", fmt.Sprintf(`{"name":%q,"sql":%q,"replace":true}`, name, sql), "")
	}
	const other = "SELECT id FROM edge_logs WHERE project = @project AND timestamp >= @since AND timestamp < @now ORDER BY id"
	for _, test := range []struct{ token, name, sql, want string }{
		{"full", "mine.absent", other, `name: \"mine.absent\" has no query.sql in the first directory of --queries`},
		{"full", "logs.all", other, `has no query.sql in the first directory`},
		{"full", "../mine.paths", other, "is not a name"},
		{"full", "mine.paths", "SELECT id FROM nothing", `"line":1,"column":16}`},
		{"full", "mine.paths", other + ", @further", "further"},
		{"full", "mine.paths", strings.Replace(other, "SELECT id", "SELECT event_message AS text", 1), "text"},
		{"acme", "mine.paths", other, "is for a developer's own server"},
	} {
		response := replace(test.token, test.name, test.sql)
		assert.Equal(t, http.StatusBadRequest, response.Code, "%s\n%s", test.sql, response.Body)
		assert.Contains(t, response.Body.String(), test.want, test.sql)
		assert.NotContains(t, response.Body.String(), ".new-", "no temporary name reaches a caller")
		written, err := os.ReadFile(filepath.Join(folder, "query.sql"))
		require.NoError(t, err)
		assert.Contains(t, string(written), "timestamp > @since\n", "it stays as it was")
	}
	response := replace("full", "mine.paths", other)
	require.Equal(t, http.StatusCreated, response.Code, response.Body)
	for file, want := range map[string]string{"query.sql": other + "\n", "query.yaml": string(yaml), "notes.md": "Notes."} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		assert.Equal(t, want, string(content), file)
	}
	e.reload(t.Context(), false)
	query, found := e.current.Load().catalog.Find("mine.paths")
	require.True(t, found, "a reload serves it: %s", e.log)
	assert.Contains(t, query.Translation.Written, "ORDER BY id")
	entries, err := os.ReadDir(e.dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "nothing else is left")
}

// With --dev, the directory that a query is saved in may be empty, or new, and is created.
func TestExploreSavesInNewDirectory(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	missing := filepath.Join(t.TempDir(), "new")
	for _, directory := range []string{empty, missing} {
		e := newExplores(t, func(config *Config) {
			config.Dev, config.Queries.AllowEmpty, config.Queries.Directories = true, true, []string{directory}
		})
		assert.Equal(t, directory == missing, strings.Contains(e.log.String(), `msg="the directory of saved queries was created" directory=`+directory), e.log)
		response := e.send("full", "/api/explore/save", saved, "")
		require.Equal(t, http.StatusCreated, response.Code, response.Body)
		e.reload(t.Context(), false)
		_, found := e.current.Load().catalog.Find("mine.paths")
		assert.True(t, found, "a reload serves it: %s", e.log)
		require.NoError(t, os.RemoveAll(filepath.Join(directory, "mine.paths")))
		e.reload(t.Context(), false)
		assert.Empty(t, e.current.Load().catalog.Queries(), "the last one can be removed: %s", e.log)
	}

	config := Config{Dev: true, Queries: engines.Folders{Directories: []string{filepath.Join(missing, "a", "b")}}}
	require.EqualError(t, New(config).Open(t.Context()), "--queries: mkdir "+filepath.Join(missing, "a", "b")+": no such file or directory")
}
