package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

// addEvents adds events to a source and commits.
func addEvents(t *testing.T, store *logstore.Store, table string, events ...logevent.Event) {
	t.Helper()
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for _, event := range events {
		require.NoError(t, transaction.Add(t.Context(), source(t, table), event))
	}
	require.NoError(t, transaction.Commit(t.Context()))
}

func openWithSteps(t *testing.T, rows int64) *logstore.Store {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context(), logstore.WithStepRows(rows), inParts())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

// Delete removes exactly the events before a time, with their records, however many steps
// that takes.
func TestDeleteBefore(t *testing.T) {
	t.Parallel()
	moments := []time.Duration{-300 * 24 * time.Hour, -time.Hour, -time.Minute, -time.Second, -time.Millisecond, -time.Microsecond, 0, time.Microsecond, time.Hour}
	for _, step := range []int64{1, 7, 50_000} {
		t.Run(strconv.FormatInt(step, 10), func(t *testing.T) {
			t.Parallel()
			store := openWithSteps(t, step)
			var events []logevent.Event
			for i, moment := range moments {
				for range i + 1 { // some at the same moment
					added := event(len(events))
					added.Timestamp = noon.Add(moment)
					events = append(events, added)
				}
			}
			addEvents(t, store, "edge_logs", events...)
			addEvents(t, store, "function_edge_logs", events...)
			addEvents(t, store, "auth_logs", events...)
			before := logstore.Deletion{Source: source(t, "edge_logs"), Before: noon}
			count, err := store.Count(t.Context(), before)
			require.NoError(t, err)
			assert.EqualValues(t, 21, count)
			steps := 0
			before.Between = func(context.Context) error { steps++; return nil }
			deleted, err := store.Delete(t.Context(), before)
			require.NoError(t, err)
			assert.EqualValues(t, 21, deleted)
			if step == 1 {
				assert.Equal(t, 6, steps, "each moment is a step")
			}
			assert.Equal(t, holds(45-21), contents(t, store, "edge_logs", "edge_requests"))
			for _, table := range []string{"edge_logs", "edge_requests"} {
				assert.Equal(t, []string{noon.Format(time.DateTime)}, texts(t, store, "SELECT min(timestamp)::VARCHAR FROM "+table), table)
			}
			assert.Equal(t, holds(45), contents(t, store, "function_edge_logs", "function_invocations"), "other sources stay")
			deleted, err = store.Delete(t.Context(), before)
			require.NoError(t, err)
			assert.Zero(t, deleted)
			deleted, err = store.Delete(t.Context(), logstore.Deletion{Source: source(t, "auth_logs")})
			require.NoError(t, err)
			assert.EqualValues(t, 45, deleted, "without a time, all are deleted")
		})
	}
}

// Timestamps have any of 9999 years, and a time.Duration has at most 292.
func TestDeleteOverTheWholeCalendar(t *testing.T) {
	t.Parallel()
	store := openWithSteps(t, 50_000)
	var events []logevent.Event
	for i, year := range []int{1, 1601, 1970, 2026, 9999} {
		added := event(i)
		added.Timestamp = time.Date(year, time.December, 31, 23, 59, 59, 0, time.UTC)
		events = append(events, added)
	}
	addEvents(t, store, "edge_logs", events...)
	deletion := logstore.Deletion{Source: source(t, "edge_logs"), Before: noon}
	steps := 0
	deletion.Between = func(context.Context) error { steps++; return nil }
	deleted, err := store.Delete(t.Context(), deletion)
	require.NoError(t, err)
	assert.EqualValues(t, 3, deleted)
	assert.Equal(t, 3, steps)
	deleted, err = store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs")})
	require.NoError(t, err)
	assert.EqualValues(t, 2, deleted)
}

