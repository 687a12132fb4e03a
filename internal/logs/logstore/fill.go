package logstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
)

// A field that is declared when its table has events is NULL in what has them. Fill writes these parts again, one at a
// time, with the fields that their metadata says. What is in memory becomes a part before.

// lacks reports whether a part has events that could have a field, but not the field.
func lacks(part *parts.Part, field string) bool {
	source, _, _ := strings.Cut(field, ".")
	_, has := part.Source(source)
	return has && !slices.Contains(part.Fields, field)
}

// unfilled is what lacks fields of the tables: parts, and schemas in memory. Fields are those that they lack, by table.
type unfilled struct {
	parts  []parts.Part
	recent []*recent
	fields map[string][]string
}

// count returns how many parts and schemas are left.
func (u *unfilled) count() int { return len(u.parts) + len(u.recent) }

// unfilled returns what lacks fields of the tables.
func (s *Store) unfilled() unfilled {
	left := unfilled{fields: make(map[string][]string)}
	sources := s.Tables()
	// missing notes the fields that something lacks, and reports whether there are any.
	missing := func(lacks func(table, column string) bool) (found bool) {
		for _, table := range sources {
			for _, field := range table.Fields {
				if !lacks(table.Name, eventrow.FieldColumn(table, field)) {
					continue
				}
				found = true
				if !slices.Contains(left.fields[table.Name], field.Name) {
					left.fields[table.Name] = append(left.fields[table.Name], field.Name)
				}
			}
		}
		return found
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, part := range s.manifest.Parts {
		if !s.attached.isDamaged(&part) && missing(func(_, column string) bool { return lacks(&part, column) }) {
			left.parts = append(left.parts, part)
		}
	}
	for _, table := range s.recent {
		if missing(table.lacks) {
			left.recent = append(left.recent, table)
		}
	}
	return left
}

// lacks reports whether the schema has events of a table, but not a column for one of its fields.
func (r *recent) lacks(table, column string) bool {
	_, has := r.oldest[table]
	return has && !slices.Contains(r.fields, column)
}

// CheckFilled returns an UNAVAILABLE error if a saved query names a field that is not filled yet: it would read NULL in
// its place.
func (s *Store) CheckFilled(query *sqlq.SavedQuery) error {
	left := s.unfilled()
	if left.count() == 0 {
		return nil
	}
	for _, table := range query.Tables {
		for _, field := range left.fields[table.Name] {
			if names(query, field) {
				return sqlq.Rejectf(sqlq.Unavailable, fillRetry, "the new field %s of %s is being filled from the metadata of its events; %d parts of the store are left; try again later",
					field, table.Name, left.count())
			}
		}
	}
	return nil
}

// fillRetry is how long a caller waits before it runs a query of a field that is being filled again.
const fillRetry = 10 * time.Second

// names reports whether a saved query may read a field.
func names(query *sqlq.SavedQuery, field string) bool {
	written, _ := query.Written()
	return strings.Contains(strings.ToLower(written), field) ||
		slices.ContainsFunc(query.Columns, func(column sqlq.Column) bool { return column.Name == field })
}

// Fill fills the fields that were declared when their tables had events. It writes one part after the other again.
// Between is called after each; nil means that the next one follows at once. It returns the tables that are filled now.
// After an error, another call continues.
func (s *Store) Fill(ctx context.Context, between func(ctx context.Context) error) (filled []string, err error) {
	before := make(map[string]bool)
	for {
		left := s.unfilled()
		for table := range left.fields {
			before[table] = true
		}
		if left.count() == 0 {
			return slices.Sorted(maps.Keys(before)), nil
		}
		if err := s.fillNext(ctx, &left); err != nil {
			return nil, fmt.Errorf("fill new fields: %w", err)
		}
		if between != nil && left.count() > 1 {
			if err := between(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// fillNext fills a part, or makes parts of what is in memory. A store in memory has no parts.
func (s *Store) fillNext(ctx context.Context, left *unfilled) error {
	switch {
	case len(left.recent) == 0:
		return s.fillPartAgain(ctx, left.parts[0].Number)
	case s.config.directory == "":
		return holding(ctx, s.appending, func() error { return s.fillRecent(ctx, left.recent[0]) })
	default:
		_, err := s.Checkpoint(ctx)
		return err
	}
}

// fillRecent replaces a schema in memory by one with all fields. The caller holds appending.
func (s *Store) fillRecent(ctx context.Context, old *recent) error {
	next, err := s.newRecent(ctx, s.Tables(), nil)
	if err != nil {
		return err
	}
	source := branch{place: old.place(), fields: old.fields, hidden: old.hidden}
	err = s.eachStored(ctx, &source, int64(old.events), func(events []sourced) error { return s.appendAll(ctx, next, events) })
	if err != nil {
		return s.drop(ctx, next, err)
	}
	next.hashes, next.position, next.began = old.hashes, old.position, old.began
	err = s.adopt(ctx, next, func() {
		s.recent = slices.Clone(s.recent)
		s.recent[slices.Index(s.recent, old)] = next
	})
	if err != nil {
		return err
	}
	return s.publish(ctx, old)
}

// fillPartAgain writes a part again with all fields, unless it is gone.
func (s *Store) fillPartAgain(ctx context.Context, number uint64) error {
	return holding(ctx, s.merging, func() error {
		return repeated(func() error { return s.writeAgain(ctx, number) })
	})
}

func (s *Store) writeAgain(ctx context.Context, number uint64) (err error) {
	manifest, err := s.settled(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(manifest.Parts, func(part parts.Part) bool { return part.Number == number })
	if at < 0 {
		return nil
	}
	old := manifest.Parts[at]
	writer, err := s.newPartWriter(ctx, old.Level)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.end(ctx, err)) }()
	source := branch{place: partCatalog(old.Number), part: &old, fields: old.Fields, hidden: old.Hidden}
	err = s.eachStored(ctx, &source, old.Events(), func(events []sourced) error { return writer.add(ctx, events, nil) })
	if err != nil {
		return err
	}
	written, err := writer.finish(ctx)
	if err != nil {
		return err
	}
	return s.replaceParts(ctx, []parts.Part{old}, written)
}

// each returns a function that returns the next of some events.
func each(events []sourced) func() (sourced, bool) {
	next := 0
	return func() (sourced, bool) {
		if next == len(events) {
			return sourced{}, false
		}
		next++
		return events[next-1], true
	}
}

// storedStep is the number of events that are read at a time.
const storedStep = 10_000

// eachStored passes the visible events of a part or a schema to work, in batches. Count is how many there are.
func (s *Store) eachStored(ctx context.Context, from *branch, count int64, work func(events []sourced) error) error {
	sources := s.Tables()
	for start := int64(0); start < count; start += storedStep {
		var events []sourced
		condition := from.condition("")
		if condition == "" {
			condition = " WHERE true"
		}
		const columns = 7
		query := fmt.Sprintf("SELECT source, "+idText+", timestamp, event_message, project, metadata, accepted FROM %s.%s%s AND rowid >= %d AND rowid < %d",
			from.place, eventsTable, condition, start, start+storedStep)
		err := s.onConnection(ctx, func(conn *sql.Conn) error {
			return readRows(ctx, conn, query, columns, func(row []any) error {
				event, err := storedEvent(sources, row)
				if err == nil {
					events = append(events, event)
				}
				return err
			})
		})
		if err == nil && len(events) > 0 {
			err = work(events)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// storedEvent returns the event of a row with the columns source, id, timestamp, event_message, project, metadata and
// accepted.
func storedEvent(sources sqlq.Tables, row []any) (sourced, error) {
	name, _ := row[0].(string)
	source, found := sources.FindSource(name)
	if !found {
		return sourced{}, fmt.Errorf("it has events of %q, which is not a log source of the store", name)
	}
	event := &logevent.Event{}
	event.ID, _ = row[1].(string)
	event.Timestamp, _ = row[2].(time.Time)
	if text, ok := row[3].(string); ok {
		event.EventMessage = &text
	}
	if text, ok := row[4].(string); ok {
		event.Project = &text
	}
	if text, ok := row[5].(string); ok {
		event.Metadata = json.RawMessage(text)
	}
	accepted, _ := row[6].(time.Time)
	return sourced{source, event, accepted}, nil
}
