package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/parts"
	"savedq/sqlq/duckdb/appender"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/tables"
)

// The state of a store is what is not events: the rejected events and the runs. It is in tables in memory, which are
// written to a file as a whole when events are written to a part, if they have changed.

const (
	rejectedTable = "rejected_events"
	// keptRejectedEvents and keptRejectedBytes limit the rejected events that the store keeps. They are for repair, and a
	// sender with a mistake can send any number. So many are a day of one mistake a second.
	keptRejectedEvents = 100_000
	keptRejectedBytes  = 64 << 20
	// trimEvents and trimBytes limit what is added until the oldest ones are deleted.
	trimEvents = keptRejectedEvents / 10
	trimBytes  = keptRejectedBytes / 4
)

// stateTables returns the definitions of the columns of the tables, by name. The sequence of a rejected event is the
// place of its record in the write-ahead log.
func stateTables() map[string]string {
	var runs []string
	for _, column := range tables.Runs().Own {
		runs = append(runs, column.Name+" "+duckdbsql.StorageType(column.Type))
	}
	return map[string]string{
		rejectedTable: "received TIMESTAMP NOT NULL, request_id VARCHAR NOT NULL, source VARCHAR NOT NULL, position BIGINT NOT NULL, " +
			"reason VARCHAR NOT NULL, event VARCHAR NOT NULL, sequence UBIGINT NOT NULL DEFAULT 0",
		tables.RunsName: strings.Join(runs, ", "),
	}
}

// openState creates the tables, and reads their rows from the file that the manifest names. A damaged file is left out,
// because the events do not depend on it.
func (s *Store) openState(ctx context.Context) error {
	return s.onConnection(ctx, func(conn *sql.Conn) error {
		if err := createState(ctx, conn); err != nil {
			return err
		}
		manifest := s.current()
		if manifest.State == 0 {
			return nil
		}
		if err := readState(ctx, conn, s.path(manifest.StateName())); err != nil {
			s.stateFault = err
		}
		return nil
	})
}

func createState(ctx context.Context, conn *sql.Conn) error {
	for name, columns := range stateTables() {
		if _, err := conn.ExecContext(ctx, "CREATE TABLE "+name+" ("+columns+")"); err != nil {
			return fmt.Errorf("create %s: %w", name, err)
		}
	}
	return nil
}

func readState(ctx context.Context, conn *sql.Conn, path string) (err error) {
	if _, err := conn.ExecContext(ctx, "ATTACH "+quoted(path)+" AS state (READ_ONLY)"); err != nil {
		return err
	}
	defer func() {
		_, detachErr := conn.ExecContext(ctx, "DETACH state")
		err = errors.Join(err, detachErr)
	}()
	for name := range stateTables() {
		if _, err := conn.ExecContext(ctx, "INSERT INTO "+name+" BY NAME SELECT * FROM state."+name); err != nil { //nolint:gosec // A constant name.
			return err
		}
	}
	return nil
}

// writeState writes the state to a new file if it has changed, and returns its number, or 0. Rejected events after a place
// in the write-ahead log are left out. The caller holds writing.
func (s *Store) writeState(ctx context.Context, position uint64) (number uint64, err error) {
	if !s.stateChanged.Load() {
		return 0, nil
	}
	next := parts.Manifest{State: s.numbers.Add(1) - 1}
	path := s.path(next.StateName())
	defer func() {
		if err != nil {
			_ = s.remove(next.StateName()) // a file that stays is removed when the store is opened
			s.stateChanged.Store(true)
		}
	}()
	var left bool
	err = s.onConnection(ctx, func(conn *sql.Conn) (err error) {
		if err := s.config.step("create the state"); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, "ATTACH "+quoted(path)+" AS state (STORAGE_VERSION 'latest', RECOVERY_MODE 'no_wal_writes')"); err != nil {
			return err
		}
		defer func() {
			if _, detachErr := conn.ExecContext(context.WithoutCancel(ctx), "DETACH state"); err == nil {
				err = detachErr
			}
		}()
		if err := s.copyState(ctx, conn, next.State, position); err != nil {
			return err
		}
		if err := s.config.step("checkpoint the state"); err != nil {
			return err
		}
		if err := execQuietly(ctx, conn, "CHECKPOINT state"); err != nil {
			return err
		}
		return conn.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) > 0 FROM %s WHERE sequence > %d", rejectedTable, position)).Scan(&left)
	})
	if err == nil {
		err = s.syncFile(path)
	}
	if err != nil {
		return 0, fmt.Errorf("write the rejected events and the runs: %w", s.config.nameFullDisk(err))
	}
	if left { // they come again from the log, or are written the next time
		s.stateChanged.Store(true)
	}
	return next.State, s.syncNames()
}

