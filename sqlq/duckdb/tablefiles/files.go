// Package tablefiles finds the files of tables whose files stay where they are, and notices when they change
// (ADR 045). It opens none of them.
package tablefiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"savedq/internal/files/regularfile"
	"savedq/sqlq"
)

// MostFiles is how many files a table can have.
const MostFiles = 10_000

// Files finds the files of tables in the directories that may be read. It is safe for concurrent use.
type Files struct {
	clock func() time.Time
	// directories are without symbolic links.
	directories []string

	mutex sync.Mutex
	// versions has the last version of each pattern.
	versions map[string]*version
}

// New returns the files in some directories, as [Directories] returns them. They must be the same as those
// that the engine's database may read.
func New(clock func() time.Time, directories []string) *Files {
	return &Files{clock: clock, directories: directories, versions: make(map[string]*version)}
}

// Directories returns the directories that may be read.
func (f *Files) Directories() []string { return f.directories }

// Covers reports whether the directory of a table's files may be read. One that is new since the engine was opened
// may not.
func (f *Files) Covers(table *sqlq.Table) bool {
	path := filepath.Join(existing(Directory(table.Files.Pattern)), "file")
	return slices.ContainsFunc(f.directories, func(directory string) bool { return isBelow(path, directory) })
}

// Listing are the files of a table at a time.
type Listing struct {
	Table *sqlq.Table
	Files []File
	// Version differs for every change of the files, of their names or of their contents.
	Version string
}

// Partitions returns the names of the columns whose values are in the names of directories, as in day=1.
func (l *Listing) Partitions() []string {
	var names []string
	for name := range Partitions(l.Files[0].Path) {
		names = append(names, name)
	}
	return names
}

// InFiles returns the declared columns whose values are in the files.
func (l *Listing) InFiles() []sqlq.Column {
	partitions := l.Partitions()
	return slices.DeleteFunc(slices.Clone(l.Table.Files.Columns), func(column sqlq.Column) bool {
		return slices.ContainsFunc(partitions, func(name string) bool { return strings.EqualFold(name, column.Name) })
	})
}

// Compressions of files.
const (
	Uncompressed = "uncompressed"
	Gzip         = "gzip"
	Zstd         = "zstd"
)

// Compression returns the compression that the name of a file says.
func Compression(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		return Gzip
	case ".zst":
		return Zstd
	}
	return Uncompressed
}

// Partitions returns the names and values of columns in the names of a file's directories, as in day=1.
func Partitions(path string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for part := range strings.SplitSeq(filepath.Dir(path), string(filepath.Separator)) {
			if name, value, found := strings.Cut(part, "="); found && name != "" && !yield(name, value) {
				return
			}
		}
	}
}

// File is a file of a table.
type File struct {
	// Name is the path below the directory of the pattern, for messages.
	Name string
	// Path is absolute and without symbolic links.
	Path string
	Size int64
	// Version differs for every change of the file.
	Version string
}

// List returns the files of a table, by name. The error is one of [NewReadError].
func (f *Files) List(table *sqlq.Table) (*Listing, error) {
	found, err := expand(table.Files.Pattern, MostFiles)
	if err != nil {
		return nil, NewReadError(table, Missing, err.Error(), nil)
	}
	if len(found) == 0 {
		return nil, NewReadError(table, Missing, "there is no file that matches its pattern", nil)
	}
	listing := &Listing{Table: table, Files: make([]File, 0, len(found))}
	hashed, resolved, base := sha256.New(), make(map[string]string), Directory(table.Files.Pattern)
	for _, path := range found {
		file, err := f.file(path, base, resolved)
		if err != nil {
			return nil, NewReadError(table, Unreadable, err.Error(), nil)
		}
		listing.Files = append(listing.Files, file)
		_, _ = fmt.Fprintln(hashed, file.Version)
	}
	listing.Version = hex.EncodeToString(hashed.Sum(nil)[:16])
	return listing, nil
}

// file returns a file. The map has the real paths of directories.
func (f *Files) file(path, base string, directories map[string]string) (File, error) {
	name, err := filepath.Rel(base, path)
	if err != nil {
		return File{}, err
	}
	resolved, info, err := resolve(path, directories)
	switch {
	case err != nil:
		return File{}, fmt.Errorf("%s: %w", sqlq.Quote(name), sqlq.WithoutPath(err))
	case !info.Mode().IsRegular():
		return File{}, fmt.Errorf("%s is not a regular file", sqlq.Quote(name))
	case !slices.ContainsFunc(f.directories, func(directory string) bool { return isBelow(resolved, directory) }):
		return File{}, fmt.Errorf("%s is outside the directories that the engine could read when it was opened; keep files in the directory of the tables, or restart after a table names another directory", sqlq.Quote(name))
	}
	version := fmt.Sprintf("%q %q %s", name, resolved, regularfile.Stamp(info))
	return File{Name: name, Path: resolved, Size: info.Size(), Version: version}, nil
}

// resolve returns a path without symbolic links, and what is there. It resolves each directory once.
func resolve(path string, directories map[string]string) (string, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", nil, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", nil, err
		}
		info, err = os.Stat(resolved)
		return resolved, info, err
	}
	directory := filepath.Dir(path)
	if _, known := directories[directory]; !known {
		if directories[directory], err = filepath.EvalSymlinks(directory); err != nil {
			return "", nil, err
		}
	}
	return filepath.Join(directories[directory], filepath.Base(path)), info, nil
}

// isBelow reports whether a path is in a directory, or in one in it.
func isBelow(path, directory string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(directory, "/")+"/")
}
