package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"savedq/internal/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// catalogFlags say which saved queries there are.
type catalogFlags struct {
	Queries []string `placeholder:"DIR" help:"Directory with folders of further saved queries. May be given several times."`
}

// Validate is called by kong before anything is opened. (Its own type for
// existing directories makes paths absolute; messages show them as given.)
func (f *catalogFlags) Validate() error {
	for _, path := range f.Queries {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return fmt.Errorf("--queries: %s is no directory", path)
		}
	}
	return nil
}

// read reads the saved queries; the error lists every mistake in their folders.
func (f *catalogFlags) read(dialect sqlq.Dialect) (*sqlq.Catalog, error) {
	directories := make([]sqlq.Directory, len(f.Queries))
	for i, path := range f.Queries {
		directories[i] = sqlq.Directory{FS: os.DirFS(path), Path: path}
	}
	catalog, err := sqlq.ReadCatalog(dialect, directories...)
	if err != nil {
		return nil, mistakes(err)
	}
	return catalog, nil
}

// mistakes puts a heading over the mistakes in folders of saved queries.
func mistakes(err error) error {
	var found sqlq.FileErrors
	if !errors.As(err, &found) {
		return err
	}
	return fmt.Errorf("the saved queries cannot be used:\n%w", found)
}

// storeFlags say where the embedded store is.
type storeFlags struct {
	Data string `default:"./data" placeholder:"DIR" help:"Directory of the embedded log store; made if there is none. Default: ${default}."`
}

// openEngine opens the store and checks every saved query against it.
func openEngine(ctx context.Context, data string, catalog *sqlq.Catalog) (*logstore.Store, *duckdb.Engine, error) {
	store, err := logstore.Open(ctx, data, "")
	if err != nil {
		return nil, nil, err
	}
	engine := duckdb.New(store.DB())
	if err := checkCatalog(ctx, engine, catalog); err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, engine, nil
}

// checkCatalog returns what the engine finds wrong with any saved query.
func checkCatalog(ctx context.Context, engine sqlq.Engine, catalog *sqlq.Catalog) error {
	var found sqlq.FileErrors
	for _, query := range catalog.Queries() {
		_, err := engine.Check(ctx, query)
		var inFile sqlq.FileErrors
		switch {
		case errors.As(err, &inFile):
			found = append(found, inFile...)
		case err != nil:
			return err
		}
	}
	if len(found) > 0 {
		return mistakes(found)
	}
	return nil
}