// copyState copies the tables to a new file, between two changes of them.
func (s *Store) copyState(ctx context.Context, conn *sql.Conn, file, position uint64) error {
	s.stating.Lock()
	defer s.stating.Unlock()
	s.stateChanged.Store(false)
	s.mutex.Lock()
	s.journal.copyTo(file)
	s.mutex.Unlock()
	for name := range stateTables() {
		query := "CREATE TABLE state." + name + " AS SELECT * FROM memory.main." + name
		if name == rejectedTable {
			query += fmt.Sprintf(" WHERE sequence <= %d", position)
		}
		if err := execQuietly(ctx, conn, query+" ORDER BY rowid"); err != nil {
			return err
		}
	}
	return nil
}

// removeState removes the file of a state that the manifest names no more.
func (s *Store) removeState(number uint64) {
	old := parts.Manifest{State: number}
	if err := s.remove(old.StateName()); err != nil {
		s.config.logger.Warn("an old file of the store stays until it is opened again", slog.Any("error", err))
	}
}

// rejectedGrowth is how much was added to the rejected events since they were last trimmed. Only the ingest writer uses
// it.
type rejectedGrowth struct {
	events, bytes int
	// trimmed is false until the first time, because the growth before it is not known.
	trimmed bool
}

// add counts added events.
func (g *rejectedGrowth) add(events []logevent.Rejected) {
	g.events += len(events)
	for i := range events {
		g.bytes += len(events[i].Event) + len(events[i].Reason)
	}
}

// isLarge reports whether the rejected events must be trimmed.
func (g *rejectedGrowth) isLarge() bool {
	return g.events > 0 && (!g.trimmed || g.events >= trimEvents || g.bytes >= trimBytes)
}

// appendRejected appends the rejected events of an ingestion in the connection's transaction.
func appendRejected(ctx context.Context, conn *sql.Conn, ingestion Ingestion) error {
	if len(ingestion.Rejected) == 0 {
		return nil
	}
	_, err := appender.Append(ctx, conn, appender.Target{Catalog: "memory", Table: rejectedTable}, math.MaxInt, appender.RowsAt(len(ingestion.Rejected), func(i int) []driver.Value {
		event := &ingestion.Rejected[i]
		return []driver.Value{event.Received, event.RequestID, event.Source, int64(event.Position), event.Reason, event.Event, ingestion.Position}
	}))
	return err
}

// TrimRejected deletes the oldest rejected events, down to 100,000 events and 64 MiB, if [Store.Ingest] has added many
// since the last time. It must not run at the same time as Ingest.
func (s *Store) TrimRejected(ctx context.Context) error {
	if !s.rejected.isLarge() {
		return nil
	}
	s.rejected = rejectedGrowth{trimmed: true}
	return s.deleteWhere(ctx, rejectedTable, `rowid IN (
		SELECT rowid FROM (
			SELECT rowid, row_number() OVER newest AS place, sum(strlen(event) + strlen(reason)) OVER newest AS bytes
			FROM rejected_events WINDOW newest AS (ORDER BY rowid DESC ROWS UNBOUNDED PRECEDING)
		) WHERE place > ? OR bytes > ?)`, s.config.mostRejected, keptRejectedBytes)
}

// ForgetRejected deletes the rejected events that were received before a time.
func (s *Store) ForgetRejected(ctx context.Context, before time.Time) error {
	return s.deleteWhere(ctx, rejectedTable, "received < ?", before.UTC())
}

// deleteWhere deletes the rows of a table of the state that a condition selects.
func (s *Store) deleteWhere(ctx context.Context, table, condition string, args ...any) error {
	s.stating.Lock()
	defer s.stating.Unlock()
	err := s.changeState(ctx, stateChange{do: func(ctx context.Context, conn *sql.Conn) (bool, error) {
		result, err := conn.ExecContext(ctx, "DELETE FROM "+table+" WHERE "+condition, args...) //nolint:gosec // Constants.
		if err != nil {
			return false, err
		}
		count, err := result.RowsAffected()
		return count > 0, err
	}})
	if err != nil {
		return fmt.Errorf("delete rows of %s: %w", table, err)
	}
	return nil
}

