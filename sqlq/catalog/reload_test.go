package catalog_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/catalog"
)

const (
	reloadedYAML = `id: 11111111-1111-4111-8111-111111111111
name: mine.first
description: First.
params:
  - {name: project, type: STRING, pattern: "[a-z]+", required: true, description: P.}
columns:
  - {name: n, type: INT64, description: N.}
`
	reloadedSQL = "SELECT length($project) AS n"
)

func reloadedFiles() fstest.MapFS {
	return fstest.MapFS{
		"first/query.yaml": {Data: []byte(reloadedYAML)},
		"first/duckdb.sql": {Data: []byte(reloadedSQL)},
	}
}

func readReloaded(t *testing.T, files fstest.MapFS) *catalog.Catalog {
	t.Helper()
	read, err := readMine(files)
	require.NoError(t, err)
	return read
}

// A reload keeps the values of saved queries that are equal, so that prepared statements and
// entries stay of use, and names the others.
func TestReuse(t *testing.T) {
	t.Parallel()
	previous := readReloaded(t, reloadedFiles())
	for name, test := range map[string]struct {
		change  func(fstest.MapFS)
		changed []string
	}{
		"nothing":     {func(fstest.MapFS) {}, nil},
		"SQL":         {func(f fstest.MapFS) { f["first/duckdb.sql"].Data = []byte("SELECT length($project) + 1 AS n") }, []string{"mine.first"}},
		"pattern":     {replaceIn("[a-z]+", "[a-y]+"), []string{"mine.first"}},
		"description": {replaceIn("First.", "Third."), []string{"mine.first"}},
		"name":        {replaceIn("mine.first", "mine.renamed"), []string{"mine.renamed"}},
		"removed": {func(f fstest.MapFS) {
			delete(f, "first/query.yaml")
			delete(f, "first/duckdb.sql")
			addSecond(f)
		}, []string{"mine.second"}},
		"added": {addSecond, []string{"mine.second"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := reloadedFiles()
			test.change(files)
			read := readReloaded(t, files)
			reused, changed := read.Reuse(previous)
			var names []string
			for _, query := range changed {
				names = append(names, query.Name)
			}
			assert.Equal(t, test.changed, names)
			require.Len(t, reused.Queries(), len(read.Queries()))
			for i, query := range reused.Queries() {
				assert.Equal(t, read.Queries()[i], query)
				byName, _ := reused.Find(query.Name)
				byID, _ := reused.Find(query.ID.String())
				assert.Same(t, query, byName)
				assert.Same(t, query, byID)
				if old, found := previous.Find(query.Name); found && len(names) == 0 {
					assert.Same(t, old, query)
				}
			}
			shipped, _ := previous.Find("logs.all")
			same, _ := reused.Find("logs.all")
			assert.Same(t, shipped, same)
		})
	}
}

func replaceIn(old, replacement string) func(fstest.MapFS) {
	return func(files fstest.MapFS) {
		files["first/query.yaml"].Data = []byte(strings.ReplaceAll(reloadedYAML, old, replacement))
	}
}

func addSecond(files fstest.MapFS) {
	replaced := strings.ReplaceAll(strings.ReplaceAll(reloadedYAML, "11111111-", "22222222-"), "mine.first", "mine.second")
	files["second/query.yaml"] = &fstest.MapFile{Data: []byte(replaced)}
	files["second/duckdb.sql"] = &fstest.MapFile{Data: []byte(reloadedSQL)}
}

// The fingerprint changes with everything that is read, and with nothing else.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	fingerprint := func(files fstest.MapFS) catalog.Fingerprint {
		return catalog.FingerprintOf(catalog.Directory{FS: files, Path: "mine"})
	}
	for name, test := range map[string]struct {
		change func(fstest.MapFS)
		same   bool
	}{
		"nothing":      {func(fstest.MapFS) {}, true},
		"SQL":          {func(f fstest.MapFS) { f["first/duckdb.sql"].Data = []byte("SELECT 1") }, false},
		"query.yaml":   {func(f fstest.MapFS) { f["first/query.yaml"].Data = nil }, false},
		"removed file": {func(f fstest.MapFS) { delete(f, "first/duckdb.sql") }, false},
		"new folder":   {addSecond, false},
		"moved content": {func(f fstest.MapFS) {
			f["first/query.yaml"], f["first/duckdb.sql"] = f["first/duckdb.sql"], f["first/query.yaml"]
		}, false},
		"other files": {func(f fstest.MapFS) { f["first/notes.md"] = &fstest.MapFile{Data: []byte("notes")} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(reloadedFiles())
			test.change(files)
			assert.Equal(t, test.same, fingerprint(reloadedFiles()) == fingerprint(files))
		})
	}
}
