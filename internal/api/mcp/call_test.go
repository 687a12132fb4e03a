package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// Rows have the JSON of REST, with all digits, and arguments arrive as typed values.
func TestEveryType(t *testing.T) {
	t.Parallel()
	var args []sqlq.Arg
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	s := newService(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		args = statement.Args
		return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{{
			`"<ä>`, int64(9007199254740993), 0.5, sqlq.Decimal("1.10"), true, at, at, at, json.RawMessage(`{"a":[1]}`), []any{"x"}, []any{int64(1)},
		}}}, nil
	})
	arguments := `{"word":"two","whole":3,"share":0.25,"exact":1.5,"flag":true,"at":"2026-11-20T10:00:00Z","day":"2026-11-20","code":"abc","many":[1,2]}`
	result, text := call(t, s.connect(t, "full"), "every_type", json.RawMessage(arguments))
	require.False(t, result.IsError, text)
	assert.Contains(t, text, `{"rows":[{"text":"\"<ä>","big":9007199254740993,"ratio":0.5,"exact":1.10,"flag":true,"at":"2026-11-20T10:00:00Z","local":"2026-11-20T10:00:00","day":"2026-11-20","any":{"a":[1]},"list":["x"],"parts":{"id":1}}],"truncated":false,`)
	values := make(map[string]any)
	for _, arg := range args {
		values[arg.Name] = arg.Value
	}
	assert.Equal(t, map[string]any{
		"word": "two", "whole": int64(3), "share": 0.25, "exact": sqlq.Decimal("1.5"), "flag": true, "at": at,
		"day": at.Truncate(24 * time.Hour), "code": "abc", "many": []any{int64(1), int64(2)},
	}, values)
}

// Freshness is as in GraphQL, and ttlMs is what is left of the caching time.
func TestFreshness(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	session := s.connect(t, "acme")
	first := rows(t, session, "many_rows", nil)
	assert.Equal(t, "MISS", first.Freshness.Cache)
	assert.Equal(t, 60_000, first.Freshness.TTLMs)
	s.wait(20 * time.Second)
	second := rows(t, session, "many_rows", map[string]any{"project": "acme"})
	assert.Equal(t, "HIT", second.Freshness.Cache)
	assert.Equal(t, 20, second.Freshness.AgeSeconds)
	assert.Equal(t, 40_000, second.Freshness.TTLMs)
	assert.Equal(t, first.Freshness.AsOf, second.Freshness.AsOf)
	uncached := rows(t, s.connect(t, "full"), "uncached_rows", nil)
	assert.Equal(t, "OFF", uncached.Freshness.Cache)
	assert.Zero(t, uncached.Freshness.TTLMs)
}

// A caller who follows the cursors gets each row once, and learns that there are more than max rows.
func TestPages(t *testing.T) {
	t.Parallel()
	for tool, secret := range map[string]string{"many_rows": "acme", "uncached_rows": "full"} {
		for most, want := range map[int][]int{0: {0}, 1: {1}, 200: {200}, 201: {200, 1}, 400: {200, 200}, 450: {200, 200, 50}, 999: {200, 200, 50}} {
			t.Run(fmt.Sprint(tool, most), func(t *testing.T) {
				t.Parallel()
				session := newService(t, countTo(most)).connect(t, secret)
				arguments := map[string]any{}
				var sizes []int
				var all []json.RawMessage
				for {
					page := rows(t, session, tool, arguments)
					sizes, all = append(sizes, len(page.Rows)), append(all, page.Rows...)
					if page.Cursor == "" {
						assert.Equal(t, most > 450, page.Truncated)
						assert.Equal(t, most > 450, strings.Contains(page.Note, "returns no more than 450"), page.Note)
						break
					}
					assert.True(t, page.Truncated)
					assert.Contains(t, page.Note, fmt.Sprintf("rows %d to %d of %d", len(all)-199, len(all), min(most, 450)))
					arguments["_cursor"] = page.Cursor
				}
				assert.Equal(t, want, sizes)
				for i, row := range all {
					assert.JSONEq(t, fmt.Sprintf(`{"n":%d}`, i+1), string(row))
				}
			})
		}
	}
}

