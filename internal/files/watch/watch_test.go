package watch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/files/watch"
)

// patience is how long a test waits for a change, on a busy machine.
const patience = time.Minute

// tree is a directory of folders in a temporary directory.
type tree struct {
	*testing.T
	root string
}

func (t tree) path(name string) string { return filepath.Join(t.root, name) }

func (t tree) write(name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(t.path(name)), 0o750))
	require.NoError(t, os.WriteFile(t.path(name), []byte(content), 0o600))
}

func (t tree) rename(from, to string) {
	t.Helper()
	require.NoError(t, os.Rename(t.path(from), t.path(to)))
}

func (t tree) link(target, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(t.path(name)), 0o750))
	require.NoError(t, os.Symlink(target, t.path(name)))
}

// watch watches the directory "queries".
func (t tree) watch() *watch.Watcher { return watch.New([]string{t.path("queries")}, time.Now) }

// Every way in which people and tools change a folder is reported.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(tree)
		changes []func(tree)
	}{
		"a file that is written": {nil, []func(tree){
			func(t tree) { t.write("queries/a/duckdb.sql", "SELECT 2") },
			func(t tree) { t.write("queries/a/duckdb.sql", "SELECT 3") },
			func(t tree) { require.NoError(t, os.Remove(t.path("queries/a/duckdb.sql"))) },
		}},
		"an editor that renames and replaces": {nil, []func(tree){
			func(t tree) {
				t.write("queries/a/.duckdb.sql.swp", "SELECT 2")
				t.rename("queries/a/duckdb.sql", "queries/a/duckdb.sql~")
				t.rename("queries/a/.duckdb.sql.swp", "queries/a/duckdb.sql")
			},
			func(t tree) {
				t.write("queries/a/new", "SELECT 3")
				t.rename("queries/a/new", "queries/a/duckdb.sql")
			},
		}},
		"a new folder": {nil, []func(tree){
			func(t tree) { t.write("queries/b/duckdb.sql", "SELECT 1") },
			func(t tree) { t.write("queries/b/duckdb.sql", "SELECT 2") },
			func(t tree) { require.NoError(t, os.RemoveAll(t.path("queries/b"))) },
		}},
		"a directory that is replaced": {nil, []func(tree){
			func(t tree) {
				t.write("next/a/duckdb.sql", "SELECT 2")
				t.rename("queries", "previous")
				t.rename("next", "queries")
			},
			func(t tree) { t.write("queries/a/duckdb.sql", "SELECT 3") },
			func(t tree) { require.NoError(t, os.RemoveAll(t.path("queries"))) },
			func(t tree) { t.write("queries/a/duckdb.sql", "SELECT 4") },
			func(t tree) { t.write("queries/a/duckdb.sql", "SELECT 5") },
		}},
		"a directory behind a link that is switched": {func(t tree) {
			t.rename("queries", "v1")
			t.link("v1", "queries")
		}, []func(tree){
			func(t tree) { t.write("v1/a/duckdb.sql", "SELECT 2") },
			func(t tree) {
				t.write("v2/a/duckdb.sql", "SELECT 3")
				t.link("v2", "next")
				t.rename("next", "queries")
			},
			func(t tree) { t.write("v2/a/duckdb.sql", "SELECT 4") },
		}},
		"a volume of Kubernetes": {func(t tree) {
			t.rename("queries/a", "..1")
			t.write("queries/a/..1/duckdb.sql", "SELECT 1")
			t.link("..1", "queries/a/..data")
			t.link("..data/duckdb.sql", "queries/a/duckdb.sql")
		}, []func(tree){
			func(t tree) {
				t.write("queries/a/..2/duckdb.sql", "SELECT 2")
				t.link("..2", "queries/a/..data_tmp")
				t.rename("queries/a/..data_tmp", "queries/a/..data")
				require.NoError(t, os.RemoveAll(t.path("queries/a/..1")))
			},
		}},
		"a file behind a link": {func(t tree) {
			t.rename("queries/a/duckdb.sql", "common.sql")
			t.link("../../common.sql", "queries/a/duckdb.sql")
		}, []func(tree){
			func(t tree) { t.write("common.sql", "SELECT 2") },
			func(t tree) {
				t.write("next.sql", "SELECT 3")
				t.rename("next.sql", "common.sql")
			},
		}},
		"a directory that appears": {func(t tree) { require.NoError(t, os.RemoveAll(t.path("queries"))) }, []func(tree){
			func(t tree) { t.write("queries/a/duckdb.sql", "SELECT 1") },
			func(t tree) { t.write("queries/a/duckdb.sql", "SELECT 2") },
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := tree{t, t.TempDir()}
			at.write("queries/a/duckdb.sql", "SELECT 1")
			if test.prepare != nil {
				test.prepare(at)
			}
			w := at.watch()
			for i, change := range test.changes {
				change(at)
				require.Eventually(t, w.Changed, patience, w.Pause(), "change %d was not reported", i)
			}
		})
	}
}

// Files beside the directory are not reported, nor hidden ones.
func TestWatchIgnoresNeighbours(t *testing.T) {
	t.Parallel()
	at := tree{t, t.TempDir()}
	at.write("queries/a/duckdb.sql", "SELECT 1")
	w := at.watch()
	at.write("neighbour", "1")
	at.write("neighbours/a", "1")
	at.write("queries/a/.duckdb.sql.swp", "1")
	for range 3 {
		assert.False(t, w.Changed())
	}
}

// A change is reported once nothing more changes, or after the fifth look.
func TestWatchHoldsChangesBack(t *testing.T) {
	t.Parallel()
	at := tree{t, t.TempDir()}
	at.write("queries/a/duckdb.sql", "SELECT 1")
	w := at.watch()
	var reported []bool
	for length := range 6 {
		at.write("queries/a/duckdb.sql", "SELECT 1"+strings.Repeat("0", 1+min(length, 4)))
		reported = append(reported, w.Changed())
	}
	assert.Equal(t, []bool{false, false, false, false, true, false}, reported)
	at.write("queries/a/query.yaml", "name: a")
	assert.False(t, w.Changed())
	assert.True(t, w.Changed())
	assert.False(t, w.Changed())
}
