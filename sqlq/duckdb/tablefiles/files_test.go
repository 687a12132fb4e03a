package tablefiles_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

// directory returns a new directory with some empty files, without symbolic links in its path.
func directory(t *testing.T, files ...string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, file := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(path, file)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(path, file), nil, 0o600))
	}
	return path
}

// list returns the names of the files that match a pattern, or the error.
func list(path, pattern string) string {
	table := &sqlq.Table{Name: "t", Files: &sqlq.Files{Pattern: filepath.Join(path, pattern)}}
	listing, err := tablefiles.New(time.Now, tablefiles.Directories(sqlq.Tables{table})).List(table)
	if err != nil {
		return strings.TrimPrefix(tablefiles.Detail(err), "the files of the table t cannot be read: ")
	}
	names := make([]string, len(listing.Files))
	for i, file := range listing.Files {
		names[i] = file.Name
	}
	return strings.Join(names, " ")
}

// Patterns match in each directory, links to directories among them, but ** does not follow links.
func TestListMatchesPatterns(t *testing.T) {
	t.Parallel()
	path := directory(t, "a.csv", "b.csv", "c.CSV", ".h.csv", "_h.csv", "d/a.csv", "d/e/b.csv", "d/_x/c.csv", "d.csv/x")
	require.NoError(t, os.Symlink("d", filepath.Join(path, "link")))
	require.NoError(t, os.Symlink("..", filepath.Join(path, "d/up")))
	require.NoError(t, os.Symlink("a.csv", filepath.Join(path, "l.csv")))
	const none = "there is no file that matches its pattern"
	for pattern, want := range map[string]string{
		"*.csv":      "a.csv b.csv l.csv",
		"?.csv":      "a.csv b.csv l.csv",
		"[ab].csv":   "a.csv b.csv",
		"a.csv":      "a.csv",
		".h.csv":     ".h.csv",
		"A.csv":      none,
		"x/*.csv":    none,
		"a.csv/*":    none,
		"*/*.csv":    "d/a.csv link/a.csv",
		"**/*.csv":   "a.csv b.csv d/a.csv d/e/b.csv l.csv",
		"d/**/b.csv": "e/b.csv",
		"**/e/*.csv": "d/e/b.csv",
		"link/*.csv": "a.csv",
	} {
		assert.Equal(t, want, list(path, pattern), pattern)
	}
}

// Anything but a regular file in the table's directory is an error.
func TestListRefuses(t *testing.T) {
	t.Parallel()
	path, outside := directory(t, "links/a.csv", "pipes/a.csv", "broken/a.csv"), directory(t, "secret.csv")
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.csv"), filepath.Join(path, "links/b.csv")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(path, "pipes/b.csv"), 0o600))
	require.NoError(t, os.Symlink("nothing", filepath.Join(path, "broken/b.csv")))
	assert.Regexp(t, `^"b.csv" is outside the directories`, list(path, "links/*.csv"))
	assert.Equal(t, `"b.csv" is not a regular file`, list(path, "pipes/*.csv"))
	assert.Equal(t, `"b.csv": no such file or directory`, list(path, "broken/*.csv"))
}

// A version changes with the files, and is a second old at most. While it is in use, nobody waits for a look at the files.
func TestVersion(t *testing.T) {
	t.Parallel()
	path := directory(t, "a.csv")
	table := &sqlq.Table{Name: "t", Files: &sqlq.Files{Pattern: filepath.Join(path, "*.csv")}}
	directories := tablefiles.Directories(sqlq.Tables{table})
	synctest.Test(t, func(t *testing.T) {
		files := tablefiles.New(time.Now, directories)
		seen := map[string]bool{files.Version(table): true}
		isNew := func(version string) bool {
			isSeen := seen[version]
			seen[version] = true
			return !isSeen
		}
		for name, change := range map[string]func(){
			"content": func() { require.NoError(t, os.WriteFile(filepath.Join(path, "a.csv"), []byte("x"), 0o600)) },
			"another": func() { require.NoError(t, os.WriteFile(filepath.Join(path, "b.csv"), nil, 0o600)) },
			"time":    func() { require.NoError(t, os.Chtimes(filepath.Join(path, "a.csv"), time.Now(), time.Now())) },
		} {
			time.Sleep(time.Second)
			before := files.Version(table)
			change()
			time.Sleep(time.Second/2 - 1)
			assert.Equal(t, before, files.Version(table), name)
			synctest.Wait()
			assert.Equal(t, before, files.Version(table), "%s: it is looked at twice a second at most", name)
			time.Sleep(time.Nanosecond)
			assert.Equal(t, before, files.Version(table), "%s: nobody waits", name)
			synctest.Wait()
			assert.True(t, isNew(files.Version(table)), name)
		}
		require.NoError(t, os.WriteFile(filepath.Join(path, "c.csv"), nil, 0o600))
		time.Sleep(time.Second)
		assert.True(t, isNew(files.Version(table)), "a version that is a second old is not used")
		require.NoError(t, os.RemoveAll(path))
		time.Sleep(time.Hour)
		assert.Contains(t, files.Version(table), "there is no file")
	})
}
