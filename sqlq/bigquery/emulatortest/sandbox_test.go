package emulatortest

import (
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// D40: SQL of callers reads the WITH clauses on BigQuery, too. What savedq refuses does not reach the service.
func TestSandbox(t *testing.T) {
	t.Parallel()
	acme, globex := "acme", "globex"
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	event := func(id string, project *string, metadata string) sqlqtest.Event {
		return sqlqtest.Event{ID: id, Timestamp: noon, Project: project, EventMessage: &id, Metadata: json.RawMessage(metadata)}
	}
	engine := startEmulator(t, sqlqtest.Logs{"edge_logs": {
		event("a", &acme, `[{"request":[{"method":"GET","path":"/x"}]}]`), event("b", &acme, `[{"request":[{"method":"POST","path":"/y"}]}]`),
		event("secret", &globex, `[{"request":[{"method":"GET","path":"/z"}]}]`),
	}}).engine
	read, err := catalog.Read(googlesql.Dialect{}, catalog.Directory{Path: "mine", FS: fstest.MapFS{
		"logs/query.yaml": {Data: []byte(`id: 11111111-1111-4111-8111-111111111111
name: mine.logs
description: Logs.
sandbox: enabled
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project.}
columns:
  - {name: n, type: INT64, description: N.}
`)},
		"logs/query.sql": {Data: []byte(`WITH
  unused AS (SELECT no_such_column FROM (SELECT 1 AS no_such_column)),
  edge_logs AS (SELECT id, timestamp, event_message, metadata FROM edge_logs WHERE project = @project AND timestamp <= CURRENT_TIMESTAMP())
SELECT COUNT(*) AS n FROM edge_logs`)},
	}})
	require.NoError(t, err)
	query, found := read.Find("mine.logs")
	require.True(t, found)
	queryRunner := runner.New(sqlqtest.Config(read, engine, func() time.Time { return noon }))
	for sql, want := range map[string]string{
		"SELECT COUNT(*) AS n FROM edge_logs": `[{"n":2}]`,
		"SELECT id, r.method FROM edge_logs CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS r WHERE r.path LIKE '/y%' -- one\n;": `[{"id":"b","method":"POST"}]`,
		"WITH last AS (SELECT MAX(id) AS id FROM edge_logs) SELECT 'it\\'s' AS s, id FROM last":                                                   `[{"s":"it's","id":"b"}]`,
		"SELECT @project AS project, MAX(timestamp) AS t FROM edge_logs":                                                                          `[{"project":"acme","t":1772366400000000}]`,
		"SELECT id FROM edge_logs, UNNEST(metadata) AS m WHERE EXISTS (SELECT 1 FROM UNNEST(m.request) AS r WHERE r.method = 'GET')":              `[{"id":"a"}]`,
		"SELECT id FROM `dataset.edge_logs`":                "INVALID_ARGUMENT line 1, column 16: there is no table dataset.edge_logs; the tables are unused, edge_logs",
		"SELECT id FROM auth_logs":                          "INVALID_ARGUMENT line 1, column 16: there is no table auth_logs; the tables are unused, edge_logs",
		"WITH `x.y` AS (SELECT 1 AS n) SELECT n FROM `x.y`": "INVALID_ARGUMENT line 1, column 6: a name can have letters, digits, spaces, dashes and underscores here",
		"SELECT SESSION_USER() AS u":                        "INVALID_ARGUMENT line 1, column 8: SESSION_USER is not supported: queries have no user; use a parameter",
	} {
		response, err := queryRunner.Run(t.Context(), runner.Request{Query: query, SQL: sql, Params: map[string][]string{"project": {"acme"}}})
		if err != nil {
			failure := sqlq.AsError(err)
			assert.Equal(t, want, string(failure.Code)+" "+failure.PublicText(""), "%s: %s", sql, err)
			continue
		}
		assert.Equal(t, want, string(response.Result.AppendJSON(nil)), sql)
	}
}
