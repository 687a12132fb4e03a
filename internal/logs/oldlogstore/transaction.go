package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/appender"
)

// Origin is where events come from.
type Origin int

// Sent events are real logs. Generated events are demo logs, which are never added to a
// store with real logs.
const (
	Sent Origin = iota
	Generated
)

// ErrHoldsOtherLogs is the error for demo logs in a store with real logs.
var ErrHoldsOtherLogs = errors.New("the store holds logs that are not demo logs")

const (
	// flushEvents and flushBytes limit a commit, and the events that a transaction holds in
	// memory until it knows which ids the sources have.
	flushEvents = 50_000
	flushBytes  = 32 << 20
	// stepEvents is the number of events that are appended at once after that.
	stepEvents = 4 * 2048
	// commitRows limits the rows of a table in a commit without a journal. It must stay below
	// DuckDB's row group. DuckDB writes row groups of a larger commit early, and they survive a
	// crash even if the commit never finished (duckdb #25931). With a journal they are removed
	// then.
	commitRows = 100_000
)

// Transaction adds events to the store, all or none, even if the process or the machine
// crashes. It is not safe for concurrent use. Callers must call Commit or Rollback; until
// then the store has no other writer.
//
// A transaction of more than 50,000 events or 32 MiB needs several commits and uses the
// load journal. Readers can see a part of it before it ends.
type Transaction struct {
	store  *Store
	conn   *sql.Conn
	origin Origin
	// unique is true if the caller adds no duplicates.
	unique  bool
	pending eventQueue

	// commit is the size of the current commit.
	commit commitSize
	// appended counts the rows of the current commit by table.
	appended map[string]int
	// journaled reports whether a part is committed, under the load journal.
	journaled bool
	ended     bool

	// touched are the times of the current commit.
	touched touched

	ids duplicates
	// remembered is nil unless servers recognize the ids of the events.
	remembered *rememberedIDs
	added      int
	duplicates int
	mistyped   map[eventrow.MistypedField]int
}

// Begin starts a transaction. It waits until the previous transaction or the context ends.
// For generated events it returns [ErrHoldsOtherLogs] if the store holds other logs.
func (s *Store) Begin(ctx context.Context, origin Origin) (transaction *Transaction, err error) {
	if err := s.beginWriting(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.writer.Release(1)
		}
	}()
	if origin == Generated {
		if other, err := s.HoldsOtherLogs(ctx); err != nil {
			return nil, err
		} else if other {
			return nil, ErrHoldsOtherLogs
		}
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin a transaction: %w", err)
	}
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return nil, errors.Join(fmt.Errorf("begin a transaction: %w", err), conn.Close())
	}
	return &Transaction{
		store: s, conn: conn, origin: origin,
		appended: make(map[string]int),
		mistyped: make(map[eventrow.MistypedField]int),
		ids:      duplicates{store: s, conn: conn},
	}, nil
}

// beginWriting waits until there is no other writer, and undoes a load that its writer could
// not undo. Callers must release the writer after it succeeds.
func (s *Store) beginWriting(ctx context.Context) error {
	if err := s.writer.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for the store's other writer: %w", err)
	}
	if !s.mustUndo {
		return nil
	}
	if _, err := s.undoLoad(ctx); err != nil {
		s.writer.Release(1)
		return err
	}
	s.mustUndo = false
	return nil
}

// Add adds an event to its source, unless the source already holds an event with
// this id.
func (t *Transaction) Add(ctx context.Context, source *sqlq.Table, event logevent.Event) error {
	t.pending.add(source, &event)
	limit := flushEvents
	if t.ids.filter != nil {
		limit = stepEvents
	}
	if !t.full(limit) {
		return nil
	}
	return t.flush(ctx)
}

// full reports whether the transaction holds at least limit events in memory, or more bytes than
// it may.
func (t *Transaction) full(limit int) bool {
	return t.pending.events >= limit || t.pending.bytes >= t.store.limits.flushBytes
}

// Counts returns the numbers of added events and of duplicates. It is final after Commit.
func (t *Transaction) Counts() (added, duplicates int) { return t.added, t.duplicates }

// Mistyped returns the mistyped fields of the added events, with the numbers of events that have
// them. It is final after Commit.
func (t *Transaction) Mistyped() map[eventrow.MistypedField]int { return t.mistyped }

