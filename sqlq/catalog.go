package sqlq

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"
)

//go:embed all:queries
var shippedQueries embed.FS

// queryFileName is the file that declares a saved query, beside its SQL.
const queryFileName = "query.yaml"

// Directory is a place that holds folders of saved queries.
type Directory struct {
	FS fs.FS
	// Path is the directory's path, as messages show it.
	Path string
}

// Catalog holds all saved queries of a server. It is immutable.
type Catalog struct {
	queries []*SavedQuery
	byName  map[string]*SavedQuery
	byID    map[uuid.UUID]*SavedQuery
}

// ShippedCatalog returns the saved queries that come with savedq.
func ShippedCatalog(dialect Dialect) (*Catalog, error) {
	return ReadCatalog(dialect)
}

// ReadCatalog reads the saved queries that come with savedq and those of the
// further directories, each a folder with a query.yaml and a SQL file of the
// dialect. All mistakes are returned at once, as [FileErrors], with a catalog of
// the saved queries that have none.
func ReadCatalog(dialect Dialect, further ...Directory) (*Catalog, error) {
	shipped, err := fs.Sub(shippedQueries, "queries")
	if err != nil {
		return nil, fmt.Errorf("open the shipped queries: %w", err)
	}
	builder := &catalogBuilder{
		dialect: dialect,
		catalog: &Catalog{byName: make(map[string]*SavedQuery), byID: make(map[uuid.UUID]*SavedQuery)},
		origin:  make(map[*SavedQuery]string),
	}
	for _, directory := range append([]Directory{{FS: shipped, Path: "shipped queries"}}, further...) {
		if err := builder.addDirectory(directory); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(builder.catalog.queries, func(a, b *SavedQuery) int { return strings.Compare(a.Name, b.Name) })
	if len(builder.mistakes) > 0 {
		return builder.catalog, builder.mistakes.sorted()
	}
	return builder.catalog, nil
}

// Queries returns all saved queries, by name.
func (c *Catalog) Queries() []*SavedQuery { return slices.Clone(c.queries) }

// Find returns the saved query that has the name or the id. Ids match in any
// letter case (D16).
func (c *Catalog) Find(nameOrID string) (*SavedQuery, bool) {
	if query, ok := c.byName[nameOrID]; ok {
		return query, true
	}
	if len(nameOrID) != len(uuid.Nil.String()) {
		return nil, false // uuid.Parse takes other spellings too
	}
	id, err := uuid.Parse(nameOrID)
	if err != nil {
		return nil, false
	}
	query, ok := c.byID[id]
	return query, ok
}

// catalogBuilder collects saved queries, and mistakes, from directories.
type catalogBuilder struct {
	dialect  Dialect
	catalog  *Catalog
	origin   map[*SavedQuery]string
	mistakes FileErrors
}

// addDirectory reads the folders of a directory. Plain files in it, and folders
// whose name begins with a dot, are none of its business.
func (b *catalogBuilder) addDirectory(directory Directory) error {
	entries, err := fs.ReadDir(directory.FS, ".")
	if err != nil {
		return fmt.Errorf("read the directory of saved queries %s: %w", directory.Path, withoutPath(err))
	}
	folders := 0
	for _, entry := range entries {
		if info, err := fs.Stat(directory.FS, entry.Name()); err != nil || !info.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		folders++
		folder, err := fs.Sub(directory.FS, entry.Name())
		if err != nil {
			return fmt.Errorf("open folder %s: %w", entry.Name(), err)
		}
		b.addFolder(Directory{FS: folder, Path: path.Join(directory.Path, entry.Name())})
	}
	if folders == 0 {
		message := "holds no folder with a " + queryFileName
		if _, err := fs.Stat(directory.FS, queryFileName); err == nil {
			message = "is the folder of one saved query; give the directory that holds it"
		}
		b.mistakes = append(b.mistakes, &FileError{File: directory.Path, Message: message})
	}
	return nil
}

// addFolder reads one saved query and adds it to the catalog.
func (b *catalogBuilder) addFolder(folder Directory) {
	file := path.Join(folder.Path, queryFileName)
	data, err := fs.ReadFile(folder.FS, queryFileName)
	if err != nil {
		b.unreadable(file, err)
		return
	}
	before := len(b.mistakes)
	query, places, mistakes := readQueryFile(file, data)
	b.mistakes = append(b.mistakes, mistakes...)
	query.Dialect, query.SQLFile = b.dialect, path.Join(folder.Path, b.dialect.SQLFileName())
	sql, err := fs.ReadFile(folder.FS, b.dialect.SQLFileName())
	if err != nil {
		b.unreadable(query.SQLFile, err)
	} else {
		unread := len(mistakes) > 0 && len(places.params) == 0
		b.setSQL(query, places, unread, string(sql))
	}
	b.register(query, places)
	if len(b.mistakes) == before {
		b.catalog.queries = append(b.catalog.queries, query)
	}
}

// register enters a saved query under its name and its id, which must be new.
func (b *catalogBuilder) register(query *SavedQuery, places *queryPlaces) {
	if other := b.catalog.byName[query.Name]; other != nil {
		b.mistakes = append(b.mistakes, places.name.Mistakef("name %q is already taken by %s", query.Name, b.origin[other]))
	} else if query.Name != "" {
		b.catalog.byName[query.Name] = query
	}
	if other := b.catalog.byID[query.ID]; other != nil {
		b.mistakes = append(b.mistakes, places.id.Mistakef("id %s is already taken by %s", query.ID, b.origin[other]))
	} else if query.ID != uuid.Nil {
		b.catalog.byID[query.ID] = query
	}
	b.origin[query] = places.file
}

// setSQL takes the SQL over and holds its parameters against the declared ones, unless
// those could not be read.
func (b *catalogBuilder) setSQL(query *SavedQuery, places *queryPlaces, unread bool, sql string) {
	scan := scanSQL(b.dialect, sql)
	query.SQL = sql[:scan.end]
	mistake := func(use sqlUse, format string, args ...any) {
		b.mistakes = append(b.mistakes, Place{File: query.SQLFile, Line: use.line, Column: use.column}.Mistakef(format, args...))
	}
	if scan.empty {
		mistake(sqlUse{line: 1, column: 1}, "holds no SQL")
		return
	}
	if scan.extra != nil {
		mistake(*scan.extra, "a saved query is one statement; a second one begins here")
	}
	if scan.positional != nil {
		mistake(*scan.positional, "write parameters as %sname, not as ?", b.dialect.paramPrefix())
	}
	used := map[string]bool{NowParam: true}
	for _, use := range scan.params {
		used[use.name] = true
		if _, declared := places.params[use.name]; !declared && use.name != NowParam && !unread {
			mistake(use, "parameter %s%s is not declared under params in %s", b.dialect.paramPrefix(), use.name, queryFileName)
		}
	}
	for name, place := range places.params {
		if !used[name] {
			b.mistakes = append(b.mistakes, place.Mistakef("parameter %q is declared but %s does not use %s%[1]s", name, b.dialect.SQLFileName(), b.dialect.paramPrefix()))
		}
	}
}

func (b *catalogBuilder) unreadable(file string, err error) {
	message := "cannot be read: " + withoutPath(err).Error()
	if errors.Is(err, fs.ErrNotExist) {
		message = "is missing"
	}
	b.mistakes = append(b.mistakes, &FileError{File: file, Message: message})
}

// withoutPath takes the path out of a file error, for messages that name it
// already, and as the caller gave it.
func withoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
