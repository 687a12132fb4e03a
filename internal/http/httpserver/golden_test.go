package httpserver_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/rest"
	"savedq/internal/http/httpserver"
	"savedq/internal/logs/load"
	"savedq/internal/logs/logfile"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

var update = flag.Bool("update", false, "rewrite the golden files") //nolint:gochecknoglobals // Flags are global.

// newServedStore loads the fixture logs. It returns a function that returns the whole
// service at a fixed time, with an empty cache.
func newServedStore(t *testing.T) func() http.Handler {
	t.Helper()
	store, err := logstore.Open(t.Context(), t.TempDir(), "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	clock := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC) }
	options := load.Options{
		Begin: func(ctx context.Context) (load.Transaction, error) { return store.Begin(ctx, logstore.Sent) },
		Now:   clock,

		MaxEventBytes: logfile.MaxEventBytes,
	}
	for _, table := range []string{"edge_logs", "function_edge_logs"} {
		source, ok := tables.Shipped().FindSource(table)
		require.True(t, ok)
		summary, err := load.File(t.Context(), filepath.Join("testdata", "logs", table+".ndjson"), source, options)
		require.NoError(t, err)
		require.Zero(t, summary.Rejected)
	}
	catalog := graphtest.Shipped(t)
	engine, logger := duckdb.New(store.DB()), slog.New(slog.DiscardHandler)
	return func() http.Handler {
		runner := runner.New(sqlqtest.Config(catalog, engine, clock))
		return newServer(logger, func(config *httpserver.Config) {
			config.REST = rest.NewHandler(runner, nil, logger)
			config.GraphQL = graphqlhttp.NewHandler(graphqlhttp.Config{Runner: runner, Schema: graphtest.ShippedSchema(t), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()})
			config.SDL = func(context.Context) string { return graphtest.ShippedSchema(t).SDL() }
			config.Clock = clock
		})
	}
}

// Responses match the golden files byte for byte: status, headers and body. The files
// are rewritten by "go test ./internal/http/httpserver -update".
func TestGoldenResponses(t *testing.T) {
	t.Parallel()
	get := func(path string, params ...string) *http.Request {
		values := url.Values{}
		for i := 0; i < len(params); i += 2 {
			values.Add(params[i], params[i+1])
		}
		return httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?"+values.Encode(), nil)
	}
	post := func(query string) *http.Request {
		body := sqlq.AppendValue([]byte(`{"query":`), sqlq.String, query)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", bytes.NewReader(append(body, '}')))
		request.Header.Set("Content-Type", "application/json")
		return request
	}
	requests := map[string]*http.Request{
		"rest-invocation-stats":          get("/api/endpoints/functions.invocation-stats", "project", "acme", "interval", "15min"),
		"rest-invocation-stats-function": get("/api/endpoints/query/2F2C0F2E-6B0E-4C39-9D0E-2A4C5D6F7A10", "project", "acme", "interval", "7day", "function_id", "hello"),
		"rest-api-counts":                get("/api/endpoints/query/usage.api-counts", "project", `(acme|globex)\.example`, "interval", "minutely"),
		"rest-api-counts-daily":          get("/api/endpoints/usage.api-counts", "project", "acme", "interval", "daily"),
		"rest-logs":                      get("/api/endpoints/query/c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32", "project", "acme"),
		"rest-logs-range":                get("/api/endpoints/logs.all", "project", "acme", "project_tier", "PRO", "iso_timestamp_start", "2026-02-27", "iso_timestamp_end", "2026-03-01T12:30:00 02:00"),
		"rest-logs-none":                 get("/api/endpoints/logs.all", "project", "acme", "iso_timestamp_start", "2026-03-02", "iso_timestamp_end", "2026-03-01"),
		"rest-error-not-found":           get("/api/endpoints/logs.some"),
		"rest-error-required":            get("/api/endpoints/logs.all"),
		"rest-error-interval":            get("/api/endpoints/usage.api-counts", "project", "acme", "interval", "weekly"),
		"rest-error-expression":          get("/api/endpoints/usage.api-counts", "project", "acme(", "interval", "daily"),
		"rest-error-timestamp":           get("/api/endpoints/logs.all", "project", "acme", "iso_timestamp_start", "1 March"),
		"rest-error-twice":               get("/api/endpoints/logs.all", "project", "acme", "project", "globex"),
		"graphql-invocation-stats":       post(`{ invocationStats(project: "acme", interval: FIFTEEN_MINUTES) { timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount } }`),
		"graphql-api-counts":             post(`{ apiCounts(project: "acme", interval: MINUTELY) { timestamp totalRestRequests totalStorageRequests totalAuthRequests totalRealtimeRequests } }`),
		"graphql-logs":                   post(`{ logs(project: "acme") { id timestamp eventMessage metadata } }`),
		"graphql-logs-range":             post(`{ old: logs(project: "acme", projectTier: PRO, isoTimestampEnd: "2026-02-28") { id timestamp eventMessage } new: logs(project: "acme", isoTimestampStart: "2026-03-01 12:00") { id } }`),
		"graphql-endpoints":              post(`{ endpoints { id name description language parameters { name type required default allowed fallback pattern format maxLength description } columns { name type nullable description } maxRows cacheSeconds warmSeconds sandboxed } }`),
		"graphql-endpoint":               post(`{ byName: endpoint(name: "usage.api-counts") { id sql } byId: endpoint(id: "7C1A4E58-3D3B-4F0B-8A65-9B1F0C2D3E21") { name } none: endpoint(name: "nosuch") { name } }`),
		"graphql-get":                    get("/graphql", "query", `query($p: String!) { logs(project: $p) { id } }`, "variables", `{"p": "globex"}`),
		"graphql-error-argument":         post(`{ logs(project: "acme", isoTimestampStart: "1 March") { id } }`),
		"graphql-error-expression":       post(`{ apiCounts(project: "acme(", interval: DAILY) { timestamp } }`),
		"graphql-error-missing":          post(`{ apiCounts(project: "acme") { timestamp } }`),
		"graphql-error-enum":             post(`{ apiCounts(project: "acme", interval: WEEKLY) { timestamp } }`),
		"graphql-error-field":            post(`{ logs(project: "acme") { message } }`),
		"graphql-error-syntax":           post(`{ logs(project: "acme" { id } }`),
		"schema":                         get("/schema.graphql"),
	}
	newHandler := newServedStore(t)
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request.Host = "localhost"
			request.Header.Set("X-Request-Id", "golden")
			recorder := httptest.NewRecorder()
			newHandler().ServeHTTP(recorder, request)
			var got strings.Builder
			fmt.Fprintf(&got, "%d %s\n", recorder.Code, http.StatusText(recorder.Code))
			require.NoError(t, recorder.Header().Write(&got))
			fmt.Fprintf(&got, "\n%s\n", recorder.Body)
			file := filepath.Join("testdata", "golden", name+".txt")
			text := strings.ReplaceAll(got.String(), "\r\n", "\n")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), text)
		})
	}
}
