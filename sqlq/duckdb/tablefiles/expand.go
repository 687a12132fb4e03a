package tablefiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"savedq/sqlq"
)

// entriesPerFile limits the directory entries that a pattern looks at, as a multiple of the files that it can match.
const entriesPerFile = 20

// anyDirectories is the part of a pattern that stands for any directories, also none.
const anyDirectories = "**"

// expand returns the paths that match a pattern, at most a number of them, sorted. Wildcards do not match names that begin with a dot or
// an underscore, which programs give to what is not finished.
func expand(pattern string, most int) ([]string, error) {
	directory := Directory(pattern)
	rest, err := filepath.Rel(directory, pattern)
	if err != nil {
		return nil, err
	}
	e := &expansion{most: most, found: make(map[string]bool)}
	if err := e.expand(directory, strings.Split(rest, string(filepath.Separator))); err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(e.found))
	for path := range e.found {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths, nil
}

// expansion finds paths.
type expansion struct {
	most    int
	found   map[string]bool
	entries int
}

// expand finds what matches the parts in a directory. What does not exist, or is no directory, matches nothing.
func (e *expansion) expand(directory string, parts []string) error {
	part, rest := parts[0], parts[1:]
	if !hasWildcard(part) {
		return e.enter(filepath.Join(directory, part), rest)
	}
	if part == anyDirectories && len(rest) > 0 {
		if err := e.expand(directory, rest); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || !isDirectory(directory) {
			return nil
		}
		return sqlq.WithoutPath(err)
	}
	if e.entries += len(entries); e.entries > entriesPerFile*e.most {
		return fmt.Errorf("its pattern looks at more than %d names; name a narrower directory", entriesPerFile*e.most)
	}
	for _, entry := range entries {
		name := entry.Name()
		if name[0] == '.' || name[0] == '_' {
			continue
		}
		path := filepath.Join(directory, name)
		if part == anyDirectories && len(rest) > 0 {
			if entry.IsDir() { // and no link, which could lead in a circle
				if err := e.expand(path, parts); err != nil {
					return err
				}
			}
			continue
		}
		matched, err := filepath.Match(part, name)
		if err != nil {
			return errors.New("its pattern is not valid")
		}
		switch {
		case !matched:
		case len(rest) == 0 && entry.Type().IsRegular():
			err = e.add(path)
		default:
			err = e.enter(path, rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// enter finds what matches the parts after a path.
func (e *expansion) enter(path string, parts []string) error {
	if len(parts) > 0 {
		if !isDirectory(path) {
			return nil
		}
		return e.expand(path, parts)
	}
	if _, err := os.Lstat(path); err != nil || isDirectory(path) {
		return nil //nolint:nilerr // what does not exist does not match
	}
	return e.add(path)
}

// add adds a path that matches.
func (e *expansion) add(path string) error {
	if e.found[path] = true; len(e.found) > e.most {
		return fmt.Errorf("it has more than %d files", e.most)
	}
	return nil
}

// isDirectory reports whether a path leads to a directory, also through a link.
func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
