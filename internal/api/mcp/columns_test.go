package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// A caller chooses columns, whose rows are in the order of the saved query. More rows fit then.
func TestChosenColumns(t *testing.T) {
	t.Parallel()
	session := newService(t, entries(450, 1000)).connect(t, "acme")
	arguments := map[string]any{"limit": 1000, "_columns": []string{"timestamp", "id"}}
	first := rows(t, session, "logs_search", arguments)
	require.Len(t, first.Rows, 200)
	assert.JSONEq(t, `{"id":"edge_logs:0450","timestamp":"2026-11-20T11:59:00Z"}`, string(first.Rows[0]))
	arguments["_cursor"], arguments["_columns"] = first.Cursor, "id"
	second := rows(t, session, "logs_search", arguments)
	assert.JSONEq(t, `{"id":"edge_logs:0250"}`, string(second.Rows[0]))

	session = newService(t, countTo(450)).connect(t, "full")
	page := rows(t, session, "many_rows", map[string]any{"project": "acme", "_columns": []string{"n", "n"}})
	assert.JSONEq(t, `{"n":1}`, string(page.Rows[0]))
	page = rows(t, session, "many_rows", map[string]any{"project": "acme", "_columns": []string{}, "_cursor": page.Cursor})
	assert.JSONEq(t, `{"n":201}`, string(page.Rows[0]))
	page = rows(t, session, "many_rows", map[string]any{"project": "acme", "_columns": nil})
	assert.JSONEq(t, `{"n":1}`, string(page.Rows[0]))
}

// The choice is made in a shared cache entry, whatever was chosen before.
func TestChosenColumnsOfACacheEntry(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		at := time.Date(2026, 11, 20, 10, 0, 0, 123000, time.FixedZone("", 3600))
		result := &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{make([]any, len(statement.Query.Columns))}}
		for i, column := range statement.Query.Columns {
			switch {
			case column.Type.IsArray(), column.Type == sqlq.Struct:
				result.Rows[0][i] = []any{int64(1)}
			case column.Type == sqlq.Timestamp:
				result.Rows[0][i] = at
			}
		}
		return result, nil
	})
	session := s.connect(t, "full")
	for _, test := range []struct {
		columns []string
		want    string
	}{
		{[]string{"at"}, `{"at":"2026-11-20T09:00:00.000123Z"}`},
		{[]string{"text", "big"}, `{"text":null,"big":null}`},
		{[]string{"parts", "at"}, `{"at":"2026-11-20T09:00:00.000123Z","parts":{"id":1}}`},
		{[]string{"at"}, `{"at":"2026-11-20T09:00:00.000123Z"}`},
	} {
		got := rows(t, session, "every_type", map[string]any{"_columns": test.columns})
		assert.JSONEq(t, test.want, string(got.Rows[0]))
	}
	assert.Equal(t, 1, s.engine.Runs())
}

// A column that there is not is an error that lists them, for all ways in.
func TestUnknownColumns(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	session := s.connect(t, "full")
	for name, test := range map[string]struct{ tool, arguments, want string }{
		"unknown":         {"many_rows", `{"project":"acme","_columns":["n","m"]}`, `_columns: \"m\" is not a column; use some of n`},
		"of another case": {"many_rows", `{"project":"acme","_columns":["N"]}`, `_columns: \"N\" is not a column; use some of n`},
		"with pages":      {"logs_search", `{"project":"acme","_columns":["x"]}`, `_columns: \"x\" is not a column; use some of id, event_id, timestamp,`},
		"an object":       {"many_rows", `{"project":"acme","_columns":{"n":1}}`, `_columns: is a JSON object;`},
		"a list in it":    {"many_rows", `{"project":"acme","_columns":[["n"]]}`, `_columns: has `},
		"without _":       {"many_rows", `{"project":"acme","columns":["n"]}`, `columns: is not an argument of this tool; did you mean _columns?`},
	} {
		result, text := call(t, session, test.tool, json.RawMessage(test.arguments))
		assert.True(t, result.IsError, name)
		assert.Contains(t, text, test.want, name)
	}
	assert.Zero(t, s.engine.Runs(), "nothing is run for a mistake")
}

