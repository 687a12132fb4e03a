package graphqlhttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// now is when the rows of all fakes were computed.
var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // A date is no constant.

// fakeRunner returns what its func returns. It caches nothing, but records the keys of the
// responses that the handler stores and looks up.
type fakeRunner struct {
	run              func(ctx context.Context, request runner.Request) (*runner.Response, error)
	catalog          *catalog.Catalog
	stored, lookedUp []string
}

var _ graphqlhttp.Runner = (*fakeRunner)(nil)

func (f *fakeRunner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	return f.run(ctx, request)
}

func (f *fakeRunner) Queries(context.Context) []*sqlq.SavedQuery { return f.catalog.Queries() }

func (f *fakeRunner) PutEncoded(_ context.Context, encoded *cache.Encoded, _ []*runner.Response) {
	f.stored = append(f.stored, encoded.Key)
}

func (f *fakeRunner) Encoded(_ context.Context, key string, _ bool) (*cache.Encoded, []*runner.Response) {
	f.lookedUp = append(f.lookedUp, key)
	return nil, nil
}

// engine is a fake engine that returns its result or error for every statement.
type engine struct {
	result *sqlq.Result
	err    error
}

func (engine) Dialect() sqlq.Dialect                                       { return duckdbsql.Dialect{} }
func (engine) Check(context.Context, *sqlq.SavedQuery) (*sqlq.Plan, error) { return &sqlq.Plan{}, nil }
func (e engine) Run(context.Context, sqlq.Statement) (*sqlq.Result, error) {
	return e.result, e.err
}

func shippedCatalog(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	catalog := graphtest.Shipped(tb)
	return catalog
}

// realRunner is sqlq's own runner over the shipped queries and a fake engine.
func realRunner(t *testing.T, fake engine) *runner.Runner {
	t.Helper()
	return runner.New(sqlqtest.Config(shippedCatalog(t), fake, func() time.Time { return now }))
}

// runnerReturning returns a runner that returns the rows for every query, with the columns
// that the query declares.
func runnerReturning(tb testing.TB, rows ...[]any) *fakeRunner {
	tb.Helper()
	catalog := shippedCatalog(tb)
	return &fakeRunner{catalog: catalog, run: func(_ context.Context, request runner.Request) (*runner.Response, error) {
		query := request.Query
		entry := &cache.Entry{Query: query, Result: &sqlq.Result{Columns: query.Columns, Rows: rows}, AsOf: now}
		return &runner.Response{Entry: entry, Cache: runner.Miss}, nil
	}}
}

// call is a call of a runner.
type call struct {
	name string
	raw  map[string][]string
}

// recording returns a runner that records its calls.
func recording(tb testing.TB) (*fakeRunner, *[]call) {
	tb.Helper()
	queryRunner, calls := runnerReturning(tb), &[]call{}
	inner := queryRunner.run
	queryRunner.run = func(ctx context.Context, request runner.Request) (*runner.Response, error) {
		*calls = append(*calls, call{request.Query.Name, request.Params})
		return inner(ctx, request)
	}
	return queryRunner, calls
}

type params = map[string][]string

// failing returns a runner that fails with the error.
func failing(err error) *fakeRunner {
	return &fakeRunner{run: func(context.Context, runner.Request) (*runner.Response, error) { return nil, err }}
}

// silent returns a logger that discards its lines.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// logged returns a logger that writes to the buffer.
func logged() (*slog.Logger, *bytes.Buffer) {
	var lines bytes.Buffer
	return slog.New(slog.NewJSONHandler(&lines, nil)), &lines
}

// post sends a document with its variables, as JSON, by POST.
func post(t *testing.T, handler http.Handler, document, variables string) *httptest.ResponseRecorder {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": json.RawMessage(variables)})
	require.NoError(t, err)
	return send(t, handler, http.MethodPost, "/graphql", string(body), "Content-Type", "application/json")
}

// send sends a request; headers are alternating names and values.
func send(t *testing.T, handler http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Add(pair[0], pair[1])
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// bodyOf sends a document without variables and returns the response body.
func bodyOf(t *testing.T, queryRunner graphqlhttp.Runner, document string) string {
	t.Helper()
	return post(t, newHandler(t, queryRunner, silent()), document, "{}").Body.String()
}

// newHandler returns a handler over the shipped queries, with the default limits.
func newHandler(tb testing.TB, queryRunner graphqlhttp.Runner, logger *slog.Logger) http.Handler {
	tb.Helper()
	return graphqlhttp.NewHandler(newConfig(tb, queryRunner, logger))
}

func newConfig(tb testing.TB, queryRunner graphqlhttp.Runner, logger *slog.Logger) graphqlhttp.Config {
	tb.Helper()
	return graphqlhttp.Config{Runner: queryRunner, Schema: graphtest.ShippedSchema(tb), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()}
}

// graphQLError is an error as callers read it.
type graphQLError struct {
	Message    string
	Path       []any
	Locations  []map[string]int
	Extensions struct{ Code, Argument string }
}

func errorsIn(t *testing.T, response *httptest.ResponseRecorder) []graphQLError {
	t.Helper()
	var body struct{ Errors []graphQLError }
	require.NoError(t, json.Unmarshal(response.Body.Bytes(), &body), response.Body.String())
	return body.Errors
}

// sendWith posts a body with a context.
func sendWith(ctx context.Context, handler http.Handler, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}
