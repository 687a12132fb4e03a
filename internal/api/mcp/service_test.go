package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/mcp"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
	"savedq/sqlq/sandbox"
	"savedq/sqlq/sqlqtest"
)

// declarations are the saved queries of the tests, besides the shipped ones.
func declarations() map[string]string {
	var columns strings.Builder
	for n := range 100 {
		fmt.Fprintf(&columns, "  - {name: column_%d, type: STRING, description: %q}\n", n, strings.Repeat("word ", 20))
	}
	return map[string]string{
		"every.type": `
cache: 60s
params:
  - {param: word, type: STRING, allowed: [one, two], default: one, description: A word.}
  - {param: whole, type: INT64, min: 1, max: 10, default: 2, description: A number.}
  - {param: share, type: FLOAT64, description: A share.}
  - {param: exact, type: NUMERIC, description: Exact.}
  - {param: flag, type: BOOL, description: A flag.}
  - {param: at, type: TIMESTAMP, description: A time.}
  - {param: day, type: DATE, description: A day.}
  - {param: code, type: STRING, pattern: "[a-z]+", description: A code.}
  - {param: many, type: ARRAY<INT64>, max_items: 3, description: Numbers.}
columns:
  - {name: text, type: STRING, description: The text.}
  - {name: big, type: INT64, nullable: false, description: A big number.}
  - {name: ratio, type: FLOAT64, description: In percent.}
  - {name: exact, type: NUMERIC, description: Exact.}
  - {name: flag, type: BOOL, description: A flag.}
  - {name: at, type: TIMESTAMP, description: A time.}
  - {name: local, type: DATETIME, description: A time.}
  - {name: day, type: DATE, description: A day.}
  - {name: any, type: JSON, description: Anything.}
  - {name: list, type: ARRAY<STRING>, description: A list.}
  - {name: parts, type: STRUCT, description: Parts., fields: [{name: id, type: INT64, description: The id.}]}
`,
		"every.rule": `
params:
  - {param: step, type: INT64, allowed: [5, 10], description: A step.}
  - {param: steps, type: ARRAY<INT64>, allowed: [5, 10], max_items: 3, description: Steps.}
  - {param: factor, type: FLOAT64, allowed: [0.5, 10], description: A factor.}
  - {param: spelled, type: FLOAT64, allowed: ["0.50", "1.00"], description: As written.}
  - {param: huge, type: INT64, min: -9007199254740993, max: 9223372036854775807, default: 9007199254740993, description: A huge number.}
  - {param: hugest, type: INT64, allowed: ["9007199254740993"], description: Another one.}
  - {param: digits, type: NUMERIC, min: "0.1", max: "12345678901234567890.123456789", description: Digits.}
  - {param: expression, type: STRING, format: regex, description: An expression.}
  - {param: day, type: DATE, description: A day.}
  - {param: flags, type: BOOL, allowed: ["true"], description: A flag.}
columns: [{name: n, type: INT64, description: The number.}]
`,
		"many.rows": `
cache: 60s
max_rows: 450
params: [{param: project, type: STRING, required: true, scope: project, description: The project.}]
columns: [{name: n, type: INT64, nullable: false, description: The number.}]
`,
		"uncached.rows": `
max_rows: 450
columns: [{name: n, type: INT64, nullable: false, description: The number.}]
`,
		"texts": `
max_rows: 300
columns: [{name: text, type: STRING, nullable: false, description: The text.}]
`,
		"long.text": `
columns:
` + columns.String(),
		"hidden.rows": `
tool: disabled
columns: [{name: n, type: INT64, description: The number.}]
`,
	}
}

// service is a server with tokens over an engine of the test.
type service struct {
	engine  *sqlqtest.FakeEngine
	handler http.Handler
	log     lockedBuilder
	mutex   sync.Mutex
	now     time.Time
}

// lockedBuilder is a log that concurrent requests write.
type lockedBuilder struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (b *lockedBuilder) Write(line []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(line)
}

func (b *lockedBuilder) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.String()
}

func (s *service) clock() time.Time {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.now
}

func (s *service) wait(d time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.now = s.now.Add(d)
}

// tokens returns the tokens of the tests by their secrets.
func tokens() map[string]auth.Token {
	return map[string]auth.Token{
		"full":   auth.FullAccess("full"),
		"acme":   {Name: "acme", Projects: []string{"acme"}},
		"two":    {Name: "two", Projects: []string{"acme", "globex"}},
		"other":  {Name: "other", Endpoints: []string{"logs.all"}},
		"none":   {Name: "none", Endpoints: []string{}},
		"hidden": {Name: "hidden", Endpoints: []string{"hidden.rows"}},
		"sql":    {Name: "sql", Endpoints: []string{}, Explore: true},
		"mine":   {Name: "mine", Projects: []string{"acme"}, Endpoints: []string{}, Explore: true},
	}
}

// declared reads the saved queries of the tests, which no test changes, once.
var declared = sync.OnceValues(func() (*catalog.Catalog, error) { return graphtest.Catalog(declarations()) }) //nolint:gochecknoglobals // It is never written.

