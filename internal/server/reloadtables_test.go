package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// writeTables writes a version of two tables and of the saved query that reads them: each version has another
// new field in both, and a new source.
func (r *reloads) writeTables(version int) {
	r.t.Helper()
	var fields strings.Builder
	for field := range version {
		fmt.Fprintf(&fields, "  - {name: f_%d, type: INT64, path: metadata.f}\n", field+1)
	}
	r.writeTable("with_events", "fields:\n"+strings.ReplaceAll(fields.String(), "f_", "unread_"))
	r.writeTable("orders", fmt.Sprintf("aliases: [shop.%d]\nfields:\n%s", version, fields.String()))
	r.writeTable(fmt.Sprintf("own_%d", version), "")
	r.write(version)
	odd := version % 2
	r.writeFile("duckdb.sql", fmt.Sprintf("SELECT %d + $p%d + (SELECT count(f_%[1]d) FROM orders) + (SELECT count(*) FROM own_%[1]d) AS a%d, %[1]d + (SELECT count(*) - 1 FROM with_events) AS b%[3]d", version, odd, odd))
}

func (r *reloads) writeTable(name, more string) {
	r.t.Helper()
	folder := filepath.Join(r.config.Queries.Tables[0], name)
	require.NoError(r.t, os.MkdirAll(folder, 0o750))
	require.NoError(r.t, os.WriteFile(filepath.Join(folder, "table.yaml"), []byte("name: "+name+"\ndescription: T.\n"+more), 0o600))
}

// D43: while folders of tables change under load, no request fails, and none sees half a change: a saved query
// runs with the tables of its version, and a mistake leaves all as it was.
func TestReloadTablesUnderLoad(t *testing.T) {
	t.Parallel()
	r := newReloads(t, func(config *Config) {
		config.Queries.Tables, config.Queries.OmitShipped = []string{t.TempDir()}, allShippedBut("usage.api-counts")
		config.Runner.CacheBytes = 0 // each request runs its saved query
	})
	r.writeTable("with_events", "")
	require.False(t, r.reload(t.Context(), false), r.log.String())
	table, found := r.current.Load().catalog.Tables().FindSource("with_events")
	require.True(t, found)
	transaction, err := r.engine.Store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.NoError(t, transaction.Add(t.Context(), table, logevent.Event{ID: "a", Metadata: json.RawMessage(`[{"f":1}]`)}))
	require.NoError(t, transaction.Commit(t.Context()))
	r.writeTables(2)
	require.False(t, r.reload(t.Context(), false), r.log.String())
	require.Contains(t, r.get("/api/endpoints/mine.changing").Body.String(), `"b0":2`, r.log.String())

	load := []func() error{
		func() error { return checkREST(r.get("/api/endpoints/mine.changing")) },
		func() error {
			return checkGraphQL(r.graphQL(`{ mineChanging { first second } endpoint(name: "mine.changing") { description columns { name } } }`))
		},
		func() error { return checkOpenAPI(r.get("/openapi.json")) },
		func() error {
			return checkStatus(r.get("/api/endpoints/usage.api-counts?project=acme&interval=daily"), http.StatusOK)
		},
	}
	requests := make(chan func() error)
	var loading sync.WaitGroup
	for range 4 {
		loading.Go(func() {
			for request := range requests {
				assert.NoError(t, request())
			}
		})
	}
	const versions = 12
	for version := 3; version <= versions; version++ {
		r.writeTables(version)
		r.reloadUnderLoad(requests, load)
		require.Empty(t, r.state.Load().Mistakes)
		if version%4 == 0 { // a mistake in one of the tables, while the saved query is of the next version
			r.writeTables(version + 1)
			r.writeTable("orders", "fields: [{name: f_1, type: TEXT, path: metadata.f}]")
			r.reloadUnderLoad(requests, load)
			require.NotEmpty(t, r.state.Load().Mistakes)
			require.Contains(t, r.state.Load().Mistakes.Error(), filepath.Join("orders", "table.yaml")+":3:")
			require.Contains(t, r.get("/api/endpoints/mine.changing").Body.String(), fmt.Sprintf(`"b%d":%d`, version%2, version))
			require.NoError(t, os.RemoveAll(filepath.Join(r.config.Queries.Tables[0], fmt.Sprintf("own_%d", version+1))))
			r.writeTables(version)
			r.reloadUnderLoad(requests, load)
			require.Empty(t, r.state.Load().Mistakes)
		}
	}
	close(requests)
	loading.Wait()
	_, found = r.current.Load().catalog.Tables().FindSource(fmt.Sprintf("shop.%d", versions))
	assert.True(t, found)
}

