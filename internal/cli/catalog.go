package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"savedq/internal/engines"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// catalogFlags configure where saved queries are read from.
type catalogFlags struct {
	Queries []string `is:"directory" new:"dev" placeholder:"DIR" called:"folder,folders,sql,endpoints" help:"Directory with folders of further saved queries. May be given several times."`
	shippedFlags
}

// shippedFlags configure which shipped saved queries there are.
type shippedFlags struct {
	OmitShipped []string `is:"shipped" placeholder:"NAME" help:"Shipped saved queries to leave out, by name, such as logs.all, so that folders of --queries can take their names and ids; all leaves out every one. Default: none."`
	tablesFlags
}

// tablesFlags configure where tables are read from.
type tablesFlags struct {
	Tables []string `is:"directory" placeholder:"DIR" help:"Directory with folders of further tables, each with a table.yaml. May be given several times."`
}

// readTables reads the tables. The error lists every mistake.
func (f *tablesFlags) readTables() (sqlq.Tables, error) {
	return usable(engines.Folders{Tables: f.Tables}.ReadTables())
}

// readSources reads the log sources. The error lists every mistake.
func (f *tablesFlags) readSources() (sqlq.Tables, error) {
	return usable(engines.Folders{Tables: f.Tables}.ReadSources())
}

// usable returns tables, or an error that lists the mistakes in them.
func usable(read sqlq.Tables, mistakes sqlq.FileErrors, err error) (sqlq.Tables, error) {
	if err == nil && len(mistakes) > 0 {
		err = fmt.Errorf("the tables cannot be used:\n%w", mistakes)
	}
	return read, err
}

// allShipped is the value of --omit-shipped that stands for all names.
const allShipped = "all"

// with returns the folders in directories and the shipped ones that are not left out.
func (f *shippedFlags) with(directories ...string) engines.Folders {
	omitted := f.OmitShipped
	if slices.Contains(omitted, allShipped) {
		omitted = catalog.ShippedNames()
	}
	return engines.Folders{OmitShipped: omitted, Directories: directories, Tables: f.Tables}
}

// folders returns where saved queries are read from.
func (f *catalogFlags) folders() engines.Folders { return f.with(f.Queries...) }

// read reads the saved queries, and checks their SQL if the engine can do so offline. The
// error lists every mistake.
func (f *catalogFlags) read(ctx context.Context, engine engines.Engine) (_ *catalog.Catalog, err error) {
	checker := engine.OfflineChecker()
	if checker != nil {
		defer func() { err = errors.Join(err, checker.Close()) }()
	}
	return f.folders().ReadChecked(ctx, engine.Dialect(), checker)
}

// ofAllEngines returns the saved queries of each engine, because a folder may have SQL for only
// one of them. It leaves out those with mistakes.
func (f *catalogFlags) ofAllEngines() ([]*sqlq.SavedQuery, error) {
	var queries []*sqlq.SavedQuery
	for _, setup := range new(engineFlags).all() {
		catalog, _, err := f.folders().Read(setup.engine().Dialect())
		if err != nil {
			return nil, err
		}
		queries = append(queries, catalog.Queries()...)
	}
	return queries, nil
}
