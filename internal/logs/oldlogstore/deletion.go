package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"savedq/sqlq"
)

// Deletion selects events of a source. Their records are deleted with them.
type Deletion struct {
	Source *sqlq.Table
	// Project selects the events of a project (D23); empty means all projects.
	Project string
	// Before selects events with an earlier timestamp; the zero time means all.
	Before time.Time
	// Between is called after each step; nil means that the next step follows at once.
	Between func(ctx context.Context) error
}

const (
	// stepRows is how many rows a step of a deletion reads, so that the other writers wait for
	// it for a fraction of a second.
	stepRows = 50_000
	// projectCost is how much longer a row takes when the events of a project are deleted.
	projectCost = 5
	// firstSpan is the first span of time of which events are deleted. It is short because the
	// number of events in it is not known.
	firstSpan = time.Second
	// longestSpan ends the growth of spans, because a duration has at most 292 years. Timestamps have
	// any of 9999.
	longestSpan = 20 * 365 * 24 * time.Hour
)

// Delete deletes events, the oldest first, and returns how many. It takes many short steps,
// between which other writers have their turn. Each step deletes events and their records in
// one commit. An event that is added while Delete runs may stay.
//
// Space of deleted rows is freed by a checkpoint; see [Store.FreeSpace].
func (s *Store) Delete(ctx context.Context, deletion Deletion) (deleted int64, err error) {
	span, err := s.spanOf(ctx, &deletion)
	if err != nil {
		return 0, fmt.Errorf("delete events of %s: %w", deletion.Source.Name, err)
	}
	most := s.limits.stepRows
	if deletion.Project != "" {
		most = max(most/projectCost, 1)
	}
	err = s.eachSpan(ctx, &deletion, &span, most, func(int64) error {
		s.changes.noteRange(deletion.Source, span.changed())
		defer s.changes.noteRange(deletion.Source, span.changed())
		count, err := s.deleteStep(ctx, func(conn *sql.Conn) (int64, error) { return deletion.delete(ctx, conn, &span) })
		deleted += count
		return err
	})
	if err != nil {
		return deleted, fmt.Errorf("delete events of %s: %w", deletion.Source.Name, err)
	}
	return deleted, nil
}

// eachSpan calls work for each span of at most a number of rows that has events of a deletion, with its rows, and
// Between after each call.
func (s *Store) eachSpan(ctx context.Context, deletion *Deletion, span *span, most int64, work func(rows int64) error) error {
	for span.next() {
		rows, found, err := s.countIn(ctx, deletion, span)
		if err == nil && span.fit(rows, most) {
			continue
		}
		if err == nil && found > 0 {
			err = work(rows)
		}
		if err == nil && found > 0 && deletion.Between != nil {
			err = deletion.Between(ctx)
		}
		if err != nil {
			return err
		}
		span.advance(rows, most)
	}
	return nil
}

// Count returns the number of events that Delete would delete.
func (s *Store) Count(ctx context.Context, deletion Deletion) (int64, error) {
	condition, args := deletion.condition()
	var count int64
	query := "SELECT count(*) FROM " + deletion.Source.Name + " WHERE " + condition
	if err := s.db.QueryRowContext(ctx, query, args...).Scan(&count); err != nil {
		return 0, fmt.Errorf("count events of %s: %w", deletion.Source.Name, err)
	}
	return count, nil
}

// FreeSpace frees the space of deleted rows for new ones if there are many, with a checkpoint.
// The file itself only becomes smaller if the free space is at its end.
func (s *Store) FreeSpace(ctx context.Context) error {
	if !s.freeing.due() {
		return nil
	}
	_, err := s.Checkpoint(ctx)
	return err
}

// condition returns the SQL condition for the events, with its arguments.
func (d *Deletion) condition() (condition string, args []any) {
	conditions := []string{"true"}
	if !d.Before.IsZero() {
		conditions, args = append(conditions, "timestamp < ?"), append(args, d.Before.UTC())
	}
	if d.Project != "" {
		conditions, args = append(conditions, projectFilter(d.Source)), append(args, d.Project)
	}
	return strings.Join(conditions, " AND "), args
}

// span is the part of a deletion's time range that its next step deletes: from its start, and
// before its end. The end of the last one is the end of the range.
type span struct {
	start, end time.Time
	length     time.Duration
	// newest is the time of the newest event, and limit the end of the range, or the zero
	// time.
	newest, limit time.Time
	ended         bool
}

// spanOf returns the whole range of a deletion.
func (s *Store) spanOf(ctx context.Context, deletion *Deletion) (span, error) {
	before := (&Deletion{Before: deletion.Before})
	condition, args := before.condition()
	var oldest, newest sql.NullTime
	query := "SELECT min(timestamp), max(timestamp) FROM " + deletion.Source.Name + " WHERE " + condition
	if err := s.db.QueryRowContext(ctx, query, args...).Scan(&oldest, &newest); err != nil {
		return span{}, err
	}
	return span{start: oldest.Time, newest: newest.Time, limit: deletion.Before, length: firstSpan, ended: !oldest.Valid}, nil
}

// next sets the end, and returns false after the last span.
func (s *span) next() bool {
	s.end = s.start.Add(s.length)
	if s.end.After(s.newest) {
		s.end = s.limit
	}
	return !s.ended
}