// newService returns a server whose engine runs a function.
func newService(tb testing.TB, run func(context.Context, sqlq.Statement) (*sqlq.Result, error)) *service {
	tb.Helper()
	s := &service{engine: &sqlqtest.FakeEngine{RunFunc: run}, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	read, err := declared()
	require.NoError(tb, err)
	return s.over(tb, read)
}

// over serves the saved queries of a catalog.
func (s *service) over(tb testing.TB, read *catalog.Catalog) *service {
	tb.Helper()
	logger := slog.New(slog.NewJSONHandler(&s.log, nil))
	inner := runner.New(sqlqtest.Config(read, s.engine, s.clock))
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		var all []auth.Credential
		for secret, token := range tokens() {
			all = append(all, auth.Credential{Token: token, Hash: auth.HashOf(secret)})
		}
		return all, nil
	})
	require.NoError(tb, err)
	errors := httperror.NewWriter(logger)
	scoped := auth.NewRunner(inner, inner, read, logger)
	server := mcp.NewServer(mcp.Config{
		Explorer: mcp.Explorer{
			Query: func(_ context.Context, dialect, sql string) (*sqlq.SavedQuery, error) {
				if dialect == "clickhouse" {
					return sandbox.ExploreLogs("duckdb", read.Tables(), nil, sql)
				}
				return sandbox.Explore("duckdb", read.Tables(), nil, sql)
			},
			Dialects: []string{"googlesql", "clickhouse"},
			Run:      scoped.Explore, Tables: func(context.Context) sqlq.Tables { return read.Tables() }, MaxRows: sandbox.MostExploredRows,
		},
		Runner: scoped, Queries: read.Queries(), Tables: read.Tables(), Version: "test",
		Caller: func(ctx context.Context) mcp.Caller {
			token, _ := auth.FromContext(ctx)
			return mcp.Caller{Bound: auth.BoundValues(ctx), Sandbox: token.Sandbox, Tables: auth.Unlimited(ctx), Explore: auth.Explores(ctx)}
		},
		Errors: errors, Logger: slog.New(slog.DiscardHandler),
	})
	s.handler = auth.Handler(server, auth.HandlerConfig{Keyring: keyring, Clock: s.clock, Logger: logger, WriteError: errors.Write})
	return s
}

// countTo returns a function that returns rows with the numbers from 1 on.
func countTo(most int) func(context.Context, sqlq.Statement) (*sqlq.Result, error) {
	return func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		result := &sqlq.Result{Columns: statement.Query.Columns}
		for n := range min(most, statement.Query.MaxRows) {
			result.Rows = append(result.Rows, []any{int64(n + 1)})
		}
		result.Truncated = most > statement.Query.MaxRows
		return result, nil
	}
}

// withToken sends a token with each request.
type withToken struct {
	http.RoundTripper
	secret string
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.secret)
	return w.RoundTripper.RoundTrip(r)
}

// connect returns a session of the SDK's client with a token.
func (s *service) connect(t *testing.T, secret string) *sdk.ClientSession {
	t.Helper()
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: server.URL + mcp.Path, HTTPClient: &http.Client{Transport: withToken{server.Client().Transport, secret}},
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// rowsOf is the structured content of the results that the tests read.
type rowsOf struct {
	Rows      []json.RawMessage
	Truncated bool
	Note      string
	Cursor    string `json:"_cursor"`
	Freshness struct {
		Cache      string
		AgeSeconds int
		AsOf       time.Time
		TTLMs      int `json:"ttlMs"`
	}
}

// call calls a tool, and returns the result and the text for models.
func call(t *testing.T, session *sdk.ClientSession, tool string, arguments any) (*sdk.CallToolResult, string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err)
	require.Len(t, result.Content, 1)
	text, isText := result.Content[0].(*sdk.TextContent)
	require.True(t, isText)
	return result, text.Text
}

// rows calls a tool that must succeed.
func rows(t *testing.T, session *sdk.ClientSession, tool string, arguments any) rowsOf {
	t.Helper()
	result, text := call(t, session, tool, arguments)
	require.False(t, result.IsError, text)
	structured, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	require.JSONEq(t, text, string(structured), "the text has the same")
	var read rowsOf
	require.NoError(t, json.Unmarshal([]byte(text), &read))
	return read
}

// send sends a message over HTTP, and returns the status and the body.
func (s *service) send(t *testing.T, secret, method, body string, headers ...string) (int, string) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, mcp.Path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("X-Api-Key", secret)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	return recorder.Code, recorder.Body.String()
}

// A body that arrives too slowly has a status of its own.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, mcp.Path, iotest.ErrReader(httpstatus.ErrSlowBody))
	request.Header.Set("X-Api-Key", "full")
	recorder := httptest.NewRecorder()
	newService(t, nil).handler.ServeHTTP(recorder, request)
	require.Equal(t, http.StatusRequestTimeout, recorder.Code)
}
