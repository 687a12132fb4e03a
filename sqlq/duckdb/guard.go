package duckdb

import (
	"context"

	"savedq/sqlq"
)

// guard returns an error for SQL that must not run, such as that with a function that reads files, although
// [Engine.Check] refuses it, too. It matters where the database can read files: a query that nobody checked must
// not read any files but those of its tables. It parses a saved query once.
func (e *Engine) guard(ctx context.Context, query *sqlq.SavedQuery, prepared *preparedStatements) error {
	if e.files == nil || prepared.guarded.Load() {
		return nil
	}
	mistakes, err := e.notAllowed(ctx, query)
	if err != nil {
		return err
	}
	if len(mistakes) > 0 {
		return sqlq.Errorf(sqlq.Internal, "the SQL of %s is not allowed", query.Name).WithCause(mistakes)
	}
	prepared.guarded.Store(true)
	return nil
}
