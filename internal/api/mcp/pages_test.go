package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// entries returns a function that returns log entries with the ids from most down to 1, as logs.search goes through them.
// Before each run a newer one arrives.
func entries(most, size int) func(context.Context, sqlq.Statement) (*sqlq.Result, error) {
	arrived := most
	return func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		args := make(map[string]any)
		for _, arg := range statement.Args {
			args[arg.Name] = arg.Value
		}
		result := &sqlq.Result{Columns: statement.Query.Columns}
		for n := arrived; n > 0 && int64(len(result.Rows)) < args["limit"].(int64); n-- {
			id := fmt.Sprintf("edge_logs:%04d", n)
			if before, isPage := args["before_id"].(string); isPage && id >= before {
				continue
			}
			result.Rows = append(result.Rows, []any{id, id, time.Date(2026, 11, 20, 11, 59, 0, 0, time.UTC), "edge_logs", strings.Repeat("m", size), nil, nil, nil, nil, nil})
		}
		arrived++
		return result, nil
	}
}

// A saved query with pages goes on with its own cursor: also after a result that is as long as the limit, without a
// cache, and while entries arrive.
func TestPagesOfASavedQuery(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size  int // of a message
		limit any
		want  []int
	}{
		"the default":        {1, nil, []int{100, 100, 100, 100, 50}},
		"a limit":            {1, 150, []int{150, 150, 150, 0}},
		"the most of a page": {1, "200", []int{200, 200, 50}},
		"more than a page":   {1, 1000, []int{200, 200, 50}},
		"large rows":         {1000, 1000, []int{54, 54, 54, 54, 54, 54, 54, 54, 19}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := newService(t, entries(450, test.size)).connect(t, "acme")
			arguments := map[string]any{"limit": test.limit}
			var sizes []int
			seen := make(map[string]bool)
			for {
				page := rows(t, session, "logs_search", arguments)
				sizes = append(sizes, len(page.Rows))
				for _, row := range page.Rows {
					var entry struct{ ID string }
					require.NoError(t, json.Unmarshal(row, &entry))
					assert.False(t, seen[entry.ID], entry.ID)
					seen[entry.ID] = true
				}
				assert.Equal(t, page.Cursor != "", page.Truncated)
				if page.Cursor == "" {
					break
				}
				assert.Contains(t, page.Note, "There can be more rows.")
				arguments["_cursor"] = page.Cursor
			}
			assert.Equal(t, test.want, sizes)
			for n := range 450 {
				assert.True(t, seen[fmt.Sprintf("edge_logs:%04d", n+1)], n)
			}
		})
	}
}

// Mistakes of a saved query with pages name the argument of the tool.
func TestPagesOfASavedQueryMistakes(t *testing.T) {
	t.Parallel()
	session := newService(t, entries(450, 1)).connect(t, "two")
	first := rows(t, session, "logs_search", map[string]any{"project": "acme"})
	for name, test := range map[string]struct {
		arguments map[string]any
		argument  string
	}{
		"no cursor":              {map[string]any{"project": "acme", "_cursor": "x"}, "_cursor"},
		"a list":                 {map[string]any{"project": "acme", "_cursor": []string{first.Cursor, first.Cursor}}, "_cursor"},
		"another project":        {map[string]any{"project": "globex", "_cursor": first.Cursor}, "_cursor"},
		"another end":            {map[string]any{"project": "acme", "_cursor": first.Cursor, "iso_timestamp_end": "2026-11-20"}, "iso_timestamp_end"},
		"too large a limit":      {map[string]any{"project": "acme", "limit": 1001}, "limit"},
		"a limit of two":         {map[string]any{"project": "acme", "limit": []int{1, 2}}, "limit"},
		"the cursor's REST name": {map[string]any{"project": "acme", "after": first.Cursor}, "after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, text := call(t, session, "logs_search", test.arguments)
			assert.True(t, result.IsError)
			assert.Contains(t, text, fmt.Sprintf(`"message":"%s: `, test.argument))
			assert.Contains(t, text, fmt.Sprintf(`"argument":%q`, test.argument))
		})
	}
}

// An argument that is there twice is a mistake, as in REST: one of the values would be lost.
func TestArgumentsTwice(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	for _, arguments := range []string{`{"project":"acme","project":"globex"}`, `{"project":"acme","_cursor":"","_cursor":"x"}`, `{"project":{"a":1,"a":2}}`} {
		for _, headers := range [][]string{nil, {"MCP-Protocol-Version", "2025-11-25"}, {"Content-Type", "application/json; charset=utf-8"}} { // the last one takes the way through the SDK
			status, body := s.send(t, "two", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"many_rows","arguments":`+arguments+`}}`, headers...)
			assert.Equal(t, 200, status)
			assert.Contains(t, body, "the JSON of the arguments has the same name twice in one object", arguments)
		}
	}
	_, body := s.send(t, "acme", "POST", "{\"jsonrpc\":\"2.0\",\"id\":\"a\xff\",\"method\":\"tools/call\",\"params\":{\"name\":\"many_rows\"}}")
	assert.NotContains(t, body, "\xff", "a response is valid UTF-8")
}