// Commit makes the added events durable and visible.
func (t *Transaction) Commit(ctx context.Context) error {
	err := t.flush(ctx)
	if err == nil {
		err = t.flushSuspects(ctx)
	}
	if err == nil {
		err = t.appendRemembered(ctx)
	}
	if err == nil {
		err = t.ids.save(ctx)
	}
	if err == nil && t.origin == Sent && t.added > 0 {
		_, err = t.conn.ExecContext(ctx, "INSERT OR IGNORE INTO store_info VALUES (?, 'true')", infoOtherLogs)
	}
	if err == nil && t.journaled {
		err = closeJournal(ctx, t.conn)
	}
	if err == nil {
		err = t.commitNow(ctx)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("commit events: %w", err), t.Rollback()) //nolint:contextcheck // Rollback works after the context has ended.
	}
	return errors.Join(t.ids.close(true), t.end())
}

// Rollback removes the added events. After Commit it does nothing. If it fails, the
// next Begin or the next Open removes them.
func (t *Transaction) Rollback() error {
	if t.ended {
		return nil
	}
	err := errors.Join(rollBack(t.conn), t.ids.close(false))
	if t.journaled {
		// The caller may roll back because its context has ended.
		_, undoErr := t.store.undoLoad(context.Background())
		t.store.mustUndo = undoErr != nil
		err = errors.Join(err, undoErr)
	}
	return errors.Join(err, t.end())
}

// end closes the connection and lets the next writer begin.
func (t *Transaction) end() error {
	t.ended = true
	defer t.store.writer.Release(1)
	return t.conn.Close()
}

// rollBack ends the connection's transaction, if it has one.
func rollBack(conn *sql.Conn) error {
	_, err := conn.ExecContext(context.Background(), "ROLLBACK")
	var failure *duckdb.Error
	if errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeTransaction {
		return nil // DuckDB rolls back itself when a commit fails
	}
	return err
}

// commitPart commits the rows appended so far, under the load journal, and starts the next
// transaction of DuckDB.
func (t *Transaction) commitPart(ctx context.Context) error {
	if !t.journaled {
		if err := t.store.openJournal(ctx, t.conn); err != nil {
			return err
		}
		t.journaled = true // even if the commit fails: undoing without a journal does nothing
	}
	err := t.commitNow(ctx)
	if err == nil {
		_, err = t.conn.ExecContext(ctx, "BEGIN TRANSACTION")
	}
	if err != nil {
		return fmt.Errorf("commit a part of the events: %w", err)
	}
	clear(t.appended)
	t.commit.reset()
	return nil
}

// commitNow commits the transaction of DuckDB, unless the disk has no room for it. DuckDB would
// then take the rows out of its tables again, which readers of the same rows can fail or crash on.
func (t *Transaction) commitNow(ctx context.Context) error {
	free, known := freeBytes(t.store.directory)
	if need := t.commit.diskBytes(); known && t.commit.total.events > 0 && free < need {
		return &fullDiskError{directory: t.store.directory, cause: fmt.Errorf("a commit can need %d bytes, and %d are free", need, free)}
	}
	t.store.changes.note(t.touched)
	_, err := t.conn.ExecContext(ctx, "COMMIT")
	t.store.changes.note(t.touched)
	t.touched = touched{}
	return err
}

// flush appends the pending events to the tables, except for those that may be duplicates.
func (t *Transaction) flush(ctx context.Context) error {
	if err := t.startFilter(ctx); err != nil {
		return err
	}
	err := t.appendNew(ctx, &t.pending, t.ids.remove)
	suspects := t.ids.suspects.eventSize
	if err == nil && (suspects.events >= flushEvents || suspects.bytes >= t.store.limits.flushBytes) {
		err = t.flushSuspects(ctx)
	}
	return err
}

// startFilter begins to use a filter of ids for many events, or if one of their sources has many
// rows. A store in memory has no directory for indexes.
func (t *Transaction) startFilter(ctx context.Context) error {
	if t.unique || t.ids.filter != nil || t.store.file == "" {
		return nil
	}
	if t.full(flushEvents) {
		t.ids.startFilter()
		return nil
	}
	for i := range t.pending.sources {
		queued := &t.pending.sources[i]
		if len(queued.events) == 0 {
			continue
		}
		rows, err := countRows(ctx, t.conn, queued.source.Name)
		if err != nil {
			return err
		}
		if rows >= t.store.limits.manyRows {
			t.ids.startFilter()
			return nil
		}
	}
	return nil
}

// flushSuspects looks up the events that may be duplicates, and appends those that are not.
func (t *Transaction) flushSuspects(ctx context.Context) error {
	return t.appendNew(ctx, &t.ids.suspects, t.ids.lookUp)
}

