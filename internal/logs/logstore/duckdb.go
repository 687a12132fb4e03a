package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/internal/logs/parts"
	"savedq/sqlq/duckdb/connect"
	"savedq/sqlq/duckdb/functions"
	"savedq/sqlq/duckdb/handles"
)

const (
	// maxIdleConnections is the number of connections that stay open between runs, with their prepared statements. Few
	// servers run more queries at a time.
	maxIdleConnections = 64
	// maxDefaultSpill is the default spill limit on a disk with at least twice as much free space.
	maxDefaultSpill = 10 << 30
	// spillDirectory is in the data directory.
	spillDirectory = "spill"
)

// openDuckDB opens an instance of DuckDB, and locks its configuration.
func (c *config) openDuckDB(ctx context.Context) (*sql.DB, error) {
	connector, err := connect.New("?autoinstall_known_extensions=false&autoload_known_extensions=false", nil)
	if err != nil {
		return nil, fmt.Errorf("start DuckDB: %w", err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(maxIdleConnections)
	if err = functions.Register(ctx, db); err == nil {
		err = c.prepare(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (c *config) prepare(ctx context.Context, db *sql.DB) error {
	settings := []string{
		"SET GLOBAL TimeZone = 'UTC'",
		// Reading the newest hundred entries fetches the wide columns of those alone.
		"SET GLOBAL late_materialization_max_rows = 1000",
		// Writing a part holds one row group in memory, and not five.
		"SET GLOBAL write_buffer_row_group_count = 1",
		"SET GLOBAL temp_directory = ''",
	}
	if c.memoryLimit != "" {
		settings = append(settings, "SET GLOBAL memory_limit = "+quoted(c.memoryLimit))
	}
	allowed := make([]string, 0, len(c.readable)+1)
	for _, directory := range c.readable {
		allowed = append(allowed, quoted(directory))
	}
	if c.directory != "" {
		limit, err := c.spill()
		if err != nil {
			return err
		}
		settings = append(settings, "SET GLOBAL temp_directory = "+quoted(filepath.Join(c.directory, spillDirectory)), "SET GLOBAL max_temp_directory_size = "+quoted(limit))
		allowed = append(allowed, quoted(filepath.Join(c.directory, parts.Directory)))
	}
	// What DuckDB has read of a file is not kept, because the next run must see a file that was replaced.
	settings = append(settings, "SET GLOBAL allowed_directories = ["+strings.Join(allowed, ", ")+"]", "SET GLOBAL enable_external_file_cache = false",
		connect.AllowLater, "SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true")
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("start DuckDB: %w", err)
	}
	defer func() { _ = conn.Close() }()
	for _, setting := range settings {
		if _, err := conn.ExecContext(ctx, setting); err != nil {
			return fmt.Errorf("prepare DuckDB: %w", err)
		}
	}
	return nil
}

// spill removes the spilled data of a killed process, and returns the limit of the space for it.
func (c *config) spill() (limit string, err error) {
	spilled, err := filepath.Glob(filepath.Join(c.directory, spillDirectory, "duckdb_temp_*"))
	if err != nil {
		return "", err
	}
	for _, path := range spilled {
		if err := os.Remove(path); err != nil {
			return "", fmt.Errorf("remove an old temporary file: %w", err)
		}
	}
	if c.spillLimit != "" {
		return c.spillLimit, nil
	}
	most := int64(maxDefaultSpill)
	if free, known := freeBytes(c.directory); known {
		most = min(most, free/2)
	}
	return strconv.FormatInt(most, 10) + "B", nil
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

// execQuietly runs a statement that has no arguments and writes for long. A thread of DuckDB does the work, and this one
// sleeps meanwhile: the driver's ExecContext would busy-wait (ADR 039).
func execQuietly(ctx context.Context, conn *sql.Conn, query string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return conn.Raw(func(raw any) error {
		handle, err := handles.Connection(raw)
		if err != nil {
			return err
		}
		var prepared mapping.PreparedStatement
		defer mapping.DestroyPrepare(&prepared)
		if mapping.Prepare(handle, query, &prepared) == mapping.StateError {
			return &duckdb.Error{Msg: mapping.PrepareError(prepared)}
		}
		var pending mapping.PendingResult
		defer mapping.DestroyPending(&pending)
		if mapping.PendingPrepared(prepared, &pending) == mapping.StateError {
			return &duckdb.Error{Msg: mapping.PendingError(pending)}
		}
		defer handles.InterruptAfter(ctx, handle)()
		if err := waitUntilDone(pending); err != nil {
			return errors.Join(ctx.Err(), err)
		}
		return nil
	})
}

// waitUntilDone runs what this thread can do of a statement, and sleeps while others do the rest.
func waitUntilDone(pending mapping.PendingResult) error {
	const shortest, longest = 50 * time.Microsecond, time.Millisecond
	for pause := shortest; ; pause = min(2*pause, longest) {
		switch mapping.PendingExecuteTask(pending) {
		case mapping.PendingStateResultReady:
			var result mapping.Result
			defer mapping.DestroyResult(&result)
			if mapping.ExecutePending(pending, &result) == mapping.StateError {
				return &duckdb.Error{Msg: mapping.ResultError(&result)}
			}
			return nil
		case mapping.PendingStateError:
			return &duckdb.Error{Msg: mapping.PendingError(pending)}
		}
		time.Sleep(pause)
	}
}

// inTransaction runs work within a transaction of the connection, and commits it unless work fails.
func inTransaction(ctx context.Context, conn *sql.Conn, work func() error) error {
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	err := work()
	if err == nil {
		err = execQuietly(ctx, conn, "COMMIT")
	}
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // DuckDB rolls back itself when a commit fails
	}
	return err
}
