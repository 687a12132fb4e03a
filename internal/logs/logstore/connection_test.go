package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// endingContext ends after it was asked a number of times.
type endingContext struct {
	context.Context //nolint:containedctx // It is a context.

	asks int
}

// Err is not safe for concurrent use.
func (c *endingContext) Err() error {
	if c.asks--; c.asks < 0 {
		return context.Canceled
	}
	return nil
}

// A statement whose context ends at any moment leaves nothing behind: after the store is closed, the
// same process can open it again.
func TestEndedStatementsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(ctx context.Context, store *logstore.Store) error{
		"query": func(ctx context.Context, store *logstore.Store) error {
			var count int
			return store.DB().QueryRowContext(ctx, "SELECT count(*) FROM edge_logs").Scan(&count)
		},
		"statement": func(ctx context.Context, store *logstore.Store) error {
			_, err := store.DB().ExecContext(ctx, "INSERT OR REPLACE INTO store_info VALUES ('test', '')")
			return err
		},
		"checkpoint": func(ctx context.Context, store *logstore.Store) error {
			_, err := store.DB().ExecContext(ctx, "CHECKPOINT")
			return err
		},
		"prepared query": func(ctx context.Context, store *logstore.Store) error {
			prepared, err := store.DB().PrepareContext(t.Context(), "SELECT count(*) FROM edge_logs")
			if err != nil {
				return err
			}
			defer func() { assert.NoError(t, prepared.Close()) }()
			var count int
			return prepared.QueryRowContext(ctx).Scan(&count)
		},
		"prepared statement": func(ctx context.Context, store *logstore.Store) error {
			prepared, err := store.DB().PrepareContext(t.Context(), "INSERT OR REPLACE INTO store_info VALUES ('test', '')")
			if err != nil {
				return err
			}
			defer func() { assert.NoError(t, prepared.Close()) }()
			_, err = prepared.ExecContext(ctx)
			return err
		},
		"transaction": func(ctx context.Context, store *logstore.Store) error {
			transaction, err := store.DB().BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			return transaction.Rollback()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			ended := true
			for asks := 0; ended; asks++ {
				require.NoError(t, within(10*time.Second, func() error {
					store, err := logstore.Open(t.Context(), directory, "")
					if err != nil {
						return err
					}
					err = run(&endingContext{Context: t.Context(), asks: asks}, store)
					if ended = errors.Is(err, context.Canceled); ended {
						err = nil
					}
					return errors.Join(err, store.Close())
				}), "the context ends when it is asked for the time %d", asks+1)
			}
		})
	}
}

// within runs a function, or returns an error if that takes longer.
func within(limit time.Duration, run func() error) error {
	done := make(chan error, 1)
	go func() { done <- run() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return fmt.Errorf("it takes longer than %s", limit)
	}
}

// What fails in a commit or a checkpoint is an error of its type, as for other statements, and the connection can
// be used afterwards.
func TestFailedCommitsAndCheckpoints(t *testing.T) {
	t.Parallel()
	store := open(t, t.TempDir())
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	conn, err := store.DB().Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, statement := range []string{"COMMIT", "CHECKPOINT"} {
		_, err = conn.ExecContext(canceled, statement)
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err = conn.ExecContext(t.Context(), "COMMIT")
	failure, ok := errors.AsType[*duckdb.Error](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, duckdb.ErrorTypeTransaction, failure.Type)
	assert.Equal(t, "TransactionContext Error: cannot commit - no transaction is active", failure.Msg)

	for _, statement := range []string{"BEGIN TRANSACTION", "INSERT INTO store_info VALUES ('test', '')"} {
		_, err = conn.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	_, err = conn.ExecContext(t.Context(), "CHECKPOINT")
	failure, ok = errors.AsType[*duckdb.Error](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, duckdb.ErrorTypeTransaction, failure.Type)
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "CHECKPOINT")
	require.NoError(t, err)
}