// D23: where each source has its project.
func TestDeleteProject(t *testing.T) {
	t.Parallel()
	inMetadata := map[string]string{"function_edge_logs": "project_ref", "function_logs": "project_ref", "realtime_logs": "project", "storage_logs": "project"}
	store := openWithSteps(t, 50)
	for _, of := range shippedTables() {
		t.Run(of.Name, func(t *testing.T) {
			var events []logevent.Event
			for i := range 100 {
				project := []string{"acme", "globex", `ac"me`, "ACME"}[i%4]
				// Some events have the same time, and so equal records.
				added := logevent.Event{ID: strconv.Itoa(i), Timestamp: noon.Add(time.Duration(i/8) * time.Second)}
				name, mentioned := inMetadata[of.Name], project
				if name == "" {
					added.Project = &project
					name, mentioned = "other", "acme"
				}
				added.Metadata = fmt.Appendf(nil, `[{%q:%q,"execution_time_ms":0.1,"request":[{"url":"https://x/y","path":"/y"}],"response":[{"status_code":200},{}]}]`, name, mentioned)
				events = append(events, added)
			}
			events = append(events, logevent.Event{ID: "none", Timestamp: noon})
			addEvents(t, store, of.Name, events...)
			deletion := logstore.Deletion{Source: of, Project: "acme", Before: noon.Add(6 * time.Second)}
			deleted, err := store.Delete(t.Context(), deletion)
			require.NoError(t, err)
			assert.EqualValues(t, 12, deleted)
			deletion.Before = time.Time{}
			count, err := store.Count(t.Context(), deletion)
			require.NoError(t, err)
			assert.EqualValues(t, 13, count)
			deleted, err = store.Delete(t.Context(), deletion)
			require.NoError(t, err)
			assert.EqualValues(t, 13, deleted)
			assert.Equal(t, []string{"76"}, texts(t, store, "SELECT count(*)::VARCHAR FROM "+of.Name))
			switch of.Name {
			case "edge_logs":
				assert.Equal(t, []string{"75"}, texts(t, store, "SELECT count(*)::VARCHAR FROM edge_requests"), "as many equal records as events")
			case "function_edge_logs":
				assert.Equal(t, []string{"globex 50", `ac"me 50`, "ACME 50"}, texts(t, store, "SELECT project_ref || ' ' || count(*) FROM function_invocations GROUP BY project_ref ORDER BY project_ref DESC"))
			}
		})
	}
}

