package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"savedq/graph"
	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/tables"
)

// Folders are where saved queries are read from: the shipped folders, and those in directories.
type Folders struct {
	// OmitShipped names shipped saved queries that are left out.
	OmitShipped []string
	Directories []string
	// AllowEmpty allows directories without folders.
	AllowEmpty bool
	// Embedded are further folders of the program itself.
	Embedded []catalog.Directory
	// Tables are directories of tables.
	Tables []string
}

// Read reads the saved queries. It returns the valid ones and the mistakes in the others.
// Names that collide in the GraphQL schema are mistakes.
func (f Folders) Read(dialect sqlq.Dialect) (*catalog.Catalog, sqlq.FileErrors, error) {
	read, inTables, err := f.readTables(dialect)
	if err != nil {
		return nil, nil, err
	}
	catalog, err := graph.ReadCatalogWith(catalog.Options{Tables: read, Omitted: f.OmitShipped, AllowEmpty: f.AllowEmpty}, dialect, slices.Concat(f.Embedded, open(f.Directories))...)
	var found sqlq.FileErrors
	if err != nil && !errors.As(err, &found) {
		return nil, nil, err
	}
	found = append(inTables, found...)
	if _, err := graph.NewSchema(catalog); err != nil {
		var names sqlq.FileErrors
		if !errors.As(err, &names) {
			return nil, nil, err
		}
		found = append(found, names...)
	}
	return catalog, found, nil
}

// ReadSources reads the log sources. It does not look at the files of tables.
func (f Folders) ReadSources() (sqlq.Tables, sqlq.FileErrors, error) {
	read, err := tables.Read(open(f.Tables)...)
	var found sqlq.FileErrors
	if err != nil && !errors.As(err, &found) {
		return nil, nil, err
	}
	return read.Sources(), found, nil
}

// ReadTables reads the tables, with the columns that their files say. It returns the valid ones, and the mistakes
// in the others.
func (f Folders) ReadTables() (sqlq.Tables, sqlq.FileErrors, error) {
	return f.readTables(duckdbsql.Dialect{})
}

// reading is a read of tables.
type reading struct {
	ctx context.Context //nolint:containedctx // It lasts as long as a read, which nothing cancels.
}

// readTables reads the tables that an engine with a dialect has.
func (f Folders) readTables(dialect sqlq.Dialect) (sqlq.Tables, sqlq.FileErrors, error) {
	read, err := tables.Read(open(f.Tables)...)
	var found sqlq.FileErrors
	if err != nil && !errors.As(err, &found) {
		return nil, nil, err
	}
	if !dialect.ReadsFiles() {
		return read, found, nil
	}
	valid, within := make(sqlq.Tables, 0, len(read)), reading{context.Background()}
	for _, table := range read {
		if table.Files != nil && len(table.Files.Columns) == 0 {
			described, err := duckdb.DescribeFiles(within.ctx, sqlq.Tables{table})
			var inFiles sqlq.FileErrors
			if err != nil && !errors.As(err, &inFiles) {
				return nil, nil, err
			}
			found, valid = append(found, inFiles...), append(valid, described...)
			continue
		}
		valid = append(valid, table)
	}
	return append(valid, tables.Runs()), found, nil
}

// ReadChecked reads the saved queries, and checks their SQL unless the checker is nil, to find
// mistakes before anything is opened. The shipped ones need no check, because tests check them:
// it would delay the start by a second. The error lists every mistake.
func (f Folders) ReadChecked(ctx context.Context, dialect sqlq.Dialect, checker Checker) (*catalog.Catalog, error) {
	catalog, found, err := f.Read(dialect)
	if err != nil {
		return nil, err
	}
	if checker != nil {
		own := slices.DeleteFunc(catalog.Queries(), func(query *sqlq.SavedQuery) bool { return query.Shipped })
		inSQL, err := Check(ctx, checker, own)
		if err != nil {
			return nil, err
		}
		found = append(found, inSQL...)
	}
	return catalog, Unusable(found)
}

// Fingerprint identifies the content of the files that Read reads.
func (f Folders) Fingerprint() catalog.Fingerprint {
	return catalog.FingerprintOf(slices.Concat(f.Embedded, open(f.Directories), open(f.Tables))...)
}

// Watched returns the directories whose changes Read sees.
func (f Folders) Watched() []string { return slices.Concat(f.Directories, f.Tables) }

// open returns the directories with paths.
func open(paths []string) []catalog.Directory {
	directories := make([]catalog.Directory, len(paths))
	for i, path := range paths {
		directories[i] = catalog.Directory{FS: regularfile.DirFS(path), Path: path}
	}
	return directories
}

// Check returns the mistakes that the checker finds in saved queries.
func Check(ctx context.Context, checker Checker, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error) {
	var found sqlq.FileErrors
	for _, query := range queries {
		_, err := checker.Check(ctx, query)
		var inFile sqlq.FileErrors
		switch {
		case errors.As(err, &inFile):
			found = append(found, inFile...)
		case err != nil:
			return nil, err
		}
	}
	return found, nil
}

// Unusable returns an error that lists the mistakes, or nil if there are none.
func Unusable(found sqlq.FileErrors) error {
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("the saved queries cannot be used:\n%w", found)
}