// A token that may explore sends SQL, and gets pages of rows.
func TestExploreTool(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		result := &sqlq.Result{Columns: statement.Query.Columns}
		for n := range 300 {
			result.Rows = append(result.Rows, []any{int64(n), time.Unix(int64(n), 0)})
		}
		return result, nil
	})
	session := s.connect(t, "sql")
	const sql = "SELECT CAST(id AS INT64) AS n, timestamp FROM edge_logs"
	tool := toolsOf(t, s, "sql")["explore"]
	assert.Contains(t, tool.Description, "Tables: edge_logs, ")
	first := rows(t, session, "explore", map[string]any{"sql": sql})
	assert.Len(t, first.Rows, 200)
	assert.Equal(t, "OFF", first.Freshness.Cache)
	assert.JSONEq(t, `{"n":0,"timestamp":"1970-01-01T00:00:00Z"}`, string(first.Rows[0]))
	second := rows(t, session, "explore", map[string]any{"sql": sql, "_columns": "n", "_cursor": first.Cursor})
	assert.Len(t, second.Rows, 100)
	assert.JSONEq(t, `{"n":200}`, string(second.Rows[0]))
	others := rows(t, session, "explore", map[string]any{"sql": "SELECT toUInt32(1) AS n, timestamp FROM logs", "dialect": "clickhouse"})
	assert.Len(t, others.Rows, 200)
	_, described := call(t, session, "describe_tool", map[string]any{"tool": "explore"})
	assert.Contains(t, described, "## edge_logs")
	assert.Contains(t, described, "- `timestamp` (TIMESTAMP): Time of the event.")
	assert.Contains(t, described, "- `request`: ")
	for arguments, want := range map[string]string{
		`{}`:                                          `sql: is required`,
		`{"sql":" "}`:                                 `sql: is required`,
		`{"sql":["a","b"]}`:                           `sql: is a list; give one text`,
		`{"sql":"SELECT 1 AS n","x":1}`:               `x: is not an argument of this tool`,
		`{"sql":"SELECT @n + 1 AS n"}`:                `sql: has the parameter n, and this tool takes no parameters; write the value into the SQL`,
		`{"sql":"SELECT 1 FROM egde_logs"}`:           `sql: line 1, column 15: there is no table egde_logs; did you mean edge_logs?","argument":"sql","line":1,"column":15`,
		`{"sql":"SELECT 1 AS n","dialect":"duckdb"}`:  `dialect: must be googlesql or clickhouse`,
		`{"sql":"SELECT 1 AS n","dialect":["a","b"]}`: `dialect: is a list; give one text`,
		`{"sql":"SELECT n FROM edge_logs","dialect":"clickhouse"}`:         `sql: line 1, column 15: there is no table edge_logs; its rows are in logs`,
		`{"sql":"SELECT {n:Int64} AS n FROM logs","dialect":"clickhouse"}`: `sql: has the parameter n, and`,
		fmt.Sprintf(`{"sql":%q,"_columns":["x"]}`, sql):                    `_columns: \"x\" is not a column; use some of n, timestamp`,
		fmt.Sprintf(`{"sql":%q,"_cursor":"x"}`, sql):                       `_cursor: is not one of these rows`,
		fmt.Sprintf(`{"sql":%q,"project":"acme"}`, sql):                    `project: is not an argument of this tool`,
	} {
		result, text := call(t, session, "explore", json.RawMessage(arguments))
		assert.True(t, result.IsError, arguments)
		assert.Contains(t, text, want)
	}
	for _, secret := range []string{"acme", "none"} {
		_, body := s.send(t, secret, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explore","arguments":{"sql":"SELECT 1 AS n"}}}`)
		assert.Contains(t, body, `there is no tool \"explore\"`)
	}
}