// RejectedFilter selects rejected events.
type RejectedFilter struct {
	// Source selects events that were sent to a source; empty means all.
	Source string
	// Since selects events that were received at a time or later.
	Since time.Time
	// Most limits their number to the newest ones; 0 means no limit.
	Most int
}

// Rejected calls each for rejected events, the oldest first.
func (s *Store) Rejected(ctx context.Context, filter RejectedFilter, each func(logevent.Rejected) error) error {
	condition, args := "received >= ?", []any{filter.Since.UTC()}
	if filter.Source != "" {
		condition, args = condition+" AND source = ?", append(args, filter.Source)
	}
	if filter.Most > 0 {
		condition += " AND rowid IN (SELECT rowid FROM rejected_events WHERE " + condition + " ORDER BY rowid DESC LIMIT ?)"
		args = append(append(args, args...), filter.Most)
	}
	query := "SELECT received, request_id, source, position, reason, event FROM rejected_events WHERE " + condition + " ORDER BY rowid"
	var event logevent.Rejected
	var passing error
	// In a transaction, because DuckDB plans with the lengths of the texts that it has at that time.
	snapshot, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("read the rejected events: %w", err)
	}
	defer func() { _ = snapshot.Rollback() }() // it only reads
	err = eachRow(ctx, snapshot, query, args, []any{&event.Received, &event.RequestID, &event.Source, &event.Position, &event.Reason, &event.Event}, func() error {
		event.Received = event.Received.UTC()
		passing = each(event)
		return passing
	})
	if err != nil && passing == nil {
		return fmt.Errorf("read the rejected events: %w", err)
	}
	return err
}

// runsKept are how many runs the table [tables.RunsName] has: of each saved query, and of all. It is trimmed when it has a
// tenth more, so that most batches are an append and nothing else.
type runsKept struct{ each, all int64 }

// exceeded reports whether a number of runs has to be trimmed.
func exceeded(count, kept int64) bool { return count > kept+kept/10 }

// AddRuns adds runs, which have a value for each column of [tables.Runs] and must not change afterwards, and deletes the
// oldest of too many. They are in a file when the next part is written, or after [Store.SealOlder].
func (s *Store) AddRuns(ctx context.Context, runs [][]driver.Value) error {
	s.stating.Lock()
	defer s.stating.Unlock()
	err := s.changeState(ctx, stateChange{rows: len(runs), do: func(ctx context.Context, conn *sql.Conn) (bool, error) {
		next := appender.RowsAt(len(runs), func(i int) []driver.Value { return runs[i] })
		if _, err := appender.Append(ctx, conn, appender.Target{Catalog: "memory", Table: tables.RunsName}, len(runs), next); err != nil {
			return false, err
		}
		return true, s.trimRuns(ctx, conn)
	}})
	if err != nil {
		return fmt.Errorf("add runs: %w", err)
	}
	return nil
}

// DeleteRuns deletes the runs for a project that began before a time; the zero time means all. A crash does not bring them
// back once it has returned.
func (s *Store) DeleteRuns(ctx context.Context, project string, before time.Time) error {
	condition, args := "project = ?", []any{project}
	if !before.IsZero() {
		condition, args = condition+" AND timestamp < ?", append(args, before.UTC())
	}
	if err := s.deleteWhere(ctx, tables.RunsName, condition, args...); err != nil {
		return err
	}
	_, err := s.Checkpoint(ctx)
	return err
}

// trimRuns deletes the oldest runs if there are too many.
func (s *Store) trimRuns(ctx context.Context, conn *sql.Conn) error {
	var most, all int64
	err := conn.QueryRowContext(ctx, "SELECT coalesce(max(runs), 0), coalesce(sum(runs), 0)::BIGINT FROM (SELECT count(*) AS runs FROM "+tables.RunsName+" GROUP BY query)").Scan(&most, &all)
	kept := s.config.runsKept
	if err != nil || !exceeded(most, kept.each) && !exceeded(all, kept.all) {
		return err
	}
	_, err = conn.ExecContext(ctx, "DELETE FROM "+tables.RunsName+" WHERE rowid IN (SELECT rowid FROM "+tables.RunsName+ //nolint:gosec // A constant name.
		" QUALIFY row_number() OVER (PARTITION BY query ORDER BY timestamp DESC) > ? OR row_number() OVER (ORDER BY timestamp DESC) > ?)", kept.each, kept.all)
	return err
}
