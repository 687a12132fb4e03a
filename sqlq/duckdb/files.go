package duckdb

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

// readFiles are the files that an engine reads. It is safe for concurrent use.
type readFiles struct {
	*tablefiles.Files
	// fitting has the last [*fitting] of each table, by name, whose files have the declared columns.
	fitting sync.Map
}

// fit returns an error if the files of a listing do not have the declared columns. It looks only at files that have
// changed since the last call.
func (r *readFiles) fit(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) error {
	stored, _ := r.fitting.Load(listing.Table.Name)
	if known, found := stored.(*fitting); found && known.listing.Table == listing.Table {
		if known.listing.Version == listing.Version {
			return known.mistake
		}
		if known.mistake == nil {
			if next, err := known.with(ctx, db, listing); err == nil {
				r.fitting.Store(listing.Table.Name, next)
				return nil
			}
		}
	}
	next, err := fit(ctx, db, listing)
	if err == nil || next != nil && next.mistake != nil {
		r.fitting.Store(listing.Table.Name, next)
	}
	return err
}

// readsFiles reports whether a saved query may read files.
func (e *Engine) readsFiles(query *sqlq.SavedQuery) bool {
	return e.files != nil && slices.ContainsFunc(query.Tables, isOfFiles)
}

func isOfFiles(table *sqlq.Table) bool { return table.Files != nil }

// FilesVersion returns the version of the files that a saved query may read, which is at most a second old; empty
// if it reads none. Rows of another version must not be reused.
func (e *Engine) FilesVersion(query *sqlq.SavedQuery) string {
	if !e.readsFiles(query) {
		return ""
	}
	var versions []string
	for _, table := range query.Tables {
		if isOfFiles(table) {
			versions = append(versions, e.files.Version(table))
		}
	}
	return strings.Join(versions, " ")
}

// filesPause is when a caller should try again whose files changed while they were read.
const filesPause = time.Second

// runOnFiles runs a statement that reads files. It runs once more if they have changed meanwhile, so that all rows
// come from one version.
func (e *Engine) runOnFiles(ctx context.Context, statement sqlq.Statement, once runFunc) (*sqlq.Result, error) {
	const most = 2
	var changed *sqlq.Table
	for range most {
		files := e.scan(statement.Query)
		result, err := e.runFitting(ctx, statement, files, once)
		if changed = e.changed(files, statement.Emit != nil); changed == nil || ctx.Err() != nil {
			return result, err
		}
	}
	return nil, sqlq.Rejectf(sqlq.Unavailable, filesPause, "the files of the table %s change while they are read; try again in a moment", changed.Name)
}

// runFitting runs a statement on files that have the declared columns.
func (e *Engine) runFitting(ctx context.Context, statement sqlq.Statement, files scans, once runFunc) (*sqlq.Result, error) {
	for i, listing := range files.tables {
		err := e.files.fit(ctx, e.db, listing)
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return nil, err
		}
		// It matters only if the SQL reads the table.
		files.failures = append(files.failures, tableFailure{listing.Table, err})
		files.tables = slices.Delete(slices.Clone(files.tables), i, i+1)
		return e.runFitting(ctx, statement, files, once)
	}
	return once(ctx, statement, files)
}

// scan finds the files of the tables of a saved query.
func (e *Engine) scan(query *sqlq.SavedQuery) (files scans) {
	for _, table := range query.Tables {
		if !isOfFiles(table) {
			continue
		}
		listing, err := e.files.List(table)
		if err != nil {
			files.failures = append(files.failures, tableFailure{table, err})
			continue
		}
		files.tables = append(files.tables, listing)
	}
	files.all = slices.Clone(files.tables)
	return files
}

// changed returns a table whose files have changed; nil if there is none. A stream can take long, and its rows are not
// cached: new files are no change for it.
func (e *Engine) changed(files scans, isStream bool) *sqlq.Table {
	for _, before := range files.all {
		now, err := e.files.List(before.Table)
		if err != nil || now.Version != before.Version && (!isStream || len(without(before.Files, now.Files)) > 0) {
			return before.Table
		}
	}
	return nil
}

// without returns the files that are not among others, or have changed.
func without(files, others []tablefiles.File) []tablefiles.File {
	known := make(map[string]bool, len(others))
	for _, file := range others {
		known[file.Version] = true
	}
	return slices.DeleteFunc(slices.Clone(files), func(file tablefiles.File) bool { return known[file.Version] })
}