// appendNew appends the events of a queue without the duplicates that remove finds. It first
// commits what is appended already, if both do not fit into one commit.
func (t *Transaction) appendNew(ctx context.Context, queue *eventQueue,
	remove func(ctx context.Context, source *sqlq.Table, events []logevent.Event) (fresh []logevent.Event, duplicates int, err error),
) error {
	defer queue.reset()
	if t.commit.total.events > 0 && !t.fits(queue.eventSize) {
		if err := t.commitPart(ctx); err != nil {
			return err
		}
	}
	for _, queued := range queue.sources {
		if len(queued.events) == 0 {
			continue
		}
		fresh, duplicates := queued.events, 0
		if !t.unique {
			var err error
			if fresh, duplicates, err = remove(ctx, queued.source, queued.events); err != nil {
				return err
			}
		}
		if err := t.appendEvents(ctx, queued.source, fresh); err != nil {
			return fmt.Errorf("append to %s: %w", queued.source.Name, err)
		}
		t.commit.add(queued.source.Name, fresh)
		for i := range fresh {
			t.touched.add(queued.source, fresh[i].Timestamp)
			if t.remembered != nil {
				t.remembered.add(logevent.FingerprintOf(queued.source, fresh[i].ID))
			}
		}
		t.added += len(fresh)
		t.duplicates += duplicates
	}
	return nil
}

// fits reports whether more events fit into the current commit. Under the journal, a commit may
// have any number of row groups, which DuckDB compresses once and writes to the store's file at
// once. Rows of smaller commits are first written to its write-ahead log.
func (t *Transaction) fits(more eventSize) bool {
	if t.journaled {
		return t.commit.incomplete+more.bytes <= t.store.limits.flushBytes
	}
	return t.commit.total.events+more.events <= flushEvents && t.commit.total.bytes+more.bytes <= t.store.limits.flushBytes
}

// appendEvents appends events to their source's table and to the table of their
// records, if it has one.
func (t *Transaction) appendEvents(ctx context.Context, source *sqlq.Table, events []logevent.Event) error {
	// The source of an event can be older than the fields that the table has now.
	stored, found := t.store.Tables().FindSource(source.Name)
	if !found {
		return errors.New("it is no table of the store")
	}
	if err := t.appendRows(ctx, eventTarget(stored), eventRows(events, stored.Fields, t.mistyped)); err != nil {
		return err
	}
	if table, ok := recordTables()[source.Name]; ok {
		return t.appendRows(ctx, table.target(), recordRows(source.Name, events, t.mistyped))
	}
	return nil
}

// appendRows appends rows to a table, and commits a part whenever there are too many
// of them for one commit.
func (t *Transaction) appendRows(ctx context.Context, target appender.Target, next func() ([]driver.Value, bool)) error {
	for {
		room := commitRows - t.appended[target.Table]
		if t.journaled {
			room = math.MaxInt
		}
		appended, err := appender.Append(ctx, t.conn, target, room, next)
		if err != nil {
			return err
		}
		if appended > 0 {
			t.appended[target.Table] += appended
		}
		if appended < room {
			return nil
		}
		if err := t.commitPart(ctx); err != nil {
			return err
		}
	}
}

// eventTarget returns the table of a source with the columns of events and its fields.
func eventTarget(source *sqlq.Table) appender.Target {
	target := appender.Target{Table: source.Name}
	for _, column := range source.Columns() {
		target.Columns = append(target.Columns, column.Name)
	}
	return target
}

// eventRows returns a function that returns the row of the next event, valid until the next
// call. It counts mistyped fields.
func eventRows(events []logevent.Event, fields []sqlq.Field, mistyped map[eventrow.MistypedField]int) func() ([]driver.Value, bool) {
	const columns = 5
	row := make([]driver.Value, columns+len(fields))
	reader := eventrow.NewFields(fields)
	return func() ([]driver.Value, bool) {
		if len(events) == 0 {
			return nil, false
		}
		fillEventRow(row, &events[0])
		copy(row[columns:], reader.Read(events[0].Metadata))
		for _, field := range reader.Mistyped {
			mistyped[field]++
		}
		events = events[1:]
		return row, true
	}
}

// recordRows returns a function that returns the next record of the events. It counts their
// mistyped fields.
func recordRows(source string, events []logevent.Event, mistyped map[eventrow.MistypedField]int) func() ([]driver.Value, bool) {
	records := eventrow.NewRecords(source)
	var rows [][]driver.Value
	return func() ([]driver.Value, bool) {
		for len(rows) == 0 {
			if len(events) == 0 {
				return nil, false
			}
			rows = records.Of(&events[0])
			events = events[1:]
			for _, field := range records.Mistyped {
				mistyped[field]++
			}
		}
		row := rows[0]
		rows = rows[1:]
		return row, true
	}
}

// fillEventRow sets the values of an event's row, in the order of the columns. They refer to
// the event, which is faster than copying them.
func fillEventRow(row []driver.Value, event *logevent.Event) {
	row[0], row[1], row[2], row[3], row[4] = &event.ID, &event.Timestamp, event.EventMessage, event.Project, &event.Metadata
}
