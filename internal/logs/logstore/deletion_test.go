package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// Delete removes exactly the events before a time, with their records, wherever they are.
func TestDeleteBefore(t *testing.T) {
	t.Parallel()
	moments := []time.Duration{-300 * 24 * time.Hour, -time.Hour, -time.Minute, -time.Second, -time.Millisecond, -time.Microsecond, 0, time.Microsecond, time.Hour}
	var events []logevent.Event
	for i, moment := range moments {
		for range i + 1 { // some at the same moment
			added := event(len(events))
			added.Timestamp = noon.Add(moment)
			events = append(events, added)
		}
	}
	openBoth(t, func(t *testing.T, store *logstore.Store, seal func()) {
		t.Helper()
		const inParts = 20
		addEvents(t, store, "edge_logs", events[:inParts]...)
		addEvents(t, store, "function_edge_logs", events[:inParts]...)
		addEvents(t, store, "auth_logs", events[:inParts]...)
		seal()
		for _, table := range []string{"edge_logs", "function_edge_logs", "auth_logs"} {
			ingestEvents(t, store, source(t, table), events[inParts:]...)
		}
		before := logstore.Deletion{Source: source(t, "edge_logs"), Before: noon}
		count, err := store.Count(t.Context(), before)
		require.NoError(t, err)
		assert.EqualValues(t, 21, count)
		deleted, err := store.Delete(t.Context(), before)
		require.NoError(t, err)
		assert.EqualValues(t, 21, deleted)
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
		assert.Equal(t, []string{"0"}, texts(t, store, "SELECT count(*)::VARCHAR FROM auth_logs"))
		late := event(1000)
		late.Timestamp = noon.Add(-time.Hour)
		ingestEvents(t, store, source(t, "edge_logs"), late)
		assert.Equal(t, holds(45-21+1), contents(t, store, "edge_logs", "edge_requests"), "an event that comes later stays")
	})
}

// A part of many days is written again once a day while its events become older than a retention, so that they leave the
// disk although most of the part stays.
func TestExpiredEventsLeaveTheDisk(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	const days = 60
	var events []logevent.Event
	for i := range days {
		added := event(i)
		added.Timestamp = noon.AddDate(0, 0, i)
		events = append(events, added)
	}
	addEvents(t, store, "edge_logs", events...)
	addEvents(t, store, "auth_logs", events[:1]...)
	_, err := store.Merge(t.Context(), noon.AddDate(1, 0, 0), nil)
	require.NoError(t, err)
	files := func() []string {
		t.Helper()
		manifest, err := parts.Read(directory)
		require.NoError(t, err)
		var found []string
		for i := range manifest.Parts {
			found = append(found, manifest.Parts[i].FileName())
		}
		return found
	}
	require.Len(t, files(), 1)
	left := days
	for _, test := range []struct {
		before  time.Duration
		deleted int
		rewrite bool
	}{
		{10*24*time.Hour - time.Hour, 10, true},
		{10*24*time.Hour + time.Hour, 1, false},
		{11*24*time.Hour - time.Hour, 0, false},
		{11*24*time.Hour + time.Hour, 1, true},
		{14 * 24 * time.Hour, 2, true},
	} {
		before := files()
		deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Before: noon.Add(test.before)})
		require.NoError(t, err)
		assert.EqualValues(t, test.deleted, deleted, test.before)
		left -= test.deleted
		assert.Equal(t, holds(left), contents(t, store, "edge_logs", "edge_requests"))
		assert.Equal(t, test.rewrite, !slices.Equal(before, files()), test.before)
	}
	assert.Equal(t, []string{"1"}, texts(t, store, "SELECT count(*)::VARCHAR FROM auth_logs"), "other sources stay")
	require.NoError(t, store.Close())
}

// Timestamps have any of 9999 years, and a time.Duration has at most 292.
func TestDeleteOverTheWholeCalendar(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, seal func()) {
		t.Helper()
		var events []logevent.Event
		for i, year := range []int{1, 1601, 1970, 2026, 9999} {
			added := event(i)
			added.Timestamp = time.Date(year, time.December, 31, 23, 59, 59, 0, time.UTC)
			events = append(events, added)
		}
		addEvents(t, store, "edge_logs", events...)
		seal()
		_, err := store.Merge(t.Context(), time.Date(2027, 12, 1, 0, 0, 0, 0, time.UTC), nil)
		require.NoError(t, err)
		deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Before: noon})
		require.NoError(t, err)
		assert.EqualValues(t, 3, deleted)
		assert.Equal(t, holds(2), contents(t, store, "edge_logs", "edge_requests"))
		deleted, err = store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs")})
		require.NoError(t, err)
		assert.EqualValues(t, 2, deleted)
	})
}

