package logstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// openBreakable returns a store that a checkpoint invalidates, with a log.
func openBreakable(t *testing.T, options ...logstore.Option) (*logstore.Store, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	options = append(options, logstore.WithFailingCheckpoints(), logstore.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	store, err := logstore.Open(t.Context(), t.TempDir(), "", options...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store, &log
}

// invalidate makes DuckDB reject all further work.
func invalidate(t *testing.T, store *logstore.Store) {
	t.Helper()
	_, err := store.DB().ExecContext(t.Context(), "CHECKPOINT")
	assertUnavailable(t, err)
}

func assertUnavailable(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code, err)
}

func countEvents(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
},
) (count int, err error) {
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM edge_logs").Scan(&count)
	return count, err
}

// After a fatal error the next reader has the store opened again, and sees all that
// was committed. Prepared statements and the writer go on, and the configuration is
// locked as before.
func TestReopen(t *testing.T) {
	t.Parallel()
	store, log := openBreakable(t)
	add(t, store, logstore.Sent, "1")
	prepared, err := store.DB().PrepareContext(t.Context(), "SELECT count(*) FROM edge_logs")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, prepared.Close()) })
	invalidate(t, store)

	var count int
	require.NoError(t, prepared.QueryRowContext(t.Context()).Scan(&count))
	assert.Equal(t, 1, count)
	require.NoError(t, store.Ping(t.Context()))
	add(t, store, logstore.Sent, "1", "2")
	count, err = countEvents(t.Context(), store.DB())
	require.NoError(t, err)
	assert.Equal(t, 2, count)
	for _, statement := range []string{"SET GLOBAL enable_external_access = true", "SET GLOBAL memory_limit = '1GiB'"} {
		_, err := store.DB().ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "locked")
	}
	var content string
	err = store.DB().QueryRowContext(t.Context(), "SELECT content FROM read_text('/etc/hostname')").Scan(&content)
	require.ErrorContains(t, err, "disabled by configuration")
	assert.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log)
	assert.Equal(t, 1, strings.Count(log.String(), `level=INFO msg="the store was reopened"`), log)
}

// No connection has DuckDB's caching operators, which read freed memory: neither those that are opened after the
// configuration is locked, nor those of a store that was opened again.
func TestConnectionsHaveNoCachingOperators(t *testing.T) {
	t.Parallel()
	store, _ := openBreakable(t)
	check := func() {
		t.Helper()
		for range 3 {
			conn, err := store.DB().Conn(t.Context())
			require.NoError(t, err)
			defer func() { assert.NoError(t, conn.Close()) }()
			var enabled bool
			require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT current_setting('enable_caching_operators')").Scan(&enabled))
			assert.False(t, enabled)
		}
	}
	check()
	invalidate(t, store)
	check()
}

// A query in flight on the invalid instance is served by the new one.
func TestReopenServesReadersInFlight(t *testing.T) {
	t.Parallel()
	store, log := openBreakable(t)
	add(t, store, logstore.Sent, "1")
	var reading sync.WaitGroup
	invalidate(t, store)
	for range 8 {
		reading.Go(func() {
			count, err := countEvents(t.Context(), store.DB())
			if err != nil {
				t.Error(err)
			}
			assert.Equal(t, 1, count)
		})
	}
	reading.Wait()
	count, err := countEvents(t.Context(), store.DB())
	require.NoError(t, err)
	assert.Equal(t, 1, count)
	assert.Equal(t, 1, strings.Count(log.String(), `msg="the store was reopened"`), log)
}

// A store that becomes invalid again and again costs readers and the writer a wait, and never an error: those that run
// meanwhile, those that come while it is opened, and those that come later.
func TestReopenCostsAWait(t *testing.T) {
	t.Parallel()
	store, log := openBreakable(t, logstore.WithAttempts(rate.NewLimiter(rate.Every(20*time.Millisecond), 1)))
	add(t, store, logstore.Sent, "0")
	const rounds, readers = 10, 8
	for range rounds {
		var reading sync.WaitGroup
		for range readers {
			reading.Go(func() {
				count, err := countEvents(t.Context(), store.DB())
				if err != nil {
					t.Error(err)
				}
				assert.Equal(t, 1, count)
			})
		}
		invalidate(t, store)
		require.NoError(t, store.Ping(t.Context()))
		reading.Wait()
	}
	assert.Equal(t, rounds, strings.Count(log.String(), `msg="the store was reopened"`), log)
}