// A page ends before its rows exceed 64 KiB, but a row is never left out for its size.
func TestPagesOfLargeRows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rows, size int
		want       []int
	}{
		"small":                 {240, 300, []int{200, 40}},
		"59 are too large":      {150, 1_100, []int{58, 58, 34}},
		"two are too large":     {3, 40_000, []int{1, 1, 1}},
		"each is too large":     {3, 100_000, []int{1, 1, 1}},
		"the last is too large": {2, 65_500, []int{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := newService(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
				result := &sqlq.Result{Columns: statement.Query.Columns}
				for n := range test.rows {
					result.Rows = append(result.Rows, []any{fmt.Sprintf("%0*d", test.size, n)})
				}
				return result, nil
			}).connect(t, "full")
			arguments := map[string]any{}
			var sizes []int
			var all []json.RawMessage
			for more := true; more; {
				page := rows(t, session, "texts", arguments)
				sizes, all = append(sizes, len(page.Rows)), append(all, page.Rows...)
				arguments["_cursor"], more = page.Cursor, page.Cursor != ""
			}
			assert.Equal(t, test.want, sizes)
			for i, row := range all {
				assert.JSONEq(t, fmt.Sprintf(`{"text":"%0*d"}`, test.size, i), string(row))
			}
		})
	}
}

// A cursor continues the same rows for the same arguments, whether or not they were computed again.
func TestCursorsOfOtherRows(t *testing.T) {
	t.Parallel()
	var most atomic.Int64
	most.Store(300)
	s := newService(t, func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return countTo(int(most.Load()))(ctx, statement)
	})
	session := s.connect(t, "full")
	first := rows(t, session, "many_rows", map[string]any{"project": "acme"})
	next := map[string]any{"project": "acme", "_cursor": first.Cursor}
	refused := func(arguments map[string]any) {
		t.Helper()
		result, text := call(t, session, "many_rows", arguments)
		assert.True(t, result.IsError)
		assert.JSONEq(t, `{"error":{"code":"INVALID_ARGUMENT","argument":"_cursor","message":"_cursor: is not one of these rows: they have changed since, or the other arguments have; repeat the call without _cursor"}}`, text)
	}
	refused(map[string]any{"project": "globex", "_cursor": first.Cursor})
	s.wait(2 * time.Minute)
	assert.Len(t, rows(t, session, "many_rows", next).Rows, 100, "computed again, the rows are the same")
	s.wait(2 * time.Minute)
	most.Store(301)
	refused(next)
	for _, cursor := range []string{
		"x", "!", first.Cursor + "A", base64.RawURLEncoding.EncodeToString([]byte("200.")), base64.RawURLEncoding.EncodeToString([]byte("-200.")),
		base64.RawURLEncoding.EncodeToString([]byte("7.")), base64.RawURLEncoding.EncodeToString([]byte("9999999999999999999.")), base64.RawURLEncoding.EncodeToString([]byte("400.")),
	} {
		refused(map[string]any{"project": "acme", "_cursor": cursor})
	}
}

