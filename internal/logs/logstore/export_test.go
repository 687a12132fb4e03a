package logstore

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

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

// WithMigrations adds upgrades from the last version on.
func WithMigrations(statements ...string) Option {
	return func(c *config) { c.migrations = append(c.migrations, statements...) }
}

// WithStepRows limits the rows that a step of a deletion reads.
func WithStepRows(rows int64) Option {
	return func(c *config) { c.stepRows = rows }
}

// WithManyRows sets the number of rows of a source from which loads avoid reading all of its ids.
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

// WithRunsKept limits the runs of each saved query, and of all.
func WithRunsKept(each, all int64) Option {
	return func(c *config) { c.runsKept = runsKept{each, all} }
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
	transaction.store.mustUndo = true
	require.NoError(t, transaction.end())
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

// WithPatience replaces how long a new connection waits for the store to be opened again.
func WithPatience(patience time.Duration) Option {
	return func(c *config) { c.patience = patience }
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
	table := store.clusteredTables()[0]
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
func (c *Changes) NoteRange(source *sqlq.Table, changed sqlq.Range) { c.noteRange(source, changed) }

// Filled returns how much of a field is filled, from 0 to 1.
func (s *Store) Filled(table, field string) float64 {
	state, filling := s.filling.of(table)
	if filling && slices.Contains(state.fields, field) {
		return state.done
	}
	return 1
}
