package logstore

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// RowGroup is the size of DuckDB's row groups. A commit of as many rows is not atomic.
const RowGroup = 122_880

// WithDuckDB sets an option of DuckDB.
func WithDuckDB(option string) Option {
	return func(c *config) { c.duckdb = append(c.duckdb, option) }
}

// OpenWithoutCheckpoints opens the store so that all that is written stays in
// DuckDB's write-ahead log until the store is closed.
func OpenWithoutCheckpoints(ctx context.Context, directory string) (*Store, error) {
	return Open(ctx, directory, "", WithDuckDB("checkpoint_threshold=1TB"))
}

// OpenWithManyCheckpoints opens the store so that nearly every commit is followed by a
// checkpoint.
func OpenWithManyCheckpoints(ctx context.Context, directory string) (*Store, error) {
	return Open(ctx, directory, "", WithDuckDB("checkpoint_threshold=1KB"))
}

// WithStepRows limits the rows that a step of a deletion reads.
func WithStepRows(rows int64) Option {
	return func(c *config) { c.stepRows = rows }
}

// WithManyRows sets the number of rows of a source from which loads avoid to read all of its ids.
func WithManyRows(rows int64) Option {
	return func(c *config) { c.manyRows = rows }
}

// WithSliceRows limits the rows of a slice of a day that is clustered.
func WithSliceRows(rows int64) Option {
	return func(c *config) { c.sliceRows = rows }
}

// WithMostRejected limits the rejected events that are kept.
func WithMostRejected(events int) Option {
	return func(c *config) { c.mostRejected = events }
}

// MakeStore creates a store with the tables of a schema version, as programs of that time
// did.
func MakeStore(t *testing.T, directory string, version int) *sql.DB {
	t.Helper()
	tables, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("schema-%d.sql", version)))
	require.NoError(t, err)
	connector, err := duckdb.NewConnector(filepath.Join(directory, fileName)+"?checkpoint_threshold=1TB", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	for _, statement := range []string{string(tables), fmt.Sprintf("INSERT INTO store_info VALUES ('schema_version', '%d')", version), "CHECKPOINT"} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	return db
}

// LoadVersion1 adds events as version 1 did: all of them in one commit.
func LoadVersion1(t *testing.T, db *sql.DB, source Source, events []logevent.Event) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	transaction := &Transaction{conn: conn, appended: map[string]int{}}
	require.NoError(t, inTransaction(t.Context(), conn, func() error {
		for len(events) > 0 {
			part := events[:min(len(events), flushEvents)]
			events = events[len(part):]
			clear(transaction.appended) // so that no part is committed
			if err := transaction.appendEvents(t.Context(), source, part); err != nil {
				return err
			}
		}
		return nil
	}))
}

// InterruptLoad adds events in several commits, and does not close the load journal. The journal
// has the rows of recent_ids, which stores before version 3 do not have.
func InterruptLoad(t *testing.T, db *sql.DB, source Source, events []logevent.Event) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS recent_ids (accepted TIMESTAMP NOT NULL, high UBIGINT NOT NULL, low UBIGINT NOT NULL)")
	require.NoError(t, err)
	store := &Store{db: db, writer: newWriter(), flushBytes: flushBytes, manyRows: manyRows}
	transaction, err := store.Begin(t.Context(), Sent)
	require.NoError(t, err)
	for _, event := range events {
		require.NoError(t, transaction.Add(t.Context(), source, event))
	}
	require.NoError(t, transaction.commitPart(t.Context()))
	require.NoError(t, rollBack(transaction.conn))
	require.NoError(t, transaction.end())
}

// VersionOf returns the schema version of a copy of a store.
func VersionOf(t *testing.T, directory string) string {
	t.Helper()
	db := openCopy(t, directory)
	defer func() { require.NoError(t, db.Close()) }()
	version, err := (&Store{db: db}).info(t.Context(), infoSchemaVersion)
	require.NoError(t, err)
	return version
}

// openCopy opens a copy of a store with DuckDB alone.
func openCopy(t *testing.T, directory string) *sql.DB {
	t.Helper()
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(directory)))
	connector, err := duckdb.NewConnector(filepath.Join(copied, fileName), nil)
	require.NoError(t, err)
	return sql.OpenDB(connector)
}

// FailRollback ends a transaction as a Rollback does that cannot undo what is committed.
func FailRollback(t *testing.T, transaction *Transaction) {
	t.Helper()
	require.True(t, transaction.journaled)
	require.NoError(t, rollBack(transaction.conn))
	transaction.store.writer.mustUndo = true
	require.NoError(t, transaction.end())
}

// CountVersion1 counts the rows of a table in a copy of a store of version 1.
func CountVersion1(t *testing.T, directory, table string) int64 {
	t.Helper()
	db := openCopy(t, directory)
	defer func() { require.NoError(t, db.Close()) }()
	count, err := countRows(t.Context(), db, table)
	require.NoError(t, err)
	return count
}

// WithFailingCheckpoints makes each checkpoint fail with the fatal error of a full disk.
func WithFailingCheckpoints() Option {
	return func(c *config) {
		c.settings = append(c.settings, "SET GLOBAL debug_checkpoint_abort = 'before_header'")
	}
}

// WithAttempts replaces the limit of attempts to open the store again.
func WithAttempts(attempts *rate.Limiter) Option {
	return func(c *config) { c.attempts = attempts }
}

// WithFlushBytes sets how many bytes of events a transaction holds in memory. It bounds the
// filter of ids, too.
func WithFlushBytes(bytes int) Option {
	return func(c *config) { c.flushBytes = bytes }
}

// SortThenReplace runs a step that clusters the rows of project-7 in a day of
// function_invocations, with work after the rows were sorted.
func SortThenReplace(t *testing.T, store *Store, day time.Time, work func()) error {
	t.Helper()
	conn, err := store.db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	table := clusteredTables()[0]
	step := &clusterStep{projects: []string{"project-7"}, from: day, to: day.Add(dayLength)}
	return inTransaction(t.Context(), conn, func() error {
		if err := step.sort(t.Context(), conn, table); err != nil {
			return err
		}
		work()
		if _, err := step.remove(t.Context(), conn, table); err != nil {
			return asBusy(t.Context(), err)
		}
		_, err := step.insert(t.Context(), conn, table)
		return err
	})
}

// ErrWritersBusy is the error for a step that must be repeated.
var ErrWritersBusy = errWritersBusy

// MostChanges limits the changes that are remembered.
const MostChanges = mostChanges

// NoteRange notes a change.
func (c *Changes) NoteRange(source Source, changed sqlq.Range) { c.noteRange(source, changed) }
