package load_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/load"
)

// Only log files count, sorted by their paths.
func TestFiles(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	var want []string
	for _, file := range []struct {
		path  string
		found bool
	}{
		{"a.ndjson", true},
		{"b.jsonl.gz", true},
		{"day/1.json.zst", true},
		{"day/2.PARQUET", true},
		{"day/night/3.json", true},
		{"z.NDJSON.GZ", true},
		{"a.ndjson.rejected.ndjson", false},
		{"a.ndjson.sent", false},
		{".hidden.ndjson", false},
		{".git/a.json", false},
		{"README.md", false},
		{"day/app.log", false},
		{"gz", false},
	} {
		path := filepath.Join(directory, file.path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		if file.found {
			want = append(want, path)
		}
	}
	require.NoError(t, os.Symlink("a.ndjson", filepath.Join(directory, "link.json")))
	require.NoError(t, os.Mkdir(filepath.Join(directory, "directory.json"), 0o700))
	require.NoError(t, os.Symlink("missing.ndjson", filepath.Join(directory, "dangling.ndjson")))
	got, err := load.Files(directory)
	require.NoError(t, err)
	assert.ElementsMatch(t, append(want, filepath.Join(directory, "link.json"), filepath.Join(directory, "dangling.ndjson")), got)
	assert.IsIncreasing(t, got)
}

func TestFilesOfADirectoryWithoutAny(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "app.log"), nil, 0o600))
	_, err := load.Files(directory)
	require.EqualError(t, err, "the directory "+directory+" has no log files: their names end in .ndjson, .jsonl, .json, .parquet, perhaps followed by .gz or .zst")
	_, err = load.Files(filepath.Join(directory, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