// Errors tell the model what to change, and no more than REST tells.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		for _, arg := range statement.Args {
			if arg.Value == "globex" {
				return nil, errors.New("Binder Error: SELECT secret FROM nothing")
			}
		}
		return countTo(1)(t.Context(), statement)
	})
	for name, test := range map[string]struct{ secret, tool, arguments, want string }{
		"unknown argument":       {"full", "every_type", `{"wrod":"one"}`, `{"code":"INVALID_ARGUMENT","message":"wrod: is not an argument of this tool; did you mean word?","argument":"wrod"}`},
		"unlike any argument":    {"full", "every_type", `{"zzzzzzzz":1}`, `{"code":"INVALID_ARGUMENT","message":"zzzzzzzz: is not an argument of this tool; its input schema has them","argument":"zzzzzzzz"}`},
		"not allowed":            {"full", "every_type", `{"word":"three"}`, `{"code":"INVALID_ARGUMENT","message":"word: \"three\" is not allowed; use one of one, two","argument":"word"}`},
		"not a number":           {"full", "every_type", `{"whole":"x"}`, `{"code":"INVALID_ARGUMENT","message":"whole: \"x\" is not a whole number","argument":"whole"}`},
		"too large":              {"full", "every_type", `{"whole":11}`, `{"code":"INVALID_ARGUMENT","message":"whole: \"11\" is more than the maximum, 10","argument":"whole"}`},
		"not a time":             {"full", "every_type", `{"day":"yesterday"}`, `{"code":"INVALID_ARGUMENT","message":"day: \"yesterday\" is not a date; use for example 2026-11-20","argument":"day"}`},
		"pattern":                {"full", "every_type", `{"code":"A"}`, `{"code":"INVALID_ARGUMENT","message":"code: \"A\" does not match the pattern [a-z]+","argument":"code"}`},
		"an object":              {"full", "every_type", `{"word":{}}`, `{"code":"INVALID_ARGUMENT","message":"word: is a JSON object; give a string, a number, a boolean or a list of these","argument":"word"}`},
		"too many":               {"full", "every_type", `{"many":[1,2,3,4]}`, `{"code":"INVALID_ARGUMENT","message":"many: has 4 values; give at most 3","argument":"many"}`},
		"a list of cursors":      {"full", "every_type", `{"_cursor":["a","b"]}`, `{"code":"INVALID_ARGUMENT","message":"_cursor: is a list; give one text","argument":"_cursor"}`},
		"an object for a cursor": {"full", "every_type", `{"_cursor":{}}`, `{"code":"INVALID_ARGUMENT","message":"_cursor: is a JSON object; give a string, a number, a boolean or a list of these","argument":"_cursor"}`},
		"missing":                {"full", "many_rows", `{}`, `{"code":"INVALID_ARGUMENT","message":"project: is required and must not be empty","argument":"project"}`},
		"missing, no arguments":  {"full", "many_rows", `null`, `{"code":"INVALID_ARGUMENT","message":"project: is required and must not be empty","argument":"project"}`},
		"SQL without a sandbox":  {"full", "every_type", `{"sql":"SELECT 1"}`, `{"code":"INVALID_ARGUMENT","message":"sql: is not an argument of this tool; its input schema has them","argument":"sql"}`},
		"unpaired surrogate":     {"full", "every_type", `{"code":"\ud800"}`, `{"code":"INVALID_ARGUMENT","message":"the arguments must be a JSON object in valid UTF-8"}`},
		"bound to another":       {"acme", "many_rows", `{"project":"globex"}`, `{"code":"PERMISSION_DENIED","message":"project: the token does not allow this project","argument":"project"}`},
		"one of several":         {"two", "many_rows", `{}`, `{"code":"INVALID_ARGUMENT","message":"project: is required; use one of acme, globex, which the token allows","argument":"project"}`},
		"without the project":    {"acme", "uncached_rows", `{}`, `{"code":"PERMISSION_DENIED","message":"the token is limited to certain projects, and this endpoint has no parameter for the project"}`},
		"the engine fails":       {"full", "many_rows", `{"project":"globex"}`, `{"code":"INTERNAL","message":"internal server error; the server's log has the cause under this request's id"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := s.send(t, test.secret, http.MethodPost, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"`+test.tool+`","arguments":`+test.arguments+`}}`)
			assert.Equal(t, http.StatusOK, status)
			var message struct {
				ID     string
				Result struct {
					IsError bool
					Content []struct{ Type, Text string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(body), &message), body)
			assert.Equal(t, "a", message.ID)
			require.True(t, message.Result.IsError, body)
			assert.JSONEq(t, `{"error":`+test.want+`}`, message.Result.Content[0].Text)
			assert.NotContains(t, body, "secret")
		})
	}
	t.Cleanup(func() { assert.Contains(t, s.log.String(), "Binder Error", "the log has the cause") })
}

// A tool that the token does not have, or nobody has, is unknown alike.
func TestUnknownTools(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	for _, test := range []struct{ secret, tool, want string }{
		{"full", "many_row", `there is no tool "many_row"; did you mean many_rows?`},
		{"full", "many.rows", `there is no tool "many.rows"; did you mean many_rows?`},
		{"full", "hidden_rows", `there is no tool "hidden_rows"; tools/list has the tools of your token`},
		{"other", "many_rows", `there is no tool "many_rows"; tools/list has the tools of your token`},
		{"other", "no_such_rows", `there is no tool "no_such_rows"; tools/list has the tools of your token`},
		{"none", "logs_all", `there is no tool "logs_all"; tools/list has the tools of your token`},
	} {
		_, err := s.connect(t, test.secret).CallTool(t.Context(), &sdk.CallToolParams{Name: test.tool})
		wire := new(jsonrpc.Error)
		require.ErrorAs(t, err, &wire, test.tool)
		assert.Equal(t, int64(jsonrpc.CodeInvalidParams), wire.Code)
		assert.Equal(t, test.want, wire.Message)
	}
	assert.Zero(t, s.engine.Runs())
	assert.Contains(t, s.log.String(), `"endpoint":"many.rows"`, "the denial is logged")
}

