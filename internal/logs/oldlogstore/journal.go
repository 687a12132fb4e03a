package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A transaction that needs several commits of DuckDB uses the load journal. Its first
// commit records how many rows each table had, and its last commit deletes the record. If
// a store is opened with an open journal, the transaction was interrupted, and the rows
// after those counts are removed.
//
// The rows of a load are the last ones of each table, since there is one writer and DuckDB
// keeps rows in the order in which they were inserted. Counts, unlike row ids, stay
// correct when a checkpoint removes deleted rows.

// journalTable is the open journal: one row per table. It is empty while no load is open.
const journalTable = "load_journal"

// loadedTables returns the tables that transactions append to.
func (s *Store) loadedTables() []string {
	loaded := []string{recentIDsTable}
	records := recordTables()
	for _, source := range s.Tables() {
		loaded = append(loaded, source.Name)
		if record, ok := records[source.Name]; ok {
			loaded = append(loaded, record.table)
		}
	}
	return loaded
}

// rowReader is a database or a connection.
type rowReader interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func countRows(ctx context.Context, reader rowReader, table string) (int64, error) {
	var count int64
	if err := reader.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&count); err != nil {
		return 0, fmt.Errorf("count the rows of %s: %w", table, err)
	}
	return count, nil
}

// openJournal writes the journal in the connection's transaction. The caller must be the
// store's writer, because the journal has the counts of committed rows.
func (s *Store) openJournal(ctx context.Context, conn *sql.Conn) error {
	for _, table := range s.loadedTables() {
		count, err := countRows(ctx, s.db, table)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, "INSERT INTO "+journalTable+" VALUES (?, ?)", table, count); err != nil {
			return fmt.Errorf("open the load journal: %w", err)
		}
	}
	return nil
}

// closeJournal deletes the journal within the connection's transaction.
func closeJournal(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "DELETE FROM "+journalTable); err != nil {
		return fmt.Errorf("close the load journal: %w", err)
	}
	return nil
}

// RemovedRows is the number of a table's rows that an interrupted load left behind.
type RemovedRows struct {
	Table string
	Rows  int64
}

// undoLoad removes what a load with an open journal has stored, and closes the
// journal, in one commit. It returns what it removed; nil where no load is open.
// Callers must be the store's writer.
func (s *Store) undoLoad(ctx context.Context) (removed []RemovedRows, err error) {
	err = s.onConnection(ctx, func(conn *sql.Conn) error {
		before, err := readJournal(ctx, conn)
		if err != nil || len(before) == 0 {
			return err
		}
		s.changes.forget()
		defer s.changes.forget()
		return inTransaction(ctx, conn, func() error {
			for _, table := range before {
				count, err := keepFirstRows(ctx, conn, table.name, table.rows)
				if err != nil {
					return err
				}
				if count > 0 {
					removed = append(removed, RemovedRows{Table: table.name, Rows: count})
				}
			}
			return closeJournal(ctx, conn)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("undo an interrupted load: %w", err)
	}
	return removed, nil
}

type journalRow struct {
	name string
	rows int64
}

func readJournal(ctx context.Context, conn *sql.Conn) ([]journalRow, error) {
	var table journalRow
	var tables []journalRow
	err := eachRow(ctx, conn, "SELECT table_name, row_count FROM "+journalTable, nil, []any{&table.name, &table.rows}, func() error {
		tables = append(tables, table)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the load journal: %w", err)
	}
	return tables, nil
}

// keepFirstRows deletes all rows of a table but the first ones that were inserted,
// and returns how many it deleted.
func keepFirstRows(ctx context.Context, conn *sql.Conn, table string, first int64) (int64, error) {
	removed, err := changeRows(ctx, conn, fmt.Sprintf("DELETE FROM %[1]s WHERE rowid >= (SELECT rowid FROM %[1]s LIMIT 1 OFFSET %[2]d)", table, first))
	if err != nil {
		return 0, fmt.Errorf("remove rows of %s: %w", table, err)
	}
	left, err := countRows(ctx, conn, table)
	if err != nil {
		return 0, err
	}
	if left != first {
		return 0, fmt.Errorf("%s would be left with %d rows, and had %d before the load", table, left, first)
	}
	return removed, nil
}

// inTransaction runs work within a transaction of the connection, and commits it
// unless work fails.
func inTransaction(ctx context.Context, conn *sql.Conn, work func() error) error {
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	err := work()
	if err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		return errors.Join(err, rollBack(conn)) //nolint:contextcheck // It works after the context has ended.
	}
	return nil
}
