package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
)

const (
	// snapshotShare is the part of the time in which snapshots are written: one in so many.
	snapshotShare = 10
	// snapshotPause is the longest time between two of them.
	snapshotPause = time.Second
	// stateInterest is how long snapshots have the state after one with it was asked for.
	stateInterest = time.Minute
)

// Snapshot is what the store has at a time, for [Follower.Show] of another process: the manifest, and a file with the events
// that are in memory. It is shared, so callers must release it.
type Snapshot struct {
	// Number is greater for later snapshots.
	Number   uint64
	Manifest parts.Manifest
	// Recent is the path of the file, in the directory of the parts; empty if no events are in memory.
	Recent string

	store    *Store
	hasState bool
	as       version
	// references counts who uses it; [snapshots.mutex] guards it.
	references int
}

// version identifies what is visible.
type version struct{ views, events, state uint64 }

// snapshots are the snapshots of a store. It is safe for concurrent use.
type snapshots struct {
	// views counts the changes of the views, and state those of the state.
	views, state atomic.Uint64
	// taking is held while one is taken.
	taking *semaphore.Weighted

	mutex  sync.Mutex
	number uint64
	// latest is the last one; nil if none is kept. next is the one that is taken next; nil if nobody waits for one.
	latest *Snapshot
	next   *snapshotCall
	// ended is when the last one was written, and took how long that took.
	ended time.Time
	took  time.Duration
	// stateAsked is when one with the state was asked for last.
	stateAsked time.Time
}

// snapshotCall takes a snapshot for all who wait. The others can be read when done is closed.
type snapshotCall struct {
	waiting  int
	done     chan struct{}
	snapshot *Snapshot
	err      error
}

// Snapshot returns what is visible now: the last snapshot if nothing has changed since then, and otherwise the next one,
// which all share who ask meanwhile. Writing them takes at most a tenth of the time, but none waits for longer than a second
// for that. withState makes it have the rejected events and the runs that are in memory.
func (s *Store) Snapshot(ctx context.Context, withState bool) (*Snapshot, error) {
	c := &s.snapshots
	c.mutex.Lock()
	if withState {
		c.stateAsked = s.config.clock()
	}
	if latest := c.latest; s.isUnchanged(latest, withState) {
		latest.references++
		c.mutex.Unlock()
		return latest, nil
	}
	if c.next == nil {
		call := &snapshotCall{done: make(chan struct{})}
		c.next = call
		s.sealing.Go(func() { s.take(call) })
	}
	call := c.next
	call.waiting++
	c.mutex.Unlock()
	select {
	case <-call.done:
		return call.snapshot, call.err
	case <-ctx.Done():
	}
	c.mutex.Lock()
	call.waiting--
	taken := call.snapshot
	c.mutex.Unlock()
	if taken != nil {
		taken.Release()
	}
	return nil, ctx.Err()
}

// isUnchanged reports whether nothing has changed since a snapshot, which can be nil. The mutex of the snapshots must be held.
func (s *Store) isUnchanged(snapshot *Snapshot, withState bool) bool {
	return snapshot != nil && (snapshot.hasState || !withState) && snapshot.as == s.version(snapshot.hasState)
}

// version returns what is visible now.
func (s *Store) version(withState bool) version {
	now := version{views: s.snapshots.views.Load(), events: s.changes.Version()}
	if withState {
		now.state = s.snapshots.state.Load()
	}
	return now
}

