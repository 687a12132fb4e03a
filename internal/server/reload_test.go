package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/engines"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// fakeChecker finds no mistakes, unless the SQL has the word broken.
type fakeChecker struct{ checked []string }

func (c *fakeChecker) Check(_ context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	c.checked = append(c.checked, query.Name)
	switch {
	case strings.Contains(query.SQL, "unreachable"):
		return nil, errors.New("the checker cannot be started")
	case strings.Contains(query.SQL, "broken"):
		return nil, sqlq.FileErrors{{File: query.SQLFile, Line: 1, Column: 8, Message: "broken"}}
	}
	return &sqlq.Plan{}, nil
}

func (*fakeChecker) Close() error { return nil }

// testEngine is DuckDB with a checker of the test.
type testEngine struct {
	engines.DuckDB
	checker engines.Checker
}

func (e testEngine) OfflineChecker() engines.Checker { return e.checker }

// lockedBuffer is a log that the server writes while a test reads it.
type lockedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

// Write implements [io.Writer].
func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.Write(text)
}

// String returns what was written.
func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.String()
}

// reloads is a server without a network.
type reloads struct {
	*Server
	t       *testing.T
	dir     string
	checker *fakeChecker
	log     *lockedBuffer
	handler http.Handler
}

// newReloads returns a server on an empty store, with a changed configuration.
func newReloads(t *testing.T, change func(*Config)) *reloads {
	t.Helper()
	dir, data := filepath.Join(t.TempDir(), "queries"), t.TempDir()
	r := &reloads{t: t, dir: dir, checker: &fakeChecker{}, log: &lockedBuffer{}}
	r.write(1)
	config := Config{
		Address: "127.0.0.1:0", NoAuth: true, MaxRequests: 100,
		Data: data, Engine: testEngine{engines.DuckDB{Store: engines.Store{Directory: data, MemoryBytes: 64 << 20}}, r.checker}, Queries: engines.Folders{Directories: []string{dir}, OmitShipped: allShippedBut()},
		Runner:  runner.Config{QueryTimeout: 30 * time.Second, EngineConcurrency: 8, QueueTimeout: 10 * time.Second, CacheBytes: 1 << 20, StaleIfError: time.Hour, WarmConcurrency: 2},
		GraphQL: graphqlhttp.Config{BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()},
		Ingest:  ingest.Config{WaitingBytes: 1 << 20, IDBytes: 1 << 20}, IngestHTTP: ingesthttp.Config{MemoryBytes: ingesthttp.MinMemoryBytes},
		Retention: &upkeep.RetentionPolicy{},
		Registry:  prometheus.NewRegistry(), Logger: slog.New(slog.NewTextHandler(r.log, nil)), DroppedLogLines: func() int64 { return 0 },
		Output: io.Discard, Clock: time.Now, Getenv: func(string) string { return "" }, RunMore: func(int) {},
	}
	change(&config)
	r.Server = New(config)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	require.NoError(t, r.Open(t.Context()))
	handlers, mux := r.handlers(), http.NewServeMux()
	mux.Handle("/api/", handlers.REST)
	mux.Handle("/graphql", handlers.GraphQL)
	mux.Handle("/openapi.json", handlers.OpenAPI)
	mux.Handle("/mcp", handlers.MCP)
	r.handler = auth.NoAuth(mux)
	return r
}

// unchanged leaves a configuration as it is.
func unchanged(*Config) {}

// allShippedBut returns the names of the shipped saved queries without some, which a test needs. Each makes the
// schemas larger, and they are built for each server and each reload.
func allShippedBut(needed ...string) []string {
	return slices.DeleteFunc(catalog.ShippedNames(), func(name string) bool { return slices.Contains(needed, name) })
}

