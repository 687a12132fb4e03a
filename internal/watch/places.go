package watch

import (
	"os"
	"path/filepath"
	"strings"
)

// places are the real directories that have to be watched, without symbolic links.
type places map[string]*place

// place is what matters in a directory.
type place struct {
	// everything reports whether all names in the directory matter.
	everything bool
	names      map[string]bool
}

// maxLinks is how many symbolic links are followed on the way to a file.
const maxLinks = 40

// placesOf returns the places of directories and of the folders and files in them.
func placesOf(directories []string) places {
	found := make(places)
	for _, directory := range directories {
		for _, folder := range found.addDirectory(directory) {
			for _, file := range found.addDirectory(folder) {
				if info, err := os.Lstat(file); err == nil && info.Mode()&os.ModeSymlink != 0 {
					found.follow(file)
				}
			}
		}
	}
	return found
}

// addDirectory adds a directory, and all links on the way to it. It returns the paths of
// its entries, except for hidden files; nothing if it is not a directory.
func (p places) addDirectory(path string) []string {
	resolved := p.follow(path)
	entries, err := os.ReadDir(resolved)
	if resolved == "" || err != nil {
		return nil
	}
	p.at(resolved).everything = true
	var inside []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			inside = append(inside, filepath.Join(resolved, entry.Name()))
		}
	}
	return inside
}

// follow adds the names that decide what a path leads to: symbolic links, and the last
// name, which may be replaced. It returns the path without symbolic links; if it leads
// nowhere, the empty string.
func (p places) follow(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	resolved, rest := string(filepath.Separator), strings.Split(path[1:], string(filepath.Separator))
	for links := 0; len(rest) > 0; {
		name := rest[0]
		next := filepath.Join(resolved, name)
		info, err := os.Lstat(next)
		if err != nil {
			p.name(resolved, name) // it may appear
			return ""
		}
		if info.Mode()&os.ModeSymlink == 0 {
			if len(rest) == 1 {
				p.name(resolved, name)
			}
			resolved, rest = next, rest[1:]
			continue
		}
		p.name(resolved, name)
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return ""
		}
		if filepath.IsAbs(target) {
			resolved = string(filepath.Separator)
		}
		steps := strings.FieldsFunc(target, func(c rune) bool { return c == filepath.Separator })
		rest = append(steps, rest[1:]...)
	}
	return resolved
}

func (p places) at(directory string) *place {
	found := p[directory]
	if found == nil {
		found = &place{names: make(map[string]bool)}
		p[directory] = found
	}
	return found
}

// name adds a name in a directory.
func (p places) name(directory, name string) {
	if name != ".." && name != "." {
		p.at(directory).names[name] = true
	}
}

// matters reports whether a change of a path matters.
func (p places) matters(path string) bool {
	if p[path] != nil { // a watched directory itself
		return true
	}
	found := p[filepath.Dir(path)]
	return found != nil && (found.everything || found.names[filepath.Base(path)])
}
