package graphqlhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/internal/api/graphqlhttp"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// clock is a clock that moves only when a test advances it.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time               { return now.Add(time.Duration(c.passed.Load())) }
func (c *clock) advance(passed time.Duration) { c.passed.Add(int64(passed)) }

// countingRunner is a real runner with a cache. It counts the fields for which it runs a
// saved query: none if the response is cached.
type countingRunner struct {
	*runner.Runner
	runs atomic.Int64
}

func (c *countingRunner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	c.runs.Add(1)
	return c.Runner.Run(ctx, request)
}

// server is a handler that caches responses, with the parts that tests inspect or change.
type server struct {
	http.Handler
	runner *countingRunner
	engine *sqlqtest.FakeEngine
	clock  *clock
}

// cached holds a catalog that caches apiCounts for one minute and invocationStats for ten, and its schema.
type cached struct {
	catalog *catalog.Catalog
	schema  *graph.Schema
}

// caching reads the catalog once, for all tests.
var caching = sync.OnceValues(func() (c cached, err error) { //nolint:gochecknoglobals // What it holds never changes.
	if c.catalog, err = graph.ReadCatalog(duckdbsql.Dialect{}); err != nil { // one of its own, as it is changed
		return c, err
	}
	for name, ttl := range map[string]time.Duration{"usage.api-counts": time.Minute, "functions.invocation-stats": 10 * time.Minute} {
		query, _ := c.catalog.Find(name)
		query.Cache = ttl
	}
	c.schema, err = graph.NewSchema(c.catalog)
	return c, err
})

// newServer returns a server whose engine returns the number n for the n-th run, in
// that many rows.
func newServer(t *testing.T, rows int) *server {
	t.Helper()
	s := &server{clock: &clock{}, engine: &sqlqtest.FakeEngine{}}
	var runs atomic.Int64 // no two runs see the same number, unlike with Runs
	s.engine.RunFunc = func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		run := runs.Add(1)
		result := &sqlq.Result{Columns: statement.Query.Columns, BytesProcessed: 7}
		row := make([]any, len(result.Columns))
		for i, column := range result.Columns {
			switch column.Type {
			case sqlq.Timestamp, sqlq.Datetime:
				row[i] = now
			case sqlq.Int64:
				row[i] = run
			default: // is nullable
			}
		}
		result.Rows = slices.Repeat([][]any{row}, rows)
		return result, nil
	}
	cached, err := caching()
	require.NoError(t, err)
	s.runner = &countingRunner{Runner: runner.New(sqlqtest.Config(cached.catalog, s.engine, s.clock.now))}
	config := newConfig(t, s.runner, silent())
	config.Schema = cached.schema
	s.Handler = graphqlhttp.NewHandler(config)
	return s
}

// run runs a request for the saved query with the name of its own.
func (s *server) run(t *testing.T, request runner.Request) (response *runner.Response, err error) {
	t.Helper()
	request.Query, err = s.runner.Find(t.Context(), request.Query.Name)
	require.NoError(t, err)
	return s.runner.Runner.Run(t.Context(), request)
}

// query posts a document without variables. It returns the body and how many fields ran.
func (s *server) query(t *testing.T, document string, headers ...string) (body string, runs int64) {
	t.Helper()
	before := s.runner.runs.Load()
	request, err := json.Marshal(map[string]string{"query": document})
	require.NoError(t, err)
	response := send(t, s, http.MethodPost, "/graphql", string(request), append(headers, "Content-Type", "application/json")...)
	require.Equal(t, http.StatusOK, response.Code, response.Body)
	return response.Body.String(), s.runner.runs.Load() - before
}

// get sends a document by GET.
func (s *server) get(t *testing.T, document string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, s, http.MethodGet, target(document), "", headers...)
}
