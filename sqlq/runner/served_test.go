package runner_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
)

// edited is a saved query whose definition a test changes, and constant one that stays.
const edited, constant = "mine.edited", "mine.constant"

// readMine returns the saved queries in folders, without the shipped ones.
func readMine(tb testing.TB, folders fstest.MapFS) *catalog.Catalog {
	tb.Helper()
	read, err := catalog.ReadWith(catalog.Options{Omitted: catalog.ShippedNames()}, duckdbsql.Dialect{}, catalog.Directory{Path: "mine", FS: folders})
	require.NoError(tb, err)
	return read
}

// definition is what a test changes of it.
type definition struct{ name, cache, description, sql string }

func defaultDefinition() definition {
	return definition{edited, "cache: 900s\nwarm: 300s", "Rows.", "SELECT length($project) AS n"}
}

// catalogOf returns the constant saved query and the edited one.
func catalogOf(t *testing.T, d definition) *catalog.Catalog {
	t.Helper()
	folders := make(fstest.MapFS)
	for id, d := range []definition{d, {constant, defaultDefinition().cache, "Rows.", "SELECT length($project) AS n"}} {
		folders[fmt.Sprint(id, "/query.yaml")] = &fstest.MapFile{Data: fmt.Appendf(nil, `id: 11111111-1111-4111-8111-11111111111%d
name: %s
description: %s
%s
params:
  - {name: project, type: STRING, required: true, description: P.}
columns:
  - {name: n, type: INT64, description: N.}
`, id, d.name, d.description, d.cache)}
		folders[fmt.Sprint(id, "/duckdb.sql")] = &fstest.MapFile{Data: []byte(d.sql)}
	}
	return readMine(t, folders)
}

// newEditedWorld returns a world with the edited saved query.
func newEditedWorld(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(config *runner.Config) { config.Catalog = catalogOf(t, defaultDefinition()) })
}

// D29: after a reload, the entries of unchanged saved queries stay. Those of changed ones
// are removed at once, and so are the responses that were encoded from them.
func TestUseKeepsEntriesOfUnchangedQueries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*definition)
		kept   bool
	}{
		"nothing":     {func(*definition) {}, true},
		"description": {func(d *definition) { d.description = "Other." }, true},
		"SQL":         {func(d *definition) { d.sql = "SELECT length($project) + 1 AS n" }, false},
		"caching":     {func(d *definition) { d.cache = "cache: disabled" }, false},
		"warming":     {func(d *definition) { d.cache = "cache: 900s" }, false},
		"name":        {func(d *definition) { d.name = "mine.renamed" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newEditedWorld(t)
				first, err := w.Run(t.Context(), requestFor(edited, "acme"))
				require.NoError(t, err)
				other, err := w.Run(t.Context(), requestFor(constant, "acme"))
				require.NoError(t, err)
				w.put(t.Context(), "both", "value", first.Entry, other.Entry)
				d := defaultDefinition()
				test.change(&d)
				w.Use(catalogOf(t, d))
				encoded, _ := w.Encoded(t.Context(), "both", false)
				assert.Equal(t, test.kept, encoded != nil)
				w.assertRun(t, requestFor(constant, "acme"), runner.Hit, 2)
				response, err := w.Run(t.Context(), requestFor(d.name, "acme"))
				require.NoError(t, err)
				assert.Equal(t, test.kept, response.Cache == runner.Hit)
			})
		})
	}
}

// sandboxCatalog has a saved query with a sandbox, and a description.
func sandboxCatalog(t *testing.T, description, final string) *catalog.Catalog {
	t.Helper()
	return readMine(t, fstest.MapFS{
		"edited/query.yaml": {Data: []byte("id: 11111111-1111-4111-8111-111111111111\nname: " + edited + "\ndescription: " + description + `
cache: 900s
warm: 300s
sandbox: enabled
params:
  - {name: project, type: STRING, required: true, description: P.}
columns:
  - {name: n, type: INT64, description: N.}
`)},
		"edited/query.sql": {Data: []byte("WITH a AS (SELECT LENGTH(@project) AS n) " + final)},
	})
}