// reloadUnderLoad reloads while requests run, of each kind some.
func (r *reloads) reloadUnderLoad(requests chan<- func() error, load []func() error) {
	reloaded := make(chan struct{})
	go func() {
		r.reload(r.t.Context(), false)
		close(reloaded)
	}()
	for range 3 {
		for _, request := range load {
			requests <- request
		}
	}
	<-reloaded
}

// A reload that fails at any step leaves the tables as the saved queries in use know them.
func TestFailedReloadKeepsTables(t *testing.T) {
	t.Parallel()
	const document = "{ mineChanging { first } }"
	trusted := filepath.Join(t.TempDir(), "trusted.json")
	require.NoError(t, os.WriteFile(trusted, fmt.Appendf(nil, `{"%s": "%s"}`, auth.HashOf(document), document), 0o600))
	for name, test := range map[string]struct {
		// fail makes the next reload fail, and succeed makes it succeed.
		fail, succeed func(r *reloads)
		want          string
	}{
		"a mistake in SQL": {
			func(r *reloads) { r.writeFile("duckdb.sql", "SELECT broken + $p1") }, func(*reloads) {}, "broken",
		},
		"no checker": {
			func(r *reloads) { r.writeFile("duckdb.sql", "SELECT unreachable + $p1") }, func(*reloads) {}, "the checker cannot be started",
		},
		"a document that the schema does not allow": {
			func(r *reloads) {
				content, err := os.ReadFile(filepath.Join(r.dir, "mine.changing", "query.yaml"))
				require.NoError(r.t, err)
				r.writeFile("query.yaml", strings.Replace(string(content), "field: first", "field: renamed", 1))
			}, func(*reloads) {}, `Cannot query field "first"`,
		},
		"the engine": {
			func(r *reloads) {
				r.engine.Declare = func(ctx context.Context, tables sqlq.Tables) error {
					ended, end := context.WithCancel(ctx)
					end()
					return r.engine.Store.Declare(ended, tables)
				}
			}, func(r *reloads) { r.engine.Declare = r.engine.Store.Declare }, "context canceled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReloads(t, func(config *Config) {
				config.TrustedDocuments, config.Queries.Tables = trusted, []string{t.TempDir()}
				config.Queries.OmitShipped = allShippedBut()
			})
			r.writeTable("with_events", "")
			r.writeTables(2)
			require.False(t, r.reload(t.Context(), false), r.log.String())
			require.Empty(t, r.state.Load().Mistakes)
			before, current := r.engine.Store.Tables(), r.current.Load()
			r.writeTables(3)
			test.fail(r)
			r.reload(t.Context(), true)
			require.Contains(t, r.state.Load().Mistakes.Error(), test.want)
			assert.Equal(t, before, r.engine.Store.Tables())
			assert.Same(t, current, r.current.Load())
			assert.Equal(t, http.StatusOK, r.graphQL(document).Code)
			r.writeTables(3)
			test.succeed(r)
			require.False(t, r.reload(t.Context(), true))
			require.Empty(t, r.state.Load().Mistakes)
			_, found := r.engine.Store.Tables().FindSource("own_3")
			assert.True(t, found)
		})
	}
}
