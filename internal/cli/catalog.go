package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"savedq/graph"
	"savedq/internal/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// catalogFlags configure where saved queries are read from.
type catalogFlags struct {
	Queries []string `placeholder:"DIR" help:"Directory with folders of further saved queries. May be given several times."`
}

// Validate implements kong's validation, which runs before anything is opened. kong's type
// for existing directories is not used, because it makes paths in messages absolute.
func (f *catalogFlags) Validate() error {
	for _, path := range f.Queries {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return fmt.Errorf("--queries: %s is not a directory", path)
		}
	}
	return nil
}

// read reads the saved queries. It checks their SQL if the engine can do so offline, to find
// mistakes before anything is opened. The error lists every mistake.
func (f *catalogFlags) read(ctx context.Context, engine engineSetup) (_ *catalog.Catalog, err error) {
	checker := engine.OfflineChecker()
	if checker != nil {
		defer func() { err = errors.Join(err, checker.Close()) }()
	}
	return f.readWith(ctx, engine.Dialect(), checker)
}

// readWith reads the saved queries, and checks their SQL unless the checker is nil. The shipped
// ones need none, because tests check them: it would delay the start by a second.
func (f *catalogFlags) readWith(ctx context.Context, dialect sqlq.Dialect, checker queryChecker) (*catalog.Catalog, error) {
	catalog, found, err := f.readFiles(dialect)
	if err != nil {
		return nil, err
	}
	if checker != nil {
		own := slices.DeleteFunc(catalog.Queries(), func(query *sqlq.SavedQuery) bool { return query.Shipped })
		inSQL, err := checkQueries(ctx, checker, own)
		if err != nil {
			return nil, err
		}
		found = append(found, inSQL...)
	}
	return catalog, unusable(found)
}

// directories returns the directories of --queries.
func (f *catalogFlags) directories() []catalog.Directory {
	directories := make([]catalog.Directory, len(f.Queries))
	for i, path := range f.Queries {
		directories[i] = catalog.Directory{FS: regularfile.DirFS(path), Path: path}
	}
	return directories
}

// fingerprint identifies the content of the files that readFiles reads.
func (f *catalogFlags) fingerprint(dialect sqlq.Dialect) catalog.Fingerprint {
	return catalog.FingerprintOf(dialect, f.directories()...)
}

// readFiles reads the saved queries. It returns the valid ones and the mistakes in the
// others. Names that collide in the GraphQL schema are mistakes.
func (f *catalogFlags) readFiles(dialect sqlq.Dialect) (*catalog.Catalog, sqlq.FileErrors, error) {
	catalog, err := catalog.Read(dialect, f.directories()...)
	var found sqlq.FileErrors
	if err != nil && !errors.As(err, &found) {
		return nil, nil, err
	}
	if _, err := graph.NewSchema(catalog); err != nil {
		var names sqlq.FileErrors
		if !errors.As(err, &names) {
			return nil, nil, err
		}
		found = append(found, names...)
	}
	return catalog, found, nil
}

// unusable returns an error that lists the mistakes, or nil if there are none.
func unusable(found sqlq.FileErrors) error {
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("the saved queries cannot be used:\n%w", found)
}

// ofAllEngines returns the saved queries of each engine, because a folder may have SQL for only
// one of them. It leaves out those with mistakes.
func (f *catalogFlags) ofAllEngines() ([]*sqlq.SavedQuery, error) {
	var queries []*sqlq.SavedQuery
	for _, engine := range new(engineFlags).all() {
		catalog, _, err := f.readFiles(engine.Dialect())
		if err != nil {
			return nil, err
		}
		queries = append(queries, catalog.Queries()...)
	}
	return queries, nil
}
