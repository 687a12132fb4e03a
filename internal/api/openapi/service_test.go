package openapi_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/api/openapi"
	"savedq/internal/api/rest"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/logs/load"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/health"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// pinned is the time of all tests. The last logs of testdata are a moment older.
func pinned() time.Time { return time.Date(2026, 11, 20, 12, 0, 30, 0, time.UTC) }

// readCatalog returns the shipped saved queries, and that of testdata.
func readCatalog(t *testing.T) *catalog.Catalog {
	t.Helper()
	catalog, err := catalogOnce()
	require.NoError(t, err)
	return catalog
}

// catalogOnce reads the catalog, which no test changes, once.
var catalogOnce = sync.OnceValues(func() (*catalog.Catalog, error) { //nolint:gochecknoglobals // It is never written.
	return catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: os.DirFS("testdata/queries"), Path: "testdata/queries"})
})

// testStore is a store with the logs of testdata, which is opened once.
type testStore struct {
	once      sync.Once
	store     *logstore.Store
	directory string
	err       error
}

var opened testStore //nolint:gochecknoglobals // No test changes it.

func (s *testStore) open() (err error) {
	if s.directory, err = os.MkdirTemp("", "openapi"); err != nil {
		return err
	}
	if s.store, err = logstore.Open(context.Background(), s.directory, ""); err != nil {
		return err
	}
	options := load.Options{
		Begin: func(ctx context.Context) (load.Transaction, error) { return s.store.Begin(ctx, logstore.Sent) },
		Now:   pinned,
	}
	for _, table := range []string{"edge_logs", "function_edge_logs"} {
		source, _ := tables.Shipped().FindSource(table)
		summary, err := load.File(context.Background(), filepath.Join("testdata", "logs", table+".ndjson"), source, options)
		if err != nil || summary.Rejected > 0 {
			return fmt.Errorf("load %s: %d rejected, %w", table, summary.Rejected, err)
		}
	}
	return nil
}

// Close closes and removes the store, if a test has opened it.
func (s *testStore) Close() error {
	if s.store == nil {
		return nil
	}
	return errors.Join(s.store.Close(), os.RemoveAll(s.directory))
}

// openStore returns an engine over the logs of testdata.
func openStore(t *testing.T) sqlq.Engine {
	t.Helper()
	opened.once.Do(func() { opened.err = opened.open() })
	require.NoError(t, opened.err)
	return duckdb.New(opened.store.DB())
}

// service is the whole server, and the document of it.
type service struct {
	handler http.Handler
	// queries are those that a context may see.
	queries func(context.Context) []*sqlq.SavedQuery
}

// newService returns the whole server over an engine, with a token for each of
// full, globex (only that project) and slow (one request a second).
func newService(t *testing.T, engine sqlq.Engine, change func(*httpserver.Config)) service {
	t.Helper()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{
			{Token: auth.FullAccess("full"), Hash: auth.HashOf("full")},
			{Token: auth.Token{Name: "globex", Projects: []string{"globex"}, Endpoints: []string{"usage.api-counts"}}, Hash: auth.HashOf("globex")},
			{Token: auth.Token{Name: "slow", Rate: 1}, Hash: auth.HashOf("slow")},
		}, nil
	})
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	catalog := readCatalog(t)
	inner := runner.New(sqlqtest.Config(catalog, engine, pinned))
	runner := auth.NewRunner(inner, inner, catalog, logger)
	failures := httperror.NewWriter(logger)
	config := httpserver.Config{
		REST:    rest.NewHandler(runner, nil, logger),
		GraphQL: http.NotFoundHandler(), Ingest: &ingesthttp.Handlers{}, Alive: health.Alive(), Ready: health.Alive(),
		Keyring: keyring, Errors: failures, GraphQLError: failures.Write,
		MaxRequests: 10,
		Served:      func(string, int, time.Duration) {},
		Logger:      logger, Clock: pinned,
	}
	if change != nil {
		change(&config)
	}
	return service{handler: httpserver.NewHandler(config), queries: runner.Queries}
}

// newRequest returns a request with a token, unless the token is empty.
func newRequest(t *testing.T, token, method, target string) *http.Request {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	if token != "" {
		request.Header.Set("X-API-KEY", token)
	}
	return request
}

func (s service) serve(request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	return recorder
}

// describedOnce reads and validates the document once, which no test changes.
var describedOnce = sync.OnceValues(func() (*openapi3.T, error) { //nolint:gochecknoglobals // It is never written.
	catalog, err := catalogOnce()
	if err != nil {
		return nil, err
	}
	text, err := openapi.Document(catalog.Queries(), openapi.Caller{}, "test")
	if err != nil {
		return nil, err
	}
	return loadDocument(text)
})

// readDescribed returns the document that [describe] returns.
func readDescribed(t *testing.T) *openapi3.T {
	t.Helper()
	read, err := describedOnce()
	require.NoError(t, err)
	return read
}

// describe returns the document of the shipped saved queries and that of testdata.
func describe(t *testing.T) []byte {
	t.Helper()
	text, err := openapi.Document(readCatalog(t).Queries(), openapi.Caller{}, "test")
	require.NoError(t, err)
	return text
}
