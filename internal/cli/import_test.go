package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const exampleExport = "testdata/endpoints.json"

// "import" writes folders that the other commands accept without a change, and prints what became of each
// endpoint.
func TestImport(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "queries")
	status, stdout, stderr := runCommand(t, "import", exampleExport, "--queries", directory, "--dry-run")
	assert.Equal(t, statusFailed, status, stderr)
	assert.NoDirExists(t, directory)
	dryTable, _, _ := strings.Cut(stdout, "\n\n")
	assert.Contains(t, stdout, "\nNothing is written, because of --dry-run. 4 of 5 endpoints can be imported.\n")

	status, stdout, stderr = runCommand(t, "import", exampleExport, "--queries", directory)
	assert.Equal(t, statusFailed, status)
	assert.Equal(t, "savedq: 1 of 5 endpoints are not imported\n", stderr)
	table, next, _ := strings.Cut(stdout, "\n\n")
	assert.Equal(t, dryTable, table)
	assert.Equal(t, `ENDPOINT RESULT REMARKS
RequestMethods imported with remarks the name is request-methods; RequestMethods is an alias, so callers can keep it
 types are guessed, because the query sorts or compares values of metadata: method STRING, status_code INT64; check them in query.yaml
functions.slowest imported with remarks it has at most 100000 rows: max_limit is 250000
 the query does not determine the types of function_id: JSON, which passes values on as they were sent
postgres.errors imported with remarks it is not refreshed ahead of time: proactive_requerying_seconds (60) must be less than cache_duration_seconds (0)
 callers need a token: enable_auth is false in Logflare
 callers cannot send SQL of their own: callers can read the WITH clauses only, and there is none; begin with WITH name AS (SELECT …)
 the query does not determine the types of user_name: JSON, which passes values on as they were sent
Requests per hour imported with remarks the name is requests-per-hour; Requests per hour is an alias, so callers can keep it
edge.places not supported query:1:21: function ST_GEOGPOINT is not supported`, regexp.MustCompile(` +`).ReplaceAllString(table, " "))
	assert.Contains(t, next, "Wrote 4 of 5 endpoints to "+directory+".\n")
	assert.Equal(t, []string{"functions.slowest", "postgres.errors", "request-methods", "requests-per-hour"}, namesIn(t, directory))

	yaml, err := os.ReadFile(filepath.Join(directory, "request-methods", "query.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(yaml), `id: 8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f
name: request-methods
aliases: [RequestMethods]
description: "Requests of a project by method and status."
max_rows: 1000
cache: 900s
warm: 300s
`)
	yaml, err = os.ReadFile(filepath.Join(directory, "requests-per-hour", "query.yaml"))
	require.NoError(t, err)
	assert.Equal(t, []string{"project type: STRING", "prefix type: STRING", "timestamp type: DATETIME", "total type: INT64", "failed type: INT64"}, namesAndTypes(string(yaml)))
	export, err := os.ReadFile(exampleExport)
	require.NoError(t, err)
	var endpoints []struct{ Query string }
	require.NoError(t, json.Unmarshal(export, &endpoints))
	sql, err := os.ReadFile(filepath.Join(directory, "request-methods", "query.sql"))
	require.NoError(t, err)
	assert.Equal(t, endpoints[0].Query, string(sql))

	status, _, stderr = runCommand(t, "check", "--omit-shipped=all", "--queries", directory)
	assert.Equal(t, statusOK, status, stderr)
}

// An endpoint in ClickHouse's SQL over the table logs becomes a folder with clickhouse.sql, or the table says where it is wrong.
func TestImportClickHouse(t *testing.T) {
	t.Parallel()
	directory, export := filepath.Join(t.TempDir(), "queries"), filepath.Join(t.TempDir(), "export.json")
	const sql = "SELECT toStartOfHour(timestamp) AS hour, count() AS n FROM logs WHERE source = {source:String} GROUP BY hour"
	require.NoError(t, os.WriteFile(export, fmt.Appendf(nil, `[
		{"name": "hours", "language": "ch_sql", "query": %q, "sandboxable": true},
		{"name": "edges", "language": "ch_sql", "query": "SELECT id\nFROM edge_logs"}]`, sql), 0o600))
	status, stdout, stderr := runCommand(t, "import", export, "--queries", directory)
	assert.Equal(t, statusFailed, status)
	assert.Equal(t, "savedq: 1 of 2 endpoints are not imported\n", stderr)
	assert.Contains(t, stdout, "callers cannot send SQL of their own; write sandbox: logs in query.yaml if they may")
	assert.Contains(t, stdout, "query:2:6: there is no table edge_logs; its rows are in logs: FROM logs WHERE source = 'edge_logs'")
	written, err := os.ReadFile(filepath.Join(directory, "hours", "clickhouse.sql"))
	require.NoError(t, err)
	assert.Equal(t, sql, string(written))
	yaml, err := os.ReadFile(filepath.Join(directory, "hours", "query.yaml"))
	require.NoError(t, err)
	assert.Equal(t, []string{"source type: STRING", "hour type: TIMESTAMP", "n type: INT64"}, namesAndTypes(string(yaml)))
	status, _, stderr = runCommand(t, "check", "--omit-shipped=all", "--queries", directory)
	assert.Equal(t, statusOK, status, stderr)
}

// An endpoint is imported beside a folder "taken", or the table says why not.
func TestImportOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ name, sql, sources, args, want string }{
		"imported":       {"a", "SELECT id FROM edge_logs LIMIT @n;", "", "", "a imported -"},
		"a source":       {"a", "SELECT id\nFROM `my.source`", `"my.source": "7"`, "", "a not supported query:2:6: my.source is no log source of savedq; declare it in a folder of --tables, or send its events to one of edge_logs, postgres_logs, function_edge_logs, function_logs, auth_logs, realtime_logs, storage_logs, postgrest_logs, pgbouncer_logs, and write that name in its place"},
		"another name":   {"a", "SELECT id FROM edges", `"edges": "cloudflare.logs.prod"`, "", "a not supported query:1:16: savedq does not know the source edges by this name; write `edge_logs` in its place"},
		"no source":      {"a", "SELECT id FROM edges", "", "", "a not supported query:1:16: there is no table edges"},
		"an unused one":  {"a", "SELECT id FROM edge_logs", `"my.source": "7"`, "", "a imported -"},
		"an aggregate":   {"a", "SELECT MAX(m.size) AS largest FROM edge_logs, UNNEST(metadata) AS m", "", "", "a imported with remarks types are guessed, because the query sorts or compares values of metadata: largest FLOAT64; check them in query.yaml"},
		"two statements": {"a", "SELECT 1 AS n; SELECT 2 AS n", "", "", "a not supported query:1:16: a saved query is one statement; a second one begins here"},
		"parameter":      {"a", "SELECT @Upper AS n", "", "", `a not supported DIR/a/query.yaml:8:11: name "Upper" is not a name of lower-case letters, digits and underscores, which begins with a letter (at most 128)`},
		"column":         {"a", "SELECT 1 AS N, 2 AS n", "", "", `a not supported query:1:16: the result has two columns named n; give one another alias`},
		"names":          {"a", "SELECT id AS requestId, 1 AS n_GET, 2 AS `Start Time`, STRUCT(1 AS `Inner Field`) AS Parts FROM edge_logs", "", "", "a imported -"},
		"one in GraphQL": {"a", "SELECT 1 AS n_GET, 2 AS `n GET`", "", "", `a not supported DIR/a/query.yaml:11:11: the columns "n_GET" and "n GET" are both the GraphQL field nGET`},
		"a shipped name": {"logs.all", "SELECT 1 AS n", "", "", `logs.all not supported DIR/logs.all/query.yaml:2:7: name "logs.all" is already taken by shipped queries/logs.all/query.yaml:2:7; to replace that saved query, leave it out with --omit-shipped logs.all`},
		"a taken name":   {"taken", "SELECT 1 AS n", "", "", "taken not imported DIR/taken exists already and is not changed; --force replaces it"},
		"replaced":       {"taken", "SELECT 2 AS n", "", "--force", "taken imported -"},
		"not replaced":   {"taken", "SELECT FROM", "", "--force", "taken not supported query:1:8: "},
		"dry":            {"taken", "SELECT 2 AS n", "", "--force --dry-run", "taken imported -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			const yaml = "id: 0b36a67b-e00c-4891-9d4f-3c4d5e6f7081\nname: taken\ndescription: Rows.\ncolumns:\n  - {name: n, type: INT64, description: Number.}\n"
			writeFile(t, filepath.Join(directory, "taken", "query.yaml"), yaml)
			writeFile(t, filepath.Join(directory, "taken", "duckdb.sql"), "SELECT 1 AS n")
			export := writeFile(t, filepath.Join(t.TempDir(), "export.json"), fmt.Sprintf(`{"token": "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f", "name": %q, "query": %q, "source_mapping": {%s}}`, test.name, test.sql, test.sources))
			status, stdout, stderr := runCommand(t, append([]string{"import", export, "--queries", directory}, strings.Fields(test.args)...)...)
			row := regexp.MustCompile(` +`).ReplaceAllString(strings.Split(strings.ReplaceAll(stdout, directory, "DIR"), "\n")[1], " ")
			assert.True(t, strings.HasPrefix(row, test.want), row)
			want := []string{"taken"}
			if strings.Contains(test.want, " imported -") || strings.Contains(test.want, " imported with") {
				assert.Equal(t, statusOK, status, stderr)
				want = slices.Compact([]string{test.name, "taken"})
			} else {
				assert.Equal(t, statusFailed, status)
				assert.Contains(t, stderr, "1 of 1 endpoints are not imported\n")
			}
			assert.Equal(t, want, namesIn(t, directory))
			assert.Equal(t, name == "replaced", fileExists(filepath.Join(directory, "taken", "query.sql")))
			assert.Equal(t, name != "replaced", fileExists(filepath.Join(directory, "taken", "duckdb.sql")))
		})
	}
}

// An endpoint that lets callers send SQL does so in savedq, if they can read no rows of other projects.
func TestImportSandbox(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"WITH logs AS (SELECT id FROM edge_logs WHERE project = @project) SELECT id FROM logs": "a imported -",
		"WITH logs AS (SELECT id, project FROM edge_logs) SELECT id FROM logs WHERE project = @project": "a imported with remarks callers cannot send SQL of their own: " +
			"callers could read rows of every project in edge_logs here; add project = @project to the WHERE of this SELECT, by AND and outside of OR, NOT and CASE",
		"SELECT 1 AS n": "a imported with remarks callers cannot send SQL of their own: callers can read the WITH clauses only, and there is none; begin with WITH name AS (SELECT …)",
	} {
		directory := t.TempDir()
		export := writeFile(t, filepath.Join(t.TempDir(), "export.json"), fmt.Sprintf(`{"token": "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f", "name": "a", "query": %q, "sandboxable": true}`, sql))
		status, stdout, stderr := runCommand(t, "import", export, "--queries", directory)
		require.Equal(t, statusOK, status, stderr)
		row := regexp.MustCompile(` +`).ReplaceAllString(strings.Split(stdout, "\n")[1], " ")
		assert.Equal(t, want, row)
		yaml, err := os.ReadFile(filepath.Join(directory, "a", "query.yaml"))
		require.NoError(t, err)
		assert.Equal(t, want == "a imported -", strings.Contains(string(yaml), "\nsandbox: enabled\n"))
	}
}

// One endpoint's name can be another's alias.
func TestImportComparesEndpoints(t *testing.T) {
	t.Parallel()
	export := writeFile(t, filepath.Join(t.TempDir(), "export.json"), `[{"token": "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f", "name": "logs-one", "query": "SELECT 1 AS n"},
		{"token": "9a25f56a-dffb-4780-8c3e-2b3c4d5e6f70", "name": "logs.one", "query": "SELECT 1 AS n"}]`)
	for _, dry := range []string{"", "--dry-run"} {
		directory := t.TempDir()
		status, stdout, _ := runCommand(t, append([]string{"import", export, "--queries", directory}, strings.Fields(dry)...)...)
		assert.Equal(t, statusFailed, status)
		assert.Contains(t, stdout, "logs.one  not supported  "+directory+"/logs.one/query.yaml:2:7: ")
	}
}

func TestImportRejects(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	broken := writeFile(t, filepath.Join(directory, "broken.json"), "[{]")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"nosuch.json", "--queries", directory}, statusUsage, "nosuch.json is not a file"},
		{[]string{directory, "--queries", directory}, statusUsage, directory + " is not a file"},
		{[]string{exampleExport}, statusUsage, "--queries"},
		{[]string{exampleExport, "--queries", directory + "/a/b"}, statusUsage, "--queries: " + directory + "/a is not a directory"},
		{[]string{broken, "--queries", directory}, statusFailed, broken + ":1:3: is not JSON: invalid character ']' looking for beginning of object key string"},
	} {
		status, stdout, stderr := runCommand(t, append([]string{"import"}, test.args...)...)
		assert.Equal(t, test.status, status, stderr)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, test.want)
	}
	var stdout strings.Builder
	command := &importCommand{File: "-", Queries: []string{filepath.Join(directory, "piped")}}
	require.NoError(t, command.Run(t.Context(), &terminal{stdin: strings.NewReader(`{"name": "a", "query": "SELECT 1 AS n"}`), stdout: &stdout}))
	assert.Contains(t, stdout.String(), "it has no token, so the saved query has a new id")
	require.EqualError(t, command.Run(t.Context(), &terminal{stdin: strings.NewReader("")}), "standard input: is empty; it must be the JSON that Logflare's API returns for your endpoints")
}

func namesIn(t *testing.T, directory string) []string {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
