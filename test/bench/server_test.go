package bench

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/api/mcp"
	"savedq/internal/api/rest"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/health"
	"savedq/internal/observe/logging"
	"savedq/internal/observe/metrics"
	"savedq/internal/observe/requestlog"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// secret is the token that the benchmarks send.
const secret = "savedq-benchmark"

// serve serves on a free port of the loopback address until the benchmark ends, as
// savedq does.
func serve(tb testing.TB, handler http.Handler) (address string) {
	tb.Helper()
	listener, err := httpserver.Listen(tb.Context(), "--addr", "127.0.0.1:0")
	require.NoError(tb, err)
	ctx, stop := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- httpserver.Serve(ctx, listener, handler, httpserver.Limits{QueryTimeout: time.Second, Drain: time.Second}, slog.New(slog.DiscardHandler))
	}()
	tb.Cleanup(func() {
		stop()
		require.NoError(tb, <-ended)
	})
	return listener.Addr().String()
}

// servePlainly does the same with the defaults of net/http.
func servePlainly(tb testing.TB, handler http.Handler) (address string) {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// bare returns a handler that only writes bytes.
func bare(body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}

// savedq returns the whole server over an engine, as "savedq serve" assembles it. It
// writes its log to a file.
func savedq(tb testing.TB, engine sqlq.Engine) http.Handler {
	tb.Helper()
	return assemble(tb, engine, 64<<20, time.Now)
}

// uncached returns the whole server without a cache, at a fixed time.
func uncached(tb testing.TB, engine sqlq.Engine, clock func() time.Time) http.Handler {
	tb.Helper()
	return assemble(tb, engine, 0, clock)
}

func assemble(tb testing.TB, engine sqlq.Engine, cacheBytes int64, clock func() time.Time, queries ...catalog.Directory) http.Handler {
	tb.Helper()
	file, err := os.Create(filepath.Join(tb.TempDir(), "log"))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, file.Close()) })
	log := logging.New(file, logging.JSON, slog.LevelInfo, requestlog.LogHandler)
	tb.Cleanup(log.Close)
	logger := log.Logger
	catalog, err := graph.ReadCatalog(duckdbsql.Dialect{}, queries...)
	require.NoError(tb, err)
	counted := metrics.New(prometheus.NewRegistry(), catalog)
	config := sqlqtest.Config(catalog, engine, clock)
	config.Observer, config.Logger, config.CacheBytes = counted, logger, cacheBytes
	runner := runner.New(config)
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: auth.FullAccess("bench"), Hash: auth.HashOf(secret)}}, nil
	})
	require.NoError(tb, err)
	acceptSigned(tb, keyring, auth.KnownOf(catalog.Queries()), logger)
	ledger, err := usage.Open(usage.Config{Directory: filepath.Join(tb.TempDir(), "usage"), Clock: clock, Logger: logger})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, ledger.Close()) })
	scoped := auth.NewRunner(runner, runner, catalog, logger).WithUsage(ledger)
	return httpserver.NewHandler(httpserver.Config{
		REST:    rest.NewHandler(scoped, nil, logger),
		GraphQL: graphqlhttp.NewHandler(graphqlhttp.Config{Runner: scoped, Schema: graphtest.SchemaOf(tb, catalog), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()}),
		MCP: mcp.NewServer(mcp.Config{
			Runner: scoped, Queries: catalog.Queries(), Caller: func(context.Context) mcp.Caller { return mcp.Caller{} },
			Errors: httperror.NewWriter(logger), Logger: slog.New(slog.DiscardHandler),
		}),
		SDL:          func(context.Context) string { return graphtest.SchemaOf(tb, catalog).SDL() },
		Ingest:       &ingesthttp.Handlers{},
		Metrics:      counted.Handler(),
		Alive:        health.Alive(),
		Ready:        health.Alive(),
		Keyring:      keyring,
		Errors:       httperror.NewWriter(logger),
		GraphQLError: graphqlhttp.ErrorWriter(logger),
		MaxRequests:  10_000,
		Served:       counted.Served,
		Logger:       logger,
		Clock:        clock,
	})
}

// rowsEngine returns an engine that returns a number of rows of invocation statistics.
func rowsEngine(rows int) sqlq.Engine {
	return &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		result := &sqlq.Result{Columns: statement.Query.Columns}
		for i := range rows {
			value := func(n float64) float64 { return n + float64(i)/8 }
			result.Rows = append(result.Rows, []any{
				statement.Now.Truncate(time.Second).Add(time.Duration(i) * time.Second),
				value(1), value(900), value(123.456), value(700), value(800), int64(1000 + i), int64(i % 7),
			})
		}
		return result, nil
	}}
}
