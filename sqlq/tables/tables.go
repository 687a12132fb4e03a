// Package tables reads table folders: the shipped ones and those in --tables (D22, D43).
package tables

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"savedq/sqlq"
)

// shipped holds the folders of the nine log sources (D22).
//
//go:embed */table.yaml
var shipped embed.FS

const (
	// FileName is the file that declares a table.
	FileName = "table.yaml"
	// shippedPath is the path of the shipped tables for messages.
	shippedPath = "shipped tables"
)

// Directory is a place that holds folders of tables, or of saved queries.
type Directory struct {
	FS fs.FS
	// Path is the directory's path for messages, and what paths of files are relative to.
	Path string
}

// Folders returns the names of the folders in the directory, which holds something of a kind. It
// ignores plain files, and folders whose name begins with a dot.
func (d Directory) Folders(kind string) ([]string, error) {
	entries, err := fs.ReadDir(d.FS, ".")
	if err != nil {
		return nil, fmt.Errorf("read the directory of %s %s: %w", kind, d.Path, sqlq.WithoutPath(err))
	}
	var names []string
	for _, entry := range entries {
		if info, err := fs.Stat(d.FS, entry.Name()); err == nil && info.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Shipped returns the nine log sources, in the order of D22. They must not be changed.
func Shipped() sqlq.Tables {
	read, err := Read()
	if err != nil {
		panic(err) // the files are a part of the program
	}
	return read
}

// Read reads the shipped tables and the directories, in which each table is a folder with a table.yaml. All mistakes
// are returned at once, as [sqlq.FileErrors], with the tables that have none. Folders can change while they
// are read; see [savedq/sqlq/catalog.FingerprintOf].
func Read(directories ...Directory) (sqlq.Tables, error) {
	r := &reader{taken: make(map[string]sqlq.Place)}
	if err := r.directory(Directory{FS: shipped, Path: shippedPath}); err != nil {
		return nil, err
	}
	order := []string{"edge", "postgres", "function_edge", "function", "auth", "realtime", "storage", "postgrest", "pgbouncer"}
	slices.SortFunc(r.tables, func(a, b *sqlq.Table) int {
		return slices.Index(order, strings.TrimSuffix(a.Name, "_logs")) - slices.Index(order, strings.TrimSuffix(b.Name, "_logs"))
	})
	for _, table := range r.tables {
		table.Shipped = true
	}
	for _, directory := range directories {
		if err := r.directory(directory); err != nil {
			return nil, err
		}
	}
	if len(r.mistakes) > 0 {
		r.mistakes.Sort()
		return r.tables, r.mistakes
	}
	return r.tables, nil
}

// reader collects tables, and mistakes, from directories.
type reader struct {
	tables sqlq.Tables
	// taken holds where each name and alias is declared.
	taken    map[string]sqlq.Place
	mistakes sqlq.FileErrors
}

// directory reads the folders of a directory.
func (r *reader) directory(directory Directory) error {
	names, err := directory.Folders("tables")
	if err != nil {
		return err
	}
	for _, name := range names {
		r.folder(directory, name)
	}
	if _, err := fs.Stat(directory.FS, FileName); err == nil {
		r.mistakes = append(r.mistakes, &sqlq.FileError{File: directory.Path, Message: "is the folder of one table; give the directory that holds it"})
	}
	return nil
}

// folder reads one table.
func (r *reader) folder(directory Directory, name string) {
	file := path.Join(directory.Path, name, FileName)
	data, err := fs.ReadFile(directory.FS, path.Join(name, FileName))
	if err != nil {
		r.mistakes = append(r.mistakes, sqlq.Unreadable(file, err))
		return
	}
	r.add(file, data)
}

// add reads a table.yaml.
func (r *reader) add(file string, data []byte) {
	table, places, mistakes := parse(file, data)
	for i, name := range table.Names() {
		if other, taken := r.taken[name]; taken && name != "" {
			mistakes = append(mistakes, places[i].Mistakef("the name %q is already taken by %s", name, other))
		}
	}
	r.mistakes = append(r.mistakes, mistakes...)
	if len(mistakes) > 0 {
		return
	}
	for i, name := range table.Names() {
		r.taken[name] = places[i]
	}
	r.tables = append(r.tables, table)
}

// Parse reads the table.yaml that a file of one of the directories is to have. The error has the mistakes in it, as [sqlq.FileErrors],
// such as a name that another table has.
func Parse(file string, data []byte, directories ...Directory) (*sqlq.Table, error) {
	r := &reader{taken: make(map[string]sqlq.Place)}
	for _, directory := range append([]Directory{{FS: shipped, Path: shippedPath}}, directories...) {
		if err := r.directory(directory); err != nil {
			return nil, err
		}
	}
	r.mistakes = nil // in the others
	if r.add(file, data); len(r.mistakes) > 0 {
		r.mistakes.Sort()
		return nil, r.mistakes
	}
	return r.tables[len(r.tables)-1], nil
}