// changed returns the times in which events are deleted.
func (s *span) changed() sqlq.Range {
	if s.end.IsZero() { // the last one may have no end
		const years = 10_000 // of which none has events
		return sqlq.Range{From: s.start, To: s.start.AddDate(years, 0, 0)}
	}
	return sqlq.Range{From: s.start, To: s.end}
}

// fit makes the span shorter if it has too many rows, and reports whether it did.
func (s *span) fit(rows, most int64) bool {
	const shortest = time.Microsecond // the precision of timestamps
	if rows <= most || s.length <= shortest {
		return false
	}
	s.length = max(s.length/4, shortest)
	return true
}

// advance moves to the next span, which is longer if this one had few rows.
func (s *span) advance(rows, most int64) {
	s.ended = s.end.Equal(s.limit)
	s.start = s.end
	if rows <= most/4 && s.length < longestSpan {
		s.length *= 4
	}
}

// condition returns the SQL condition for rows in the span, with its arguments.
func (s *span) condition() (condition string, args []any) {
	if s.end.IsZero() {
		return "timestamp >= ?", []any{s.start.UTC()}
	}
	return "timestamp >= ? AND timestamp < ?", []any{s.start.UTC(), s.end.UTC()}
}

// countIn counts the rows in a span, and the events to delete among them.
func (s *Store) countIn(ctx context.Context, deletion *Deletion, span *span) (rows, found int64, err error) {
	condition, args := span.condition()
	counts := "count(*), count(*)"
	if deletion.Project != "" {
		counts = "count(*), count(*) FILTER (WHERE " + projectFilter(deletion.Source) + ")"
		args = append([]any{deletion.Project}, args...)
	}
	query := "SELECT " + counts + " FROM " + deletion.Source.Name + " WHERE " + condition
	return rows, found, s.db.QueryRowContext(ctx, query, args...).Scan(&rows, &found)
}

// delete deletes the events in a span, and their records.
func (d *Deletion) delete(ctx context.Context, conn *sql.Conn, span *span) (deleted int64, err error) {
	condition, args := span.condition()
	record, recorded := recordTables()[d.Source.Name]
	if d.Project == "" {
		if recorded {
			if _, err := changeRows(ctx, conn, "DELETE FROM "+record.table+" WHERE "+condition, args...); err != nil {
				return 0, err
			}
		}
		return d.deleteEvents(ctx, conn, condition, args...)
	}
	selected := condition + " AND " + projectFilter(d.Source)
	if recorded {
		records, err := recordsOf(ctx, conn, d.Source, selected, append(args, d.Project)...)
		if err != nil {
			return 0, err
		}
		if err := record.remove(ctx, conn, records, condition, args); err != nil {
			return 0, err
		}
	}
	return d.deleteEvents(ctx, conn, selected, append(args, d.Project)...)
}

func (d *Deletion) deleteEvents(ctx context.Context, conn *sql.Conn, condition string, args ...any) (deleted int64, err error) {
	deleted, err = changeRows(ctx, conn, "DELETE FROM "+d.Source.Name+" WHERE "+condition, args...)
	if err != nil {
		return 0, err
	}
	return deleted, forgetIndexed(ctx, conn, d.Source.Name, deleted)
}

// deleteStep runs one transaction that deletes rows, as the store's writer. It returns how many
// the function delete returns.
func (s *Store) deleteStep(ctx context.Context, remove func(conn *sql.Conn) (int64, error)) (deleted int64, err error) {
	err = s.asWriter(ctx, func(conn *sql.Conn) error {
		return inTransaction(ctx, conn, func() (err error) {
			deleted, err = remove(conn)
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	s.freeing.note(deleted)
	return deleted, nil
}

// deleteWhere deletes the rows of a table that a condition selects.
func (s *Store) deleteWhere(ctx context.Context, table, condition string, args ...any) error {
	_, err := s.deleteStep(ctx, func(conn *sql.Conn) (int64, error) {
		return changeRows(ctx, conn, "DELETE FROM "+table+" WHERE "+condition, args...)
	})
	if err != nil {
		return fmt.Errorf("delete rows of %s: %w", table, err)
	}
	return nil
}

// asWriter runs work on a connection as the store's writer.
func (s *Store) asWriter(ctx context.Context, work func(conn *sql.Conn) error) error {
	if err := s.beginWriting(ctx); err != nil {
		return err
	}
	defer s.writer.Release(1)
	return s.onConnection(ctx, work)
}

// onConnection runs work on a connection.
func (s *Store) onConnection(ctx context.Context, work func(conn *sql.Conn) error) (err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return work(conn)
}

// changeRows runs a statement and returns the number of rows that it changed.
func changeRows(ctx context.Context, conn *sql.Conn, statement string, args ...any) (int64, error) {
	result, err := conn.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// projectsIn returns the SQL expression for the list of the projects that the metadata of an event names.
func projectsIn(source *sqlq.Table) string {
	return `json_extract_string(metadata, '$[*]."` + source.ProjectMember + `"')`
}

// projectFilter returns the SQL condition for the events of a project, which is its parameter
// (D23).
func projectFilter(source *sqlq.Table) string {
	if source.ProjectMember != "" {
		return "list_contains(" + projectsIn(source) + ", ?)"
	}
	return "project = ?"
}
