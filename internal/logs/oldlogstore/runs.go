package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"savedq/sqlq/duckdb/appender"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/tables"
)

// runsKept are how many runs the table [tables.RunsName] has: of each saved query, and of all. It is trimmed when it
// has a tenth more, so that most batches are an append and nothing else.
type runsKept struct{ each, all int64 }

// exceeded reports whether a number of runs has to be trimmed.
func exceeded(count, kept int64) bool { return count > kept+kept/10 }

// createRuns creates the table of runs if it does not exist. It needs no new schema version, because earlier versions
// of savedq ignore the table.
func createRuns(ctx context.Context, conn *sql.Conn) error {
	var columns []string
	for _, column := range tables.Runs().Own {
		columns = append(columns, column.Name+" "+duckdbsql.StorageType(column.Type))
	}
	_, err := conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+tables.RunsName+" ("+strings.Join(columns, ", ")+")")
	return err
}

// AddRuns adds runs, which have a value for each column of [tables.Runs], and deletes the oldest of too many. A crash
// keeps all of the runs or none.
func (s *Store) AddRuns(ctx context.Context, runs [][]driver.Value) error {
	err := s.asWriter(ctx, func(conn *sql.Conn) error {
		return inTransaction(ctx, conn, func() error {
			next := appender.RowsAt(len(runs), func(i int) []driver.Value { return runs[i] })
			if _, err := appender.Append(ctx, conn, appender.Target{Table: tables.RunsName}, len(runs), next); err != nil {
				return err
			}
			return s.trimRuns(ctx, conn)
		})
	})
	if err != nil {
		return fmt.Errorf("add runs: %w", err)
	}
	return nil
}

// DeleteRuns deletes the runs for a project that began before a time; the zero time means all.
func (s *Store) DeleteRuns(ctx context.Context, project string, before time.Time) error {
	condition, args := "project = ?", []any{project}
	if !before.IsZero() {
		condition, args = condition+" AND timestamp < ?", append(args, before.UTC())
	}
	return s.deleteWhere(ctx, tables.RunsName, condition, args...)
}

// trimRuns deletes the oldest runs if there are too many.
func (s *Store) trimRuns(ctx context.Context, conn *sql.Conn) error {
	var most, all int64
	err := conn.QueryRowContext(ctx, "SELECT coalesce(max(runs), 0), coalesce(sum(runs), 0)::BIGINT FROM (SELECT count(*) AS runs FROM "+tables.RunsName+" GROUP BY query)").Scan(&most, &all)
	if err != nil || !exceeded(most, s.limits.runsKept.each) && !exceeded(all, s.limits.runsKept.all) {
		return err
	}
	_, err = conn.ExecContext(ctx, "DELETE FROM "+tables.RunsName+" WHERE rowid IN (SELECT rowid FROM "+tables.RunsName+ //nolint:gosec // A constant name.
		" QUALIFY row_number() OVER (PARTITION BY query ORDER BY timestamp DESC) > ? OR row_number() OVER (ORDER BY timestamp DESC) > ?)", s.limits.runsKept.each, s.limits.runsKept.all)
	return err
}
