package duckdb_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	callers "savedq/sqlq/sandbox"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// explorer runs SQL over the tables of a store that has the projects a and b.
type explorer struct {
	*runner.Runner
	tables sqlq.Tables
	limits []callers.Limit
}

// ofProject are the limits of a token of one project.
func ofProject() []callers.Limit {
	return []callers.Limit{{Name: "project", IsProject: true, Single: true}}
}

func openExplorer(t *testing.T, limits []callers.Limit) explorer {
	t.Helper()
	logs := make(sqlqtest.Logs)
	for _, table := range tables.Shipped() {
		for i := range 6 {
			project, message := "b", "SECRET"
			if i%2 == 0 {
				project, message = "a", "1"
			}
			event := sqlqtest.Event{
				ID: "event" + strconv.Itoa(i), Timestamp: time.Date(2026, 3, 1, 10, 0, i, 0, time.UTC), Project: &project, EventMessage: &message,
				Metadata: []byte(`[{"request":[{"method":"` + message + `","size":` + strconv.Itoa(i) + `}]}]`),
			}
			if table.ProjectMember != "" {
				event.Project = nil
				event.Metadata = []byte(`[{"` + table.ProjectMember + `":"` + project + `","request":[{"method":"` + message + `","size":` + strconv.Itoa(i) + `}]}]`)
			}
			logs[table.Name] = append(logs[table.Name], event)
		}
	}
	shipped, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	engine := duckdb.New(openStore(t, logs).DB())
	config := sqlqtest.Config(shipped, engine, time.Now)
	config.SandboxTimeout = time.Minute // the machine may do other work
	return explorer{runner.New(config), tables.Shipped(), limits}
}

// try returns the rows as JSON, or the error of the caller with its code. The error is the server's fault.
func (e explorer) try(ctx context.Context, sql string) (string, error) {
	query, err := callers.Explore("duckdb", e.tables, e.limits, sql)
	var response *runner.Response
	if err == nil {
		response, err = e.Run(ctx, runner.Request{Query: query, SQL: sql, Params: map[string][]string{"project": {"a"}}})
	}
	if err != nil {
		failure := sqlq.AsError(err)
		if failure.Code == sqlq.Internal {
			return "", err
		}
		return string(failure.Code) + " " + failure.PublicText(""), nil
	}
	return string(response.Result.AppendJSON(nil)), nil
}

func (e explorer) run(t *testing.T, sql string) string {
	t.Helper()
	got, err := e.try(t.Context(), sql)
	require.NoError(t, err, sql)
	return got
}

// ADR 049: SQL over the tables reads every row without limits, and with them only those of the project, wherever the
// table has it.
func TestExplore(t *testing.T) {
	t.Parallel()
	all, ofA := openExplorer(t, nil), openExplorer(t, ofProject())
	for _, table := range tables.Shipped() {
		assert.JSONEq(t, `[{"n":6}]`, all.run(t, "SELECT COUNT(*) AS n FROM "+table.Name), table.Name)
		assert.JSONEq(t, `[{"n":3,"id":"event4"}]`, ofA.run(t, "SELECT COUNT(*) AS n, MAX(id) AS id FROM "+table.Name), table.Name)
		assert.Contains(t, ofA.run(t, "SELECT * FROM "+table.Name+" ORDER BY id LIMIT 1"), `"timestamp":1772359200000000`, table.Name)
	}
	for sql, want := range map[string]string{
		"SELECT a.id FROM edge_logs AS a JOIN function_logs AS b USING (id) ORDER BY id LIMIT 1":                   `[{"id":"event0"}]`,
		"SELECT COUNT(*) AS n FROM edge_logs WHERE timestamp < TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)": `[{"n":3}]`,
		"SELECT @project AS p": `[{"p":"a"}]`,
		"WITH e AS (SELECT id FROM edge_logs) SELECT COUNT(*) AS n FROM e": `[{"n":3}]`,
	} {
		assert.JSONEq(t, want, ofA.run(t, sql), sql)
	}
	for sql, want := range map[string]string{
		"SELECT id\nFROM edge_log":                                              "INVALID_ARGUMENT line 2, column 6: there is no table edge_log; did you mean edge_logs?",
		"SELECT id FROM `cloudflare.logs.prod` AS t":                            "INVALID_ARGUMENT line 1, column 16: there is no table cloudflare.logs.prod here; write edge_logs, which has its rows",
		"SELECT 1 AS n FROM edge_logs JOIN `deno-relay-logs` AS t USING (id)":   "INVALID_ARGUMENT line 1, column 35: there is no table deno-relay-logs here; write function_edge_logs, which has its rows",
		"SELECT id FROM `p.d.edge_logs`":                                        "INVALID_ARGUMENT line 1, column 16: there is no table p.d.edge_logs; the tables are edge_logs, ",
		"WITH edge_logs AS (SELECT id FROM edge_logs) SELECT id FROM edge_logs": "INVALID_ARGUMENT line 1, column 6: WITH has two queries named edge_logs; a table has this name here, so give yours another one",
		"SELECT id FROM edge_logs WHERE id = @id":                               "INVALID_ARGUMENT is required",
		"SELECT @a = STRUCT(1, 2) AS x":                                         "INVALID_ARGUMENT ",
		"WITH edge_logs AS (SELECT 1 AS n) SELECT n FROM edge_logs":             "INVALID_ARGUMENT line 1, column 6: WITH has two queries named edge_logs",
	} {
		assert.True(t, strings.HasPrefix(all.run(t, sql), want), "%s\n%s", sql, all.run(t, sql))
	}
}