// write writes a version of the saved query mine.changing, whose parameter, columns,
// description and SQL change together.
func (r *reloads) write(version int) {
	r.t.Helper()
	odd := version % 2
	r.writeFile("query.yaml", fmt.Sprintf(`id: 11111111-1111-4111-8111-111111111111
name: mine.changing
description: Version %d.
cache: 900s
warm: 300s
params:
  - {name: p%d, type: INT64, default: 0, description: P.}
columns:
  - {name: a%d, type: INT64, description: A., graphql: {field: first, type: Int}}
  - {name: b%d, type: INT64, description: B., graphql: {field: second, type: Int}}
`, version, odd, odd, odd))
	r.writeFile("duckdb.sql", fmt.Sprintf("SELECT %d + $p%d AS a%d, %d AS b%d", version, odd, odd, version, odd))
}

func (r *reloads) writeFile(name, content string) {
	r.t.Helper()
	folder := filepath.Join(r.dir, "mine.changing")
	require.NoError(r.t, os.MkdirAll(folder, 0o750))
	require.NoError(r.t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
}

// get requests a path and returns the response.
func (r *reloads) get(path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	return recorder
}

// tools returns the list of tools.
func (r *reloads) tools() string {
	request := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "*/*")
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request)
	return recorder.Body.String()
}

func (r *reloads) graphQL(document string) *httptest.ResponseRecorder {
	return r.get("/graphql?query=" + url.QueryEscape(document))
}

// D29: while folders change under load, no request fails, and none sees half a change. The
// entries of unchanged saved queries stay, and nothing accumulates. It does not run in
// parallel, because it would count the heap and the goroutines of all parallel tests.
func TestReloadUnderLoad(t *testing.T) {
	r := newReloads(t, func(config *Config) { config.Queries.OmitShipped = allShippedBut("usage.api-counts") })
	const unchanged = "/api/endpoints/usage.api-counts?project=acme&interval=daily"
	require.Equal(t, "MISS", r.get(unchanged).Header().Get("X-Cache"))
	load := []func() error{
		func() error { return checkREST(r.get("/api/endpoints/mine.changing")) },
		func() error {
			return checkGraphQL(r.graphQL(`{ mineChanging { first second } endpoint(name: "mine.changing") { description columns { name } } }`))
		},
		func() error { return checkGraphQL(r.graphQL(`{ mineChanging { first second } }`)) },
		func() error { return checkOpenAPI(r.get("/openapi.json")) },
		func() error {
			if status := r.get(unchanged).Header().Get("X-Cache"); status != "HIT" {
				return fmt.Errorf("an unchanged saved query is %q", status)
			}
			return nil
		},
	}
	atStart := len(r.checker.checked)
	requests := make(chan func() error)
	var loading sync.WaitGroup
	for range 4 {
		loading.Go(func() {
			for request := range requests {
				assert.NoError(t, request())
			}
		})
	}
	const versions, settled = 50, 15
	var bytesBefore int64
	var heapBefore uint64
	for version := 2; version <= versions; version++ {
		r.write(version)
		reloaded := make(chan struct{})
		go func() {
			r.reload(t.Context(), false)
			close(reloaded)
		}()
		for _, request := range load {
			requests <- request
		}
		<-reloaded
		if version == settled {
			bytesBefore, heapBefore = r.runner.CacheBytes(), heap()
		}
	}
	close(requests)
	loading.Wait()
	for range 3 { // what was evicted is stored again
		for _, request := range load {
			require.NoError(t, request())
		}
	}
	assert.Contains(t, r.get("/api/endpoints/mine.changing").Body.String(), strconv.Itoa(versions))
	for _, name := range r.checker.checked[atStart:] {
		require.Equal(t, "mine.changing", name, "only changed saved queries are checked")
	}
	assert.InDelta(t, bytesBefore, r.runner.CacheBytes(), 20_000)
	assert.Less(t, heap(), heapBefore+5<<20)
	assert.Less(t, runtime.NumGoroutine(), 200)
}

