// Package catalog reads the folders of saved queries strictly, and finds saved queries by
// name, id and alias.
package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/queries"
	"savedq/sqlq/sandbox"
	"savedq/sqlq/sqltext"
	"savedq/sqlq/tables"
)

// queryFileName is the file that declares a saved query, next to its SQL.
const queryFileName = "query.yaml"

// Directory is a place that holds folders of saved queries.
type Directory = tables.Directory

// Catalog holds all saved queries of a server. It is immutable.
type Catalog struct {
	tables  sqlq.Tables
	queries []*sqlq.SavedQuery
	// declared are all that were read, also those with mistakes.
	declared []*sqlq.SavedQuery
	byName   map[string]*sqlq.SavedQuery
	byID     map[uuid.UUID]*sqlq.SavedQuery
}

// Read reads the saved queries that come with savedq and in the
// further directories, each a folder with a query.yaml and a SQL file of the
// dialect. All mistakes are returned at once, as [FileErrors], with a catalog of
// the saved queries that have none.
func Read(dialect sqlq.Dialect, further ...Directory) (*Catalog, error) {
	return ReadWith(Options{}, dialect, further...)
}

// shippedPath is the path of the shipped saved queries for messages.
const shippedPath = "shipped queries"

// ShippedNames returns the names of the shipped saved queries, in alphabetical order. Their folders
// have the same names.
func ShippedNames() []string {
	entries, err := fs.ReadDir(queries.FS, ".")
	if err != nil {
		panic(err) // the files are a part of the program
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

// extensionKey is the key of a query.yaml, its parameters and its columns that only an
// [Extend] reads.
const extensionKey = "graphql"

// Extend reads the extension of a declaration from its mapping in a file: of a
// [*sqlq.SavedQuery], a [*sqlq.Param] or a [*sqlq.Column], of which the rest has been read.
type Extend func(declaration any, m *strictyaml.Mapping, file string) any

// Options change what [ReadWith] reads.
type Options struct {
	// Tables can be read; nil means the shipped ones.
	Tables sqlq.Tables
	// Omitted names shipped saved queries that are left out.
	Omitted []string
	// AllowEmpty allows directories without folders.
	AllowEmpty bool
	// Extend reads extensions, whose mistakes are mistakes of the saved query. It may be nil.
	Extend Extend
}

// ReadWith is [Read] with options.
func ReadWith(options Options, dialect sqlq.Dialect, further ...Directory) (_ *Catalog, err error) {
	if options.Tables == nil {
		options.Tables = tables.Shipped()
	}
	if options.Extend == nil {
		options.Extend = func(any, *strictyaml.Mapping, string) any { return nil }
	}
	b := &builder{
		dialect:    dialect,
		extend:     options.Extend,
		allowEmpty: options.AllowEmpty,
		catalog:    &Catalog{tables: options.Tables, byName: make(map[string]*sqlq.SavedQuery), byID: make(map[uuid.UUID]*sqlq.SavedQuery)},
		taken:      make(map[string]sqlq.Place),
		tools:      make(map[string]sqlq.Place),
		ctx:        context.Background(),
	}
	defer func() {
		if b.parser != nil {
			err = errors.Join(err, b.parser.Close())
		}
	}()
	for _, name := range ShippedNames() {
		if slices.Contains(options.Omitted, name) {
			continue
		}
		folder, err := fs.Sub(queries.FS, name)
		if err != nil {
			return nil, err
		}
		b.addFolder(Directory{FS: folder, Path: path.Join(shippedPath, name)})
	}
	for _, query := range b.catalog.queries {
		query.Shipped = true
	}
	for _, directory := range further {
		if err := b.addDirectory(directory); err != nil {
			return nil, err
		}
	}
	if b.failed != nil {
		return nil, b.failed
	}
	slices.SortFunc(b.catalog.queries, func(a, b *sqlq.SavedQuery) int { return strings.Compare(a.Name, b.Name) })
	if len(b.mistakes) > 0 {
		b.mistakes.Sort()
		return b.catalog, b.mistakes
	}
	return b.catalog, nil
}

// Tables returns the tables that saved queries can read.
func (c *Catalog) Tables() sqlq.Tables { return c.tables }

// Queries returns all saved queries, by name.
func (c *Catalog) Queries() []*sqlq.SavedQuery { return slices.Clone(c.queries) }

// Declared returns the saved queries as far as they could be read, also those with mistakes, so that others can look for
// more mistakes.
func (c *Catalog) Declared() []*sqlq.SavedQuery { return slices.Clone(c.declared) }

// Find returns the saved query that has the name, the id or the alias. UUIDs match in
// any letter case (D16).
func (c *Catalog) Find(nameOrID string) (*sqlq.SavedQuery, bool) {
	if query, ok := c.byName[nameOrID]; ok {
		return query, true
	}
	id, ok := sqlq.ParseID(nameOrID)
	if !ok {
		return nil, false
	}
	query, ok := c.byID[id]
	return query, ok
}

// builder collects saved queries, and mistakes, from directories.
type builder struct {
	dialect sqlq.Dialect
	extend  Extend
	// allowEmpty is [Options.AllowEmpty].
	allowEmpty bool
	catalog    *Catalog
	// taken holds where each name, id and alias is declared.
	taken map[string]sqlq.Place
	// tools holds where the saved query of each tool is declared.
	tools    map[string]sqlq.Place
	mistakes sqlq.FileErrors
	// parser parses the SQL of series within ctx; nil before the first one.
	parser *sql.DB
	ctx    context.Context //nolint:containedctx // It lasts as long as a read, which nothing cancels.
	// failed is why it cannot be used.
	failed error
}

// addDirectory reads the folders of a directory.
func (b *builder) addDirectory(directory Directory) error {
	names, err := directory.Folders("saved queries")
	if err != nil {
		return err
	}
	for _, name := range names {
		folder, err := fs.Sub(directory.FS, name)
		if err != nil {
			return fmt.Errorf("open folder %s: %w", name, err)
		}
		b.addFolder(Directory{FS: folder, Path: path.Join(directory.Path, name)})
	}
	if len(names) > 0 {
		return nil
	}
	_, err = fs.Stat(directory.FS, queryFileName)
	switch {
	case err == nil:
		b.mistakes = append(b.mistakes, &sqlq.FileError{File: directory.Path, Message: "is the folder of one saved query; give the directory that holds it"})
	case !b.allowEmpty:
		message := "has no folder with a " + queryFileName + "; \"savedq new NAME --sql FILE --queries DIR\" writes one"
		b.mistakes = append(b.mistakes, &sqlq.FileError{File: directory.Path, Message: message})
	}
	return nil
}

// addFolder reads one saved query and adds it to the catalog.
func (b *builder) addFolder(folder Directory) {
	file := path.Join(folder.Path, queryFileName)
	data, err := fs.ReadFile(folder.FS, queryFileName)
	if err != nil {
		b.mistakes = append(b.mistakes, sqlq.Unreadable(file, err))
		return
	}
	before := len(b.mistakes)
	dialect, sql, err := b.readSQL(folder)
	mentioned := b.catalog.tables.Mentioned(sql)
	if dialect == (clickhousesql.Dialect{}) {
		mentioned = b.catalog.tables.Sources()
	}
	query, places, mistakes := readQueryFile(file, data, mentioned.Sources(), b.extend)
	b.mistakes = append(b.mistakes, mistakes...)
	b.catalog.declared = append(b.catalog.declared, query)
	query.Engine, query.Tables = b.dialect.Name(), b.catalog.tables // all, so that messages can suggest one
	query.SQLFile = path.Join(folder.Path, sqlFileName(dialect))
	if err != nil {
		b.mistakes = append(b.mistakes, sqlq.Unreadable(query.SQLFile, err))
	} else {
		unread := len(mistakes) > 0 && len(places.params) == 0
		b.setSQL(query, places, unread, dialect, sql)
		if dialect != b.dialect && len(b.mistakes) == before {
			b.translate(query, dialect)
		}
	}
	if query.Sandboxed && len(b.mistakes) == before {
		b.checkSandbox(query, places, dialect)
	}
	query.Tables = mentioned
	if query.CallersReadLogs {
		query.Tables = b.catalog.tables.Sources()
	}
	b.register(query, places)
	if query.Series != nil && len(b.mistakes) == before {
		b.findShape(query, places, dialect)
	}
	if len(b.mistakes) == before {
		b.catalog.queries = append(b.catalog.queries, query)
	}
}

// readSQL reads the SQL of a folder: in the dialect of the engine, or else in GoogleSQL (D38), or else over the table logs
// (ADR 063). On the engine ClickHouse, the file with its SQL can be both: alone in its folder, a text that reads the table
// logs is over it.
func (b *builder) readSQL(folder Directory) (sqlq.Dialect, string, error) {
	overLogs := sqlq.Dialect(clickhousesql.Dialect{})
	var first error
	for _, dialect := range []sqlq.Dialect{b.dialect, googlesql.AnyEngine(), overLogs} {
		sql, err := fs.ReadFile(folder.FS, sqlFileName(dialect))
		if first == nil {
			first = err
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && dialect == b.dialect && dialect.Name() == overLogs.Name() && clickhousesql.ReadsLogs(string(sql)) {
			if _, err := fs.Stat(folder.FS, sqlFileName(googlesql.AnyEngine())); errors.Is(err, fs.ErrNotExist) {
				dialect = overLogs
			}
		}
		return dialect, string(sql), err
	}
	return b.dialect, "", first
}

// translate replaces SQL in GoogleSQL, or over the table logs, by what the engine runs.
func (b *builder) translate(query *sqlq.SavedQuery, dialect sqlq.Dialect) {
	var translation *sqlq.Translation
	var err error
	switch {
	case dialect != sqlq.Dialect(clickhousesql.Dialect{}):
		translation, err = b.dialect.FromGoogleSQL(query, query.SQL)
	case b.dialect.RunsGoogleSQL():
		err = &googlesql.Error{Message: sandbox.RunsOverLogs(b.dialect.Name()).Error()}
	default:
		translation, err = clickhousesql.TranslateSaved(b.dialect.Located(query))
	}
	var mistake *googlesql.Error
	switch {
	case errors.As(err, &mistake):
		b.mistakes = append(b.mistakes, mistake.In(query.SQLFile, query.SQL))
	case err != nil:
		b.failed = err
	default:
		query.SQL, query.Translation = translation.SQL, translation
	}
}

// checkSandbox checks that callers can send SQL to a saved query, and read no rows that it excludes.
func (b *builder) checkSandbox(query *sqlq.SavedQuery, places *queryPlaces, dialect sqlq.Dialect) {
	if dialect != googlesql.AnyEngine() && !query.CallersReadLogs {
		b.mistakes = append(b.mistakes, places.sandbox.Mistakef("sandbox needs %s, because callers send GoogleSQL; this folder has %s", sqlFileName(googlesql.AnyEngine()), sqlFileName(dialect)))
		return
	}
	if place, taken := places.params[sqlq.SQLParam]; taken {
		b.mistakes = append(b.mistakes, place.Mistakef("callers send their SQL as %s, so no parameter of a query with a sandbox has that name", sqlq.SQLParam))
	}
	if query.CallersReadLogs {
		if err := sandbox.CheckLogs(query); err != nil {
			b.mistakes = append(b.mistakes, places.sandbox.Mistakef("%s", err))
		}
		return
	}
	err := sandbox.Check(query)
	var mistake *googlesql.Error
	if errors.As(err, &mistake) {
		written, _ := query.Written()
		b.mistakes = append(b.mistakes, mistake.In(query.SQLFile, written))
	} else if err != nil {
		b.failed = err
	}
}

// register adds a saved query under its name, its id and its aliases, which must be unique.
func (b *builder) register(query *sqlq.SavedQuery, places *queryPlaces) {
	if query.Name != "" {
		b.claim(query, query.Name, "name "+strconv.Quote(query.Name), places.name)
	}
	if query.ID != uuid.Nil {
		b.claim(query, query.ID.String(), "id "+query.ID.String(), places.id)
	}
	b.claimTool(query, places)
	for i, alias := range query.Aliases {
		b.claim(query, alias, "alias "+strconv.Quote(alias), places.aliases[i])
	}
}

// claim adds a saved query under one name or id. what is what messages call it.
func (b *builder) claim(query *sqlq.SavedQuery, nameOrID, what string, place sqlq.Place) {
	if other, taken := b.taken[nameOrID]; taken {
		advice := ""
		if folder := path.Dir(other.File); path.Dir(folder) == shippedPath {
			advice = "; to replace that saved query, leave it out with --omit-shipped " + path.Base(folder)
		}
		b.mistakes = append(b.mistakes, place.Mistakef("%s is already taken by %s:%d:%d%s", what, other.File, other.Line, other.Column, advice))
		return
	}
	b.taken[nameOrID] = place
	if id, isID := sqlq.ParseID(nameOrID); isID {
		b.catalog.byID[id] = query
	} else {
		b.catalog.byName[nameOrID] = query
	}
}

// setSQL sets the SQL and compares its parameters with the declared ones, unless those could
// not be read.
func (b *builder) setSQL(query *sqlq.SavedQuery, places *queryPlaces, unread bool, dialect sqlq.Dialect, sql string) {
	scan := sqltext.ScanStatement(dialect, sql)
	query.SQL = sql[:scan.End]
	mistake := func(use sqltext.Use, format string, args ...any) {
		b.mistakes = append(b.mistakes, sqlq.Place{File: query.SQLFile, Line: use.Line, Column: use.Column}.Mistakef(format, args...))
	}
	b.mistakes = append(b.mistakes, scan.Mistakes(dialect, query.SQLFile)...)
	if scan.Empty {
		return
	}
	used := map[string]bool{sqlq.NowParam: true}
	if at := query.Scoped(sqlq.ScopeProject); at >= 0 && dialect == sqlq.Dialect(clickhousesql.Dialect{}) { // it says which rows the table logs has
		used[query.Params[at].Name] = true
	}
	given := func(name string) bool {
		return name == sqlq.NowParam || query.Series != nil && (name == sqlq.FromParam || name == sqlq.ToParam)
	}
	for _, use := range scan.Params {
		used[use.Name] = true
		if _, declared := places.params[use.Name]; !declared && !given(use.Name) && !unread {
			hint := ""
			if use.Name == sqlq.FromParam || use.Name == sqlq.ToParam {
				hint = ", and there is no series that would set it"
			}
			mistake(use, "parameter %s%s is not declared under params in %s%s", dialect.ParamPrefix(), use.Name, queryFileName, hint)
		}
	}
	for name, place := range places.params {
		if !used[name] {
			b.mistakes = append(b.mistakes, place.Mistakef("parameter %q is declared but %s does not use %s%[1]s", name, sqlFileName(dialect), dialect.ParamPrefix()))
		}
	}
}

// sqlFileName returns the name of a dialect's file in the folder of a saved query.
func sqlFileName(dialect sqlq.Dialect) string { return dialect.Name() + ".sql" }
