package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"savedq/graph"
	"savedq/internal/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// Directories are directories with folders of saved queries, beside the shipped ones.
type Directories []string

// Read reads the saved queries. It returns the valid ones and the mistakes in the others.
// Names that collide in the GraphQL schema are mistakes.
func (d Directories) Read(dialect sqlq.Dialect) (*catalog.Catalog, sqlq.FileErrors, error) {
	catalog, err := graph.ReadCatalog(dialect, d.open()...)
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

// ReadChecked reads the saved queries, and checks their SQL unless the checker is nil, to find
// mistakes before anything is opened. The shipped ones need no check, because tests check them:
// it would delay the start by a second. The error lists every mistake.
func (d Directories) ReadChecked(ctx context.Context, dialect sqlq.Dialect, checker Checker) (*catalog.Catalog, error) {
	catalog, found, err := d.Read(dialect)
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
func (d Directories) Fingerprint(dialect sqlq.Dialect) catalog.Fingerprint {
	return catalog.FingerprintOf(dialect, d.open()...)
}

func (d Directories) open() []catalog.Directory {
	directories := make([]catalog.Directory, len(d))
	for i, path := range d {
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
