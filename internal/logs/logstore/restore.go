package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/parts"
)

// Replay calls each for what the write-ahead log of ingest has above a position, up to another one, in order.
type Replay func(ctx context.Context, after, through uint64, each func(Ingestion) error) error

// SetReplay sets what reads the write-ahead log of ingest. Without it, a store cannot be restored after a fatal error of
// DuckDB while it has events that are in no part. Who calls [Store.Ingest] sets it before.
func (s *Store) SetReplay(replay Replay) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.replay = replay
}

// Reopenings returns how often the store was restored in a new instance of DuckDB, after a fatal error.
func (s *Store) Reopenings() int64 { return s.connector.restarts.Load() }

// content is what the store has at a moment.
type content struct {
	manifest parts.Manifest
	recent   []recent
	changes  []stateChange
	replay   Replay
}

// restart starts an instance of DuckDB with what the store has, after a fatal error. Nothing of the store changes: the
// schemas in memory get the same names and events again, which the write-ahead log of ingest has. The caller may hold any
// lock of the store but mutex and replacing. There must be one call at a time.
func (s *Store) restart(ctx context.Context) (*instance, error) {
	next, err := s.config.newInstance(ctx)
	if err != nil {
		return nil, err
	}
	now := s.replaceInstance(next)
	err = next.with(func(db *sql.DB) error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		return errors.Join(s.restore(ctx, conn, next, now), conn.Close())
	})
	if err != nil {
		return nil, errors.Join(err, next.duckdb.Close())
	}
	return next, nil
}

// replaceInstance makes an instance the one that counts, and returns what it must have.
func (s *Store) replaceInstance(next *instance) content {
	s.replacing.Lock()
	defer s.replacing.Unlock()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.attached.handOver(s.using, next)
	s.using = next
	now := content{manifest: s.manifest, changes: slices.Clone(s.journal.changes), replay: s.replay}
	for _, table := range s.recent {
		copied := *table
		copied.reader = eventrow.NewReader(table.sources) // the other one may be in use
		now.recent = append(now.recent, copied)
	}
	return now
}

// restore gives an instance what the store has.
func (s *Store) restore(ctx context.Context, conn *sql.Conn, into *instance, now content) error {
	if err := createState(ctx, conn); err != nil {
		return err
	}
	if now.manifest.State != 0 {
		if err := readState(ctx, conn, s.path(now.manifest.StateName())); err != nil {
			s.mutex.Lock()
			s.stateFault = err
			notes := Recovery{State: err}.Notes()
			s.mutex.Unlock()
			s.config.logger.WarnContext(ctx, "the store was repaired or upgraded when it was opened", slog.String("what", notes[0]))
		}
	}
	for i := range now.recent {
		table := &now.recent[i]
		if err := table.create(ctx, conn); err != nil {
			return err
		}
	}
	if err := now.readAgain(ctx, conn); err != nil {
		return fmt.Errorf("restore the events that are in no part: %w", err)
	}
	for _, change := range now.changes {
		err := inTransaction(ctx, conn, func() error {
			_, err := change.do(ctx, conn)
			return err
		})
		if err != nil {
			return fmt.Errorf("restore the rejected events and the runs: %w", err)
		}
	}
	var found []branch
	for i := range slices.Backward(now.recent) {
		found = append(found, now.recent[i].branch())
	}
	found = append(found, partBranches(now.manifest)...)
	s.attached.attach(ctx, conn, into, found)
	if err := inTransaction(ctx, conn, func() error { return execAll(ctx, conn, viewsOf(s.Tables(), found)) }); err != nil {
		return err
	}
	s.views.show(s.Tables(), found)
	return nil
}

// errNoLog is why events in memory cannot be restored.
var errNoLog = errors.New("they are in no write-ahead log of this process")

// readAgain appends the events of the schemas in memory, and the rejected events since the last state, from the
// write-ahead log.
func (c *content) readAgain(ctx context.Context, conn *sql.Conn) error {
	isEmpty, hasRows, through := true, false, c.manifest.Position
	for i := range c.recent {
		isEmpty, hasRows = isEmpty && c.recent[i].events == 0, hasRows || c.recent[i].hasRows
		through = max(through, c.recent[i].position)
	}
	if isEmpty && !hasRows && through == c.manifest.Position {
		return nil
	}
	if c.replay == nil || hasRows {
		return errNoLog
	}
	r := restoring{conn: conn, recent: c.recent, restored: make([]int, len(c.recent))}
	err := c.replay(ctx, c.manifest.Position, through, func(ingestion Ingestion) error { return r.add(ctx, ingestion) })
	if err == nil {
		err = r.flush(ctx)
	}
	if err != nil {
		return err
	}
	for i := range c.recent { // rather none than fewer
		if r.restored[i] != c.recent[i].events {
			return fmt.Errorf("the write-ahead log has %d of %d events", r.restored[i], c.recent[i].events)
		}
	}
	return nil
}

