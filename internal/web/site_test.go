package web_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/demo"
	"savedq/internal/graphqlhttp"
	"savedq/internal/graphqlrules"
	"savedq/internal/logstore"
	"savedq/internal/requestlog"
	"savedq/internal/rest"
	"savedq/internal/web"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/sqlqtest"
)

// newDemoAPI returns the real interfaces over a week of demo logs.
func newDemoAPI(t *testing.T) http.Handler {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	const seed = 1
	_, err = demo.Fill(t.Context(), store, demo.New(seed), time.Now())
	require.NoError(t, err)
	catalog, err := sqlq.ShippedCatalog(sqlq.DuckDB)
	require.NoError(t, err)
	runner := sqlq.NewRunner(sqlqtest.Config(catalog, duckdb.New(store.DB()), time.Now))
	logger := slog.New(slog.DiscardHandler)
	mux := http.NewServeMux()
	mux.Handle("/graphql", graphqlhttp.NewHandler(graphqlhttp.Config{
		Runner: runner, Schema: graphtest.SchemaOf(t, catalog), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits(),
	}))
	mux.Handle("/api/", rest.NewHandler(runner, logger))
	return requestlog.Handler(mux, logger, nil, time.Now, func(*http.Request, int, time.Duration) {})
}

// serveSite serves the pages over an API, and returns its address.
func serveSite(t *testing.T, api http.Handler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", api)
	pages := web.Handler()
	for _, path := range web.Paths() {
		if path == "/" {
			path = "/{$}" // and nothing under it
		}
		mux.Handle(path, pages)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
