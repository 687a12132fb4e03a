package logstore

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// rowGroup is the number of rows that DuckDB stores and frees together.
	rowGroup = 122_880
	// overdueRows is the number of deleted rows for whose space queries are held.
	overdueRows = 4 * rowGroup
	// idlePatience limits how long a checkpoint waits for a moment without queries, and
	// minHold and maxHold how long queries are held for that.
	idlePatience = 250 * time.Millisecond
	minHold      = 125 * time.Millisecond
	maxHold      = time.Second
	// beginning is how long queries are held while the checkpoint begins.
	beginning = 10 * time.Millisecond
)

// freeing makes checkpoints free the space of deleted rows. DuckDB drops row groups of deleted
// rows, and merges neighbours with few rows, only in a checkpoint that begins while no
// transaction runs that began before the last commit. Queries commit, too. So it must begin at
// a moment without queries. If queries overlap for long, they are held for a moment.
type freeing struct {
	queries *statements

	// deleted is the number of rows that were deleted since space was last freed.
	deleted atomic.Int64
	// hold is how long the next checkpoint may hold queries. It grows while that is not
	// enough. Only the store's writer uses it.
	hold time.Duration
}

func newFreeing(queries *statements) *freeing { return &freeing{queries: queries, hold: minHold} }

// note counts deleted rows.
func (f *freeing) note(rows int64) { f.deleted.Add(rows) }

// due reports whether a checkpoint would free much space.
func (f *freeing) due() bool { return f.deleted.Load() >= rowGroup }

// checkpoint runs a checkpoint so that it frees space, if that is due and possible. The caller
// must be the store's writer, so that nothing else is committed.
func (f *freeing) checkpoint(ctx context.Context, run func() error) error {
	deleted := f.deleted.Load()
	if deleted < rowGroup || !f.pause(ctx, deleted) {
		return run()
	}
	resuming := time.AfterFunc(beginning, f.queries.resume)
	err := run()
	if resuming.Stop() {
		f.queries.resume()
	}
	if err == nil {
		f.deleted.Add(-deleted)
		f.hold = minHold
	}
	return err
}

// pause waits until no query runs, and holds further ones if it succeeds.
func (f *freeing) pause(ctx context.Context, deleted int64) bool {
	waiting, cancel := context.WithTimeout(ctx, idlePatience)
	defer cancel()
	if f.queries.pause(waiting, false) {
		return true
	}
	if deleted < overdueRows {
		return false
	}
	holding, cancel := context.WithTimeout(ctx, f.hold)
	defer cancel()
	if f.queries.pause(holding, true) {
		return true
	}
	f.hold = min(2*f.hold, maxHold)
	return false
}