// heap returns the bytes in use.
func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// A folder that takes the name of a shipped saved query is reloaded, and the shipped one stays left out.
func TestReloadReplacesShipped(t *testing.T) {
	t.Parallel()
	r := newReloads(t, func(config *Config) {
		config.Queries.OmitShipped = []string{"logs.all"}
		folder := filepath.Join(config.Queries.Directories[0], "logs.all")
		require.NoError(t, os.MkdirAll(folder, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte("id: c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32\nname: logs.all\ndescription: Mine.\ncolumns:\n  - {name: n, type: INT64, description: N.}\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "query.sql"), []byte("SELECT 1 AS n"), 0o600))
	})
	assert.JSONEq(t, `{"result":[{"n":1}]}`, r.get("/api/endpoints/logs.all").Body.String())
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "logs.all", "query.sql"), []byte("SELECT 2 AS n"), 0o600))
	assert.False(t, r.reload(t.Context(), false), r.log.String())
	assert.JSONEq(t, `{"result":[{"n":2}]}`, r.get("/api/endpoints/query/C4D5E6F7-1a2b-4c3d-8e9f-0a1b2c3d4e32").Body.String())
}

// checkREST returns an error unless the names and values of a row belong to one version.
func checkREST(response *httptest.ResponseRecorder) error {
	var body struct{ Result []map[string]int }
	if err := json.Unmarshal(response.Body.Bytes(), &body); err != nil || len(body.Result) != 1 {
		return fmt.Errorf("%d %s", response.Code, response.Body)
	}
	row := body.Result[0]
	for odd := range 2 {
		a, found := row[fmt.Sprint("a", odd)]
		if found && (a%2 != odd || a != row[fmt.Sprint("b", odd)]) {
			return fmt.Errorf("half a change: %v", row)
		}
	}
	return nil
}

// checkGraphQL returns an error unless rows and description belong to one version.
func checkGraphQL(response *httptest.ResponseRecorder) error {
	var body struct {
		Data struct {
			MineChanging []struct{ First, Second int }
			Endpoint     *struct {
				Description string
				Columns     []struct{ Name string }
			}
		}
		Errors []any
	}
	if err := json.Unmarshal(response.Body.Bytes(), &body); err != nil || len(body.Errors) > 0 || len(body.Data.MineChanging) != 1 {
		return fmt.Errorf("%d %s", response.Code, response.Body)
	}
	row, endpoint := body.Data.MineChanging[0], body.Data.Endpoint
	if row.First != row.Second {
		return fmt.Errorf("half a change: %s", response.Body)
	}
	if endpoint != nil && (endpoint.Description != fmt.Sprintf("Version %d.", row.First) || endpoint.Columns[0].Name != fmt.Sprint("a", row.First%2)) {
		return fmt.Errorf("half a change: %s", response.Body)
	}
	return nil
}

// checkOpenAPI returns an error unless the parameter and the description belong together.
func checkOpenAPI(response *httptest.ResponseRecorder) error {
	text := response.Body.String()
	var version int
	if _, after, found := strings.Cut(text, "Version "); found {
		_, _ = fmt.Sscanf(after, "%d", &version)
	}
	if response.Code != http.StatusOK || version == 0 || !strings.Contains(text, fmt.Sprintf(`"p%d"`, version%2)) || strings.Contains(text, fmt.Sprintf(`"p%d"`, 1-version%2)) {
		return fmt.Errorf("%d, version %d", response.Code, version)
	}
	return nil
}

