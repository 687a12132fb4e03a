package mcp_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// D40: SQL of the caller is an argument if the token has sandbox, and the rows can have other columns
// then.
func TestSandbox(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"open/query.yaml": {Data: []byte(`id: 00000000-0000-4000-8000-000000000001
name: open.rows
description: Rows.
sandbox: enabled
params: [{name: project, type: STRING, required: true, scope: project, description: The project.}]
columns: [{name: n, type: INT64, description: The number.}]
`)},
		"open/query.sql": {Data: []byte("WITH numbers AS (SELECT 1 AS n, @project AS project) SELECT n FROM numbers")},
	}
	read, err := graph.ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: files, Path: "mine"})
	require.NoError(t, err)
	s := (&service{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), engine: &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		columns := []sqlq.Column{{Name: "n", Type: sqlq.Int64}}
		if statement.Query.Callers != nil {
			columns[0].Name = "twice"
		}
		return &sqlq.Result{Columns: columns, Rows: [][]any{{int64(2)}}}, nil
	}}}).over(t, read)

	tools := toolsOf(t, s, "full")
	require.Contains(t, tools, "open_rows")
	input, err := json.Marshal(tools["open_rows"].InputSchema)
	require.NoError(t, err)
	assert.Contains(t, string(input), `"sql":{"description":"A SELECT in GoogleSQL to run in place of the endpoint's own. It reads numbers.`)
	output, err := json.Marshal(tools["open_rows"].OutputSchema)
	require.NoError(t, err)
	assert.Contains(t, string(output), `"items":{"type":"object"}`)
	session := s.connect(t, "full")
	_, text := call(t, session, "open_rows", map[string]any{"project": "acme", "sql": "SELECT n * 2 AS twice FROM numbers"})
	assert.Contains(t, text, `{"rows":[{"twice":2}]`)
	_, text = call(t, session, "open_rows", map[string]any{"project": "acme"})
	assert.Contains(t, text, `{"rows":[{"n":2}]`)
	_, text = call(t, session, "open_rows", map[string]any{"project": "acme", "sql": "SELECT * FROM edge_logs"})
	assert.Contains(t, text, `"code":"INVALID_ARGUMENT"`)
	_, text = call(t, session, "open_rows", map[string]any{"project": "acme", "sql": []string{"a", "b"}})
	assert.Contains(t, text, "sql: is a list; give one text")

	limited, err := json.Marshal(toolsOf(t, s, "acme")["open_rows"])
	require.NoError(t, err)
	assert.NotContains(t, string(limited), `"sql"`)
	_, text = call(t, s.connect(t, "acme"), "open_rows", map[string]any{"sql": "SELECT n FROM numbers"})
	assert.Contains(t, text, `"code":"PERMISSION_DENIED"`)
}
