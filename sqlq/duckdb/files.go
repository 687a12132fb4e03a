package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
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

	mutex sync.Mutex
	// tables has what is known of the files of each table, by name.
	tables map[string]*tableFiles
	// closed ends the readings, which running counts.
	closed  chan struct{}
	closing sync.Once
	running sync.WaitGroup
}

// tableFiles is what is known of the files of a table.
type tableFiles struct {
	// fitting is of the last files that were read, and whole of the last ones without a mistake; nil if there were none.
	fitting, whole *fitting
	// reading is in flight; nil if none is.
	reading *firstReading
}

// firstReading reads files that have changed, once for all callers. Its error can be read when done is closed.
type firstReading struct {
	listing *tablefiles.Listing
	done    chan struct{}
	err     error
}

const (
	// readingTimeout limits a first reading, which has more time than the caller who starts it.
	readingTimeout = 30 * time.Minute
	// readingPause is when a caller should try again whose time ended during a first reading.
	readingPause = 5 * time.Second
)

func newReadFiles(files *tablefiles.Files) *readFiles {
	return &readFiles{Files: files, tables: make(map[string]*tableFiles), closed: make(chan struct{})}
}

// close ends the readings and waits for them. It must be called before the database is closed.
func (r *readFiles) close() {
	r.closing.Do(func() { close(r.closed) })
	r.running.Wait()
}

// fit returns an error if the files of a listing do not have the declared columns. It looks only at files that have
// changed since the last call. Callers share the first reading of a version, which goes on when they leave.
func (r *readFiles) fit(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) error {
	for {
		known, reading := r.lookupOrStart(ctx, db, listing)
		if known != nil {
			return known.mistake
		}
		select {
		case <-reading.done:
			if isSame(reading.listing, listing) {
				return reading.err
			}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return sqlq.Rejectf(sqlq.Unavailable, readingPause, "the files of the table %s have changed and are still being read for the first time; try again in a moment", listing.Table.Name)
			}
			return ctx.Err()
		}
	}
}

// knows reports whether a version of the files of a table has been read.
func (r *readFiles) knows(table *sqlq.Table, version string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	known := r.tables[table.Name]
	return known != nil && known.fitting != nil && isSame(known.fitting.listing, &tablefiles.Listing{Table: table, Version: version})
}

// isSame reports whether two listings are of the same version of the same files, and declare the same.
func isSame(one, other *tablefiles.Listing) bool {
	return one.Version == other.Version && declaresSame(one.Table, other.Table)
}

// declaresSame reports whether two tables of the same name declare the same of their files: a reload makes another one.
func declaresSame(one, other *sqlq.Table) bool {
	return one == other || one != nil && other != nil && reflect.DeepEqual(one.Files, other.Files)
}

// lookupOrStart returns what is known of the files of a listing, or joins or starts the first reading of its table. Files that
// change meanwhile are read after it.
func (r *readFiles) lookupOrStart(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (*fitting, *firstReading) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	known := r.tables[listing.Table.Name]
	if known == nil {
		known = new(tableFiles)
		r.tables[listing.Table.Name] = known
	}
	switch {
	case known.fitting != nil && isSame(known.fitting.listing, listing):
		return known.fitting, nil
	case known.reading != nil:
		return nil, known.reading
	}
	reading := &firstReading{listing: listing, done: make(chan struct{})}
	known.reading = reading
	whole := known.whole
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readingTimeout)
	r.running.Go(func() {
		defer cancel()
		go func() {
			select {
			case <-r.closed:
				cancel()
			case <-ctx.Done():
			}
		}()
		next, err := readFirst(ctx, db, whole, listing)
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if err == nil || next != nil && next.mistake != nil {
			known.fitting = next
		}
		if err == nil {
			known.whole = next
		}
		reading.err, known.reading = err, nil
		close(reading.done)
	})
	return nil, reading
}

// readFirst returns the fitting of a listing. It uses what is known of files that have not changed.
func readFirst(ctx context.Context, db *sql.DB, before *fitting, listing *tablefiles.Listing) (next *fitting, err error) {
	defer func() {
		if reason := recover(); reason != nil { // the runner recovers panics of its own goroutine only
			next, err = nil, fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	defer releasePipes(listing)()
	if before != nil && declaresSame(before.listing.Table, listing.Table) {
		next, err := before.with(ctx, db, listing)
		if err == nil || ctx.Err() != nil || next != nil && next.isNotWhole {
			return next, err
		}
	}
	return fit(ctx, db, listing)
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

// AwaitFiles waits until the files that a saved query may read have been read for the first time. Its error means that this takes longer
// than ctx. All other errors are as a run that reads the table returns them.
func (e *Engine) AwaitFiles(ctx context.Context, query *sqlq.SavedQuery) error {
	if !e.readsFiles(query) {
		return nil
	}
	for _, table := range query.Tables {
		if !isOfFiles(table) || e.files.knows(table, e.files.Version(table)) {
			continue
		}
		listing, err := e.files.List(table)
		if err != nil {
			continue
		}
		if err := e.files.fit(ctx, e.db, listing); ctx.Err() != nil {
			return err
		}
	}
	return nil
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
		result, err := e.runUnblocked(ctx, statement, files, once)
		if changed = e.changed(files, statement.Emit != nil); changed == nil || ctx.Err() != nil {
			return result, err
		}
	}
	return nil, sqlq.Rejectf(sqlq.Unavailable, filesPause, "the files of the table %s change while they are read; try again in a moment", changed.Name)
}

// runUnblocked is runFitting, and never waits for the writer of a pipe that has taken the place of a file since it was found.
func (e *Engine) runUnblocked(ctx context.Context, statement sqlq.Statement, files scans, once runFunc) (*sqlq.Result, error) {
	defer releasePipes(files.all...)()
	return e.runFitting(ctx, statement, files, once)
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