// D29: a folder with a mistake changes nothing. The log, the metrics and GraphQL show the
// mistake with its place, until it is corrected.
func TestReloadKeepsTheLastGoodVersion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, content string
		want          string
		logged        string
	}{
		"key":     {"query.yaml", "id: 11111111-1111-4111-8111-111111111111\nnamed: x\n", `query.yaml","line":2,"column":1,`, `query.yaml line=2 column=1`},
		"SQL":     {"duckdb.sql", "SELECT broken + $p1 AS a1, 1 AS b1", `duckdb.sql","line":1,"column":8,"message":"broken"`, `duckdb.sql line=1 column=8 mistake=broken`},
		"params":  {"duckdb.sql", "SELECT $other AS a1, $p1 AS b1", `duckdb.sql","line":1,"column":8,`, `duckdb.sql line=1 column=8`},
		"checker": {"duckdb.sql", "SELECT 'unreachable', $p1 AS b1", `queries","line":null,"column":null,"message":"the checker cannot be started"`, "the checker cannot be started"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReloads(t, unchanged)
			loaded := r.state.Load().LoadedAt
			require.NoError(t, checkREST(r.get("/api/endpoints/mine.changing")))
			r.writeFile(test.file, test.content)
			assert.Equal(t, name == "checker", r.reload(t.Context(), false), "only a failed check is tried again")
			assert.Equal(t, "HIT", r.get("/api/endpoints/mine.changing").Header().Get("X-Cache"))
			const document = `{ catalog { loadedAt mistakes { file line column message } } }`
			assert.Contains(t, r.graphQL(document).Body.String(), test.want)
			assert.Equal(t, loaded, r.state.Load().LoadedAt)
			assert.Contains(t, r.log.String(), `level=ERROR msg="the saved queries have a mistake, the previous ones stay in use"`)
			assert.Contains(t, r.log.String(), test.logged)
			require.NoError(t, testutil.GatherAndCompare(r.config.Registry, strings.NewReader(`
# HELP savedq_catalog_last_reload_successful Whether the folders of saved queries are in use as they were last read: 1 if they are, 0 if a mistake keeps an older version in use.
# TYPE savedq_catalog_last_reload_successful gauge
savedq_catalog_last_reload_successful 0
# HELP savedq_catalog_reload_failures_total How often the folders of saved queries were read again and had a mistake.
# TYPE savedq_catalog_reload_failures_total counter
savedq_catalog_reload_failures_total 1
`), "savedq_catalog_last_reload_successful", "savedq_catalog_reload_failures_total"))

			if name != "checker" {
				logged := r.log.String()
				r.reload(t.Context(), false)
				assert.Equal(t, logged, r.log.String(), "the same files are not read twice")
			}
			r.write(1) // as they were
			r.reload(t.Context(), false)
			assert.Contains(t, r.graphQL(document).Body.String(), `"mistakes":[]`)
			assert.Equal(t, "HIT", r.get("/api/endpoints/mine.changing").Header().Get("X-Cache"))
			assert.True(t, r.state.Load().LoadedAt.After(loaded))
		})
	}
}

// A mistake names files, so tokens with limits do not see it.
func TestReloadHidesMistakesFromLimitedTokens(t *testing.T) {
	t.Parallel()
	r := newReloads(t, unchanged)
	r.writeFile("duckdb.sql", "SELECT broken + $p1 AS a1, 1 AS b1")
	r.reload(t.Context(), false)
	assert.Empty(t, r.catalogState(t.Context()).Mistakes)
	assert.Len(t, r.state.Load().Mistakes, 1)
}

// Saved queries that are added and removed, and their metrics.
func TestReloadAddsAndRemoves(t *testing.T) {
	t.Parallel()
	r := newReloads(t, unchanged)
	series := func() string {
		families, err := r.config.Registry.Gather()
		require.NoError(t, err)
		return fmt.Sprint(families)
	}
	assert.Contains(t, series(), "mine.changing")
	require.NoError(t, os.Rename(filepath.Join(r.dir, "mine.changing"), filepath.Join(r.dir, ".hidden")))
	require.NoError(t, os.MkdirAll(filepath.Join(r.dir, "mine.other"), 0o750))
	for _, file := range []string{"query.yaml", "duckdb.sql"} {
		content, err := os.ReadFile(filepath.Join(r.dir, ".hidden", file))
		require.NoError(t, err)
		content = bytes.ReplaceAll(content, []byte("mine.changing"), []byte("mine.other"))
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, "mine.other", file), content, 0o600))
	}
	assert.Contains(t, r.tools(), `"name":"mine_changing"`)
	r.reload(t.Context(), false)
	assert.Contains(t, r.tools(), `"name":"mine_other"`)
	assert.NotContains(t, r.tools(), `"name":"mine_changing"`)
	assert.Equal(t, http.StatusNotFound, r.get("/api/endpoints/mine.changing").Code)
	assert.Equal(t, http.StatusOK, r.get("/api/endpoints/mine.other").Code)
	assert.Contains(t, r.log.String(), "changed=[mine.other] removed=[mine.changing]")
	assert.NotContains(t, series(), "mine.changing")
	assert.Contains(t, series(), "mine.other")
	assert.Contains(t, r.sdl(t.Context()), "mineOther")
	assert.NotContains(t, r.sdl(t.Context()), "mineChanging")
}

