package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/logevent"
)

// Origin says where events come from.
type Origin int

// Sent events are somebody's logs; generated ones are demo logs, which are never
// written into a store that holds others.
const (
	Sent Origin = iota
	Generated
)

// ErrHoldsOtherLogs is why demo logs are not written into a store.
var ErrHoldsOtherLogs = errors.New("the store holds logs that are not demo logs")

const (
	// flushEvents and flushBytes bound what a transaction keeps in memory.
	flushEvents = 50_000
	flushBytes  = 32 << 20
)

// Transaction adds events to the store, all of them or none. It is used by one
// goroutine, and ended by Commit or Rollback.
type Transaction struct {
	conn    *sql.Conn
	origin  Origin
	pending map[Source][]logevent.Event
	events  int
	bytes   int

	added      int
	duplicates int
}

// Begin starts a transaction. For generated events it fails with
// [ErrHoldsOtherLogs] when the store holds other logs.
func (s *Store) Begin(ctx context.Context, origin Origin) (*Transaction, error) {
	if origin == Generated {
		other, err := s.info(ctx, infoOtherLogs)
		if err != nil {
			return nil, err
		}
		if other != "" {
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
	return &Transaction{conn: conn, origin: origin, pending: make(map[Source][]logevent.Event)}, nil
}

// Add adds an event to its source, unless the source already holds an event with
// this id.
func (t *Transaction) Add(ctx context.Context, source Source, event logevent.Event) error {
	t.pending[source] = append(t.pending[source], event)
	t.events++
	t.bytes += len(event.Metadata)
	if event.EventMessage != nil {
		t.bytes += len(*event.EventMessage)
	}
	if t.events >= flushEvents || t.bytes >= flushBytes {
		return t.flush(ctx)
	}
	return nil
}

// Counts returns how many events were added, and how many were not because their
// ids are taken. It is final after Commit.
func (t *Transaction) Counts() (added, duplicates int) { return t.added, t.duplicates }

// Commit makes the added events durable and visible.
func (t *Transaction) Commit(ctx context.Context) error {
	err := t.flush(ctx)
	if err == nil && t.origin == Sent && t.added > 0 {
		_, err = t.conn.ExecContext(ctx, "INSERT OR IGNORE INTO store_info VALUES (?, 'true')", infoOtherLogs)
	}
	if err == nil {
		_, err = t.conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("commit events: %w", err), t.Rollback()) //nolint:contextcheck // Rollback works after the context has ended.
	}
	return t.conn.Close()
}

// Rollback drops the added events. After Commit it does nothing.
func (t *Transaction) Rollback() error {
	// The caller's context may have ended, which is why it rolls back.
	_, err := t.conn.ExecContext(context.Background(), "ROLLBACK")
	if errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	var failure *duckdb.Error
	if errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeTransaction {
		err = nil // DuckDB has rolled back by itself, as it does when a commit fails
	}
	return errors.Join(err, t.conn.Close())
}

// flush moves the pending events into the tables.
func (t *Transaction) flush(ctx context.Context) error {
	for _, source := range Sources() {
		events := t.pending[source]
		if len(events) == 0 {
			continue
		}
		fresh, err := t.fresh(ctx, source, events)
		if err != nil {
			return err
		}
		if err := t.conn.Raw(func(conn any) error { return appendEvents(ctx, conn, source, fresh) }); err != nil {
			return fmt.Errorf("append to %s: %w", source.Table, err)
		}
		t.added += len(fresh)
		t.duplicates += len(events) - len(fresh)
		clear(events)
		t.pending[source] = events[:0]
	}
	t.events, t.bytes = 0, 0
	return nil
}

// fresh returns the events whose ids are new, to the source and among
// themselves.
func (t *Transaction) fresh(ctx context.Context, source Source, events []logevent.Event) ([]logevent.Event, error) {
	taken := make(map[string]bool, len(events))
	ids := make([]string, 0, len(events))
	for i := range events {
		ids = append(ids, events[i].ID)
	}
	rows, err := t.conn.QueryContext(ctx, "SELECT id FROM "+source.Table+" WHERE id IN (SELECT unnest(?))", ids) //nolint:gosec // The table is one of nine constants.
	if err != nil {
		return nil, fmt.Errorf("look for stored events: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("look for stored events: %w", err)
		}
		taken[id] = true
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look for stored events: %w", err)
	}
	fresh := make([]logevent.Event, 0, len(events))
	for _, event := range events {
		if !taken[event.ID] {
			taken[event.ID] = true
			fresh = append(fresh, event)
		}
	}
	return fresh, nil
}

// appendEvents writes events to their source's table and to the table of their
// records, if it has one.
func appendEvents(ctx context.Context, conn any, source Source, events []logevent.Event) error {
	driverConn, ok := conn.(driver.Conn)
	if !ok {
		return fmt.Errorf("a connection of type %T is none of DuckDB's", conn)
	}
	rows := func(yield func([]driver.Value) bool) {
		for i := range events {
			if !yield(eventRow(&events[i])) {
				return
			}
		}
	}
	if err := appendRows(ctx, driverConn, source.Table, rows); err != nil {
		return err
	}
	records, ok := recordTables()[source.Table]
	if !ok {
		return nil
	}
	return appendRows(ctx, driverConn, records.table, func(yield func([]driver.Value) bool) {
		for i := range events {
			for _, row := range records.rows(&events[i]) {
				if !yield(row) {
					return
				}
			}
		}
	})
}

func eventRow(event *logevent.Event) []driver.Value {
	row := []driver.Value{event.ID, event.Timestamp, nil, nil, nil}
	if event.EventMessage != nil {
		row[2] = *event.EventMessage
	}
	if event.Project != nil {
		row[3] = *event.Project
	}
	if event.Metadata != nil {
		row[4] = string(event.Metadata)
	}
	return row
}

// appendRows writes rows through DuckDB's appender, within the connection's
// transaction.
func appendRows(ctx context.Context, conn driver.Conn, table string, rows func(yield func([]driver.Value) bool)) (err error) {
	appender, err := duckdb.NewAppenderFromConn(conn, "", table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, appender.Close()) }()
	for row := range rows {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, appender.Clear())
		}
		if err := appender.AppendRow(row...); err != nil {
			return err
		}
	}
	return nil
}
