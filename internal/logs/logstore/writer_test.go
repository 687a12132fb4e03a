package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

// Writers are serialized, so no id is stored twice, and the first two writers of a new
// store do not conflict.
func TestConcurrentTransactions(t *testing.T) {
	t.Parallel()
	store := open(t, t.TempDir())
	const writers, rounds, ids = 8, 5, 20
	edge := source(t, "edge_logs")
	var added atomic.Int64
	var running sync.WaitGroup
	for writer := range writers {
		running.Go(func() {
			for round := range rounds {
				transaction, err := store.Begin(t.Context(), logstore.Sent)
				if !assert.NoError(t, err) {
					return
				}
				end := transaction.Rollback
				if writer%4 != 3 {
					end = func() error { return transaction.Commit(t.Context()) }
				}
				for id := range ids {
					err = errors.Join(err, transaction.Add(t.Context(), edge, event(id+round)))
				}
				if !assert.NoError(t, errors.Join(err, end())) {
					return
				}
				if writer%4 != 3 {
					count, _ := transaction.Counts()
					added.Add(int64(count))
				}
			}
		})
	}
	running.Wait()
	assert.EqualValues(t, ids+rounds-1, added.Load())
	assert.Equal(t, holds(ids+rounds-1), contents(t, store, "edge_logs", "edge_requests"))
	require.NoError(t, store.Close())
}

// A transaction sees what was committed before it began, also where it had to wait.
func TestBeginWaitsForTheWriter(t *testing.T) {
	t.Parallel()
	for _, commit := range []bool{true, false} {
		t.Run(fmt.Sprintf("commit %t", commit), func(t *testing.T) {
			t.Parallel()
			store := openMemory(t)
			first, err := store.Begin(t.Context(), logstore.Sent)
			require.NoError(t, err)
			require.NoError(t, first.Add(t.Context(), source(t, "edge_logs"), event(1)))

			began := make(chan *logstore.Transaction, 1)
			go func() {
				second, err := store.Begin(t.Context(), logstore.Sent)
				assert.NoError(t, err)
				began <- second
			}()
			left, leave := context.WithCancel(t.Context())
			leave()
			_, err = store.Begin(left, logstore.Sent)
			require.ErrorIs(t, err, context.Canceled, "a cancelled caller does not wait")
			assert.Empty(t, began)
			if commit {
				require.NoError(t, first.Commit(t.Context()))
			} else {
				require.NoError(t, first.Rollback())
			}
			second := <-began
			require.NoError(t, first.Rollback(), "a second end does not let another writer in")
			require.NoError(t, second.Add(t.Context(), source(t, "edge_logs"), event(1)))
			require.NoError(t, second.Commit(t.Context()))
			added, duplicates := second.Counts()
			if commit {
				assert.Equal(t, []int{0, 1}, []int{added, duplicates})
			} else {
				assert.Equal(t, []int{1, 0}, []int{added, duplicates})
			}
			assert.Equal(t, holds(1), contents(t, store, "edge_logs", "edge_requests"))
		})
	}
}

// A writer whose context ends while it waits does not block others.
func TestBeginHonoursTheContextWhileItWaits(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	first, err := store.Begin(t.Context(), logstore.Generated)
	require.NoError(t, err)
	ctx, leave := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := store.Begin(ctx, logstore.Sent)
		failed <- err
	}()
	assert.Empty(t, failed)
	leave(nil)
	require.ErrorIs(t, <-failed, context.Canceled)
	require.NoError(t, first.Commit(t.Context()))
	add(t, store, logstore.Sent, "1")
	_, err = store.Begin(t.Context(), logstore.Generated)
	require.ErrorIs(t, err, logstore.ErrHoldsOtherLogs)
	add(t, store, logstore.Sent, "2")
}

// What Rollback could not remove is removed before the next transaction.
func TestBeginUndoesWhatRollbackCouldNot(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "", inParts())
	require.NoError(t, err)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range 3 * inPartsEvents {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(i)))
	}
	logstore.FailRollback(t, transaction)
	assert.NotEqual(t, holds(0), contents(t, store, "edge_logs", "edge_requests"))
	next, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.NoError(t, next.Add(t.Context(), source(t, "edge_logs"), logevent.Event{ID: "1", Timestamp: noon, Metadata: event(1).Metadata}))
	require.NoError(t, next.Commit(t.Context()))
	assert.Equal(t, holds(1), contents(t, store, "edge_logs", "edge_requests"))
	require.NoError(t, store.Close())
}
