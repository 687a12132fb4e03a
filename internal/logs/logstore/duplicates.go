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

	"savedq/internal/logs/logevent"
)

// duplicates finds the events whose ids a source already has.
//
// The ids of the first commit are looked up in the table, and those of twenty commits if the source
// is large. A longer transaction reads all ids of its sources once into a filter: an id that the filter does not have is new. The few
// others are set aside, and looked up in the table many at a time. So the time per event does
// not depend on the size of the table.
type duplicates struct {
	store *Store
	conn  *sql.Conn
	// commits is the number of finished commits without a filter.
	commits int
	// filter is nil during the first commit, or the first ones if the source is large.
	filter *idFilter
	// filtered are the sources whose ids are in the filter.
	filtered map[Source]bool
	// suspects are the events that the filter may have.
	suspects eventQueue
}

const (
	// manyRows is the number of rows of a source from which reading all ids takes much longer than
	// looking up those of a commit.
	manyRows = 1_000_000
	// fewCommits is the number of commits after which it is worth it in any source.
	fewCommits = 20
)

// startFilter begins to use a filter if that is faster from here on, for events of the source.
// All events of the transaction must be committed.
func (d *duplicates) startFilter(ctx context.Context, source Source) error {
	d.commits++
	if d.commits < fewCommits {
		rows, err := countRows(ctx, d.conn, source.Table)
		if err != nil || rows >= d.store.manyRows {
			return err
		}
	}
	d.filter = newIDFilter(d.store.flushBytes)
	d.filtered = make(map[Source]bool)
	return nil
}

// remove returns the events that are certainly new, in place. The number of duplicates
// excludes the events that are set aside.
func (d *duplicates) remove(ctx context.Context, source Source, events []logevent.Event) (fresh []logevent.Event, duplicate int, err error) {
	if d.filter == nil {
		return d.lookUp(ctx, source, events)
	}
	if err := d.fillFilter(ctx, source); err != nil {
		return nil, 0, err
	}
	fresh = events[:0]
	for i := range events {
		if d.filter.add(source, events[i].ID) {
			d.suspects.add(source, separate(events[i]))
		} else {
			fresh = append(fresh, events[i])
		}
	}
	return fresh, 0, nil
}

// fillFilter adds the committed ids of a source to the filter, once.
func (d *duplicates) fillFilter(ctx context.Context, source Source) error {
	if d.filtered[source] {
		return nil
	}
	const columns = 1
	err := d.store.scan(ctx, "id", source.Table, columns, func(row []driver.Value) error {
		d.filter.add(source, row[0].(string)) //nolint:forcetypeassert // The schema says so.
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the ids of %s: %w", source.Table, err)
	}
	d.filtered[source] = true
	return nil
}

// lookUp returns the events without duplicates of each other and of the source's events, in
// place.
func (d *duplicates) lookUp(ctx context.Context, source Source, events []logevent.Event) (fresh []logevent.Event, duplicate int, err error) {
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
func (d *duplicates) stored(ctx context.Context, source Source, events []logevent.Event) (_ map[string]bool, err error) {
	stored := make(map[string]bool, len(events))
	if empty, err := isEmpty(ctx, d.conn, source.Table); empty || err != nil {
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
	rows, err := d.conn.QueryContext(ctx, "SELECT id FROM "+source.Table+" WHERE id IN (SELECT unnest(from_json(?, '[\"VARCHAR\"]')))", string(list)) //nolint:gosec // The table is one of nine constants.
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		stored[id] = true
	}
	return stored, rows.Err()
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