// The records of a project's events are those that adding them made, whatever the values.
func TestDeleteProjectRecords(t *testing.T) {
	t.Parallel()
	store := openWithSteps(t, 50_000)
	for name, metadata := range map[string]string{
		"plain":          `{"project_ref":"acme","function_id":"f","execution_time_ms":12.345678901234567,"response":[{"status_code":200}]}`,
		"missing values": `{"project_ref":"acme","response":[{}]}`,
		"wrong types":    `{"project_ref":"acme","function_id":7,"execution_time_ms":"x","response":[{"status_code":"x"}]}`,
		"extremes":       `{"project_ref":"acme","execution_time_ms":-1e-300,"response":[{"status_code":9007199254740992},{"status_code":1e300},{"status_code":399.9}]}`,
		"characters":     `{"project_ref":"acme","function_id":"a\u0000b\u2028\"'<>ü\\","response":[{"status_code":1}]}`,
		"no records":     `{"project_ref":"acme"}`,
		"two elements":   `{"project_ref":"acme","response":[{"status_code":1}]},{"project_ref":"globex","response":[{"status_code":2}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			const records = "SELECT r::VARCHAR FROM function_invocations AS r ORDER BY ALL"
			other := strings.ReplaceAll(metadata, "acme", "other")
			addEvents(t, store, "function_edge_logs", logevent.Event{ID: name, Timestamp: noon, Metadata: []byte("[" + other + "]")})
			want := texts(t, store, records)
			addEvents(t, store, "function_edge_logs",
				logevent.Event{ID: "1", Timestamp: noon, Metadata: []byte("[" + metadata + "]")},
				logevent.Event{ID: "2", Timestamp: noon, Metadata: []byte("[" + metadata + "]")},
			)
			deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "function_edge_logs"), Project: "acme"})
			require.NoError(t, err)
			assert.EqualValues(t, 2, deleted)
			assert.Equal(t, want, texts(t, store, records))
		})
	}
}

// Deletions and a load that takes several commits take turns, so that the counts of the load
// journal stay true.
func TestDeleteWaitsForLoad(t *testing.T) {
	t.Parallel()
	store := openWithSteps(t, 50_000)
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), -1000, 1000))
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range 3 * inPartsEvents { // journaled
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(i)))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	_, err = store.Delete(ctx, logstore.Deletion{Source: source(t, "edge_logs")})
	require.Error(t, err, "it waits until its context ends")
	require.NoError(t, transaction.Rollback())
	assert.Equal(t, holds(1000), contents(t, store, "edge_logs", "edge_requests"))
	deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs")})
	require.NoError(t, err)
	assert.EqualValues(t, 1000, deleted)
}

// A deletion first undoes a load that its writer could not undo: the counts of its journal
// would be wrong afterwards.
func TestDeleteUndoesLoadFirst(t *testing.T) {
	t.Parallel()
	store := openWithSteps(t, 50_000)
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), -1000, 1000))
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range 3 * inPartsEvents {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(i)))
	}
	logstore.FailRollback(t, transaction)
	deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Before: noon.Add(time.Second)})
	require.NoError(t, err)
	assert.EqualValues(t, 1000, deleted)
	assert.Equal(t, holds(0), contents(t, store, "edge_logs", "edge_requests"))
}

// A kill at any point of a deletion leaves each event with its records, or neither.
func TestDeleteIsCrashSafe(t *testing.T) {
	t.Parallel()
	for _, project := range []string{"", "acme"} {
		t.Run("project "+project, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			store, err := logstore.Open(t.Context(), directory, "", logstore.WithDuckDB("checkpoint_threshold=1TB"), logstore.WithStepRows(200))
			require.NoError(t, err)
			const count = 1000
			var events []logevent.Event
			for i := range count {
				added := event(i)
				added.Project, added.Timestamp = new("acme"), noon.Add(time.Duration(i)*time.Millisecond)
				events = append(events, added)
			}
			addEvents(t, store, "edge_logs", events...)
			begin := walSize(t, directory)
			deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Project: project})
			require.NoError(t, err)
			assert.EqualValues(t, count, deleted)
			killed := snapshot(t, directory)
			require.NoError(t, store.Close())
			found := make(map[string]bool)
			for _, length := range lengths(begin, walSize(t, killed), 5) {
				crashed := t.TempDir()
				copyStore(t, killed, crashed, length)
				again := open(t, crashed)
				counts := strings.Fields(contents(t, again, "edge_logs", "edge_requests"))
				assert.Equal(t, counts[0], counts[2], "cut to %d", length)
				found[counts[0]] = true
				require.NoError(t, again.Close())
			}
			assert.Greater(t, len(found), 3, "steps are separate commits")
		})
	}
}

// A failure between two steps ends the deletion, and tells how far it came.
func TestDeleteFails(t *testing.T) {
	t.Parallel()
	store := openWithSteps(t, 1)
	add(t, store, logstore.Sent, "1", "2")
	stop := errors.New("stop")
	deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Between: func(context.Context) error { return stop }})
	require.ErrorIs(t, err, stop)
	require.ErrorContains(t, err, "delete events of edge_logs")
	assert.EqualValues(t, 2, deleted)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = store.Delete(ctx, logstore.Deletion{Source: source(t, "edge_logs")})
	require.ErrorIs(t, err, context.Canceled)
	_, err = store.Count(ctx, logstore.Deletion{Source: source(t, "edge_logs")})
	require.ErrorIs(t, err, context.Canceled)
}

// Under steady appending and deleting the file does not grow: DuckDB drops row groups of
// deleted rows and uses their space again, also while queries always overlap.
func TestFileStaysFlat(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithoutAutomaticCheckpoints())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	ctx, stop := context.WithCancel(t.Context())
	var queries sync.WaitGroup
	defer queries.Wait()
	defer stop()
	queries.Go(func() {
		for ctx.Err() == nil {
			var count int
			if err := store.DB().QueryRowContext(ctx, "SELECT count(DISTINCT length(id)) FROM edge_logs").Scan(&count); ctx.Err() == nil {
				assert.NoError(t, err)
			}
		}
	})
	const perRound, kept = logstore.RowGroup, logstore.RowGroup
	size := func() int64 {
		info, err := os.Stat(filepath.Join(directory, storeFile))
		require.NoError(t, err)
		return info.Size()
	}
	var sizes []int64
	for round := range 6 {
		for _, statement := range []string{
			"INSERT INTO edge_logs (id, timestamp) SELECT i, TIMESTAMP '2026-03-01 12:00:00' + to_milliseconds(i) FROM range(%d, %d) AS numbers(i)",
			"INSERT INTO edge_requests (timestamp) SELECT TIMESTAMP '2026-03-01 12:00:00' + to_milliseconds(i) FROM range(%d, %d) AS numbers(i)",
		} {
			_, err := store.DB().ExecContext(t.Context(), fmt.Sprintf(statement, round*perRound, (round+1)*perRound))
			require.NoError(t, err)
		}
		_, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Before: noon.Add(time.Duration((round+1)*perRound-kept) * time.Millisecond)})
		require.NoError(t, err)
		_, err = store.Checkpoint(t.Context())
		require.NoError(t, err)
		sizes = append(sizes, size())
	}
	assert.Equal(t, holds(kept), contents(t, store, "edge_logs", "edge_requests"))
	assert.LessOrEqual(t, slices.Max(sizes[3:]), slices.Max(sizes[:3])*3/2, "sizes: %v", sizes)
}