// restoring appends events to schemas in memory, those of many ingestions in one transaction.
type restoring struct {
	conn   *sql.Conn
	recent []recent
	// restored are how many events each schema has, and at is the one of the events that wait to be appended.
	restored []int
	at       int
	events   []sourced
	bytes    int
	rejected []Ingestion
}

// add adds an ingestion, whose position tells the schema that has it.
func (r *restoring) add(ctx context.Context, ingestion Ingestion) error {
	if r.recent[r.at].position < ingestion.Position || len(r.events) >= stepEvents || r.bytes >= stepBytes {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	for r.recent[r.at].position < ingestion.Position {
		r.at++
	}
	for event := range ingestion.Events {
		r.events = append(r.events, sourced{event.Source, event.Event, event.At})
		r.bytes += event.Event.MemoryBytes()
	}
	if len(ingestion.Rejected) > 0 {
		r.rejected = append(r.rejected, ingestion)
	}
	return nil
}

func (r *restoring) flush(ctx context.Context) error {
	err := inTransaction(ctx, r.conn, func() error {
		added, err := r.recent[r.at].append(ctx, r.conn, each(r.events))
		if err != nil {
			return err
		}
		r.restored[r.at] += added.events
		for _, ingestion := range r.rejected {
			if err := appendRejected(ctx, r.conn, ingestion); err != nil {
				return err
			}
		}
		return nil
	})
	clear(r.events)
	r.events, r.bytes, r.rejected = r.events[:0], 0, nil
	return err
}

// stateChange is a change of the tables of the state.
type stateChange struct {
	// do makes the change on a connection, and reports whether there was something to change.
	do func(ctx context.Context, conn *sql.Conn) (changed bool, err error)
	// rows is the number of rows that it adds.
	rows int
}

// journal has the changes of the state that are in no file yet, except for rejected events that are added: these are in
// the write-ahead log of ingest. A new instance of DuckDB gets them from here.
type journal struct {
	changes []stateChange
	// first is how many changes came before.
	first int
	// copied has the number of changes in files that no manifest names yet, by the numbers of these.
	copied map[uint64]int
}

// copyTo notes that a file gets all changes so far.
func (j *journal) copyTo(file uint64) {
	if j.copied == nil {
		j.copied = make(map[uint64]int)
	}
	j.copied[file] = j.first + len(j.changes)
}

// cut forgets what is in the file that the manifest names now.
func (j *journal) cut(file uint64) {
	done := j.copied[file]
	maps.DeleteFunc(j.copied, func(other uint64, _ int) bool { return other <= file })
	if done > j.first {
		j.changes = slices.Clone(j.changes[done-j.first:])
		j.first = done
	}
}

// limit forgets the oldest changes of a store without files, as far as the later ones add enough rows: older ones would
// be deleted.
func (j *journal) limit(rows int64) {
	for i, change := range slices.Backward(j.changes) {
		if rows -= int64(change.rows); rows <= 0 {
			j.changes = slices.Clone(j.changes[i:])
			j.first += i
			return
		}
	}
}

// changeState changes the tables of the state in a transaction. Who changes them holds stating.
func (s *Store) changeState(ctx context.Context, change stateChange) error {
	return repeated(func() error {
		return s.onCurrent(ctx, func(conn *sql.Conn) error {
			changed := false
			err := inTransaction(ctx, conn, func() (err error) {
				changed, err = change.do(ctx, conn)
				return err
			})
			if err != nil || !changed {
				return err
			}
			s.stateChanged.Store(true)
			s.snapshots.state.Add(1)
			s.mutex.Lock()
			defer s.mutex.Unlock()
			if len(s.journal.changes) == 0 {
				s.journalBegan = s.config.clock()
			}
			s.journal.changes = append(s.journal.changes, change)
			if s.config.directory == "" {
				s.journal.limit(s.config.runsKept.all)
			}
			return nil
		})
	})
}
