// Package logstore is the embedded log store: one DuckDB file with a table for
// each of the nine log sources, and the only code that writes to it.
package logstore

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"golang.org/x/sync/semaphore"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/connect"
)

//go:embed schema.sql
var schema string

// fileName is the store's file in the data directory.
const fileName = "savedq.duckdb"

// Store is an open log store. It is safe for concurrent use. DuckDB isolates readers from
// the writer, and transactions wait for each other.
type Store struct {
	db        *sql.DB
	directory string
	// file is the store's file, empty for a store in memory.
	file string
	// content is the same file for backups; nil for a store in memory. It stays open until the store is
	// closed, because a process loses all of its locks on a file, DuckDB's too, when it closes any of its
	// descriptors (POSIX). Another process could then open the store.
	content *os.File
	// writer serializes transactions, so that each sees the ids of all earlier ones.
	writer *semaphore.Weighted
	// mustUndo is true if a transaction could not be undone, which the next writer must do. Only the writer
	// may use it.
	mustUndo bool
	// checkpoints is locked during a checkpoint, and read-locked by what needs the file as
	// it is.
	checkpoints sync.RWMutex
	recovery    Recovery
	limits      limits
	freeing     *freeing
	changes     Changes
	// stepSize limits the rows of a step that clusters events.
	stepSize stepSize
	rejected rejectedGrowth
	// tables are the log sources.
	tables  atomic.Pointer[sqlq.Tables]
	filling filling
	// rewriting is locked while events are clustered or their fields filled.
	rewriting sync.Mutex
}

// OpenEmpty opens an empty store in memory.
func OpenEmpty(ctx context.Context, options ...Option) (*Store, error) {
	return open(ctx, newConfig("", "memory", "", options...))
}

// Exists reports whether there is a store in a directory.
func Exists(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, fileName))
	return !errors.Is(err, os.ErrNotExist)
}

// OpenExisting is like Open, but returns an error if the store does not exist.
func OpenExisting(ctx context.Context, directory, memoryLimit string, options ...Option) (*Store, error) {
	if !Exists(directory) {
		return nil, fmt.Errorf("there is no store in %s; load logs into it first, or choose another --data directory", directory)
	}
	return Open(ctx, directory, memoryLimit, options...)
}

// Open opens the store in the directory, and creates both if they do not exist. The memory
// limit is in DuckDB's syntax, such as "1GiB". Empty means DuckDB's default, most of the
// memory of the machine or container. SQL then has no access to the network, nor to files outside the
// directories of [WithReadableDirectories].
//
// Open undoes an interrupted load and upgrades a store of an earlier schema version; see
// [Store.Recovery]. It returns an error for a store that another process has open and for
// a file that is not a store, and does not change them.
//
// Only the owner can read the files of the store, which hold all events, whatever the mode of the
// directory: Open sets the umask of the process to 077.
//
// After a fatal error of DuckDB, such as a failed checkpoint on a full disk, the store
// reopens automatically; see [connector].
func Open(ctx context.Context, directory, memoryLimit string, options ...Option) (*Store, error) {
	absolute, err := filepath.Abs(directory) // DuckDB would interpret ~ and s3:
	if err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	if strings.Contains(absolute, "?") {
		return nil, fmt.Errorf("the data directory %s must not have a question mark in its name: DuckDB would read options after it", directory)
	}
	const ownerOnly = 0o700
	if err := os.MkdirAll(directory, ownerOnly); err != nil {
		if link, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s is a link to a directory that does not exist", link.Path)
		}
		return nil, fmt.Errorf("create the data directory: %w; choose another --data directory", err)
	}
	file := filepath.Join(absolute, fileName)
	if err := keepPrivate(file); err != nil {
		return nil, fmt.Errorf("make the store in %s private: %w; its owner must start savedq", directory, err)
	}
	return open(ctx, newConfig(file, directory, memoryLimit, options...))
}

