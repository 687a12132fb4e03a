package logstore

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
)

// firstVersion is the schema version of release 0.1.0. Stores of earlier versions were never
// released.
const firstVersion = 6

// migrations returns the statements that upgrade a store from each version to the next; the first
// ones are from [firstVersion]. They must not change, because stores of every version exist. The
// tables of a new store are in schema.sql, which must match the last version.
func migrations() []string {
	return []string{
		`CREATE TABLE own_tables (name VARCHAR PRIMARY KEY, definition VARCHAR NOT NULL);
CREATE TABLE unfilled_fields (table_name VARCHAR NOT NULL, field VARCHAR NOT NULL, until TIMESTAMP);`,
	}
}

// schemaVersion returns the version of the stores that this program writes. A store of an
// earlier version is upgraded. One of a later version is rejected and never changed.
func (c *config) schemaVersion() int { return firstVersion + len(c.migrations) }

// migrate creates the tables of a new store, or upgrades the tables of an earlier version step by
// step, and undoes an interrupted load. The version of a new store is empty. Each step is one
// commit, so an interrupted upgrade continues when the store is opened again.
func (s *Store) migrate(ctx context.Context, version string, config *config) error {
	if version == "" {
		return s.upgrade(ctx, schema, config.schemaVersion(), config.program)
	}
	number, err := strconv.Atoi(version)
	if err != nil || number < firstVersion || number > config.schemaVersion() {
		return s.unreadable(ctx, version, config.schemaVersion())
	}
	for next := number; next < config.schemaVersion(); next++ {
		s.recovery.UpgradedFrom = number
		if err := s.upgrade(ctx, config.migrations[next-firstVersion], next+1, config.program); err != nil {
			return fmt.Errorf("upgrade the store in %s from schema version %d: %w", s.directory, next, err)
		}
	}
	if s.recovery.Removed, err = s.undoLoad(ctx); err != nil {
		return fmt.Errorf("prepare the store in %s: %w", s.directory, err)
	}
	return s.noteProgram(ctx, config.program)
}

// upgrade changes the tables and the version in one commit.
func (s *Store) upgrade(ctx context.Context, statements string, version int, program string) error {
	return s.onConnection(ctx, func(conn *sql.Conn) error {
		return inTransaction(ctx, conn, func() error {
			if _, err := conn.ExecContext(ctx, statements); err != nil {
				return err
			}
			if err := setInfo(ctx, conn, infoSchemaVersion, strconv.Itoa(version)); err != nil {
				return err
			}
			return setInfo(ctx, conn, infoProgram, program)
		})
	})
}

// noteProgram notes the program that has the store open. A store on a full disk opens without that.
func (s *Store) noteProgram(ctx context.Context, program string) error {
	const enough = 1 << 20
	if free, known := freeBytes(s.directory); known && free < enough {
		return nil
	}
	noted, err := s.info(ctx, infoProgram)
	if err != nil || noted == program {
		return err
	}
	return s.onConnection(ctx, func(conn *sql.Conn) error { return setInfo(ctx, conn, infoProgram, program) })
}

// setInfo sets a value of the table store_info.
func setInfo(ctx context.Context, conn *sql.Conn, key, value string) error {
	_, err := conn.ExecContext(ctx, "INSERT OR REPLACE INTO store_info VALUES (?, ?)", key, value)
	return err
}

// unreadable returns the error for a store of another version. For one of a later version it names
// the program that had it open last, because that one can open it.
func (s *Store) unreadable(ctx context.Context, version string, last int) error {
	program, err := s.info(ctx, infoProgram)
	if err != nil {
		return err
	}
	if number, err := strconv.Atoi(version); err == nil && number < firstVersion {
		return fmt.Errorf("the store in %s was written by a build before 0.1.0, with schema version %d; load its events again into another --data directory", s.directory, number)
	}
	remedy := "use the savedq that wrote it or a newer one"
	if program != "" {
		remedy = "it was written by " + program + "; use that one or a newer one"
	}
	return fmt.Errorf("the store in %s has schema version %s, and this savedq reads versions %d to %d; %s, or choose another --data directory",
		s.directory, version, firstVersion, last, remedy)
}