// ADR 049: nothing writes, reads files or settings, or makes too much, whatever the limits.
func TestExploreRefuses(t *testing.T) {
	t.Parallel()
	e := openExplorer(t, ofProject())
	attacks := refusedSQL()
	for _, table := range tables.Shipped() {
		for _, name := range []string{"main." + table.Name, "`main." + table.Name + "`", "`main`.`" + table.Name + "`", "`" + table.Aliases[0] + "`", "logs.main." + table.Name} {
			attacks = append(attacks, "SELECT * FROM "+name, "SELECT 1 AS n FROM edge_logs, "+name, "WITH x AS (SELECT * FROM "+name+") SELECT * FROM x")
		}
		attacks = append(attacks, "WITH "+table.Name+" AS (SELECT * FROM "+table.Name+") SELECT * FROM "+table.Name)
	}
	for _, name := range []string{"all_logs", "function_invocations", "api_requests", "sqlite_master", "savedq_tables"} {
		attacks = append(attacks, "SELECT * FROM "+name)
	}
	for _, sql := range attacks {
		got := e.run(t, sql)
		assert.True(t, strings.HasPrefix(got, "INVALID_ARGUMENT "), "%.200s\n%.200s", sql, got)
		assert.NotContains(t, got, "SECRET", sql)
	}
}

// ADR 049: no SQL shows or depends on rows of other projects, whether the project is a column or in metadata.
func TestExploreHidesOtherProjects(t *testing.T) {
	t.Parallel()
	e := openExplorer(t, ofProject())
	for _, table := range tables.Shipped() {
		for _, channel := range append(sideChannels(),
			"SELECT id FROM (WITH x AS (SELECT * FROM edge_logs) SELECT id FROM x WHERE CAST(event_message AS INT64) = 1)",
			"SELECT (WITH edge_logs AS (SELECT * FROM edge_logs) SELECT MAX(CAST(event_message AS INT64)) FROM edge_logs) AS n",
			"SELECT id FROM edge_logs WHERE CAST(event_message AS INT64) = 1 AND timestamp > TIMESTAMP '2026-01-01'",
			"SELECT id FROM edge_logs WHERE CAST(event_message AS INT64) IN (SELECT CAST(event_message AS INT64) FROM edge_logs)",
			"SELECT id FROM edge_logs UNION ALL SELECT CAST(CAST(event_message AS INT64) AS STRING) FROM edge_logs",
			"SELECT TO_JSON_STRING(metadata) AS m, event_message FROM edge_logs",
			"SELECT id FROM edge_logs ORDER BY 1 / CAST(event_message AS INT64) LIMIT 1",
			"SELECT CAST(event_message AS INT64) AS n, APPROX_TOP_COUNT(event_message, 5) AS t FROM edge_logs GROUP BY 1",
		) {
			sql := strings.ReplaceAll(strings.ReplaceAll(channel, "messages", "edge_logs"), "edge_logs", table.Name)
			got := e.run(t, sql)
			assert.True(t, strings.HasPrefix(got, "["), "%s\n%s", sql, got)
			assert.NotContains(t, got, "SECRET", sql)
			for _, hidden := range []string{"event1", "event3", "event5"} {
				assert.NotContains(t, got, hidden, sql)
			}
		}
	}
}

// ADR 049: a table without a column for a limit cannot be read, and a limit can be any column.
func TestExploreWithholds(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.csv"), []byte("tenant,n\nx,1\ny,2\n"), 0o600))
	customers := &sqlq.Table{Name: "customers", Files: &sqlq.Files{Pattern: filepath.Join(folder, "a.csv"), Format: "csv", Columns: []sqlq.Column{{Name: "tenant", Type: sqlq.String}, {Name: "n", Type: sqlq.Int64}}}}
	all := append(tables.Shipped(), customers)
	_, err := callers.Explore("duckdb", all, ofProject(), "SELECT * FROM customers")
	require.EqualError(t, err, "sql: line 1, column 15: there is no table customers; the tables are "+strings.Join(tables.Shipped().Names(), ", ")+
		" (the token is limited to certain values of project, so it cannot read customers without that column)")
	_, err = callers.Explore("duckdb", tables.Shipped(), []callers.Limit{{Name: "tenant"}}, "SELECT 1 AS n")
	assert.Equal(t, sqlq.PermissionDenied, sqlq.AsError(err).Code)
	query, err := callers.Explore("duckdb", all, []callers.Limit{{Name: "tenant"}}, "SELECT n FROM customers")
	require.NoError(t, err)
	assert.Equal(t, []string{"customers"}, query.Tables.Names())
	assert.Contains(t, query.SQL, "WHERE tenant IN UNNEST(@tenant)")
	assert.Equal(t, sqlq.ArrayOf(sqlq.String), query.Params[0].Type)
}

// A row as one value has the metadata and the bytes that its columns have on their own.
func TestExploreValues(t *testing.T) {
	t.Parallel()
	e := openExplorer(t, nil)
	const metadata = `"metadata":[{"request":[{"method":"1","size":0}]`
	for _, sql := range []string{"SELECT el AS x FROM edge_logs AS el WHERE id = 'event0'", "SELECT el.metadata FROM edge_logs AS el WHERE id = 'event0'", "SELECT ARRAY_AGG(el) AS x FROM edge_logs AS el WHERE id = 'event0'"} {
		assert.Contains(t, e.run(t, sql), metadata, sql)
	}
	assert.JSONEq(t, `[{"a":["/w=="],"b":{"c":"YQ==","d":"0-1 0 0:0:0"}}]`, e.run(t, "SELECT [b'\\xff'] AS a, STRUCT(b'a' AS c, INTERVAL 1 MONTH AS d) AS b FROM edge_logs LIMIT 1"))
}
