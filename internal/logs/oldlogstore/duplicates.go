package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"savedq/internal/logs/bloom"
	"savedq/internal/logs/idfile"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// duplicates finds the events whose ids a source already has.
//
// A transaction with few events looks their ids up in the table of their source. A longer
// transaction, and any into a large source, asks a filter of the ids that it has added itself, and
// the source's index. An id that neither has is new. The few others are set aside, and looked up in the
// table many at a time. So the time per event does not depend on the size of the table.
type duplicates struct {
	store *Store
	conn  *sql.Conn
	// filter is nil while ids are looked up in the table.
	filter *bloom.Filter
	// indexes are the indexes of the sources for which the filter is used.
	indexes map[string]*idIndex
	// suspects are the events that the filter or an index may have.
	suspects eventQueue
}

// manyRows is the number of rows of a source from which looking up ids in its table takes much
// longer than in an index, even for few events.
const manyRows = 1_000_000

// startFilter begins to use a filter. It must be called before the first event of the
// transaction is appended.
func (d *duplicates) startFilter() {
	d.filter = bloom.New(d.store.limits.flushBytes)
	d.indexes = make(map[string]*idIndex)
}

// remove returns the events that are certainly new, in place. The number of duplicates
// excludes the events that are set aside.
func (d *duplicates) remove(ctx context.Context, source *sqlq.Table, events []logevent.Event) (fresh []logevent.Event, duplicate int, err error) {
	if d.filter == nil {
		return d.lookUp(ctx, source, events)
	}
	index, err := d.index(ctx, source)
	if err != nil {
		return nil, 0, err
	}
	hashes, known := make([]uint64, len(events)), make([]bool, len(events))
	for i := range events {
		hashes[i] = logevent.FingerprintOf(source, events[i].ID).High
		known[i] = d.filter.Add(hashes[i])
	}
	if err := index.add(hashes...); err != nil {
		return nil, 0, fmt.Errorf("index the ids of %s: %w", source.Name, err)
	}
	index.find(hashes, known)
	fresh = events[:0]
	for i := range events {
		if known[i] {
			d.suspects.add(source, separate(events[i]))
		} else {
			fresh = append(fresh, events[i])
		}
	}
	return fresh, 0, nil
}

// index returns the index of a source. When it is first needed, the index gets the ids of the
// committed rows that it lacks.
func (d *duplicates) index(ctx context.Context, source *sqlq.Table) (_ *idIndex, err error) {
	if index, found := d.indexes[source.Name]; found {
		return index, nil
	}
	rows, err := countRows(ctx, d.conn, source.Name)
	if err != nil {
		return nil, err
	}
	index, err := openIDIndex(ctx, d.conn, d.store, source, rows)
	if err == nil {
		d.indexes[source.Name] = index
		err = d.complete(ctx, index)
	}
	if errors.Is(err, idfile.ErrDamaged) {
		index.reset()
		err = d.complete(ctx, index)
	}
	if err != nil {
		return nil, fmt.Errorf("index the ids of %s: %w", source.Name, err)
	}
	return index, nil
}

// complete adds the ids of the committed rows that an index lacks. All queries run in one transaction, in which
// row ids do not change. Each reads a row group, because the driver holds the whole result of a query in memory.
func (d *duplicates) complete(ctx context.Context, index *idIndex) error {
	table := index.source.Name
	err := d.store.onConnection(ctx, func(conn *sql.Conn) error {
		return inTransaction(ctx, conn, func() error {
			var start, end int64
			query := fmt.Sprintf("SELECT coalesce((SELECT rowid FROM %[1]s LIMIT 1 OFFSET %[2]d), max(rowid) + 1, 0), coalesce(max(rowid) + 1, 0) FROM %[1]s", table, index.rows) //nolint:gosec // The table is one of nine constants.
			if err := conn.QueryRowContext(ctx, query).Scan(&start, &end); err != nil {
				return err
			}
			for first := start; first < end; first += rowGroup {
				query := fmt.Sprintf("SELECT id FROM %s WHERE rowid >= %d AND rowid < %d", table, first, first+rowGroup)
				err := readRows(ctx, conn, query, 1, func(row []driver.Value) error {
					return index.add(logevent.FingerprintOf(index.source, row[0].(string)).High) //nolint:forcetypeassert // The schema says so.
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return index.settle()
}

// save records the indexes in the connection's transaction.
func (d *duplicates) save(ctx context.Context) error {
	for name, index := range d.indexes {
		if err := index.save(ctx, d.conn); err != nil {
			return fmt.Errorf("save the index of the ids of %s: %w", name, err)
		}
	}
	return nil
}

// close closes the indexes.
func (d *duplicates) close(committed bool) error {
	var errs []error
	for _, index := range d.indexes {
		errs = append(errs, index.close(committed))
	}
	d.indexes = nil
	return errors.Join(errs...)
}

// lookUp returns the events without duplicates of each other and of the source's events, in
// place.
func (d *duplicates) lookUp(ctx context.Context, source *sqlq.Table, events []logevent.Event) (fresh []logevent.Event, duplicate int, err error) {
	taken, err := d.stored(ctx, source, events)
	if err != nil {
		return nil, 0, fmt.Errorf("look for stored events: %w", err)
	}
	fresh = events[:0]
	for i := range events {
		if id := events[i].ID; !taken[id] {
			taken[id] = true
			fresh = append(fresh, events[i])
		}
	}
	return fresh, len(events) - len(fresh), nil
}

// stored returns the ids of the events that the source has.
func (d *duplicates) stored(ctx context.Context, source *sqlq.Table, events []logevent.Event) (_ map[string]bool, err error) {
	stored := make(map[string]bool, len(events))
	if empty, err := isEmpty(ctx, d.conn, source.Name); empty || err != nil {
		return stored, err
	}
	ids := make([]string, 0, len(events))
	for i := range events {
		ids = append(ids, events[i].ID)
	}
	// Binding a list takes the driver longer than the search takes DuckDB, so the ids are
	// JSON.
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	query := "SELECT id FROM " + source.Name + " WHERE id IN (SELECT unnest(from_json(?, '[\"VARCHAR\"]')))"
	var id string
	return stored, eachRow(ctx, d.conn, query, []any{string(list)}, []any{&id}, func() error {
		stored[id] = true
		return nil
	})
}

// separate returns a copy of an event that shares no memory with others.
func separate(event logevent.Event) *logevent.Event {
	event.ID = strings.Clone(event.ID)
	event.EventMessage, event.Project = separateText(event.EventMessage), separateText(event.Project)
	event.Metadata = slices.Clone(event.Metadata)
	return &event
}

func separateText(text *string) *string {
	if text == nil {
		return nil
	}
	return new(strings.Clone(*text))
}
