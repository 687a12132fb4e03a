package logstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// showSnapshot shows what the store has in the follower.
func showSnapshot(t *testing.T, store *logstore.Store, follower *logstore.Follower, withState bool) *logstore.Snapshot {
	t.Helper()
	snapshot, err := store.Snapshot(t.Context(), withState)
	require.NoError(t, err)
	defer snapshot.Release()
	require.NoError(t, follower.Show(t.Context(), snapshot.Manifest, snapshot.Recent))
	return snapshot
}

// recentFiles returns the names of the files with recent events.
func recentFiles(t *testing.T, directory string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(directory, parts.Directory, "*.recent"))
	require.NoError(t, err)
	return found
}

// eventsFrom returns events with ids from a number on.
func eventsFrom(first, count int) []logevent.Event {
	events := make([]logevent.Event, count)
	for i := range events {
		events[i] = event(first + i)
	}
	return events
}

// A snapshot has what is in parts and in memory, fields of authors and deletions included, and nothing is written for it
// again before something changes.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	declare(t, store, orders("n INT64 n"))
	follower := follow(t, directory)
	same := func() {
		t.Helper()
		showSnapshot(t, store, follower, false)
		for _, query := range []string{
			"SELECT coalesce(string_agg(id || ' ' || n, ',' ORDER BY id), '') FROM orders", "SELECT count(*)::VARCHAR FROM all_logs",
			"SELECT count(*) || ' ' || count(path) FROM edge_requests", "SELECT coalesce(string_agg(id || metadata, ',' ORDER BY id), '') FROM edge_logs",
		} {
			var want, got string
			require.NoError(t, store.DB().QueryRowContext(t.Context(), query).Scan(&want))
			require.NoError(t, follower.DB().QueryRowContext(t.Context(), query).Scan(&got))
			assert.Equal(t, want, got, query)
		}
	}
	same()
	assert.Empty(t, recentFiles(t, directory), "nothing is in memory")
	table, _ := store.Tables().FindSource("orders")
	ingestEvents(t, store, table, ordersOf(t, 1, `{"n":1}`)...)
	same()
	first := showSnapshot(t, store, follower, false)
	assert.Equal(t, []string{first.Recent}, recentFiles(t, directory))
	assert.Equal(t, first, showSnapshot(t, store, follower, false), "nothing has changed")
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), 0, 100))
	same()
	assert.Len(t, recentFiles(t, directory), 1, "an earlier one is removed")
	ingestEvents(t, store, table, ordersOf(t, 2, `{"n":2}`)...)
	same()
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	same()
	_, err = store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs")})
	require.NoError(t, err)
	same()
	declare(t, store, orders("n INT64 n", "m STRING m"))
	ingestEvents(t, store, table, ordersOf(t, 3, `{"n":3,"m":"x"}`)...)
	same()
	store.ForgetSnapshot()
	assert.Empty(t, recentFiles(t, directory))
	same()
}

// A snapshot has the runs that are in memory if they were asked for.
func TestSnapshotOfState(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	follower := follow(t, directory)
	runs := func() (count int) {
		showSnapshot(t, store, follower, true)
		require.NoError(t, follower.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM savedq_runs").Scan(&count))
		return count
	}
	assert.Zero(t, runs())
	require.NoError(t, store.AddRuns(t.Context(), runsOf("a", 0, 3)))
	assert.Equal(t, 3, runs())
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 3, runs())
	require.NoError(t, store.AddRuns(t.Context(), runsOf("b", 0, 2)))
	assert.Equal(t, 5, runs())
}

// Requests that arrive while a snapshot is taken share the next one. Each sees what was visible before it.
func TestSnapshotsAreShared(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	table, _ := store.Tables().FindSource("edge_logs")
	const rounds, callers = 5, 16
	numbers := make(map[uint64]bool)
	var mutex sync.Mutex
	for round := range rounds {
		ingestEvents(t, store, table, eventsFrom(round*10, 10)...)
		var asking sync.WaitGroup
		for range callers {
			asking.Go(func() {
				snapshot, err := store.Snapshot(t.Context(), false)
				if assert.NoError(t, err) {
					defer snapshot.Release()
					mutex.Lock()
					defer mutex.Unlock()
					numbers[snapshot.Number] = true
					assert.FileExists(t, snapshot.Recent)
				}
			})
		}
		asking.Wait()
		follower := follow(t, directory)
		showSnapshot(t, store, follower, false)
		var events int
		require.NoError(t, follower.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM edge_logs").Scan(&events))
		assert.Equal(t, (round+1)*10, events)
	}
	assert.LessOrEqual(t, len(numbers), rounds)
	assert.Len(t, recentFiles(t, directory), 1)
}

// A caller who leaves does not keep a snapshot, and files that a killed process has left are removed.
func TestSnapshotsAreRemoved(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	table, _ := store.Tables().FindSource("edge_logs")
	ingestEvents(t, store, table, eventsFrom(0, 10)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.Snapshot(ctx, false)
	require.ErrorIs(t, err, context.Canceled)
	snapshot, err := store.Snapshot(t.Context(), false)
	require.NoError(t, err)
	store.ForgetSnapshot()
	assert.Equal(t, []string{snapshot.Recent}, recentFiles(t, directory))
	snapshot.Release()
	assert.Empty(t, recentFiles(t, directory))
	require.NoError(t, store.Close())
	require.NoError(t, os.WriteFile(filepath.Join(directory, parts.Directory, parts.RecentName(99)), []byte("x"), 0o600))
	require.NoError(t, open(t, directory).Close())
	assert.Empty(t, recentFiles(t, directory))
}

// Writing snapshots takes a small part of the time, but a caller waits for a second at most.
func TestSnapshotsTakeLittleTime(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{0: 0, time.Millisecond: 9 * time.Millisecond, time.Second: time.Second} {
		assert.Equal(t, want, logstore.SnapshotPause(took), fmt.Sprint(took))
	}
}