// D23: where each source has its project.
func TestDeleteProject(t *testing.T) {
	t.Parallel()
	inMetadata := map[string]string{"function_edge_logs": "project_ref", "function_logs": "project_ref", "realtime_logs": "project", "storage_logs": "project"}
	openBoth(t, func(t *testing.T, store *logstore.Store, seal func()) {
		t.Helper()
		for _, of := range shippedTables() {
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
			addEvents(t, store, of.Name, events[:50]...)
			seal()
			ingestEvents(t, store, of, events[50:]...)
			deletion := logstore.Deletion{Source: of, Project: "acme", Before: noon.Add(6 * time.Second)}
			deleted, err := store.Delete(t.Context(), deletion)
			require.NoError(t, err)
			assert.EqualValues(t, 12, deleted, of.Name)
			deletion.Before = time.Time{}
			count, err := store.Count(t.Context(), deletion)
			require.NoError(t, err)
			assert.EqualValues(t, 13, count, of.Name)
			deleted, err = store.Delete(t.Context(), deletion)
			require.NoError(t, err)
			assert.EqualValues(t, 13, deleted, of.Name)
			assert.Equal(t, []string{"76"}, texts(t, store, "SELECT count(*)::VARCHAR FROM "+of.Name), of.Name)
			switch of.Name {
			case "edge_logs":
				assert.Equal(t, []string{"75"}, texts(t, store, "SELECT count(*)::VARCHAR FROM edge_requests"), "as many equal records as events")
			case "function_edge_logs":
				assert.Equal(t, []string{"globex 50", `ac"me 50`, "ACME 50"}, texts(t, store, "SELECT project_ref || ' ' || count(*) FROM function_invocations GROUP BY project_ref ORDER BY project_ref DESC"))
			}
		}
	})
}

// The records of a project's events are those that adding them made, whatever the values.
func TestDeleteProjectRecords(t *testing.T) {
	t.Parallel()
	store := openFile(t)
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

// A failure between two steps ends the deletion, and tells how far it came.
func TestDeleteFails(t *testing.T) {
	t.Parallel()
	store := openFile(t)
	var events []logevent.Event
	for i := range 10 {
		added := event(i)
		added.Timestamp = noon.Add(time.Duration(i) * time.Second)
		events = append(events, added)
	}
	addEvents(t, store, "edge_logs", events...)
	stop := errors.New("stop")
	deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Before: noon.Add(8 * time.Second), Between: func(context.Context) error { return stop }})
	require.ErrorIs(t, err, stop)
	require.ErrorContains(t, err, "delete events of edge_logs")
	assert.EqualValues(t, 8, deleted)
	assert.Equal(t, holds(2), contents(t, store, "edge_logs", "edge_requests"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = store.Delete(ctx, logstore.Deletion{Source: source(t, "edge_logs")})
	require.ErrorIs(t, err, context.Canceled)
	_, err = store.Count(ctx, logstore.Deletion{Source: source(t, "edge_logs")})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, holds(2), contents(t, store, "edge_logs", "edge_requests"))
}

// Under steady ingest and retention, the files do not grow.
func TestFilesStayFlat(t *testing.T) {
	t.Parallel()
	store := openFile(t)
	const perRound, rounds = 2000, 6
	sizes := make([]int64, rounds)
	for round := range rounds {
		events := make([]logevent.Event, perRound)
		for i := range events {
			number := round*perRound + i
			events[i] = event(number)
			events[i].Timestamp = noon.Add(time.Duration(number) * time.Millisecond)
		}
		ingestEvents(t, store, source(t, "edge_logs"), events...)
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
		_, err = store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Before: noon.Add(time.Duration(round) * perRound * time.Millisecond)})
		require.NoError(t, err)
		sizes[round] = store.FileBytes()
	}
	assert.Equal(t, holds(perRound), contents(t, store, "edge_logs", "edge_requests"))
	assert.LessOrEqual(t, sizes[rounds-1], sizes[0]*3/2, "sizes: %v", sizes)
}

// Events that were deleted do not come again with the write-ahead log after a crash, wherever they were.
func TestDeletedEventsStayDeletedAfterCrash(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, model := open(t, directory), newModel(32)
	var log []logstore.Ingestion
	for range 3 {
		events := model.batch(50)
		ingestion := logstore.Ingestion{Events: sequence(events), Position: model.position + 1}
		require.NoError(t, store.Ingest(t.Context(), ingestion))
		model.position++
		model.add(events...)
		log = append(log, ingestion)
	}
	deletion := logstore.Deletion{Source: source(t, "edge_logs"), Before: start().Add(30 * time.Hour)}
	deleted, err := store.Delete(t.Context(), deletion)
	require.NoError(t, err)
	assert.Equal(t, model.remove(deletion), deleted)
	assert.Positive(t, deleted)
	crashed := t.TempDir()
	require.NoError(t, os.CopyFS(crashed, os.DirFS(directory)))
	again := open(t, crashed)
	for _, ingestion := range log {
		if ingestion.Position > again.SealedPosition() {
			require.NoError(t, again.Ingest(t.Context(), ingestion))
		}
	}
	model.check(t, again)
	require.NoError(t, again.Close())
	require.NoError(t, store.Close())
}

// Old events are deleted although what is in memory does not fit on the disk: that is what makes room.
func TestDeleteOldestOnFullDisk(t *testing.T) {
	t.Parallel()
	full := false
	store := open(t, t.TempDir(), logstore.WithSteps(func(step string) error {
		if full && step == "create a part" {
			return assert.AnError
		}
		return nil
	}))
	model := newModel(33)
	model.ingest(t, store, 100)
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	full = true
	inMemory := model.batch(100)
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(inMemory), Position: 7}))
	deletion := logstore.Deletion{Source: source(t, "edge_logs"), Before: start().AddDate(0, 0, 90)}
	deleted, err := store.Delete(t.Context(), deletion)
	require.ErrorIs(t, err, assert.AnError)
	assert.Equal(t, model.remove(deletion), deleted)
	model.add(inMemory...)
	model.check(t, store)
	full = false
	deleted, err = store.Delete(t.Context(), deletion)
	require.NoError(t, err)
	assert.Equal(t, model.remove(deletion), deleted)
	model.check(t, store)
	require.NoError(t, store.Close())
}
