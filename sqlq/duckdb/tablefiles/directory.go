package tablefiles

import (
	"path/filepath"
	"slices"
	"strings"

	"savedq/sqlq"
)

// Directory returns the directory of a pattern: the part before the first name with a wildcard, or without the
// name of the file.
func Directory(pattern string) string {
	directory := filepath.Dir(pattern)
	for hasWildcard(directory) {
		directory = filepath.Dir(directory)
	}
	return directory
}

// hasWildcard reports whether a part of a pattern stands for several names.
func hasWildcard(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }

// Directories returns the directories that an engine must be able to read for some tables, and further ones,
// without symbolic links. The root of the file system is never among them.
func Directories(tables sqlq.Tables, further ...string) []string {
	var directories []string
	add := func(path string) {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return // there is no working directory, and so nothing that is relative to it
		}
		if resolved := existing(absolute); resolved != filepath.Dir(resolved) {
			directories = append(directories, resolved)
		}
	}
	for _, table := range tables {
		if table.Files != nil {
			add(Directory(table.Files.Pattern))
		}
	}
	for _, directory := range further {
		add(directory)
	}
	slices.Sort(directories)
	return slices.Compact(directories)
}

// existing resolves the symbolic links in the part of a path that exists.
func existing(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
		return resolved
	}
	return filepath.Join(existing(filepath.Dir(path)), filepath.Base(path))
}
