package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/appender"
	"savedq/sqlq/duckdb/duckdbsql"
)

// recent is a schema of tables in memory with events that are in no part yet.
type recent struct {
	// schema is its name in the catalog in memory.
	schema string
	// sources are those when it was created, and reader computes its rows. fields are the columns of sources of authors
	// that its table has, as far as they are still used; [Store.mutex] guards them.
	sources sqlq.Tables
	reader  *eventrow.Reader
	fields  []string
	// on is the instance of DuckDB in which it was created.
	on *instance
	// growth is all that it has. [Store.mutex] guards it in a schema that the views read.
	growth
	// position is the place in the write-ahead log up to which everything is in this database or in an earlier one.
	position uint64
	// began is when it got its first event.
	began time.Time
	// hasRows is true if it has rows of [Store.AddRow].
	hasRows bool
	// hidden are deleted events of a store in memory. Otherwise what is deleted is in a part.
	hidden []parts.Selection
}

// growth is what events add to a schema in memory.
type growth struct {
	// events and bytes are how many events there are and about how much memory they take; records are those of events
	// that do not have exactly one.
	events, bytes, records int
	// hashes are of the ids of the events.
	hashes []uint64
	// oldest has the oldest timestamp of the events of each source.
	oldest map[string]time.Time
	// mistyped counts the mistyped fields of the events.
	mistyped map[eventrow.MistypedField]int
}

func newGrowth() growth {
	return growth{oldest: make(map[string]time.Time), mistyped: make(map[eventrow.MistypedField]int)}
}

// addTime takes the timestamp of an event of a source into account.
func (g *growth) addTime(source string, timestamp time.Time) {
	if oldest, found := g.oldest[source]; !found || timestamp.Before(oldest) {
		g.oldest[source] = timestamp
	}
}

// add adds what was appended.
func (g *growth) add(more *growth) {
	g.events, g.bytes, g.records = g.events+more.events, g.bytes+more.bytes, g.records+more.records
	g.hashes = append(g.hashes, more.hashes...)
	for source, oldest := range more.oldest {
		g.addTime(source, oldest)
	}
	for field, count := range more.mistyped {
		g.mistyped[field] += count
	}
}

const (
	eventsTable  = "events"
	recordsTable = "records"
)

// memoryCatalog is DuckDB's name of the database in memory, which has the views, too. So a transaction can replace them
// and drop a schema, and readers that began before see both as they were.
const memoryCatalog = "memory"

// place returns how SQL names the schema.
func (r *recent) place() string { return memoryCatalog + "." + r.schema }

// newRecent creates a schema in memory with tables for the sources. It calls use, which may be nil, before the instance
// of DuckDB can be replaced. A schema that use has not made one of the store is lost then.
func (s *Store) newRecent(ctx context.Context, sources sqlq.Tables, use func(created *recent)) (*recent, error) {
	s.mutex.Lock()
	s.names++
	created := &recent{schema: fmt.Sprintf("recent%d", s.names), sources: sources, reader: eventrow.NewReader(sources), fields: fieldsOf(sources), growth: newGrowth()}
	s.mutex.Unlock()
	err := s.onCurrent(ctx, func(conn *sql.Conn) error {
		created.on = s.using
		if err := created.create(ctx, conn); err != nil {
			return err
		}
		if use != nil {
			use(created)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make a table in memory: %w", err)
	}
	return created, nil
}

// create creates the schema with its tables.
func (r *recent) create(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "CREATE SCHEMA "+r.place()); err != nil {
		return err
	}
	return createTables(ctx, conn, r.place(), eventrow.Columns(r.sources), "")
}

// fieldsIn returns the columns of sources of authors that a table in memory has.
func (s *Store) fieldsIn(table *recent) []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return table.fields
}

// fieldsOf returns the names of the columns of sources of authors.
func fieldsOf(sources sqlq.Tables) []string {
	var names []string
	for _, table := range sources {
		for _, field := range table.Fields {
			names = append(names, eventrow.FieldColumn(table, field))
		}
	}
	return names
}

// createTables creates the tables of a part. longTexts says how the texts that differ in each event are compressed.
func createTables(ctx context.Context, conn *sql.Conn, catalog string, columns []eventrow.Column, longTexts string) error {
	for table, columns := range map[string][]eventrow.Column{eventsTable: columns, recordsTable: eventrow.RecordColumns()} {
		definitions := make([]string, len(columns))
		for i, column := range columns {
			definitions[i] = duckdbsql.QuoteName(column.Name) + " " + column.Type
			if longTexts != "" && slices.Contains([]string{"event_message", "metadata"}, column.Name) {
				definitions[i] += " USING COMPRESSION " + longTexts
			}
		}
		if _, err := conn.ExecContext(ctx, "CREATE TABLE "+catalog+"."+table+" ("+strings.Join(definitions, ", ")+")"); err != nil {
			return err
		}
	}
	return nil
}