// A reader whose context ends does not wait for the store to be opened again.
func TestReopenWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	store, _ := openBreakable(t)
	add(t, store, logstore.Sent, "1")
	transaction, err := store.Begin(t.Context(), logstore.Sent) // which holds a connection
	require.NoError(t, err)
	defer func() { assert.Error(t, transaction.Commit(t.Context())) }()
	require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), logevent.Event{ID: "2", Timestamp: noon}))
	invalidate(t, store)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = countEvents(ctx, store.DB())
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// The file must not be open twice. Until the last connection of the invalid instance is
// closed, readers wait, and get UNAVAILABLE if that takes too long.
func TestReopenWaitsForConnections(t *testing.T) {
	t.Parallel()
	store, log := openBreakable(t, logstore.WithPatience(time.Millisecond))
	add(t, store, logstore.Sent, "1")
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), logevent.Event{ID: "2", Timestamp: noon}))
	invalidate(t, store)
	for range 3 {
		assertUnavailable(t, store.Ping(t.Context()))
	}
	assertUnavailable(t, transaction.Commit(t.Context()))
	assert.NotContains(t, log.String(), "level=INFO")

	require.NoError(t, store.Ping(t.Context()))
	count, err := countEvents(t.Context(), store.DB())
	require.NoError(t, err)
	assert.Equal(t, 1, count, "nothing of the failed transaction is stored")
	add(t, store, logstore.Sent, "2")
}

// While the store cannot be opened, readers get UNAVAILABLE, attempts are rare, and the
// first one is logged. It recovers automatically.
func TestReopenFailsForAWhile(t *testing.T) {
	t.Parallel()
	directory, attempts := t.TempDir(), rate.NewLimiter(0, 3)
	var log bytes.Buffer
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithFailingCheckpoints(), logstore.WithAttempts(attempts), logstore.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	add(t, store, logstore.Sent, "1")
	invalidate(t, store)
	// A directory in the place of the file, as if that could not be opened.
	file := filepath.Join(directory, "savedq.duckdb")
	require.NoError(t, os.Rename(file, file+".aside"))
	require.NoError(t, os.Mkdir(file, 0o700))
	for range 10 {
		assertUnavailable(t, store.Ping(t.Context()))
	}
	assert.Equal(t, 1, strings.Count(log.String(), "the store cannot be reopened"), log.String())
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Rename(file+".aside", file))
	assertUnavailable(t, store.Ping(t.Context()))
	attempts.SetLimit(rate.Inf)
	count, err := countEvents(t.Context(), store.DB())
	require.NoError(t, err)
	assert.Equal(t, 1, count)
	assert.Equal(t, 2, strings.Count(log.String(), "level=WARN"), log.String())
	assert.Equal(t, 1, strings.Count(log.String(), "level=INFO"), log.String())
}

// Closing a store that is invalid, and not opened again yet, is no error.
func TestCloseInvalid(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithFailingCheckpoints())
	require.NoError(t, err)
	add(t, store, logstore.Sent, "1")
	invalidate(t, store)
	require.NoError(t, store.Close())
	_, err = countEvents(t.Context(), store.DB())
	require.Error(t, err)
	var coded *sqlq.Error
	assert.NotErrorAs(t, err, &coded)
}

// A successful commit is not an error, although DuckDB reports one: only the checkpoint
// after it failed.
func TestCommitBeforeFailedCheckpoint(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithFailingCheckpoints(), logstore.WithDuckDB("checkpoint_threshold=1MB"), logstore.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	for i := range 20 {
		message := strings.Repeat("x", 100_000)
		transaction, err := store.Begin(t.Context(), logstore.Sent)
		require.NoError(t, err)
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), logevent.Event{ID: strconv.Itoa(i), Timestamp: noon, EventMessage: &message}))
		require.NoError(t, transaction.Commit(t.Context()))
		count, err := countEvents(t.Context(), store.DB())
		require.NoError(t, err)
		assert.Equal(t, i+1, count)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "durable"), log.String())
}