// take takes a snapshot for a call.
func (s *Store) take(call *snapshotCall) {
	c := &s.snapshots
	err := c.taking.Acquire(s.ending, 1)
	if err == nil {
		defer c.taking.Release(1)
		err = c.pause(s.ending)
	}
	c.mutex.Lock()
	c.next = nil // later requests may have seen later changes
	withState := s.config.clock().Sub(c.stateAsked) < stateInterest
	if latest := c.latest; err == nil && s.isUnchanged(latest, withState) { // taken after the call was made
		latest.references += call.waiting
		call.snapshot = latest
		close(call.done)
		c.mutex.Unlock()
		return
	}
	c.number++
	taken := &Snapshot{Number: c.number, store: s, hasState: withState}
	c.mutex.Unlock()
	started := time.Now() //nolint:forbidigo // The time that it takes.
	if err == nil {
		err = s.writeSnapshot(s.ending, taken)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	defer close(call.done)
	c.ended = time.Now() //nolint:forbidigo // As above.
	c.took = c.ended.Sub(started)
	if err != nil {
		call.err = sqlq.Errorf(sqlq.Unavailable, "recent events cannot be passed on to the engine for SQL of callers; try again in a moment").WithCause(err)
		return
	}
	call.snapshot = taken
	taken.references = call.waiting + 1
	before := c.latest
	c.latest = taken
	before.release()
}

// pauseAfter returns the time between the end of a snapshot that took some time and the next one.
func pauseAfter(took time.Duration) time.Duration {
	return min((snapshotShare-1)*took, snapshotPause)
}

// pause waits until the next snapshot may be written.
func (c *snapshots) pause(ctx context.Context) error {
	c.mutex.Lock()
	pause := pauseAfter(c.took) - time.Since(c.ended) //nolint:forbidigo // As in take.
	c.mutex.Unlock()
	if pause <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ForgetSnapshot removes the last snapshot once nobody uses it.
func (s *Store) ForgetSnapshot() {
	c := &s.snapshots
	c.mutex.Lock()
	defer c.mutex.Unlock()
	latest := c.latest
	c.latest = nil
	latest.release()
}

// Release must be called once the snapshot is not shown any more by name. Whoever has its file open can still read it.
func (t *Snapshot) Release() {
	t.store.snapshots.mutex.Lock()
	defer t.store.snapshots.mutex.Unlock()
	t.release()
}

// release releases a snapshot, which can be nil. The mutex must be held.
func (t *Snapshot) release() {
	if t == nil {
		return
	}
	if t.references--; t.references == 0 && t.Recent != "" {
		_ = os.Remove(t.Recent) // a file that stays is removed when the store is opened
	}
}

// writeSnapshot fills a snapshot.
func (s *Store) writeSnapshot(ctx context.Context, snapshot *Snapshot) error {
	return repeated(func() error {
		return s.onConnection(ctx, func(conn *sql.Conn) error { return s.writeSnapshotOn(ctx, conn, snapshot) })
	})
}

func (s *Store) writeSnapshotOn(ctx context.Context, conn *sql.Conn, snapshot *Snapshot) (err error) {
	if !snapshot.hasState && !s.hasRecent() {
		s.publishing.Lock()
		defer s.publishing.Unlock()
		if !s.hasRecent() {
			snapshot.as, snapshot.Manifest = s.version(snapshot.hasState), s.current()
			return s.isShown()
		}
	}
	number := s.numbers.Add(1) - 1
	catalog, path := fmt.Sprintf("snapshot%d", number), s.path(parts.RecentName(number))
	if _, err := conn.ExecContext(ctx, "ATTACH "+quoted(path)+" AS "+catalog+" (STORAGE_VERSION 'latest', RECOVERY_MODE 'no_wal_writes')"); err != nil {
		return s.config.nameFullDisk(err)
	}
	defer func() {
		_, detachErr := conn.ExecContext(context.WithoutCancel(ctx), "DETACH "+catalog)
		if err = errors.Join(err, detachErr); err != nil {
			_ = os.Remove(path) // as in release
			return
		}
		snapshot.Recent = path
	}()
	err = inTransaction(ctx, conn, func() error {
		branches, err := s.beginSnapshot(ctx, conn, snapshot)
		if err != nil {
			return err
		}
		return s.copyRecent(ctx, conn, catalog, branches, snapshot.hasState)
	})
	if err == nil {
		err = execQuietly(ctx, conn, "CHECKPOINT "+catalog)
	}
	return s.config.nameFullDisk(err)
}

// hasRecent reports whether events are in memory.
func (s *Store) hasRecent() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.ContainsFunc(s.recent, func(table *recent) bool { return table.events > 0 })
}

// isShown returns an error if the views do not show the manifest.
func (s *Store) isShown() error {
	if s.behind.Load() {
		return errors.New("the last change of the store is not visible yet")
	}
	return nil
}

// beginSnapshot makes a transaction see what the views show, and nothing later. Their schemas stay until it ends.
func (s *Store) beginSnapshot(ctx context.Context, conn *sql.Conn, snapshot *Snapshot) (branches []branch, err error) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	snapshot.as = s.version(snapshot.hasState)
	for _, branch := range s.branches() {
		if branch.part != nil {
			continue
		}
		branches = append(branches, branch)
		var count int64
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM "+branch.place+"."+eventsTable).Scan(&count); err != nil {
			return nil, err
		}
	}
	snapshot.Manifest = s.current()
	return branches, s.isShown()
}

// copyRecent copies events in memory, and the state, to a file with the layout of a part.
func (s *Store) copyRecent(ctx context.Context, conn *sql.Conn, catalog string, from []branch, withState bool) error {
	var fields []string
	for i := range from {
		fields = append(fields, from[i].fields...)
	}
	columns := storedColumns(s.Tables(), fields)
	if err := createTables(ctx, conn, catalog, columns, "uncompressed"); err != nil {
		return err
	}
	for table, columns := range map[string][]eventrow.Column{eventsTable: columns, recordsTable: eventrow.RecordColumns()} {
		selects := make([]string, 0, len(from))
		for i := range from {
			selects = append(selects, from[i].copied(columns, table, ""))
		}
		if err := execQuietly(ctx, conn, "INSERT INTO "+catalog+"."+table+" "+unionAll(selects)); err != nil {
			return err
		}
	}
	if !withState {
		return nil
	}
	for name := range stateTables() {
		if err := execQuietly(ctx, conn, "CREATE TABLE "+catalog+"."+name+" AS FROM memory.main."+name); err != nil {
			return err
		}
	}
	return nil
}
