package load

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files returns the log files in a directory and its subdirectories, sorted: those with an
// extension of [Extensions], perhaps followed by .gz or .zst. Hidden files and directories and
// files of rejected events are left out. It is an error if there is none.
func Files(directory string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != directory && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !isLogFile(entry.Name()):
			return nil
		}
		// A link to a file counts. A file that cannot be read, such as a link to a missing one, is
		// listed, so that it fails by itself and the others are loaded.
		if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the directory %s: %w", directory, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the directory %s has no log files: their names end in %s, perhaps followed by .gz or .zst", directory, strings.Join(Extensions(), ", "))
	}
	slices.Sort(files)
	return files, nil
}

// Extensions returns the extensions of log files in a directory.
func Extensions() []string { return []string{".ndjson", ".jsonl", ".json", ".parquet"} }

func isLogFile(name string) bool {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, rejectedSuffix) {
		return false
	}
	for _, compression := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, compression)
	}
	return slices.Contains(Extensions(), filepath.Ext(name))
}