func open(ctx context.Context, config config) (*Store, error) {
	opened, recovery, err := config.openInstance(ctx)
	if err != nil {
		return nil, err
	}
	connector := newConnector(opened, config)
	pool := sql.OpenDB(connector)
	pool.SetMaxIdleConns(maxIdleConnections)
	connector.closeIdle = func() {
		pool.SetMaxIdleConns(0)
		pool.SetMaxIdleConns(maxIdleConnections)
	}
	store := &Store{
		db: pool, directory: config.directory, file: config.file, writer: semaphore.NewWeighted(1), recovery: recovery, limits: config.limits,
		freeing: newFreeing(connector.statements),
	}
	connector.reopened = store.changes.forget
	store.changes.sources = store.Tables
	if store.file != "" {
		store.content, err = os.Open(store.file)
	}
	if err == nil {
		err = store.readTables(ctx)
	}
	if err == nil {
		err = store.asWriter(ctx, func(conn *sql.Conn) error {
			return errors.Join(createRuns(ctx, conn), store.viewAll(ctx, conn, store.Tables()))
		})
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// maxIdleConnections is the number of connections that stay open between runs, with their
// prepared statements. Few servers run more queries at a time.
const maxIdleConnections = 64

// prepare creates or repairs the tables, and then locks the configuration of the instance.
func (s *Store) prepare(ctx context.Context, config *config) error {
	// A store of a later version must not be changed when it is closed.
	if err := s.execute(ctx, "PRAGMA disable_checkpoint_on_shutdown"); err != nil {
		return err
	}
	version, err := s.info(ctx, infoSchemaVersion)
	if err != nil {
		return err
	}
	settings := []string{
		"SET GLOBAL TimeZone = 'UTC'",
		// Reading the newest hundred entries fetches the wide columns of those alone.
		"SET GLOBAL late_materialization_max_rows = 1000",
		// A load holds one row group in memory, and not five.
		"SET GLOBAL write_buffer_row_group_count = 1",
		config.spillSetting(),
	}
	if config.memoryLimit != "" {
		settings = append(settings, "SET GLOBAL memory_limit = '"+config.memoryLimit+"'")
	}
	settings = append(settings, config.readableSettings()...)
	settings = append(settings, config.settings...)
	if err := s.execute(ctx, settings...); err != nil {
		return err
	}
	if err := s.migrate(ctx, version, config); err != nil {
		return err
	}
	return s.execute(ctx, "PRAGMA enable_checkpoint_on_shutdown", connect.AllowLater, "SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true")
}

// execute runs statements on one connection.
func (s *Store) execute(ctx context.Context, statements ...string) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return openError(s.directory, err)
	}
	defer func() { _ = conn.Close() }()
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("prepare the store in %s: %w", s.directory, err)
		}
	}
	return nil
}

// Keys of the table store_info.
const (
	infoSchemaVersion = "schema_version"
	// infoProgram is the program that had the store open last.
	infoProgram = "program"
	infoStoreID = "store_id"
	// infoOtherLogs is set once the store holds logs other than demo logs.
	infoOtherLogs = "other_logs"
)

// info returns a value of the table store_info, or "" if there is none. A new store has no tables.
func (s *Store) info(ctx context.Context, key string) (value string, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT value FROM store_info WHERE key = ?", key).Scan(&value)
	if failure, ok := errors.AsType[*duckdb.Error](err); errors.Is(err, sql.ErrNoRows) || ok && failure.Type == duckdb.ErrorTypeCatalog {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read store_info: %w", err)
	}
	return value, nil
}

// ID returns what distinguishes the store from others. Its copies have the same.
func (s *Store) ID(ctx context.Context) (string, error) { return s.info(ctx, infoStoreID) }

// DB returns the database, for the engine.
func (s *Store) DB() *sql.DB { return s.db }

// Newest returns the time of the newest event, and false if the store is empty.
func (s *Store) Newest(ctx context.Context) (time.Time, bool, error) {
	newestOfEach := make([]string, 0, len(s.Tables()))
	for _, source := range s.Tables() {
		newestOfEach = append(newestOfEach, "SELECT max(timestamp) AS timestamp FROM "+source.Name)
	}
	query := "SELECT max(timestamp) FROM (" + strings.Join(newestOfEach, " UNION ALL ") + ")"
	var newest sql.NullTime
	if err := s.db.QueryRowContext(ctx, query).Scan(&newest); err != nil {
		return time.Time{}, false, fmt.Errorf("find the newest event: %w", err)
	}
	return newest.Time.UTC(), newest.Valid, nil
}

// Empty reports whether the store has no events. It takes no longer in a large store.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	for _, source := range s.Tables() {
		empty, err := isEmpty(ctx, s.db, source.Name)
		if err != nil {
			return false, fmt.Errorf("look for events of %s: %w", source.Name, err)
		}
		if !empty {
			return false, nil
		}
	}
	return true, nil
}

// isEmpty reports whether a table has no rows.
func isEmpty(ctx context.Context, reader rowReader, table string) (bool, error) {
	var one int
	err := reader.QueryRowContext(ctx, "SELECT 1 FROM "+table+" LIMIT 1").Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}

// RunningQueries returns the number of queries that run now.
func (s *Store) RunningQueries() int { return int(s.freeing.queries.running.Load()) }

// Ping runs a query, because DuckDB's driver has no ping. The error is UNAVAILABLE after a
// fatal error of DuckDB.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("query the store in %s: %w", s.directory, err)
	}
	return nil
}

// Close checkpoints the store and closes its file.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.content != nil {
		err = errors.Join(err, s.content.Close())
	}
	if err != nil {
		return fmt.Errorf("close the store in %s: %w", s.directory, err)
	}
	return nil
}
