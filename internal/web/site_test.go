package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/rest"
	"savedq/internal/api/usagehttp"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/demo"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/requestlog"
	"savedq/internal/operations/usage"
	"savedq/internal/web"
	"savedq/resolvers"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// demoSite is a server of demo logs with its pages. It lets in the holders of a few
// secrets.
type demoSite struct {
	// open needs no token; guarded does; published is open below a base path.
	open, guarded, published string
	// tailed are events that arrive, for whoever follows the logs.
	tailed chan []graph.TailedEvent
}

// Secrets of the guarded site: of a token that may do everything, of one that is limited
// to a project and a tier, of one that may run a single saved query, of one without limits that
// may not send events, and of a signed one that is bound to values.
const (
	secret       = "savedq_only-this-one"
	acmeSecret   = "savedq_acme-alone"
	logsSecret   = "savedq_logs-alone"
	readerSecret = "savedq_reads-all"
	boundSecret  = "savedq_bound"
)

// serveDemo serves the real interfaces over a week of demo logs, with further saved queries,
// and the pages.
func serveDemo(t *testing.T) demoSite {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	const seed = 1
	_, err = demo.Fill(t.Context(), store, demo.New(seed), time.Now(), func() {})
	require.NoError(t, err)
	const queries = "testdata/queries"
	catalog, err := graph.ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{Path: queries, FS: os.DirFS(queries)})
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	ledger, err := usage.Open(usage.Config{Directory: filepath.Join(t.TempDir(), "usage"), Clock: time.Now, Logger: logger})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, ledger.Close()) })
	inner := runner.New(sqlqtest.Config(catalog, duckdb.New(store.DB()), time.Now))
	runner := auth.NewRunner(inner, inner, catalog, logger).WithUsage(ledger)
	tailed := make(chan []graph.TailedEvent)
	mux := http.NewServeMux()
	mux.Handle("/graphql", graphqlhttp.NewHandler(graphqlhttp.Config{
		Runner: runner, Schema: graphtest.SchemaOf(t, catalog), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits(),
		Tail: func(_ context.Context, filter resolvers.TailFilter) (resolvers.TailReader, error) {
			return follow(tailed, filter)
		},
		Viewer: func(ctx context.Context) graph.Viewer {
			token, _ := auth.FromContext(ctx)
			viewer := graph.Viewer{Projects: token.Projects, Refresh: token.Refresh, Tail: token.Endpoints == nil, Usage: auth.HasFullAccess(ctx)}
			if token.MaxTier != "" {
				viewer.ProjectTier = &token.MaxTier
			}
			for name, values := range token.Values() {
				viewer.BoundParameters = append(viewer.BoundParameters, graph.BoundParameter{Name: name, Values: values})
			}
			return viewer
		},
	}))
	mux.Handle("/api/", rest.NewHandler(runner, nil, logger))
	mux.Handle(usagehttp.Path, usagehttp.NewHandler(usagehttp.Config{Report: ledger.Report, Clock: time.Now, Errors: httperror.NewWriter(logger)}))
	api := requestlog.Handler(mux, logger, nil, time.Now, func(*http.Request, int, time.Duration) {})
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{
			{Token: auth.FullAccess("full"), Hash: auth.HashOf(secret)},
			{Token: auth.Token{Name: "acme", Projects: []string{"acme"}, MaxTier: "PRO"}, Hash: auth.HashOf(acmeSecret)},
			{Token: auth.Token{Name: "reader"}, Hash: auth.HashOf(readerSecret)},
			{Token: auth.Token{
				Name: "bound", Issuer: "https://app.example.com", Subject: "ann", Endpoints: []string{"mine.everything"}, Projects: []string{"acme"},
				Bound: map[string][]string{"kind": {"get"}, "hours": {"7"}, "order": {"mean", "p-95"}, "paths": {"/a"}, "methods": {"PUT"}},
			}, Hash: auth.HashOf(boundSecret)},
			{Token: auth.Token{Name: "logs", Endpoints: []string{"logs.all"}}, Hash: auth.HashOf(logsSecret)},
		}, nil
	})
	require.NoError(t, err)
	errors := httperror.NewWriter(logger)
	graphQLErrors := graphqlhttp.ErrorWriter(logger)
	guarded := auth.Handler(api, auth.HandlerConfig{Keyring: keyring, Clock: time.Now, Logger: logger, WriteError: func(w http.ResponseWriter, r *http.Request, err error) {
		if r.URL.Path == "/graphql" {
			graphQLErrors(w, r, err)
			return
		}
		errors.Write(w, r, err)
	}})
	return demoSite{
		tailed: tailed, open: serveSite(t, auth.NoAuth(api)), guarded: serveSite(t, guarded),
		published: serveBelow(t, basePath, auth.NoAuth(api)),
	}
}

// basePath begins the paths of the published site.
const basePath = "/tools/savedq"

// serveSite serves the pages over an API, and returns its address.
func serveSite(t *testing.T, api http.Handler) string {
	t.Helper()
	return serveBelow(t, "", api)
}

// serveBelow does what serveSite does, below a base path. The address has none.
func serveBelow(t *testing.T, basePath string, api http.Handler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/graphql", api)
	mux.Handle("/api/", api)
	mux.Handle("/", web.NotFound(basePath))
	pages := web.Handler(basePath)
	for _, path := range web.Paths() {
		if path == "/" {
			path = "/{$}" // and nothing under it
		}
		mux.Handle(path, pages)
	}
	below := http.StripPrefix(basePath, mux)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding") // Each site would compress its assets, which TestHandlerCodings checks.
		below.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