// sourced is an event of a source, with when it arrived.
type sourced struct {
	source   *sqlq.Table
	event    *logevent.Event
	accepted time.Time
}

// append appends events in the connection's transaction. What it returns must be added to the growth after the commit.
func (r *recent) append(ctx context.Context, conn *sql.Conn, next func() (sourced, bool)) (growth, error) {
	var records [][]driver.Value
	var failure error
	added := newGrowth()
	count, err := appender.Append(ctx, conn, appender.Target{Catalog: memoryCatalog, Schema: r.schema, Table: eventsTable}, math.MaxInt, func() ([]driver.Value, bool) {
		event, ok := next()
		if !ok {
			return nil, false
		}
		var row []driver.Value
		if row, failure = r.reader.Row(event.source, event.event, event.accepted); failure != nil {
			return nil, false
		}
		records = append(records, r.reader.Records()...)
		for _, field := range r.reader.Mistyped() {
			added.mistyped[field]++
		}
		added.addTime(event.source.Name, event.event.Timestamp)
		added.bytes += event.event.MemoryBytes()
		return row, true
	})
	if err = errors.Join(err, failure); err != nil {
		return growth{}, err
	}
	added.events = count
	if len(records) == 0 {
		return added, nil
	}
	added.records = len(records)
	_, err = appender.Append(ctx, conn, appender.Target{Catalog: memoryCatalog, Schema: r.schema, Table: recordsTable}, len(records), appender.RowsAt(len(records), func(i int) []driver.Value { return records[i] }))
	return added, err
}

// appendAll appends events in a transaction, to a schema that the views do not read.
func (s *Store) appendAll(ctx context.Context, table *recent, events []sourced) error {
	var added growth
	err := s.onCurrent(ctx, func(conn *sql.Conn) error {
		if table.on != s.using {
			return unavailable(errReopening)
		}
		return inTransaction(ctx, conn, func() (err error) {
			added, err = table.append(ctx, conn, each(events))
			return err
		})
	})
	if err == nil {
		table.add(&added)
	}
	return err
}

// startRecent makes a new database in memory for the next events. The caller holds appending, or has the store for
// itself.
func (s *Store) startRecent(ctx context.Context) error {
	var unused []*recent
	err := repeated(func() error {
		_, err := s.newRecent(ctx, s.Tables(), func(next *recent) {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			next.position = s.position
			if last := len(s.recent) - 1; last >= 0 && s.hasNothing(s.recent[last]) {
				unused = s.recent[last:]
				s.recent = s.recent[:last]
			}
			s.recent = append(slices.Clone(s.recent), next)
		})
		return err
	})
	if err != nil {
		return err
	}
	return s.publish(ctx, unused...)
}

// hasNothing reports whether there is nothing to write to a part of the last table in memory. The caller holds mutex.
func (s *Store) hasNothing(last *recent) bool {
	return last.events == 0 && !last.hasRows && last.position == s.manifest.Position && !s.stateChanged.Load()
}

// adopt makes a schema in memory one of the store, unless it is lost. It calls change while it holds mutex.
func (s *Store) adopt(ctx context.Context, table *recent, change func()) error {
	return s.onCurrent(ctx, func(*sql.Conn) error {
		if table.on != s.using {
			return unavailable(errReopening)
		}
		s.mutex.Lock()
		defer s.mutex.Unlock()
		change()
		return nil
	})
}

// isLost reports whether a schema in memory that is not of the store is gone with its instance of DuckDB.
func (s *Store) isLost(table *recent) bool {
	s.replacing.RLock()
	defer s.replacing.RUnlock()
	return table.on != s.using || table.on.invalid.Load()
}

// lossOf returns an error of work on such a schema, which is UNAVAILABLE if the schema is lost.
func (s *Store) lossOf(table *recent, err error) error {
	if err != nil && table != nil && s.isLost(table) && !isUnavailable(err) {
		return unavailable(err)
	}
	return err
}

// last returns the database to which events are appended. The caller holds appending.
func (s *Store) last() *recent {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.recent[len(s.recent)-1]
}