// Messages that are no plain call, and versions of the protocol with further headers, mean the same.
func TestMessages(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	const called = `"method":"tools/call","params":{"name":"many_rows","arguments":{"project":"acme"}`
	_, _ = s.send(t, "full", http.MethodPost, `{"jsonrpc":"2.0","id":1,`+called+`}}`) // is cached now
	_, direct := s.send(t, "full", http.MethodPost, `{"jsonrpc":"2.0","id":1,`+called+`}}`)
	_, charset := s.send(t, "full", http.MethodPost, `{"jsonrpc":"2.0","id":1,`+called+`}}`, "Content-Type", "application/json; charset=utf-8")
	assert.JSONEq(t, direct, charset)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	status, latest := s.send(t, "full", http.MethodPost, `{"jsonrpc":"2.0","id":1,`+called+`,`+meta+`}}`,
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "many_rows")
	assert.Equal(t, http.StatusOK, status, latest)
	assert.Contains(t, latest, `"resultType":"complete"`)
	assert.Contains(t, latest, `"io.modelcontextprotocol/serverInfo"`)
	assert.Contains(t, latest, `"structuredContent":{"rows":[{"n":1}]`)

	for name, test := range map[string]struct {
		method, body string
		headers      []string
		status       int
		want         string
	}{
		"GET":             {http.MethodGet, "", nil, 405, "METHOD_NOT_ALLOWED"},
		"DELETE":          {http.MethodDelete, "", nil, 405, "METHOD_NOT_ALLOWED"},
		"no JSON":         {http.MethodPost, "{", nil, 400, ""},
		"no JSON-RPC":     {http.MethodPost, `{"id":1,` + called + `}}`, nil, 400, ""},
		"null id":         {http.MethodPost, `{"jsonrpc":"2.0","id":null,` + called + `}}`, nil, 400, ""},
		"a form":          {http.MethodPost, `{}`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, ""},
		"accepts HTML":    {http.MethodPost, `{}`, []string{"Accept", "text/html"}, 400, ""},
		"an old version":  {http.MethodPost, `{"jsonrpc":"2.0","id":1,` + called + `}}`, []string{"MCP-Protocol-Version", "1999-01-01"}, 400, ""},
		"too large":       {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", 1<<20) + `"}`, nil, 413, ""},
		"arguments twice": {http.MethodPost, `{"jsonrpc":"2.0","id":1,` + called + `,"arguments":{"project":"globex"}}}`, nil, 400, "arguments: is given twice in one object"},
		"twice, by SDK":   {http.MethodPost, `{"jsonrpc":"2.0","id":1,` + called + `,"arguments":{"project":"globex"}}}`, []string{"Content-Type", "application/json; charset=utf-8"}, 400, "arguments: is given twice"},
		"other case":      {http.MethodPost, `{"jsonrpc":"2.0","id":1,"Method":"tools/call"}`, nil, 400, "Method: is not known; write method"},
		"unknown method":  {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/drop"}`, nil, 0, "not handled"},
		"a ping":          {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 200, `"result":{}`},
		"no prompts":      {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, nil, 200, `"prompts":[]`},
		"no name":         {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, nil, 200, "-32602"},
		"list, not named": {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, nil, 200, "error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := s.send(t, "full", test.method, test.body, test.headers...)
			if test.status != 0 {
				assert.Equal(t, test.status, status, body)
			}
			assert.Contains(t, body, test.want)
		})
	}
	status, _ = s.send(t, "wrong", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	assert.Equal(t, http.StatusUnauthorized, status)
}

// The run ends when its caller leaves.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	for name, contentType := range map[string]string{"direct": "application/json", "SDK": "application/json; charset=utf-8"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started, ended := make(chan struct{}), make(chan struct{})
			s := newService(t, func(ctx context.Context, _ sqlq.Statement) (*sqlq.Result, error) {
				close(started)
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			})
			ctx, leave := context.WithCancel(t.Context())
			go func() {
				<-started
				leave()
			}()
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"uncached_rows"}}`))
			require.NoError(t, err)
			request.Header.Set("Content-Type", contentType)
			request.Header.Set("Accept", "*/*")
			request.Header.Set("X-Api-Key", "full")
			s.handler.ServeHTTP(discard{make(http.Header)}, request)
			<-ended
		})
	}
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header          { return d.header }
func (discard) Write(text []byte) (int, error) { return len(text), nil }
func (discard) WriteHeader(int)                {}

// Cursors of anybody lead to rows of the request, or to an error.
func FuzzCursor(f *testing.F) {
	f.Add("MjAwLg")
	f.Add("NDAwLjA")
	s := newService(f, countTo(450))
	f.Fuzz(func(t *testing.T, cursor string) {
		arguments, err := json.Marshal(map[string]string{"project": "acme", "_cursor": cursor})
		require.NoError(t, err)
		status, body := s.send(t, "full", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"many_rows","arguments":`+string(arguments)+`}}`)
		assert.Equal(t, http.StatusOK, status)
		assert.True(t, cursor == "" || strings.Contains(body, "INVALID_ARGUMENT"), body)
	})
}
