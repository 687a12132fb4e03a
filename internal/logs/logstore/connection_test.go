package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

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