// D40: SQL of callers is cached under its meaning and the arguments that it reads, as long as its saved query is
// unchanged.
func TestCallersSQLIsCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *runner.Config) { config.Catalog = sandboxCatalog(t, "One.", "SELECT n FROM a") })
		run := func(sql, project string, want runner.CacheStatus) {
			t.Helper()
			request := requestFor(edited, project)
			request.Query, _ = w.Find(t.Context(), edited)
			request.SQL = sql
			response, err := w.Run(t.Context(), request)
			require.NoError(t, err)
			assert.Equal(t, want, response.Cache, sql)
		}
		run("SELECT n + 1 AS m FROM a", "acme", runner.Miss)
		run("SELECT  n + 1 AS m -- more\nFROM a;", "acme", runner.Hit)
		run("SELECT n + 2 AS m FROM a", "acme", runner.Miss)
		run("SELECT n + 1 AS m FROM a", "globex", runner.Miss)
		run("SELECT 1 AS m", "acme", runner.Miss)
		run("SELECT 1 AS m", "globex", runner.Hit)
		run("", "acme", runner.Miss)
		w.Use(sandboxCatalog(t, "Two.", "SELECT n FROM a"))
		run("SELECT n + 1 AS m FROM a", "acme", runner.Hit)
		w.Use(sandboxCatalog(t, "Two.", "SELECT n + 1 AS n FROM a"))
		run("SELECT n + 1 AS m FROM a", "acme", runner.Miss)
	})
}

// Entries of unchanged saved queries are still refreshed after a reload, with the saved
// query of the current catalog. Those of changed and removed ones are not.
func TestUseRefreshesWithTheCurrentQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran recorder[*sqlq.SavedQuery]
		w := newEditedWorld(t)
		run := w.engine.RunFunc
		w.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
			ran.add(statement.Query)
			return run(ctx, statement)
		}
		w.maintain(t)
		w.run(t, requestFor(edited, "acme"))
		w.run(t, requestFor(constant, "acme"))
		described := defaultDefinition()
		described.description = "Other."
		current := catalogOf(t, described)
		w.Use(current)
		time.Sleep(301 * time.Second)
		synctest.Wait()
		query, _ := current.Find(edited)
		other, _ := current.Find(constant)
		assert.Len(t, ran.all(), 4)
		assert.ElementsMatch(t, []*sqlq.SavedQuery{query, other}, ran.all()[2:])
		status, refreshed := w.run(t, requestFor(edited, "acme"))
		assert.Equal(t, runner.Hit, status)
		assert.Greater(t, refreshed, int64(2))

		changed := described
		changed.sql = "SELECT 2 * length($project) AS n"
		w.Use(catalogOf(t, changed))
		time.Sleep(301 * time.Second)
		synctest.Wait()
		assert.Len(t, ran.all(), 5, "only the constant saved query")
		assert.Equal(t, constant, ran.all()[4].Name)
	})
}

// A request finishes on the version that it started with. Its rows are not stored if the
// saved query was changed meanwhile.
func TestUseLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*definition)
		stored bool
	}{
		"unchanged": {func(*definition) {}, true},
		"changed":   {func(d *definition) { d.sql = "SELECT 1 + length($project) AS n" }, false},
		"uncached":  {func(d *definition) { d.cache = "cache: disabled" }, false},
		"removed":   {func(d *definition) { d.name = "mine.renamed" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newEditedWorld(t)
				w.takes(10 * time.Second)
				old, err := w.Find(t.Context(), edited)
				require.NoError(t, err)
				finished := make(chan error)
				go func() {
					request := requestFor(edited, "acme")
					request.Query = old
					_, err := w.Runner.Run(t.Context(), request)
					finished <- err
				}()
				synctest.Wait()
				d := defaultDefinition()
				test.change(&d)
				w.Use(catalogOf(t, d))
				require.NoError(t, <-finished)
				assert.Equal(t, test.stored, w.CacheBytes() > 0)
				request := requestFor(edited, "globex")
				request.Query = old
				_, err = w.Runner.Run(t.Context(), request)
				require.NoError(t, err, "also with a request that starts later")
			})
		})
	}
}

// Reloads leave nothing behind: bytes, entries and goroutines stay the same.
func TestUseKeepsMemoryFlat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newEditedWorld(t)
		w.maintain(t)
		w.run(t, requestFor(constant, "acme"))
		w.run(t, requestFor(edited, "acme"))
		before := w.CacheBytes()
		for i := range 6 {
			d := defaultDefinition()
			d.sql = fmt.Sprintf("SELECT %4d + length($project) AS n", i)
			w.Use(catalogOf(t, d))
			status, _ := w.run(t, requestFor(edited, "acme"))
			assert.Equal(t, runner.Miss, status)
		}
		assert.Equal(t, before, w.CacheBytes())
		w.assertRun(t, requestFor(constant, "acme"), runner.Hit, 1)
	})
}