// A response of an older schema is not served under a newer one, although its rows are the
// same.
func TestReloadSeparatesGraphQLResponses(t *testing.T) {
	t.Parallel()
	r := newReloads(t, unchanged)
	const document = `{ mineChanging { first } }`
	require.NoError(t, checkStatus(r.graphQL(document), http.StatusOK))
	content, err := os.ReadFile(filepath.Join(r.dir, "mine.changing", "query.yaml"))
	require.NoError(t, err)
	r.writeFile("query.yaml", strings.Replace(string(content), "field: first", "field: renamed", 1))
	r.reload(t.Context(), false)
	assert.Contains(t, r.graphQL(document).Body.String(), `"errors"`)
	renamed := r.graphQL(`{ mineChanging { renamed } }`)
	assert.Contains(t, renamed.Body.String(), `"cache":"HIT"`, "the rows stay cached")
}

func checkStatus(response *httptest.ResponseRecorder, want int) error {
	if response.Code != want {
		return fmt.Errorf("%d %s", response.Code, response.Body)
	}
	return nil
}

// Trusted documents that the new schema does not allow are a mistake, as they are at the
// start.
func TestReloadChecksTrustedDocuments(t *testing.T) {
	t.Parallel()
	const document = "{ mineChanging { first } }"
	trusted := filepath.Join(t.TempDir(), "trusted.json")
	require.NoError(t, os.WriteFile(trusted, fmt.Appendf(nil, `{"%s": "%s"}`, auth.HashOf(document), document), 0o600))
	r := newReloads(t, func(config *Config) { config.TrustedDocuments = trusted })
	content, err := os.ReadFile(filepath.Join(r.dir, "mine.changing", "query.yaml"))
	require.NoError(t, err)
	r.writeFile("query.yaml", strings.Replace(string(content), "field: first", "field: renamed", 1))
	r.reload(t.Context(), false)
	mistakes := r.state.Load().Mistakes
	require.Len(t, mistakes, 1)
	assert.Equal(t, "--trusted-documents", mistakes[0].File)
	assert.Contains(t, mistakes[0].Message, `Cannot query field "first"`)
	require.NoError(t, checkStatus(r.graphQL(document), http.StatusOK))
}

// D15: the message of the engine reaches callers with --dev only.
func TestDevShowsCauses(t *testing.T) {
	t.Parallel()
	for _, shown := range []bool{true, false} {
		r := newReloads(t, func(config *Config) { config.Dev = shown })
		r.writeFile("duckdb.sql", "SELECT error('boom') AS a1, $p1 AS b1")
		r.reload(t.Context(), false)
		rest, graphQL := r.get("/api/endpoints/mine.changing"), r.graphQL("{ mineChanging { first } }")
		assert.Equal(t, http.StatusInternalServerError, rest.Code, rest.Body)
		assert.Equal(t, shown, strings.Contains(rest.Body.String(), `,"cause":"`), rest.Body)
		assert.Equal(t, shown, strings.Contains(rest.Body.String(), "boom"))
		assert.Equal(t, shown, strings.Contains(graphQL.Body.String(), "boom"), graphQL.Body)
	}
}

// Without introspection, the schema is not served either.
func TestSchemaNeedsIntrospection(t *testing.T) {
	t.Parallel()
	for _, without := range []bool{false, true} {
		r := newReloads(t, func(config *Config) { config.GraphQL.WithoutIntrospection = without })
		assert.Equal(t, without, r.handlers().SDL(t.Context()) == "")
	}
}
