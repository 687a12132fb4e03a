package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
)

// migration upgrades a store to the next schema version.
type migration struct {
	// repair runs before the upgrade, or is nil. It can be interrupted and repeated.
	repair func(store *Store, ctx context.Context) error
	// statements change the tables, in one commit with the version.
	statements string
}

// migrations returns the upgrades from each version to the next; the first one is from
// [firstVersion]. They must not change, because stores of every version exist. The tables
// of a new store are in schema.sql, which must match the last version.
func migrations() []migration {
	return []migration{
		{
			repair:     (*Store).repairRecords,
			statements: "CREATE TABLE load_journal (table_name VARCHAR NOT NULL, row_count BIGINT NOT NULL)",
		},
		{
			statements: `
CREATE TABLE IF NOT EXISTS recent_ids (accepted TIMESTAMP NOT NULL, high UBIGINT NOT NULL, low UBIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS rejected_events (received TIMESTAMP NOT NULL, request_id VARCHAR NOT NULL, source VARCHAR NOT NULL, position BIGINT NOT NULL, reason VARCHAR NOT NULL, event VARCHAR NOT NULL);`,
		},
		{
			statements: "CREATE TABLE IF NOT EXISTS clustered_days (table_name VARCHAR NOT NULL, day TIMESTAMP NOT NULL, slices BIGINT NOT NULL, slice BIGINT NOT NULL, project VARCHAR, until TIMESTAMP, row_count BIGINT NOT NULL)",
		},
		{ // Days that are clustered by the name of the project are clustered again.
			statements: `
CREATE TABLE IF NOT EXISTS id_indexes (table_name VARCHAR NOT NULL, row_count BIGINT NOT NULL, files VARCHAR NOT NULL);
ALTER TABLE function_invocations ADD COLUMN IF NOT EXISTS project_key UBIGINT DEFAULT 0;
DELETE FROM clustered_days WHERE table_name = 'function_invocations';`,
		},
	}
}

// schemaVersion returns the version of the stores that this program writes. A store of an
// earlier version is upgraded. One of a later version is rejected and never changed.
func schemaVersion() int { return firstVersion + len(migrations()) }

// migrate creates the tables of a new store, or upgrades those of an earlier version step by
// step. The version of a new store is empty. Each step is one commit, so an interrupted
// upgrade continues when the store is opened again. An interrupted load is undone last,
// because version 1 has no journal.
func (s *Store) migrate(ctx context.Context, version, program string) error {
	if version == "" {
		return s.upgrade(ctx, migration{statements: schema}, schemaVersion(), program)
	}
	number, err := strconv.Atoi(version)
	if err != nil || number < firstVersion || number > schemaVersion() {
		return s.unreadable(ctx, version)
	}
	for next := number; next < schemaVersion(); next++ {
		s.recovery.UpgradedFrom = number
		if err := s.upgrade(ctx, migrations()[next-firstVersion], next+1, program); err != nil {
			return fmt.Errorf("upgrade the store in %s from schema version %d: %w", s.directory, next, err)
		}
	}
	if s.recovery.Removed, err = s.undoLoad(ctx); err != nil {
		return fmt.Errorf("prepare the store in %s: %w", s.directory, err)
	}
	return nil
}

// upgrade runs one migration, to a version.
func (s *Store) upgrade(ctx context.Context, migration migration, version int, program string) (err error) {
	if migration.repair != nil {
		if err := migration.repair(s, ctx); err != nil {
			return err
		}
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return openError(s.directory, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return inTransaction(ctx, conn, func() error {
		if _, err := conn.ExecContext(ctx, migration.statements); err != nil {
			return err
		}
		if err := setInfo(ctx, conn, infoSchemaVersion, strconv.Itoa(version)); err != nil {
			return err
		}
		return setInfo(ctx, conn, infoSchemaProgram, program)
	})
}

// setInfo sets a value of the table store_info.
func setInfo(ctx context.Context, conn *sql.Conn, key, value string) error {
	_, err := conn.ExecContext(ctx, "INSERT OR REPLACE INTO store_info VALUES (?, ?)", key, value)
	return err
}

// unreadable returns the error for a store of another version. It names the program that
// created its tables or upgraded them, because that one can open the store.
func (s *Store) unreadable(ctx context.Context, version string) error {
	program, err := s.info(ctx, infoSchemaProgram)
	if err != nil {
		return err
	}
	remedy := "use the savedq that wrote it or a newer one"
	if program != "" {
		remedy = "it was written by " + program + "; use that one or a newer one"
	}
	return fmt.Errorf("the store in %s has schema version %s, and this savedq reads versions %d to %d; %s, or choose another --data directory",
		s.directory, version, firstVersion, schemaVersion(), remedy)
}
