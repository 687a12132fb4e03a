package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"savedq/internal/engines"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// catalogFlags configure where saved queries are read from.
type catalogFlags struct {
	Queries engines.Directories `placeholder:"DIR" help:"Directory with folders of further saved queries. May be given several times."`
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

// read reads the saved queries, and checks their SQL if the engine can do so offline. The
// error lists every mistake.
func (f *catalogFlags) read(ctx context.Context, engine engines.Engine) (_ *catalog.Catalog, err error) {
	checker := engine.OfflineChecker()
	if checker != nil {
		defer func() { err = errors.Join(err, checker.Close()) }()
	}
	return f.Queries.ReadChecked(ctx, engine.Dialect(), checker)
}

// ofAllEngines returns the saved queries of each engine, because a folder may have SQL for only
// one of them. It leaves out those with mistakes.
func (f *catalogFlags) ofAllEngines() ([]*sqlq.SavedQuery, error) {
	var queries []*sqlq.SavedQuery
	for _, setup := range new(engineFlags).all() {
		catalog, _, err := f.Queries.Read(setup.engine().Dialect())
		if err != nil {
			return nil, err
		}
		queries = append(queries, catalog.Queries()...)
	}
	return queries, nil
}
